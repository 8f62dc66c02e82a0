/* Unit tests of the importers: every format, and what each does with bad input. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "price/importers/import.h"
#include "price/importers/importers.h"
#include "price/resolve.h"

#define OURS \
    "provider,region,zone,instance_type,os,capacity_type,currency,effective_at,price_per_hour\n"
#define OPENCOST                                                                                \
    "EndTimestamp,InstanceID,Region,AssetClass,InstanceIDField,InstanceType,MarketPriceHourly," \
    "Version\n"

#define GET(sym) STOW_FMT(stow_intern_get(&b->text, (sym)))

/* The importers read in blocks: give them what the file reader would. */
static int add_bytes(struct stow_import *import, const char *text, size_t len, struct stow_err *err)
{
    char *padded = calloc(1, len + STOW_TAPE_PADDING);

    assert_non_null(padded);
    memcpy(padded, text, len);

    int code = stow_import_add(import, "file", padded, len, err);

    free(padded);
    return code;
}

static int add(struct stow_import *import, const char *text, struct stow_err *err)
{
    return add_bytes(import, text, strlen(text), err);
}

static void add_fine(struct stow_import *import, const char *text)
{
    struct stow_err err = {0};

    if (add(import, text, &err) < 0)
        fail_msg("%s", err.msg);
}

static void tell_prices(struct stow_buf *to, const struct stow_import *import)
{
    const struct stow_book *b = &import->book;
    char money[STOW_MONEY_TEXT], time[32];

    for (uint32_t i = 0; i < b->prices; i++) {
        const struct stow_price_row *r = &b->price[i];

        if (import->price_origin[i].dropped)
            continue;
        stow_buf_printf(to, "%.*s/%.*s/%.*s/%.*s/%.*s/%s %.*s %s %s\n", GET(r->offer.provider),
                        GET(r->offer.region), GET(r->offer.zone), GET(r->offer.instance_type),
                        GET(r->offer.os),
                        stow_capacity_type_name((enum stow_capacity_type)r->offer.capacity_type),
                        GET(r->currency), stow_money_short(r->price, money),
                        stow_time_format(r->effective, time));
    }
}

static void tell_nodes(struct stow_buf *to, const struct stow_book *b)
{
    char money[STOW_MONEY_TEXT];

    for (uint32_t i = 0; i < b->nodes; i++)
        stow_buf_printf(to, "node %.*s=%.*s %.*s %.*s %s\n", GET(b->node[i].field),
                        GET(b->node[i].id), GET(b->node[i].region), GET(b->node[i].currency),
                        stow_money_short(b->node[i].price, money));
}

static void tell_risks(struct stow_buf *to, const struct stow_book *b)
{
    for (uint32_t i = 0; i < b->risks; i++) {
        const struct stow_risk_row *r = &b->risk[i];

        stow_buf_printf(to, "risk %.*s/%.*s/%.*s/%.*s %lld-%lld %lld\n", GET(r->offer.provider),
                        GET(r->offer.region), GET(r->offer.os), GET(r->offer.instance_type),
                        (long long)(r->low / 10000000), (long long)(r->high / 10000000),
                        (long long)(r->savings_ppm / 10000));
    }
}

static void tell_units(struct stow_buf *to, const struct stow_book *b)
{
    char plain[STOW_MONEY_TEXT], spot[STOW_MONEY_TEXT];

    for (uint32_t i = 0; i < b->units; i++) {
        stow_buf_printf(to, "rates %.*s", GET(b->unit[i].currency));
        for (int u = 0; u < STOW_UNIT_COUNT; u++)
            stow_buf_printf(to, " %s/%s", stow_money_short(b->unit[i].price[u], plain),
                            stow_money_short(b->unit[i].spot[u], spot));
        stow_buf_char(to, '\n');
    }
}

/* Everything that was read, one line per row, in the order of the file. */
static const char *told(const struct stow_import *import)
{
    static char text[8192];
    struct stow_buf buf = {0};

    tell_prices(&buf, import);
    tell_nodes(&buf, &import->book);
    tell_risks(&buf, &import->book);
    tell_units(&buf, &import->book);
    for (uint32_t i = 0; i < import->bads; i++)
        stow_buf_printf(&buf, "bad %u: %s\n", import->bad[i].line, import->bad[i].reason);
    assert_true(!buf.failed && buf.len < sizeof(text));
    snprintf(text, sizeof(text), "%.*s", (int)buf.len, buf.len ? buf.ptr : "");
    stow_buf_done(&buf);
    return text;
}

static void expect(const char *input, const char *format, const char *want)
{
    struct stow_import import = {0};

    add_fine(&import, input);
    assert_string_equal(stow_importer_name(import.file[0].importer), format);
    assert_string_equal(told(&import), want);
    stow_import_done(&import);
}

