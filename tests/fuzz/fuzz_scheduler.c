/* fuzz_scheduler.c - any bytes as a KubeSchedulerConfiguration: it is read or refused. */
#include "tests/fuzz/file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/profiles.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);

    if (path)
        fuzz_profiles(path);
    return 0;
}
