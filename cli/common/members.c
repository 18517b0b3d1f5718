#include "common/members.h"

#include "common/console.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct walk {
    const char *path, *arch;
    const char *name; /* of the only member that is wanted; NULL: all */
    struct ms_file *file;
    member_taker *take;
    void *owner;
    size_t n_named, n_shown;
    char archs[200]; /* ", "-separated, of the members of that name */
    size_t n_archs;
    int status;
};

static void note_arch(struct walk *w, const char *arch)
{
    size_t at = strlen(w->archs), n = strlen(arch);
    for (const char *known = w->archs; (known = strstr(known, arch)); known += n)
        if ((known == w->archs || known[-1] == ' ') && (known[n] == ',' || !known[n]))
            return;
    snprintf(w->archs + at, sizeof w->archs - at, "%s%s", w->n_archs++ ? ", " : "", arch);
}

static void read_image(struct walk *w, const char *slice, const char *name, struct ms_bytes bytes)
{
    struct ms_macho macho;
    struct ms_error err;
    char room[MS_ARCH_TEXT], label[4096 + 300];
    snprintf(label, sizeof label, "%s(%s)", w->path, name);
    if (ms_macho_parse(bytes, label, &macho, &err) != MS_OK) {
        w->status = worse(w->status, complain_error(&err));
        return;
    }
    const char *arch = ms_arch_text(macho.cputype, macho.cpusubtype, room);
    ms_macho_fini(&macho);
    note_arch(w, arch);
    if (w->arch && strcmp(w->arch, arch) != 0)
        return;
    w->n_shown++;
    uint64_t off = (uint64_t)(bytes.at - ms_file_bytes(w->file).at);
    struct member member = {w->path, slice, name, arch, off, bytes.n};
    w->take(w->owner, &member);
}

static void read_archive(struct walk *w, const char *slice, struct ms_bytes bytes)
{
    struct ms_archive archive;
    struct ms_archive_member member;
    struct ms_error err;
    enum ms_status status = ms_archive_open(bytes, w->path, &archive, &err);
    while (status == MS_OK) {
        struct ms_fat fat;
        struct ms_error ignored;
        status = ms_archive_next(&archive, &member, &err);
        if (status != MS_OK || (w->name && strcmp(w->name, member.name) != 0))
            continue;
        w->n_named++;
        if (ms_fat_parse(member.bytes, w->path, &fat, &ignored) != MS_OK)
            continue;
        for (size_t i = 0; i < fat.n_slices; i++)
            if (fat.slices[i].kind == MS_SLICE_MACHO)
                read_image(w, slice, member.name, fat.slices[i].bytes);
        ms_fat_fini(&fat);
    }
    if (status != MS_ABSENT)
        w->status = worse(w->status, complain_error(&err));
}

/* Nothing was handed on, though all could be read. */
static void complain_of_none(struct walk *w)
{
    if (w->name && !w->n_named)
        complain("%s: has no member %s", w->path, w->name);
    else if (!w->n_archs)
        complain("%s%s%s%s: holds no Mach-O image", w->path, w->name ? "(" : "",
                 w->name ? w->name : "", w->name ? ")" : "");
    else
        complain("%s: has no %s member; it has %s", w->path, w->arch, w->archs);
    w->status = worse(w->status, EXIT_INPUT);
}

static bool walk_file(struct walk *w)
{
    struct ms_fat fat;
    struct ms_error err;
    bool any = false;
    if (ms_file_open(w->path, &w->file, &err) != MS_OK)
        return false;
    if (ms_fat_parse(ms_file_bytes(w->file), w->path, &fat, &err) == MS_OK) {
        char room[MS_ARCH_TEXT];
        for (size_t i = 0; i < fat.n_slices; i++)
            any |= fat.slices[i].kind == MS_SLICE_ARCHIVE;
        for (size_t i = 0; i < fat.n_slices && any; i++) {
            const struct ms_slice *slice = &fat.slices[i];
            const char *arch = ms_arch_text(slice->cputype, slice->cpusubtype, room);
            if (slice->kind == MS_SLICE_ARCHIVE)
                read_archive(w, fat.n_slices > 1 ? arch : NULL, slice->bytes);
        }
        ms_fat_fini(&fat);
    }
    if (any && ms_file_torn(w->file)) {
        complain("%s: was truncated while it was read", w->path);
        w->status = worse(w->status, EXIT_INPUT);
    } else if (any && !w->n_shown && w->status == EXIT_DONE) {
        complain_of_none(w);
    }
    ms_file_close(w->file);
    return any;
}

char *members_split(const char *word, const char **name)
{
    struct stat st;
    size_t n = strlen(word);
    const char *open = n && word[n - 1] == ')' ? strrchr(word, '(') : NULL;
    *name = NULL;
    if (!open || open == word || open + 2 >= word + n || stat(word, &st) == 0)
        return NULL;
    char *path = malloc(n + 1);
    if (!path)
        return NULL;
    memcpy(path, word, n + 1);
    path[open - word] = 0;
    path[n - 1] = 0;
    *name = path + (open - word) + 1;
    return path;
}

int members_walk(const char *word, const char *arch, member_taker *take, void *owner,
                 bool *is_archive)
{
    struct walk w = {.path = word, .arch = arch, .take = take, .owner = owner};
    struct stat st;
    char *cut = members_split(word, &w.name);
    if (cut)
        w.path = cut;
    *is_archive = stat(w.path, &st) == 0 && S_ISREG(st.st_mode) && walk_file(&w);
    free(cut);
    return w.status;
}
