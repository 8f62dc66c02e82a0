/* Unit tests of quantities: the examples of upstream's parser, then rounding, limits and errors.
 * Random ones against slow arithmetic are in tests/property. */
#include "tests/unit/unit.h"

#include "model/values/quantity.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define DEC         STOW_QUANTITY_DECIMAL_SI
#define BIN         STOW_QUANTITY_BINARY_SI
#define EXP         STOW_QUANTITY_DECIMAL_EXPONENT
#define MAX         INT64_MAX

struct example {
    const char *text;
    enum stow_quantity_format format;
    const char *canonical;
    int64_t value, milli; /* INT64_MAX: clamped where upstream overflows */
};

static const struct example examples[] = {
    {"0", DEC, "0", 0, 0},
    {"1", DEC, "1", 1, 1000},
    {"100m", DEC, "100m", 1, 100},
    {"1000m", DEC, "1", 1, 1000},
    {"1500m", DEC, "1500m", 2, 1500},
    {"0.1", DEC, "100m", 1, 100},
    {"0.5", DEC, "500m", 1, 500},
    {"0.500", DEC, "500m", 1, 500},
    {"1.5", DEC, "1500m", 2, 1500},
    {".5", DEC, "500m", 1, 500},
    {"1.", DEC, "1.", 1, 1000},
    {"2.5", DEC, "2500m", 3, 2500},
    {"0.0001", DEC, "100u", 1, 1},
    {"0.1m", DEC, "100u", 1, 1},
    {"1u", DEC, "1u", 1, 1},
    {"999999u", DEC, "999999u", 1, 1000},
    {"0.1n", DEC, "1n", 1, 1},
    {"3.001n", DEC, "4n", 1, 1},
    {"1.0000000001", DEC, "1000000001n", 2, 1001},
    {"1k", DEC, "1k", 1000, 1000000},
    {"1.5k", DEC, "1500", 1500, 1500000},
    {"100.035k", DEC, "100.035k", 100035, 100035000},
    {"1M", DEC, "1M", 1000000, 1000000000},
    {"1G", DEC, "1G", 1000000000, 1000000000000},
    {"1T", DEC, "1T", 1000000000000, 1000000000000000},
    {"1P", DEC, "1P", 1000000000000000, 1000000000000000000},
    {"1E", DEC, "1E", 1000000000000000000, MAX},
    {"10E", DEC, "10E", MAX, MAX},
    {"10P", DEC, "10P", 10000000000000000, MAX},
    {"100000", DEC, "100k", 100000, 100000000},
    {"+1", DEC, "+1", 1, 1000},
    {"01", DEC, "01", 1, 1000},
    {"1.500", DEC, "1.500", 2, 1500},
    {"1.000", DEC, "1", 1, 1000},
    {"1Ki", BIN, "1Ki", 1024, 1024000},
    {"1.5Ki", BIN, "1536", 1536, 1536000},
    {"0.5Ki", BIN, "512", 512, 512000},
    {"100.035Ki", BIN, "102435840m", 102436, 102435840},
    {"200Mi", BIN, "200Mi", 209715200, 209715200000},
    {"1024Mi", BIN, "1Gi", 1073741824, 1073741824000},
    {"1.5Gi", BIN, "1536Mi", 1610612736, 1610612736000},
    {"+1.5Gi", BIN, "1536Mi", 1610612736, 1610612736000},
    {"0.1Gi", BIN, "107374182400m", 107374183, 107374182400},
    {"1.0001Gi", BIN, "1073849198182400u", 1073849199, 1073849198183},
    {"512Gi", BIN, "512Gi", 549755813888, 549755813888000},
    {"1.25Ti", BIN, "1280Gi", 1374389534720, 1374389534720000},
    {"1Pi", BIN, "1Pi", 1125899906842624, 1125899906842624000},
    {"8Ei", BIN, "9223372036854775807", MAX, MAX},
    {"0.000000000001Ki", DEC, "2n", 1, 1},
    {"1e3", EXP, "1e3", 1000, 1000000},
    {"1E3", EXP, "1E3", 1000, 1000000},
    {"1.2e3", EXP, "1200", 1200, 1200000},
    {"1e-3", EXP, "1e-3", 1, 1},
    {"1e-10", EXP, "1e-9", 1, 1},
    {"1E+6", EXP, "1E+6", 1000000, 1000000000},
    {"1e19", EXP, "10e18", MAX, MAX},
    {"-1.5", DEC, "-1500m", -2, -1500},
    {"-1.1n", DEC, "-2n", -1, -1}, /* upstream gives 1 and -1; the exact ceiling is right */
    {"-8Ei", BIN, "-9223372036854775807", -MAX, INT64_MIN},
    {"-", DEC, "0", 0, 0},
    {"+", DEC, "0", 0, 0},
    {".", DEC, "0", 0, 0},
    {"-.", DEC, "0", 0, 0},
    {"m", DEC, "0", 0, 0},
    {"00", DEC, "0", 0, 0},
    {"Mi", BIN, "0", 0, 0},
    {"Ti", BIN, "0", 0, 0},
    {"0Ei", BIN, "0", 0, 0},
    {"9223372036854775807", DEC, "9223372036854775807", MAX, MAX},
    {"9223372036854775808", DEC, "9223372036854775808", MAX, MAX},
};

