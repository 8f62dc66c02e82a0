/* document.h - a document of any kind through the loader, and everything that can be asked of it.
 */
#ifndef TESTS_FUZZ_DOCUMENT_H
#define TESTS_FUZZ_DOCUMENT_H

#include <stddef.h>
#include <stdint.h>

/* `name` decides between JSON and YAML. */
void fuzz_document(const char *name, const uint8_t *data, size_t size);

#endif
