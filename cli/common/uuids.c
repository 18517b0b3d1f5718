#include "common/uuids.h"

#include "common/answer_json.h"
#include "common/console.h"
#include "common/input.h"
#include "common/out.h"
#include "machsym/macho.h"
#include "machsym/pack.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MAX_DEPTH = 64 /* of folders in folders; links are not followed */
};

/* What one FILE of the command line came to. */
struct run {
    struct out out;
    const char *arch; /* that was asked for, or NULL */
    bool with_json;
    struct ms_json json;
    bool in_folder;  /* the file at hand was found, not named */
    size_t n_slices; /* Mach-O images seen, of any architecture */
    size_t n_shown;  /* of the architecture asked for */
    size_t n_uuids;  /* of those, that have a UUID */
    char archs[160]; /* ", "-separated, of all seen */
    int status;
};

static void note(struct run *run, int status)
{
    run->status = worse(run->status, status);
}

/* ---- one slice ---------------------------------------------------------------------------- */

/* For the message that none is of the architecture asked for. */
static void note_arch(struct run *run, const char *arch)
{
    size_t n = strlen(run->archs), m = strlen(arch);
    for (const char *at = run->archs; (at = strstr(at, arch)); at += m)
        if ((at == run->archs || at[-1] == ' ') && (at[m] == ',' || !at[m]))
            return;
    if (n + m + 3 < sizeof run->archs)
        snprintf(run->archs + n, sizeof run->archs - n, "%s%s", n ? ", " : "", arch);
}

/* `member` is the archive's, or NULL. */
static void print_slice(struct run *run, const struct ms_macho *macho, const char *arch,
                        const char *path, const char *member)
{
    char uuid[MS_UUID_TEXT];
    ms_uuid_format(&macho->uuid, uuid);
    if (run->with_json) {
        ms_json_object(&run->json);
        ms_json_field(&run->json, "uuid", macho->has_uuid ? uuid : NULL);
        ms_json_field(&run->json, "arch", arch);
        ms_json_field(&run->json, "path", input_shown(path));
        ms_json_field(&run->json, "member", member);
        ms_json_field(&run->json, "filetype", ms_filetype_name(macho->filetype));
        ms_json_object_end(&run->json);
    } else if (macho->has_uuid) {
        /* A folder or an archive says what is in it: no newline there may look like an answer. */
        ms_sink_printf(&run->out.sink, "UUID: %s (%s) ", uuid, arch);
        ms_sink_plain(&run->out.sink, input_shown(path));
        if (member) {
            ms_sink_puts(&run->out.sink, "(");
            ms_sink_plain(&run->out.sink, member);
            ms_sink_puts(&run->out.sink, ")");
        }
        ms_sink_puts(&run->out.sink, "\n");
    } else if (!member && (!run->in_folder || macho->filetype != MS_MH_OBJECT)) {
        warn("%s (%s): has no UUID", path, arch); /* objects never have one */
    }
}

static void read_macho(struct run *run, struct ms_bytes bytes, const char *path, const char *member)
{
    struct ms_macho macho;
    struct ms_error err;
    char where[4096 + 300], room[MS_ARCH_TEXT];
    snprintf(where, sizeof where, member ? "%s(%s)" : "%s", path, member);
    enum ms_status status = ms_macho_parse(bytes, where, &macho, &err);
    if (status != MS_OK) {
        note(run, complain_error(&err));
        return;
    }
    const char *arch = ms_arch_text(macho.cputype, macho.cpusubtype, room);
    run->n_slices++;
    note_arch(run, arch);
    if (!run->arch || strcmp(run->arch, arch) == 0) {
        run->n_shown++;
        run->n_uuids += macho.has_uuid;
        print_slice(run, &macho, arch, path, member);
    }
    ms_macho_fini(&macho);
}

/* ---- one file ----------------------------------------------------------------------------- */

/* Members are objects, which seldom have a UUID: those without are not told of. */
static void read_archive(struct run *run, struct ms_bytes bytes, const char *path)
{
    struct ms_archive archive;
    struct ms_archive_member member;
    struct ms_error err;
    size_t n_before = run->n_shown, n_uuids_before = run->n_uuids;
    enum ms_status status = ms_archive_open(bytes, path, &archive, &err);
    while (status == MS_OK) {
        status = ms_archive_next(&archive, &member, &err);
        struct ms_fat fat;
        struct ms_error ignored;
        /* What isn't Mach-O (bitcode, an index of names) is passed over. */
        if (status != MS_OK || ms_fat_parse(member.bytes, path, &fat, &ignored) != MS_OK)
            continue;
        for (size_t i = 0; i < fat.n_slices; i++)
            if (fat.slices[i].kind == MS_SLICE_MACHO)
                read_macho(run, fat.slices[i].bytes, path, member.name);
        ms_fat_fini(&fat);
    }
    if (status != MS_ABSENT)
        note(run, complain_error(&err));
    else if (run->n_shown > n_before && run->n_uuids == n_uuids_before && !run->in_folder)
        warn("%s: no member has a UUID", path);
}

static void read_fat(struct run *run, const struct ms_fat *fat, const char *path)
{
    for (size_t i = 0; i < fat->n_slices; i++) {
        const struct ms_slice *slice = &fat->slices[i];
        if (slice->kind == MS_SLICE_MACHO)
            read_macho(run, slice->bytes, path, NULL);
        else if (slice->kind == MS_SLICE_ARCHIVE)
            read_archive(run, slice->bytes, path);
    }
}

