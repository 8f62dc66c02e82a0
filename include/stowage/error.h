/* error.h - one vocabulary of failures for the library, the command and the servers.
 *
 * Every function that can fail returns an int: 0 (or a count >= 0) on success,
 * one of the negative codes below on failure.  A function that knows more than
 * a number takes a `struct stow_err *err` as its last parameter; the caller owns
 * it (usually on the stack), may pass NULL, and it is written only on failure. */
#ifndef STOWAGE_ERROR_H
#define STOWAGE_ERROR_H

#include <stdint.h>

#include <stowage/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/*    name            code  exit  HTTP  gRPC  text */
#define STOW_CODES(X)                                                  \
    X(STOW_OK,            0,    0,  200,    0, "success")              \
    X(STOW_EINVAL,       -1,    2,  400,    3, "invalid argument")     \
    X(STOW_EPARSE,       -2,    3,  400,    3, "malformed input")      \
    X(STOW_ENOTFOUND,    -3,    1,  404,    5, "not found")            \
    X(STOW_EWRONG,       -4,    1,  422,    9, "does not hold")        \
    X(STOW_ELIMIT,       -5,    3,  413,    8, "limit reached")        \
    X(STOW_ENOMEM,       -6,    1,  503,    8, "out of memory")        \
    X(STOW_EIO,          -7,    1,  502,   14, "input/output error")   \
    X(STOW_ETIME,        -8,    4,  504,    4, "not settled in time")
/* clang-format on */

#define STOW_CODE_ENUM(name, code, exit, http, grpc, text) name = (code),
enum stow_code { STOW_CODES(STOW_CODE_ENUM) };
#undef STOW_CODE_ENUM

struct stow_err {
    int code;           /* enum stow_code */
    uint32_t line, col; /* position in the input, 1-based; 0 when unknown */
    char file[1024];    /* the input's name; empty when unknown */
    char msg[512];      /* one sentence, lower case, no final stop */
    char hint[512];     /* what can be done next; empty when there is nothing to say */
};

/* Records a failure and hands the code back: `return stow_fail(err, STOW_EPARSE, ...);` */
STOW_API int stow_fail(struct stow_err *err, int code, const char *fmt, ...) STOW_PRINTF(3, 4);

/* Puts "context: " in front of the message already in `err`; returns `code`. */
STOW_API int stow_wrap(struct stow_err *err, int code, const char *fmt, ...) STOW_PRINTF(3, 4);

/* stow_fail for the failure that has only one sentence: out of memory. */
STOW_API int stow_fail_memory(struct stow_err *err);

/* Writes "file:line:col: message" (the parts that are known) into `text`, always ended by NUL. */
STOW_API void stow_err_format(const struct stow_err *err, char *text, uint32_t size);

STOW_API const char *stow_code_text(int code);
STOW_API int stow_code_exit(int code);
STOW_API int stow_code_http(int code);
STOW_API int stow_code_grpc(int code);

/* Leaves the function when `call` fails.  Safe because owned things are STOW_AUTO. */
#define STOW_TRY(call)     \
    do {                   \
        int try_ = (call); \
        if (try_ < 0)      \
            return try_;   \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
