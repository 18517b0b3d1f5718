/*
 * machsym-helper-llvm: what machsym asks of LLVM, in a process that may die.
 *   machsym-helper-llvm verify FILE UUID|@OFFSET+BYTES [quiet]
 *   machsym-helper-llvm disassemble FILE OFFSET BYTES SECTION FLAGS START STOP MARK FROM CPU
 *   machsym-helper-llvm serve VERSION SOCKET: these, one after another; see base/serve.h
 * Exit status: 0 clean, 1 errors were printed or there is no such symbol, 3 the file can't be read
 * (said on stderr), 4 the output can't be written or memory is out.
 */
#include "machsym/types.h"
#include "llvm/disasm.h"
#include "llvm/llvm_dwarf.h"

#include "base/bytes.h"
#include "base/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fail(const struct ms_error *err)
{
    char line[MS_ERROR_LINE];
    fprintf(stderr, "machsym otool: %s\n", ms_error_describe(err, line));
    return err->status == MS_ABSENT ? 1 : err->status == MS_E_NOMEM ? 4 : 3;
}

/* ---- verify --------------------------------------------------------------------------------- */

/* LLVM's warnings go to stderr while it reads. Returns what hear() takes; -1: it can't be. */
static int silence(void)
{
    int kept = dup(STDERR_FILENO), none = kept < 0 ? -1 : open("/dev/null", O_WRONLY);
    if (none >= 0) {
        dup2(none, STDERR_FILENO);
        close(none);
    }
    return kept;
}

static void hear(int kept)
{
    if (kept < 0)
        return;
    dup2(kept, STDERR_FILENO);
    close(kept);
}

static int verify(const char *file, const char *uuid_text, bool quiet)
{
    struct ms_uuid uuid;
    char message[300] = "";
    uint64_t off, bytes;
    bool is_spot = sscanf(uuid_text, "@%" SCNu64 "+%" SCNu64, &off, &bytes) == 2;
    if (!is_spot && !ms_uuid_parse(uuid_text, strlen(uuid_text), &uuid)) {
        fprintf(stderr, "machsym-helper-llvm: no UUID: %s\n", uuid_text);
        return 2;
    }
    int kept = quiet ? silence() : -1;
    enum ms_llvm_verdict verdict =
        is_spot ? ms_llvm_verify_at(file, off, bytes, message, sizeof message)
                : ms_llvm_verify(file, uuid.byte, message, sizeof message);
    hear(kept);
    switch (verdict) {
    case MS_LLVM_CLEAN:
        return 0;
    case MS_LLVM_ERRORS:
        return 1;
    case MS_LLVM_UNREADABLE:
        break;
    }
    fprintf(stderr, "machsym-helper-llvm: %s: %s\n", file, message);
    return 3;
}

/* ---- disassemble ---------------------------------------------------------------------------- */

static bool write_out(void *to, const char *bytes, size_t n)
{
    (void)to;
    while (n) {
        ssize_t done = write(STDOUT_FILENO, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

/* A number in hexadecimal; "-" is `otherwise`. */
static uint64_t number(const char *text, uint64_t otherwise)
{
    return strcmp(text, "-") == 0 ? otherwise : (uint64_t)strtoull(text, NULL, 16);
}

/* FLAGS are letters: V symbols, X no addresses, j the instruction's bytes; "-" is none. */
static int disassemble(char **argv)
{
    struct disasm_request request = {0};
    struct ms_sink sink = {.write = write_out};
    struct ms_file *file = NULL;
    struct ms_macho macho;
    struct ms_bytes slice;
    struct ms_error err;
    request.section = (size_t)number(argv[5], 0);
    request.symbolic = strchr(argv[6], 'V') != NULL;
    request.bare = strchr(argv[6], 'X') != NULL;
    request.opcodes = strchr(argv[6], 'j') != NULL;
    request.start = number(argv[7], 0);
    request.stop = number(argv[8], UINT64_MAX);
    request.has_mark = strcmp(argv[9], "-") != 0;
    request.mark = number(argv[9], 0);
    request.from = argv[10][0] ? argv[10] : NULL;
    request.cpu = argv[11][0] ? argv[11] : NULL;
    request.ranged = strcmp(argv[7], "-") != 0 || strcmp(argv[8], "-") != 0;
    if (ms_file_open(argv[2], &file, &err) != MS_OK)
        return fail(&err);
    if (!ms_bytes_part(ms_file_bytes(file), number(argv[3], 0), number(argv[4], 0), &slice)) {
        fprintf(stderr, "machsym otool: %s: it has been changed\n", argv[2]);
        return 3;
    }
    enum ms_status status = ms_macho_parse(slice, argv[2], &macho, &err);
    if (status == MS_OK) {
        status = disasm_section(&macho, &request, &sink, &err);
        ms_macho_fini(&macho);
    }
    ms_file_close(file);
    return sink.failed ? 4 : status == MS_OK ? 0 : fail(&err);
}

static int run(int argc, char **argv)
{
    bool quiet = argc == 5 && strcmp(argv[4], "quiet") == 0;
    if ((argc == 4 || quiet) && strcmp(argv[1], "verify") == 0)
        return verify(argv[2], argv[3], quiet);
    if (argc == 12 && strcmp(argv[1], "disassemble") == 0)
        return disassemble(argv);
    fprintf(stderr, "usage: machsym-helper-llvm verify FILE UUID|@OFFSET+BYTES [quiet]\n"
                    "       machsym-helper-llvm disassemble FILE OFFSET BYTES SECTION FLAGS START "
                    "STOP MARK FROM CPU\n");
    return 2;
}

int main(int argc, char **argv)
{
    if (argc != 4 || strcmp(argv[1], "serve") != 0)
        return run(argc, argv);
    return strcmp(argv[2], MS_VERSION) == 0 ? ms_serve(argv[3], argv[0], run) : 2;
}