static void check(const struct example *e)
{
    struct stow_quantity q = {0};
    struct stow_buf canonical = {0};

    if (stow_quantity_parse(stow_str_of(e->text), &q) != STOW_QUANTITY_OK ||
        q.format != e->format || stow_quantity_value(&q, NULL) != e->value ||
        stow_quantity_milli(&q, NULL) != e->milli)
        fail_msg("%s: format %d, value %lld, milli %lld", e->text, (int)q.format,
                 (long long)stow_quantity_value(&q, NULL),
                 (long long)stow_quantity_milli(&q, NULL));
    stow_quantity_canonical(stow_str_of(e->text), &canonical);
    assert_text(stow_buf_str(&canonical), e->canonical);
    stow_buf_done(&canonical);
}

static void examples_of_upstream_come_out_the_same(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < COUNT(examples); i++)
        check(&examples[i]);
}

static void errors_have_upstreams_classes(void **ctx)
{
    static const char *const suffix[] = {"1K",   "1ki", "1i",   "0.1mi", "1e", "1E-", "1kk",
                                         "1Kim", "1e+", "1ee3", "1m3",   "K",  "--1", "+-1"};
    static const char *const format[] = {"",      " 1",    "1 ",        "1.1.M",   "1+1.0M",
                                         "1e1.5", "2e2Mi", "0x10",      "1_000",   "NaN",
                                         "1,5",   "abc",   "1\xc2\xa0", "\xd9\xa1"};
    static const char *const number[] = {"Pi", "Ei", "-Ei", ".Pi"};
    struct stow_quantity q;

    (void)ctx;
    for (size_t i = 0; i < COUNT(suffix); i++)
        assert_int_equal(stow_quantity_parse(stow_str_of(suffix[i]), &q), STOW_QUANTITY_BAD_SUFFIX);
    for (size_t i = 0; i < COUNT(format); i++)
        assert_int_equal(stow_quantity_parse(stow_str_of(format[i]), &q), STOW_QUANTITY_BAD_FORMAT);
    for (size_t i = 0; i < COUNT(number); i++)
        assert_int_equal(stow_quantity_parse(stow_str_of(number[i]), &q), STOW_QUANTITY_BAD_NUMBER);
    assert_int_equal(stow_quantity_parse(STOW_STR("1\0"), &q), STOW_QUANTITY_BAD_FORMAT);
    assert_int_equal(stow_quantity_parse(STOW_STR("1k\0"), &q), STOW_QUANTITY_BAD_FORMAT);
}

static void what_was_not_written_is_not_touched(void **ctx)
{
    struct stow_quantity q = {.nano = 42};

    (void)ctx;
    assert_int_equal(stow_quantity_parse(STOW_STR("1x"), &q), STOW_QUANTITY_BAD_FORMAT);
    assert_true(q.nano == 42);
}

