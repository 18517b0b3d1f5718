#include "common/llvm_verify.h"

#include "common/console.h"
#include "common/program.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/*
 * What LLVM may use. It holds several times the file in memory, and reads some 2 MB a second
 * here on a busy machine; on a damaged file it may go round in circles for ever.
 */
enum { LLVM_LEAST_SECONDS = 60, LLVM_BYTES_A_SECOND = 128 << 10, LLVM_MEMORY_RATIO = 40 };
/* What a person can do when LLVM can't. */
#define INSTEAD "machsym verify --lookup decodes the same without LLVM"
#define LLVM_MEMORY_LEAST ((uint64_t)2 << 30)

/* Who gets the report, and whether they had enough: then the helper is ended for that. */
struct taking {
    helper_text *take;
    void *to;
    bool stopped;
};

static bool take_report(void *to, const char *bytes, size_t n)
{
    struct taking *t = to;
    t->stopped = t->take && !t->take(t->to, bytes, n);
    return !t->stopped;
}

static unsigned llvm_seconds(uint64_t file_bytes)
{
    uint64_t seconds = LLVM_LEAST_SECONDS + file_bytes / LLVM_BYTES_A_SECOND;
    return seconds < 1u << 20 ? (unsigned)seconds : 1u << 20;
}

int llvm_verify(const char *path, const char *arch, const struct ms_uuid *uuid,
                const struct ms_image_inside *inside, uint64_t file_bytes, helper_text *take,
                void *to, bool *clean)
{
    char which[64]; /* a UUID, or a place */
    if (inside)
        snprintf(which, sizeof which, "@%" PRIu64 "+%" PRIu64, inside->off, inside->bytes);
    else
        ms_uuid_format(uuid, which);
    const char *const arguments[] = {"verify", path, which, take ? NULL : "quiet", NULL};
    char name[4096 + 300];
    snprintf(name, sizeof name, inside && inside->name ? "%s(%s)" : "%s", path,
             inside ? inside->name : NULL);
    path = name;
    struct taking taking = {take, to, false};
    struct helper_end end;
    int status =
        helper_run("llvm", arguments, llvm_seconds(file_bytes),
                   LLVM_MEMORY_LEAST + file_bytes * LLVM_MEMORY_RATIO, take_report, &taking, &end);
    if (status != EXIT_DONE)
        return status;
    *clean = true;
    if (taking.stopped) /* of which whoever couldn't write tells */
        return EXIT_DONE;
    if (end.signal == SIGXCPU) {
        complain("%s (%s): LLVM's verifier was ended after %u seconds: it does not come to an end "
                 "on every damaged file; " INSTEAD,
                 path, arch, llvm_seconds(file_bytes));
        return EXIT_INPUT;
    }
    if (end.signal == SIGKILL) {
        complain(
            "%s (%s): LLVM's verifier was killed from outside, or for want of memory; " INSTEAD,
            path, arch);
        return EXIT_SYSTEM;
    }
    if (end.signal == SIGPIPE) /* nobody reads: nothing more is to be said */
        raise(SIGPIPE);
    if (end.status < 0) {
        complain("%s (%s): LLVM's verifier was ended by signal %d (%s): it does not survive every "
                 "damaged file, or it hit its limits; " INSTEAD,
                 path, arch, end.signal, strsignal(end.signal));
        return EXIT_INPUT;
    }
    if (end.status == 2) {
        complain("machsym-helper-llvm is not of the same version: install machsym anew");
        return EXIT_SYSTEM;
    }
    if (end.status > 1 && end.status != 3) { /* 3: it has said why it can't read the file */
        complain(
            "machsym-helper-llvm ended with status %d: it can't run here; install machsym anew, "
            "or see what it says itself",
            end.status);
        return EXIT_SYSTEM;
    }
    if (end.status == 3)
        return EXIT_INPUT;
    *clean = end.status == 0;
    return EXIT_DONE;
}