/* A GSYM file has a UUID, and doesn't tell its architecture. False when it is none. */
static bool read_gsym(struct run *run, struct ms_bytes bytes, const char *path)
{
    struct ms_macho as_if = {.has_uuid = false};
    struct ms_error err;
    enum ms_status status = ms_gsym_identify(bytes, path, &as_if.uuid, &err);
    if (status == MS_ABSENT)
        return false;
    if (status != MS_OK) {
        note(run, complain_error(&err));
        return true;
    }
    as_if.has_uuid = !ms_uuid_is_zero(&as_if.uuid);
    run->n_slices++;
    run->n_shown++; /* whatever architecture is asked for, it may be that */
    run->n_uuids += as_if.has_uuid;
    print_slice(run, &as_if, "unknown", path, NULL);
    return true;
}

/* A file found in a folder: true for what is no Mach-O at all, which a folder may hold. */
static bool is_something_else(struct ms_bytes bytes)
{
    static const uint8_t magics[][4] = {{0xcf, 0xfa, 0xed, 0xfe}, {0xce, 0xfa, 0xed, 0xfe},
                                        {0xfe, 0xed, 0xfa, 0xcf}, {0xfe, 0xed, 0xfa, 0xce},
                                        {0xca, 0xfe, 0xba, 0xbe}, {0xca, 0xfe, 0xba, 0xbf},
                                        {'!', '<', 'a', 'r'},
                                        {'M', 'Y', 'S', 'G'},
                                        {'G', 'S', 'Y', 'M'}};
    for (size_t i = 0; i < sizeof magics / sizeof *magics && bytes.n >= 4; i++)
        if (memcmp(bytes.at, magics[i], 4) == 0)
            return i == 4 && bytes.n >= 8 &&
                   (bytes.at[4] || bytes.at[5] || bytes.at[6] ||
                    bytes.at[7] >= 45); /* Java's, by its version */
    return true;
}

static void read_file(struct run *run, const char *path)
{
    struct input input;
    struct ms_fat fat;
    struct ms_error err;
    int status = input_open(&input, path);
    if (status != EXIT_DONE) {
        note(run, status);
        input_close(&input);
        return;
    }
    if (run->in_folder && is_something_else(input.bytes)) {
        input_close(&input);
        return;
    }
    if (read_gsym(run, input.bytes, path)) {
        ; /* nothing more is in it */
    } else if (ms_fat_parse(input.bytes, input.name, &fat, &err) == MS_OK) {
        read_fat(run, &fat, path);
        ms_fat_fini(&fat);
    } else {
        note(run, complain_error(&err));
    }
    if (!input_intact(&input))
        note(run, EXIT_INPUT);
    input_close(&input);
}

/* ---- folders ------------------------------------------------------------------------------ */

/* All but "." and "..", and the "._X" that macOS puts beside X on foreign disks. */
static int is_wanted(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strncmp(name, "._", 2) != 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_folder(struct run *run, const char *path, int depth);

static void read_entry(struct run *run, const char *folder, const char *name, int depth)
{
    size_t n = strlen(folder);
    const char *slash = n && folder[n - 1] == '/' ? "" : "/";
    size_t room = n + strlen(name) + 2;
    char *path = malloc(room);
    struct stat st;
    if (!path) {
        complain("out of memory");
        note(run, EXIT_SYSTEM);
        return;
    }
    snprintf(path, room, "%s%s%s", folder, slash, name);
    /* A link leads to what is listed at its own place, as Versions/Current in a framework. */
    if (lstat(path, &st) != 0) {
        complain("%s: %s", path, strerror(errno));
        note(run, EXIT_INPUT);
    } else if (S_ISDIR(st.st_mode)) {
        read_folder(run, path, depth + 1);
    } else if (S_ISREG(st.st_mode) && st.st_size >= 4) {
        read_file(run, path);
    }
    free(path);
}

static void read_folder(struct run *run, const char *path, int depth)
{
    struct dirent **entries = NULL;
    int n = depth < MAX_DEPTH ? scandir(path, &entries, is_wanted, by_name) : -1;
    if (n < 0) {
        if (depth < MAX_DEPTH)
            complain("%s: %s", path, strerror(errno));
        else
            complain("%s: more than %d folders deep", path, MAX_DEPTH);
        note(run, errno == ENOMEM ? EXIT_SYSTEM : EXIT_INPUT);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (!run->out.sink.failed)
            read_entry(run, path, entries[i]->d_name, depth);
        free(entries[i]);
    }
    free(entries);
}

/* ---- start -------------------------------------------------------------------------------- */

static void read_operand(struct run *run, const char *path)
{
    struct stat st;
    int before = run->status;
    run->status = EXIT_DONE;
    run->n_slices = run->n_shown = run->n_uuids = 0;
    run->archs[0] = 0;
    int opened = input_path(&path);
    if (opened != EXIT_DONE) {
        note(run, worse(opened, before));
        return;
    }
    run->in_folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    if (run->in_folder)
        read_folder(run, path, 0);
    else
        read_file(run, path);
    if (run->status == EXIT_DONE && !run->n_slices) {
        complain("%s: holds no Mach-O image", path);
        note(run, EXIT_INPUT);
    } else if (run->status == EXIT_DONE && !run->n_shown) {
        complain("%s: has no %s slice; it has %s", path, run->arch, run->archs);
        note(run, EXIT_INPUT);
    }
    note(run, before);
}

int print_uuids(const struct word_list *words, const char *arch, bool with_json)
{
    static struct run run; /* large: it holds the output buffer */
    out_stdout(&run.out);
    run.arch = arch;
    run.with_json = with_json;
    if (with_json)
        json_list(&run.json, &run.out.sink, "slices");
    for (size_t i = 0; i < words->n && !run.out.sink.failed; i++)
        read_operand(&run, words->items[i]);
    if (with_json)
        json_list_end(&run.json);
    return out_finish(&run.out, run.status, true);
}