static void expect_refused(const char *input, const char *phrase)
{
    struct stow_import import = {0};
    struct stow_err err = {0};
    int code = add(&import, input, &err);

    if (code >= 0)
        code = stow_import_check(&import, NULL, &err);
    assert_int_equal(code, STOW_EPARSE);
    assert_mentions(err.msg, phrase);
    assert_string_equal(err.file, "file");
    stow_import_done(&import);
}

/* ---- OpenCost's JSON ----------------------------------------------------------------------- */

static void rates_of_opencost_are_texts_or_numbers(void **ctx)
{
    (void)ctx;
    expect("{\"provider\": \"custom\", \"CPU\": \"0.031611\", \"spotCPU\": \"0.006655\",\n"
           "\"RAM\": 0.004237, \"spotRAM\": 8.92e-4, \"GPU\": \"0.95\", \"spotGPU\": \"\",\n"
           "\"storage\": \"0.00005479452\", \"internetNetworkEgress\": \"0.12\"}",
           "opencost-json", "rates USD 0.031611/0.006655 0.004237/0.000892 0.95/unknown\n");
    expect("{\"RAM\": \"0\", \"CPU\": 1, \"currencyCode\": \"EUR\", \"GPU\": null}",
           "opencost-json", "rates EUR 1.00/unknown 0.00/unknown unknown/unknown\n");
}

