/* fuzz_yaml.c - any bytes as a YAML document through the whole loader. */
#include "tests/fuzz/document.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_document("fuzz.yaml", data, size);
    return 0;
}
