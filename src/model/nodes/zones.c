/* zones.c - what names of zones and provider ids tell.
 *
 * The forms, as regular expressions:
 *
 *     aws     region [a-z]+(-[a-z]+)+-[0-9]+        zone REGION[a-z]
 *     gce     region [a-z]+(-[a-z]+)+[0-9]+         zone REGION-[a-z]
 *     azure   region [a-z]+[0-9]*                   zone REGION-[0-9]
 *
 * A zone of another form (aws Local Zones, an availability set's number on azure) tells nothing:
 * its prices are not its region's, or there is no region in it.  Beside a region that is known, the
 * name of a Local Zone tells where its prices are listed. */
#include "model/nodes/zones.h"

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static struct stow_str head(struct stow_str text, size_t len)
{
    return (struct stow_str){text.ptr, len};
}

/* The length without digits at the end. */
static size_t before_digits(struct stow_str text)
{
    size_t len = text.len;

    while (len && is_digit(text.ptr[len - 1]))
        len--;
    return len;
}

/* How many words of letters, divided by single dashes, the text is made of; 0: it is not. */
static uint32_t count_words(struct stow_str text)
{
    uint32_t words = 0;

    for (size_t i = 0; i < text.len; i++) {
        bool starts = i == 0 || text.ptr[i - 1] == '-';

        if (is_letter(text.ptr[i]))
            words += starts;
        else if (text.ptr[i] != '-' || starts || i + 1 == text.len)
            return 0;
    }
    return words;
}

static bool is_aws(struct stow_str region)
{
    size_t len = before_digits(region);

    return len > 1 && len < region.len && region.ptr[len - 1] == '-' &&
           count_words(head(region, len - 1)) >= 2;
}

static bool is_gce(struct stow_str region)
{
    size_t len = before_digits(region);

    return len < region.len && count_words(head(region, len)) >= 2;
}

static bool is_azure(struct stow_str region)
{
    return count_words(head(region, before_digits(region))) == 1;
}

static bool is_named(struct stow_str provider, const char *a, const char *b)
{
    return stow_str_is(provider, a) || stow_str_is(provider, b);
}

bool stow_region_is_of(struct stow_str provider, struct stow_str region)
{
    if (stow_str_is(provider, "aws"))
        return is_aws(region);
    if (is_named(provider, "gce", "gcp"))
        return is_gce(region);
    return stow_str_is(provider, "azure") && is_azure(region);
}

/* The zone without its last `tail` characters. */
static struct stow_str cut(struct stow_str zone, size_t tail)
{
    return head(zone, zone.len > tail ? zone.len - tail : 0);
}

struct stow_str stow_zone_region(struct stow_str provider, struct stow_str zone)
{
    const char last = (char)(zone.len ? zone.ptr[zone.len - 1] : 0);
    const bool dash = zone.len > 1 && zone.ptr[zone.len - 2] == '-';

    if ((!provider.len || stow_str_is(provider, "aws")) && is_letter(last) && is_aws(cut(zone, 1)))
        return cut(zone, 1);
    if ((!provider.len || is_named(provider, "gce", "gcp")) && is_letter(last) && dash &&
        is_gce(cut(zone, 2)))
        return cut(zone, 2);
    if (stow_str_is(provider, "azure") && is_digit(last) && dash && is_azure(cut(zone, 2)))
        return cut(zone, 2);
    return STOW_STR("");
}

struct stow_str stow_price_region(struct stow_str provider, struct stow_str region,
                                  struct stow_str zone)
{
    if (!is_named(provider, "aws", "") || !is_aws(region) || !stow_str_starts(zone, region) ||
        zone.len == region.len || zone.ptr[region.len] != '-')
        return region;
    return cut(zone, is_letter(zone.ptr[zone.len - 1]) ? 1 : 0);
}

struct stow_str stow_provider_name(struct stow_str provider)
{
    static const struct {
        const char *written, *name;
    } known[] = {{"aws", "aws"}, {"azure", "azure"}, {"gce", "gce"}, {"gcp", "gce"}};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (stow_str_eq_nocase(provider, stow_str_of(known[i].written)))
            return stow_str_of(known[i].name);
    return provider;
}

struct stow_str stow_provider_of(struct stow_str provider_id)
{
    const char *colon = provider_id.len ? memmem(provider_id.ptr, provider_id.len, "://", 3) : NULL;

    return colon ? head(provider_id, (size_t)(colon - provider_id.ptr)) : STOW_STR("");
}

/* aws:///ZONE/INSTANCE, gce://PROJECT/ZONE/INSTANCE */
struct stow_str stow_provider_zone(struct stow_str provider_id)
{
    struct stow_str provider = stow_provider_of(provider_id), rest, tail;

    if (!is_named(provider, "aws", "gce"))
        return STOW_STR("");
    rest =
        (struct stow_str){provider_id.ptr + provider.len + 3, provider_id.len - provider.len - 3};
    (void)stow_str_cut(rest, '/', &tail); /* the project, on aws nothing */

    struct stow_str zone = stow_str_cut(tail, '/', &rest);

    return rest.ptr && stow_zone_region(provider, zone).len ? zone : STOW_STR("");
}