static void bad_rates_of_opencost_are_told_with_their_line(void **ctx)
{
    static const char *const bad[][2] = {
        {"{\"CPU\": 1,\n\"RAM\": -1}", "bad 2: RAM: '-1' is negative; a price is 0 or more\n"},
        {"{\"CPU\": \"many\",\n\"RAM\": 1}",
         "bad 1: CPU: 'many' is not a decimal number such as 0.096\n"},
        {"{\"CPU\": 1,\n\"RAM\": 1,\n\"spotGPU\": 0.00000000011}",
         "bad 3: spotGPU: '0.00000000011' has a digit beyond the ninth decimal\n"},
        {"{\"CPU\": \"\", \"RAM\": 1}", "bad 1: CPU is missing\n"},
        {"{\"CPU\": 1, \"RAM\": null}", "bad 1: RAM is missing\n"},
        {"{\"CPU\": 1, \"RAM\":\n true}", "bad 2: RAM is a boolean, and not a number\n"},
        {"{\"CPU\": 0, \"RAM\": 0}",
         "bad 1: cores and memory cost nothing; give the rate of one of them\n"},
        {"{\"CPU\": 1, \"RAM\": 1, \"currencyCode\": \"Euro\"}",
         "bad 1: currency 'Euro' is not three capital letters\n"},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        expect(bad[i][0], "opencost-json", bad[i][1]);
    expect_refused("{\"CPU\": 1, \"RAM\": -1}", "no row that can be used");
    expect_refused("{\"CPU\": 1}", "no known price format");
}

static void two_sets_of_rates_contradict_each_other(void **ctx)
{
    (void)ctx;
    expect("{\"CPU\": 1, \"RAM\": 1}\n{\"CPU\": \"1.0\", \"RAM\": \"1\"}", "opencost-json",
           "rates USD 1.00/unknown 1.00/unknown unknown/unknown\n"
           "rates USD 1.00/unknown 1.00/unknown unknown/unknown\n");
    expect("{\"CPU\": 1, \"RAM\": 1}\n{\"CPU\": 1, \"RAM\": 1, \"GPU\": 1}", "opencost-json",
           "rates USD 1.00/unknown 1.00/unknown unknown/unknown\n"
           "bad 2: the rates differ from those of file; import one of the two\n");
}

/* ---- our CSV ------------------------------------------------------------------------------- */

static void our_csv_is_read_in_any_order_of_columns(void **ctx)
{
    (void)ctx;
    expect(OURS "aws,us-east-1,us-east-1a,m5.large,linux,spot,USD,2026-11-01T00:00:00Z,0.0391\n"
                "aws,us-east-1,,m5.large,,on-demand,USD,,0.0960000000000\n",
           "stowage-csv",
           "aws/us-east-1/us-east-1a/m5.large/linux/spot USD 0.0391 2026-11-01T00:00:00Z\n"
           "aws/us-east-1//m5.large/linux/on-demand USD 0.096 \n");
    expect("price_per_hour,instance_type,capacity_type\n\"1.5\",x,reserved\n", "stowage-csv",
           "///x/linux/reserved USD 1.50 \n");
}

static void our_csv_may_come_from_windows(void **ctx)
{
    (void)ctx;
    expect("\xEF\xBB\xBFinstance_type,capacity_type,price_per_hour\r\nx,spot,1\r\n\r\n",
           "stowage-csv", "///x/linux/spot USD 1.00 \n");
}

static void a_bad_row_of_our_csv_is_told_with_its_line(void **ctx)
{
    (void)ctx;
    expect(OURS "aws,r,,a,,on-demand,USD,,0.0000000001\n"
                "aws,r,,b,,on-demand,USD,,-1\n"
                "aws,r,,,,on-demand,USD,,1\n"
                "aws,r,,c,,often,USD,,1\n"
                "aws,r,,d,,spot,usd,,1\n"
                "aws,r,,e,,spot,USD,yesterday,1\n"
                "aws,r,,f,,spot,USD,1\n"
                "aws,r,,g,,spot,USD,,\n"
                "\"aws,r,,h,,spot,USD,,1\n"
                "aws,r,,i\x01,,spot,USD,,1\n"
                "aws,r,,good,,spot,USD,,1\n",
           "stowage-csv",
           "aws/r//good/linux/spot USD 1.00 \n"
           "bad 2: price: '0.0000000001' has a digit beyond the ninth decimal\n"
           "bad 3: price: '-1' is negative; a price is 0 or more\n"
           "bad 4: instance type is empty\n"
           "bad 5: capacity type 'often' is not on-demand, spot or reserved\n"
           "bad 6: currency 'usd' is not three capital letters\n"
           "bad 7: time 'yesterday' is not like 2026-11-01T00:00:00Z\n"
           "bad 8: has 8 fields, the header has 9\n"
           "bad 9: price: the amount is empty\n"
           "bad 10: a quote is not closed\n"
           "bad 11: instance type contains a control character\n");
}

static void a_header_that_cannot_work_fails_the_file(void **ctx)
{
    (void)ctx;
    expect_refused("instance_type,price_per_hour\nx,1\n", "capacity_type");
    expect_refused("instance_type,price_per_hour,capacity_type,instance_type\n", "twice");
    expect_refused("name,cost\nx,1\n", "no known price format");
    expect_refused("", "empty");
    expect_refused("\n\n", "no known price format");
}

static void columns_nobody_knows_are_warned_about(void **ctx)
{
    struct stow_import import = {0};

    (void)ctx;
    add_fine(&import, "instance_type,capacity_type,price_per_hour,colour\nx,spot,1,red\n");
    assert_mentions(import.file[0].warning, "colour");
    stow_import_done(&import);
}

static void options_fill_in_what_a_file_does_not_state(void **ctx)
{
    struct stow_import import = {.currency = "EUR", .provider = "gce"};

    (void)ctx;
    add_fine(&import, OURS ",r,,a,,spot,,,1\naws,r,,b,,spot,USD,,1\n");
    assert_string_equal(told(&import), "gce/r//a/linux/spot EUR 1.00 \n"
                                       "aws/r//b/linux/spot USD 1.00 \n");
    stow_import_done(&import);
}

/* ---- scaling-advisor ----------------------------------------------------------------------- */

static void the_scaling_advisor_list_is_read_whatever_the_case_of_its_keys(void **ctx)
{
    (void)ctx;
    expect("[{\"instanceType\": \"m5.large\", \"region\": \"eu-west-1\", \"VCPU\": 2, \"memory\": "
           "8589934592,\n \"hourlyPrice\": 0.107, \"os\": \"Linux\"},\n"
           "{\"INSTANCETYPE\": \"c5.large\", \"Region\": \"eu-west-1\", \"hourlyprice\": 9.6E-2}]",
           "scaling-advisor",
           "/eu-west-1//m5.large/linux/on-demand USD 0.107 \n"
           "/eu-west-1//c5.large/linux/on-demand USD 0.096 \n");
}

static void json_prices_are_read_from_their_digits(void **ctx)
{
    (void)ctx;
    expect("[{\"instanceType\": \"a\", \"hourlyPrice\": 0.1234567891},\n"
           "{\"instanceType\": \"b\", \"hourlyPrice\": 123456789.123456789},\n"
           "{\"instanceType\": \"c\", \"hourlyPrice\": 1.00000000000000000000000000}]",
           "scaling-advisor",
           "///b/linux/on-demand USD 123456789.123456789 \n"
           "///c/linux/on-demand USD 1.00 \n"
           "bad 1: price: '0.1234567891' has a digit beyond the ninth decimal\n");
}

static void a_row_without_a_price_is_bad_and_not_free(void **ctx)
{
    (void)ctx;
    expect("[{\"instanceType\": \"a\", \"hourlyPrice\": 1},\n{\"instanceType\": \"b\"},\n"
           "{\"instanceType\": \"c\", \"hourlyPrice\": null},\n"
           "{\"instanceType\": \"d\", \"hourlyPrice\": -1},\n"
           "{\"instanceType\": \"e\", \"hourlyPrice\": [1]},\n7,\n"
           "{\"hourlyPrice\": 1}]",
           "scaling-advisor",
           "///a/linux/on-demand USD 1.00 \n"
           "bad 2: hourlyPrice is missing\n"
           "bad 3: hourlyPrice is missing\n"
           "bad 4: price: '-1' is negative; a price is 0 or more\n"
           "bad 5: hourlyPrice is a list\n"
           "bad 6: the item is not an object\n"
           "bad 7: instance type is empty\n");
}

static void malformed_json_fails_the_file(void **ctx)
{
    (void)ctx;
    struct stow_import import = {0};
    struct stow_err err = {0};

    assert_int_equal(add(&import, "[{\"instanceType\": \"a\", \"hourlyPrice\": 1},", &err),
                     STOW_EPARSE);
    stow_import_done(&import);
    assert_int_equal(add(&import, "{\"SpotPriceHistory\": [{\"Spot", &err), STOW_EPARSE);
    stow_import_done(&import);
    assert_int_equal(add(&import, "[{\"instanceType\": \"\xFF\", \"hourlyPrice\": 1}]", &err),
                     STOW_EPARSE);
    stow_import_done(&import);
    expect_refused("[]", "no known price format");
    expect_refused("{\"a\": 1}", "no known price format");
}

/* ---- EC2 spot price history ---------------------------------------------------------------- */

#define SPOT(zone, type, product, price, time)                             \
    "{\"AvailabilityZone\": \"" zone "\", \"InstanceType\": \"" type       \
    "\", \"ProductDescription\": \"" product "\", \"SpotPrice\": \"" price \
    "\", \"Timestamp\": \"" time "\"}"

static void pages_of_the_spot_history_may_follow_one_another(void **ctx)
{
    (void)ctx;
    expect(
        "{\"SpotPriceHistory\": [" SPOT(
            "us-east-1a", "m5.large", "Linux/UNIX", "0.039100",
            "2026-11-01T10:00:00+00:00") "],\n"
                                         "\"NextToken\": \"abc\"}\n{\"SpotPriceHistory\": [" SPOT(
                                             "us-east-1-bos-1a", "m5.large",
                                             "Linux/UNIX (Amazon VPC)", "0.05",
                                             "2026-11-01T11:00:00.000Z") "], \"NextToken\": \"\"}",
        "ec2-spot-history",
        "aws/us-east-1/us-east-1a/m5.large/linux/spot USD 0.0391 2026-11-01T10:00:00Z\n"
        "aws/us-east-1/us-east-1-bos-1a/m5.large/linux/spot USD 0.05 2026-11-01T11:00:00Z\n");
}

static void the_bare_list_of_the_spot_history_is_read_too(void **ctx)
{
    (void)ctx;
    expect("[" SPOT("eu-west-1b", "c5.large", "Windows", "0.2", "2026-01-01T00:00:00Z") ",\n" SPOT(
               "eu-west-1b", "c5.large", "SUSE Linux", "0.3",
               "2026-01-01T00:00:00Z") ",\n" SPOT("eu-west-1b", "c5.large",
                                                  "Red Hat Enterprise Linux", "0.4",
                                                  "2026-01-01T00:00:00Z") "]",
           "ec2-spot-history",
           "aws/eu-west-1/eu-west-1b/c5.large/windows/spot USD 0.20 2026-01-01T00:00:00Z\n"
           "aws/eu-west-1/eu-west-1b/c5.large/suse/spot USD 0.30 2026-01-01T00:00:00Z\n"
           "aws/eu-west-1/eu-west-1b/c5.large/rhel/spot USD 0.40 2026-01-01T00:00:00Z\n");
}

static void bad_rows_of_the_spot_history_are_skipped(void **ctx)
{
    (void)ctx;
    expect(
        "{\"SpotPriceHistory\": [\n" SPOT("us-east-1a", "a", "BeOS", "1", "2026-01-01T00:00:00Z") ",\n" SPOT(
            "nowhere", "b", "Windows", "1",
            "2026-01-01T00:00:00Z") ",\n" SPOT("us-east-1a", "c", "Windows", "1",
                                               "soon") ",\n" SPOT("us-east-1a", "d", "Windows",
                                                                  "cheap",
                                                                  "2026-01-01T00:00:"
                                                                  "00Z") ",\n"
                                                                         "{\"Insta"
                                                                         "nceType"
                                                                         "\": "
                                                                         "\"e\"},"
                                                                         "\n\"f\","
                                                                         "\n" SPOT("us-"
                                                                                   "east"
                                                                                   "-1a",
                                                                                   "ok",
                                                                                   "Wind"
                                                                                   "ows",
                                                                                   "1",
                                                                                   "2026"
                                                                                   "-01-"
                                                                                   "01T0"
                                                                                   "0:"
                                                                                   "00:"
                                                                                   "00Z") "]"
                                                                                          "}",
        "ec2-spot-history",
        "aws/us-east-1/us-east-1a/ok/windows/spot USD 1.00 2026-01-01T00:00:00Z\n"
        "bad 2: ProductDescription 'BeOS' is not known\n"
        "bad 3: AvailabilityZone 'nowhere' does not show its region\n"
        "bad 4: time 'soon' is not like 2026-11-01T00:00:00Z\n"
        "bad 5: price: 'cheap' is not a decimal number such as 0.096\n"
        "bad 6: AvailabilityZone is missing or not a text\n"
        "bad 7: the item is not an object\n");
}

/* ---- EC2 spot advisor ---------------------------------------------------------------------- */

#define RANGES                                                                  \
    "\"ranges\": [{\"index\": 0, \"label\": \"<5%\", \"dots\": 0, \"max\": 5}," \
    "{\"index\": 1, \"label\": \"5-10%\", \"dots\": 1, \"max\": 11},"           \
    "{\"index\": 4, \"label\": \">20%\", \"dots\": 4, \"max\": 100}]"

static void the_advisor_gives_buckets_and_savings(void **ctx)
{
    (void)ctx;
    expect("{\"global_rate\": \"<10%\", \"instance_types\": {\"m5.large\": {\"emr\": true, "
           "\"cores\": 2, \"ram_gb\": 8.0}},\n\"spot_advisor\": {\"us-east-1\": {\"Linux\": "
           "{\"m5.large\": {\"s\": 65, \"r\": 1}, \"t3.micro\": {\"r\": 0, \"s\": -62}}, "
           "\"Windows\": {\"m5.large\": {\"s\": 10, \"r\": 4}}}},\n" RANGES "}",
           "ec2-spot-advisor",
           "risk aws/us-east-1/linux/m5.large 5-10 65\n"
           "risk aws/us-east-1/linux/t3.micro 0-5 -62\n"
           "risk aws/us-east-1/windows/m5.large 20-100 10\n");
}

static void bad_entries_of_the_advisor_are_skipped(void **ctx)
{
    (void)ctx;
    expect("{" RANGES ",\n\"spot_advisor\": {\"r\": {\"Linux\": {\n\"a\": {\"s\": 65, \"r\": 3},\n"
           "\"b\": {\"s\": 165, \"r\": 1},\n\"c\": {\"r\": 1},\n\"d\": 5,\n\"\": {\"s\": 1, \"r\": "
           "1},\n\"e\": {\"s\": 0, \"r\": 1}}}}}",
           "ec2-spot-advisor",
           "risk aws/r/linux/e 5-10 0\n"
           "bad 3: r '3' is not the index of a range\n"
           "bad 4: s '165' is not a percentage of savings\n"
           "bad 5: s '' is not a percentage of savings\n"
           "bad 6: the type's entry is not an object\n"
           "bad 7: instance type is empty\n");
}

static void ranges_without_a_meaning_fail_the_file(void **ctx)
{
    (void)ctx;
    expect_refused("{\"spot_advisor\": {}, \"ranges\": [{\"index\": 0, \"label\": \"rarely\"}]}",
                   "rarely");
    expect_refused("{\"spot_advisor\": {}, " RANGES "}", "no row");
}

/* ---- OpenCost ------------------------------------------------------------------------------ */

static void opencost_prices_single_nodes_and_types(void **ctx)
{
    (void)ctx;
    expect("# made by hand\n" OPENCOST
           "2026-01-01,i-01,us-east-1,node,spec.providerID,m5.large,0.10,v1\n"
           "2026-01-01,n2,,NODE,metadata.name,,0.2,\n"
           ",x,us-east-1,something,metadata.labels.rack,m5.large,0.13,\n"
           "# a comment\n"
           ",y,us-east-1,node,metadata.annotations.a/b,c5.large,0.3,\n",
           "opencost-csv",
           "/us-east-1//m5.large/linux/on-demand USD 0.115 \n"
           "/us-east-1//c5.large/linux/on-demand USD 0.30 \n"
           "node spec.providerID=i-01 us-east-1 USD 0.10\n"
           "node metadata.name=n2  USD 0.20\n"
           "node metadata.labels.rack=x us-east-1 USD 0.13\n"
           "node metadata.annotations.a/b=y us-east-1 USD 0.30\n");
}

static void the_label_of_the_type_beats_the_mean(void **ctx)
{
    (void)ctx;
    expect(OPENCOST ",i-1,r,node,spec.providerID,t,9,\n"
                    ",t,r,node,metadata.labels.node.kubernetes.io/instance-type,,0.5,\n"
                    ",t,,node,metadata.labels.node.kubernetes.io/instance-type,,0.7,\n"
                    ",t,,node,metadata.labels.node.kubernetes.io/instance-type,,0.8,\n",
           "opencost-csv",
           "///t/linux/on-demand USD 0.80 \n"
           "/r//t/linux/on-demand USD 0.50 \n"
           "node spec.providerID=i-1 r USD 9.00\n");
}

static void a_mean_is_rounded_down_to_the_nano_unit(void **ctx)
{
    (void)ctx;
    expect(OPENCOST
           ",,r,node,,t,0.000000001,\n,,r,node,,t,0.000000002,\n,,r,node,,t,0.000000002,\n",
           "opencost-csv", "/r//t/linux/on-demand USD 0.000000001 \n");
}

static void volumes_and_gpus_are_counted_in_one_warning(void **ctx)
{
    struct stow_import import = {0};

    (void)ctx;
    add_fine(&import,
             OPENCOST ",d,r,pv,spec.csi,,1,\n,d,r,gpu,x,,1,\n,n,r,node,metadata.name,,1,\n");
    assert_string_equal(told(&import), "node metadata.name=n r USD 1.00\n");
    assert_int_equal(import.file[0].passed, 2);
    assert_mentions(import.file[0].warning, "2 rows");
    stow_import_done(&import);
}

static void bad_rows_of_opencost_are_skipped(void **ctx)
{
    (void)ctx;
    expect(OPENCOST ",a,r,node,spec.other,t,1,\n,a,r,node,,,1,\n,,r,node,metadata.name,,1,\n"
                    ",a,r,node,metadata.name,t,-1,\n"
                    ",,r,node,metadata.labels.node.kubernetes.io/instance-type,t,1,\n"
                    ",ok,r,node,metadata.name,,1,\n",
           "opencost-csv",
           "node metadata.name=ok r USD 1.00\n"
           "bad 2: InstanceIDField is not spec.providerID, metadata.name, metadata.labels.KEY or "
           "metadata.annotations.KEY\n"
           "bad 3: names neither a node (InstanceID and InstanceIDField) nor an InstanceType\n"
           "bad 4: names neither a node (InstanceID and InstanceIDField) nor an InstanceType\n"
           "bad 5: MarketPriceHourly: '-1' is negative; a price is 0 or more\n"
           "bad 6: InstanceID is empty\n");
}

/* ---- aws-price-csv ------------------------------------------------------------------------- */

#define ABOUT                                                                         \
    "\"FormatVersion\",\"v1.0\"\n\"Disclaimer\",\"for information, only\"\n"          \
    "\"Publication Date\",\"2026-10-16T16:02:58Z\"\n\"Version\",\"20261016160258\"\n" \
    "\"OfferCode\",\"AmazonEC2\"\n"
#define BULK                                                                              \
    "\"SKU\",\"OfferTermCode\",\"TermType\",\"EffectiveDate\",\"Unit\",\"PricePerUnit\"," \
    "\"Currency\","                                                                       \
    "\"Instance Type\",\"Region Code\",\"Operating System\",\"Tenancy\",\"Pre Installed " \
    "S/W\",\"GPU\"\n"

static void the_bulk_file_of_aws_is_read_as_csv(void **ctx)
{
    const char *want = "aws/r//m6i.large/linux/on-demand USD 0.1178 2026-10-01T00:00:00Z\n"
                       "aws/r//m6i.large/windows/on-demand USD 0.2098 2026-10-01T00:00:00Z\n";

    (void)ctx;
    expect(ABOUT BULK "A,J,OnDemand,2026-10-01,Hrs,0.1178000000,USD,m6i.large,r,Linux,Shared,NA,\n"
                      "A,J,Reserved,2026-10-01,Hrs,0.07,USD,m6i.large,r,Linux,Shared,NA,\n"
                      "A,J,OnDemand,2026-10-01,GB-Mo,0.07,USD,m6i.large,r,Linux,Shared,NA,\n"
                      "A,J,OnDemand,2026-10-01,Hrs,0.3,USD,m6i.large,r,Linux,Dedicated,NA,\n"
                      "A,J,OnDemand,2026-10-01,Hrs,0.3,USD,m6i.large,r,Linux,Shared,SQL Std,\n"
                      "B,J,OnDemand,2026-10-01,Hrs,0.2098,USD,m6i.large,r,Windows,Shared,NA,\n",
           "aws-price-csv", want);
    expect(BULK "A,J,OnDemand,2026-10-01,Hrs,0.1178000000,USD,m6i.large,r,Linux,Shared,NA,\n"
                "B,J,OnDemand,2026-10-01,Hrs,0.2098,USD,m6i.large,r,Windows,Shared,NA,\n",
           "aws-price-csv", want);
}

static void bad_rows_of_the_bulk_csv_are_skipped(void **ctx)
{
    (void)ctx;
    expect(ABOUT BULK "A,J,OnDemand,,Hrs,0,USD,a,r,Linux,Shared,NA,\n"
                      "A,J,OnDemand,,Hrs,,USD,b,r,Linux,Shared,NA,\n"
                      "A,J,OnDemand,,Hrs,1,USD,c,,Linux,Shared,NA,\n"
                      "A,J,OnDemand,,Hrs,one,USD,d,r,Linux,Shared,NA,\n"
                      "A,J,OnDemand\n"
                      "A,J,OnDemand,,Hrs,1,USD,f,r,Linux,Shared,NA,\n",
           "aws-price-csv",
           "aws/r//f/linux/on-demand USD 1.00 \n"
           "bad 7: the price of a in r is 0\n"
           "bad 8: b in r has no OnDemand price\n"
           "bad 9: c has no region code\n"
           "bad 10: price: 'one' is not a decimal number such as 0.096\n"
           "bad 11: has 3 fields, the header has 13\n");
}

static void a_bulk_csv_of_another_service_is_refused(void **ctx)
{
    (void)ctx;
    expect_refused(ABOUT, "the file has no header");
    expect_refused(ABOUT "\"SKU\",\"OfferTermCode\",\"TermType\"\n", "no column Unit");
    expect_refused(ABOUT BULK "A,J,Reserved,,Hrs,1,USD,f,r,Linux,Shared,NA,\n",
                   "no row that can be used");
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void a_file_without_a_good_row_is_refused(void **ctx)
{
    (void)ctx;
    expect_refused(OURS "aws,r,,a,,spot,USD,,x\n", "no row that can be used");
    expect_refused(OURS, "no row that can be used");
    expect_refused(OPENCOST ",d,r,pv,spec.csi,,1,\n", "no row that can be used");
}

static void strict_allows_no_bad_row(void **ctx)
{
    struct stow_import import = {.strict = true};
    struct stow_err err = {0};

    (void)ctx;
    add_fine(&import, OURS "aws,r,,a,,spot,USD,,1\naws,r,,b,,spot,USD,,x\n");
    assert_int_equal(stow_import_check(&import, NULL, &err), STOW_EPARSE);
    assert_mentions(err.msg, "strict");
    assert_int_equal(err.line, 3);
    stow_import_done(&import);
}

static void a_spot_price_above_ten_times_on_demand_is_a_bad_row(void **ctx)
{
    struct stow_import import = {0};
    struct stow_err err = {0};

    (void)ctx;
    add_fine(&import, OURS "aws,r,r-1,a,,spot,USD,,1.000000001\n"
                           "aws,r,r-1,b,,spot,USD,,1\n"
                           "aws,r,r-1,a,windows,spot,USD,,100\n"
                           "aws,r,r-1,a,,spot,EUR,,100\n");
    add_fine(&import, OURS "aws,r,,a,,on-demand,USD,,0.1\naws,r,,b,,on-demand,USD,,0.1\n");
    assert_int_equal(stow_import_check(&import, NULL, &err), STOW_OK);
    assert_int_equal(import.bads, 1);
    assert_int_equal(import.bad[0].line, 2);
    assert_mentions(import.bad[0].reason, "ten times");
    assert_int_equal(import.file[0].bad, 1);
    assert_int_equal(import.file[0].produced, 3);
    stow_import_done(&import);
}

static void what_is_known_already_counts_for_that_too(void **ctx)
{
    struct stow_import known = {0}, import = {0};
    struct stow_books books;
    struct stow_err err = {0};

    (void)ctx;
    add_fine(&known, OURS "aws,r,,a,,on-demand,USD,,0.1\n");
    stow_books_init(&books);
    assert_int_equal(stow_books_add(&books, &known.book, STOW_LAYER_CATALOGUE), STOW_OK);
    add_fine(&import, OURS "aws,r,r-1,a,,spot,USD,,1.1\n");
    assert_int_equal(stow_import_check(&import, &books, &err), STOW_EPARSE);
    stow_books_done(&books);
    stow_import_done(&import);
    stow_import_done(&known);
}

static void a_format_can_be_forced(void **ctx)
{
    struct stow_import import = {.importer = stow_importer_find("scaling-advisor")};
    struct stow_err err = {0};

    (void)ctx;
    assert_non_null(import.importer);
    assert_null(stow_importer_find("nonsense"));
    add_fine(&import, "[{\"instanceType\": \"a\"}, {\"instanceType\": \"b\", \"hourlyPrice\": 1}]");
    assert_string_equal(told(&import),
                        "///b/linux/on-demand USD 1.00 \nbad 1: hourlyPrice is missing\n");
    assert_int_equal(add(&import, OURS, &err), STOW_EPARSE);
    stow_import_done(&import);
}

static void many_bad_rows_are_counted_and_not_all_kept(void **ctx)
{
    struct stow_import import = {0};
    struct stow_buf text = {0};

    (void)ctx;
    stow_buf_text(&text, OURS);
    for (int i = 0; i < 3000; i++)
        stow_buf_text(&text, "aws,r,,a,,spot,USD,,x\n");
    assert_int_equal(add_bytes(&import, text.ptr, text.len, NULL), STOW_OK);
    assert_int_equal(import.file[0].bad, 3000);
    assert_int_equal(import.bads, STOW_IMPORT_BAD_KEPT);
    stow_buf_done(&text);
    stow_import_done(&import);
}

/* Every prefix of a good file ends in an answer or an error, never in anything else. */
static void a_truncated_file_is_never_misread(void **ctx)
{
    static const char *const files[] = {
        OURS "aws,r,,a,,spot,USD,2026-01-01T00:00:00Z,1.5\n\"a\",b,,c,,spot,USD,,1\n",
        OPENCOST ",i-01,r,node,spec.providerID,m5.large,0.10,v1\n",
        "[{\"instanceType\": \"a\", \"hourlyPrice\": 1.25}]",
        "{\"SpotPriceHistory\": [" SPOT("us-east-1a", "m5", "Windows", "0.1",
                                        "2026-11-01T10:00:00Z") "]}",
        "{\"spot_advisor\": {\"r\": {\"Linux\": {\"a\": {\"s\": 6, \"r\": 1}}}}, " RANGES "}",
    };

    (void)ctx;
    for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++)
        for (size_t len = 0; len <= strlen(files[f]); len++) {
            struct stow_import import = {0};
            struct stow_err err = {0};
            int code = add_bytes(&import, files[f], len, &err);

            assert_true(code == STOW_OK || code == STOW_EPARSE);
            if (code == STOW_OK)
                code = stow_import_check(&import, NULL, &err);
            assert_true(code == STOW_OK || code == STOW_EPARSE);
            stow_import_done(&import);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_csv_is_read_in_any_order_of_columns),
        cmocka_unit_test(our_csv_may_come_from_windows),
        cmocka_unit_test(a_bad_row_of_our_csv_is_told_with_its_line),
        cmocka_unit_test(a_header_that_cannot_work_fails_the_file),
        cmocka_unit_test(columns_nobody_knows_are_warned_about),
        cmocka_unit_test(options_fill_in_what_a_file_does_not_state),
        cmocka_unit_test(the_scaling_advisor_list_is_read_whatever_the_case_of_its_keys),
        cmocka_unit_test(json_prices_are_read_from_their_digits),
        cmocka_unit_test(a_row_without_a_price_is_bad_and_not_free),
        cmocka_unit_test(malformed_json_fails_the_file),
        cmocka_unit_test(pages_of_the_spot_history_may_follow_one_another),
        cmocka_unit_test(the_bare_list_of_the_spot_history_is_read_too),
        cmocka_unit_test(bad_rows_of_the_spot_history_are_skipped),
        cmocka_unit_test(the_advisor_gives_buckets_and_savings),
        cmocka_unit_test(bad_entries_of_the_advisor_are_skipped),
        cmocka_unit_test(ranges_without_a_meaning_fail_the_file),
        cmocka_unit_test(opencost_prices_single_nodes_and_types),
        cmocka_unit_test(the_label_of_the_type_beats_the_mean),
        cmocka_unit_test(a_mean_is_rounded_down_to_the_nano_unit),
        cmocka_unit_test(volumes_and_gpus_are_counted_in_one_warning),
        cmocka_unit_test(bad_rows_of_opencost_are_skipped),
        cmocka_unit_test(the_bulk_file_of_aws_is_read_as_csv),
        cmocka_unit_test(bad_rows_of_the_bulk_csv_are_skipped),
        cmocka_unit_test(a_bulk_csv_of_another_service_is_refused),
        cmocka_unit_test(a_file_without_a_good_row_is_refused),
        cmocka_unit_test(strict_allows_no_bad_row),
        cmocka_unit_test(a_spot_price_above_ten_times_on_demand_is_a_bad_row),
        cmocka_unit_test(what_is_known_already_counts_for_that_too),
        cmocka_unit_test(rates_of_opencost_are_texts_or_numbers),
        cmocka_unit_test(bad_rates_of_opencost_are_told_with_their_line),
        cmocka_unit_test(two_sets_of_rates_contradict_each_other),
        cmocka_unit_test(a_format_can_be_forced),
        cmocka_unit_test(many_bad_rows_are_counted_and_not_all_kept),
        cmocka_unit_test(a_truncated_file_is_never_misread),
    };

    return cmocka_run_group_tests_name("price/import", tests, NULL, NULL);
}
