/* fuzz_json.c - any bytes as a JSON document through the whole loader. */
#include "tests/fuzz/document.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_document("fuzz.json", data, size);
    return 0;
}