static void clamping_is_flagged_and_only_then(void **ctx)
{
    static const struct {
        const char *text;
        bool value, milli;
    } cases[] = {
        {"9223372036854775807", false, true},
        {"9223372036854775808", true, true},
        {"-9223372036854775808", false, true},
        {"-9223372036854775809", true, true},
        {"9223372036854775", false, false},
        {"9223372036854776", false, true},
        {"8Ei", false, true},
        {"1e40", true, true},
        {"0", false, false},
        {"1e2147483648", false, false}, /* cut to 32 bits */
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct stow_quantity q;
        bool value = false, milli = false;

        assert_int_equal(stow_quantity_parse(stow_str_of(cases[i].text), &q), STOW_QUANTITY_OK);
        stow_quantity_value(&q, &value);
        stow_quantity_milli(&q, &milli);
        if (value != cases[i].value || milli != cases[i].milli)
            fail_msg("%s: %d %d", cases[i].text, value, milli);
    }
}

static void beyond_128_bits_is_saturated(void **ctx)
{
    struct stow_quantity q;

    (void)ctx;
    assert_int_equal(stow_quantity_parse(STOW_STR("1e30"), &q), STOW_QUANTITY_OK);
    assert_true(q.saturated && q.nano == STOW_I128_MAX);
    assert_int_equal(stow_quantity_parse(STOW_STR("-1e2000000000"), &q), STOW_QUANTITY_OK);
    assert_true(q.saturated && q.nano == -STOW_I128_MAX);
    assert_int_equal(stow_quantity_parse(STOW_STR("1e-2000000000"), &q), STOW_QUANTITY_OK);
    assert_true(!q.saturated && q.nano == 1);
    assert_int_equal(stow_quantity_parse(STOW_STR("0e2000000000"), &q), STOW_QUANTITY_OK);
    assert_true(!q.saturated && q.nano == 0);
    assert_true(stow_nano_add(STOW_I128_MAX, 1) == STOW_I128_MAX);
    assert_true(stow_nano_add(-STOW_I128_MAX, -5) == -STOW_I128_MAX);
    assert_true(stow_nano_add(5, -7) == -2);
}

static void longer_texts_than_anybody_writes_are_refused(void **ctx)
{
    char text[STOW_QUANTITY_MAX_TEXT + 1];
    struct stow_quantity q;

    (void)ctx;
    memset(text, '0', sizeof(text));
    text[0] = '1';
    assert_int_equal(stow_quantity_parse((struct stow_str){text, sizeof(text) - 1}, &q),
                     STOW_QUANTITY_OK);
    assert_true(q.saturated);
    assert_int_equal(stow_quantity_parse((struct stow_str){text, sizeof(text)}, &q),
                     STOW_QUANTITY_BAD_FORMAT);
}

static void memory_of_price_lists_is_read_too(void **ctx)
{
    static const struct {
        const char *text;
        int64_t bytes; /* -1: not understood */
    } cases[] = {
        {"16 GiB", 17179869184},
        {"8 GB", 8000000000},
        {"15.25 GiB", 16374562816},
        {" 1,952 GiB ", 2095944040448},
        {"0.5 GiB", 536870912},
        {"2 TiB", 2199023255552},
        {"512 MiB", 536870912},
        {"100 B", 100},
        {"16GiB", -1},
        {"16 ", -1},
        {"16 Gi", -1},
        {"-1 GiB", -1},
        {"NA", -1},
        {"", -1},
        {", GiB", -1},
        {"1.2.3 GiB", -1},
        {"99999999999999999999 TiB", -1},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t bytes = -1;
        bool good = stow_memory_parse(stow_str_of(cases[i].text), &bytes);

        if (good != (cases[i].bytes >= 0) || bytes != cases[i].bytes)
            fail_msg("%s: %lld", cases[i].text, (long long)bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_upstream_come_out_the_same),
        cmocka_unit_test(errors_have_upstreams_classes),
        cmocka_unit_test(what_was_not_written_is_not_touched),
        cmocka_unit_test(clamping_is_flagged_and_only_then),
        cmocka_unit_test(beyond_128_bits_is_saturated),
        cmocka_unit_test(longer_texts_than_anybody_writes_are_refused),
        cmocka_unit_test(memory_of_price_lists_is_read_too),
    };

    return cmocka_run_group_tests_name("model/quantity", tests, NULL, NULL);
}
