/*
 * Where the functions that meet a protocol's requirements are in the sources.
 *
 * What the metadata names is a witness: it takes its arguments as the protocol has them and calls
 * the function of the type, which somebody wrote, or has it inlined. Which of the functions it
 * calls that is, its name tells: the requirement's, with the type in place of the protocol.
 */
#include "resolve/image.h"

#include "base/array.h"
#include "machsym/demangle.h"
#include "machsym/runtime.h"
#include "runtime/code_refs.h"
#include "runtime/swift_conform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEP = 4,             /* bytes between addresses at which inlined calls are looked for */
    MAX_CODE = 2048,      /* of a witness that are looked at; real: 400 */
    MAX_PROBES = 1 << 20, /* addresses, or symbols, looked up in all */
    ROOM = 1024,          /* for a name; a longer one is not looked for */
    MAX_ARGUMENTS = 32,   /* lists of generic arguments in each other */
    MAX_REFUSED = 64,     /* names that were compared in vain, of one witness */
    MAX_ALIASES = 256     /* symbols of one address, of which one is looked for; real: 60 */
};

static bool is_witness_symbol(const char *linkage)
{
    size_t n = strlen(linkage);
    return n > 4 && linkage[0] == '$' && strcmp(linkage + n - 2, "TW") == 0;
}

/* An address that may belong to the function of a witness. */
struct probe {
    size_t conformance, witness;
    bool is_call; /* the function that starts there; else one that is inlined there */
};

/* What the function is called that a witness leads to. */
struct expected {
    char of_type[ROOM], of_protocol[ROOM];
    const char *refused[MAX_REFUSED]; /* linkage names of others */
    size_t n_refused;
};

struct finder {
    struct ms_image *image;
    const struct ms_swift_metadata *swift;
    struct ms_image_witnesses *out;
    struct ms_frame *frames; /* one a witness */
    struct ms_fixups *fixups;
    struct probe *probes;
    uint64_t *addresses;
    size_t n, probes_room, addresses_room;
    struct probe current;
    size_t symbols_left; /* that may still be looked at */
    bool no_memory;
};

void ms_image_witnesses_fini(struct ms_image_witnesses *witnesses)
{
    free(witnesses->items);
    free(witnesses->symbols);
    free(witnesses->storage);
    memset(witnesses, 0, sizeof *witnesses);
}

static bool push(struct finder *f, uint64_t vm, bool is_call)
{
    struct probe probe = f->current;
    probe.is_call = is_call;
    size_t n = f->n;
    if (!MS_PUSH(f->addresses, n, f->addresses_room, vm) ||
        !MS_PUSH(f->probes, f->n, f->probes_room, probe))
        f->no_memory = true;
    return !f->no_memory;
}

static bool take_ref(void *owner, const struct ms_code_ref *ref)
{
    struct finder *f = owner;
    return ref->kind != MS_REF_CALL || ref->symbol || f->n >= MAX_PROBES ||
           push(f, ref->target_vm, true);
}

/* ---- the witnesses themselves ---------------------------------------------------------------- */

static enum ms_status look_up(struct finder *f, struct ms_error *err)
{
    size_t n = 0;
    struct ms_answers answers;
    uint64_t *addresses = calloc(f->swift->n_witnesses + 1, sizeof *addresses);
    if (!addresses)
        return ms_fail_memory(err);
    for (size_t i = 0; i < f->swift->n_witnesses; i++)
        if (f->swift->witnesses[i].has_address)
            addresses[n++] = f->swift->witnesses[i].vm;
    enum ms_status status = ms_image_find_many(f->image, addresses, n, &answers, err);
    free(addresses);
    if (status != MS_OK)
        return status;
    for (size_t i = 0, at = 0; i < f->swift->n_witnesses; i++) {
        if (!f->swift->witnesses[i].has_address)
            continue;
        const struct ms_answer *answer = &answers.items[at++];
        if (!answer->n_frames)
            continue;
        /* The function itself is the outermost frame of its first instruction. */
        f->frames[i] = answer->frames[answer->n_frames - 1];
        f->out->items[i] = (struct ms_answer){&f->frames[i], 1, answer->why};
    }
    ms_answers_fini(&answers);
    return MS_OK;
}

/*
 * The symbol of a witness. Folded code has one for each of the conformances that share it, and
 * perhaps several of one conformance: which of those is meant, their kinds tell at best.
 */
static enum ms_status find_symbol(struct finder *f, const struct ms_swift_conformance *c, size_t k,
                                  struct ms_error *err)
{
    const struct ms_swift_witness *w = &f->swift->witnesses[k];
    const char *found = NULL;
    for (size_t i = 0;; i++) {
        struct ms_frame alias;
        if (i >= MAX_ALIASES || !f->symbols_left)
            return MS_OK;
        f->symbols_left--;
        enum ms_status status = ms_image_alias(f->image, w->vm, i, &alias, err);
        if (status == MS_ABSENT)
            break;
        if (status != MS_OK)
            return status;
        if (!alias.linkage || !is_witness_symbol(alias.linkage) ||
            ms_swift_kind_of_symbol(alias.linkage) != w->kind ||
            !ms_swift_requirement_of_symbol(c, alias.linkage, MS_DEMANGLE_SIMPLIFIED, NULL, 0))
            continue;
        if (found && strcmp(found, alias.linkage) != 0)
            return MS_OK;
        found = alias.linkage;
    }
    f->out->symbols[k] = found;
    return MS_OK;
}

static enum ms_status find_symbols(struct finder *f, struct ms_error *err)
{
    enum ms_status status = MS_OK;
    for (size_t i = 0; i < f->swift->n_conformances && status == MS_OK; i++) {
        const struct ms_swift_conformance *c = &f->swift->conformances[i];
        for (size_t k = 0; k < c->n_witnesses && status == MS_OK; k++)
            if (f->swift->witnesses[c->first_witness + k].has_address)
                status = find_symbol(f, c, c->first_witness + k, err);
    }
    return status;
}

/* ---- the functions that they lead to --------------------------------------------------------- */

/* Code with neither a file nor a line was made by the compiler; it calls its file by this name. */
static bool is_written(const struct ms_frame *frame)
{
    return frame->file && frame->line && frame->file[0] != '<';
}

static void list_probes(struct finder *f)
{
    for (size_t i = 0; i < f->swift->n_conformances; i++) {
        const struct ms_swift_conformance *c = &f->swift->conformances[i];
        for (size_t k = 0; k < c->n_witnesses && !f->no_memory; k++) {
            size_t index = c->first_witness + k;
            const struct ms_swift_witness *w = &f->swift->witnesses[index];
            if (!w->has_address || !(w->symbol || f->out->symbols[index]) ||
                is_written(&f->frames[index]))
                continue;
            const struct ms_symbol *symbol = ms_image_symbol(f->image, w->vm);
            if (!symbol || symbol->start_vm != w->vm || symbol->end_vm <= w->vm)
                continue;
            uint64_t bytes = symbol->end_vm - symbol->start_vm;
            bytes = bytes < MAX_CODE ? bytes : MAX_CODE;
            f->current = (struct probe){i, index, false};
            (void)ms_code_refs(ms_image_macho(f->image), f->fixups, w->vm, bytes, take_ref, f);
            for (uint64_t at = 0; at < bytes && f->n < MAX_PROBES && !f->no_memory; at += STEP)
                push(f, w->vm + at, false);
        }
    }
}

/*
 * "Pair<A>.count" becomes "Pair.count", as metadata has it; "Pair.< infix" stays. A function that
 * allocates what an init fills is that init.
 */
static void simplify(char *text)
{
    static const char ALLOCATING[] = ".__allocating_init";
    char *open[MAX_ARGUMENTS], *to = text;
    size_t n_open = 0;
    for (const char *from = text; *from; from++) {
        char before = from > text ? from[-1] : '.';
        if (*from == '<' && before != '.' && n_open < MAX_ARGUMENTS)
            open[n_open++] = to;
        *to++ = *from;
        if (*from == '>' && before != '-' && n_open)
            to = open[--n_open];
    }
    *to = 0;
    char *allocating = strstr(text, ALLOCATING);
    if (allocating)
        memmove(allocating + 1, allocating + sizeof ALLOCATING - sizeof "init",
                strlen(allocating + sizeof ALLOCATING - sizeof "init") + 1);
}

/*
 * The names, in Apple's short form, of the functions that may meet the requirement: of "static
 * Equatable.== infix(_:_:)" the type's own is "static Gadget.== infix(_:_:)"; one in an extension
 * of the protocol is called as the requirement is. False without any.
 */
static bool expect_names(const struct ms_swift_conformance *c, const struct ms_swift_witness *w,
                         const char *symbol, struct expected *out)
{
    static const char STATIC[] = "static ";
    char *name = out->of_protocol;
    size_t n = symbol && !w->symbol
                   ? ms_swift_requirement_of_symbol(c, symbol, MS_DEMANGLE_SIMPLIFIED, name, ROOM)
                   : ms_swift_requirement_write(c, w, MS_DEMANGLE_SIMPLIFIED, name, ROOM);
    out->n_refused = 0;
    if (n >= ROOM || !c->protocol.path || !c->type.path)
        return false;
    simplify(name);
    size_t skip = strncmp(name, STATIC, sizeof STATIC - 1) == 0 ? sizeof STATIC - 1 : 0;
    size_t n_protocol = strlen(c->protocol.path);
    if (strncmp(name + skip, c->protocol.path, n_protocol) != 0 || name[skip + n_protocol] != '.')
        return false;
    int written = snprintf(out->of_type, ROOM, "%.*s%s%s", (int)skip, name, c->type.path,
                           name + skip + n_protocol);
    return written > 0 && written < ROOM;
}

static bool is_called(const struct ms_frame *frame, struct expected *expected)
{
    char text[ROOM];
    const char *linkage = frame->linkage ? frame->linkage : frame->name;
    for (size_t i = 0; linkage && i < expected->n_refused; i++)
        if (expected->refused[i] == linkage)
            return false;
    if (!linkage)
        return false;
    size_t n = ms_demangle(linkage, strlen(linkage), MS_DEMANGLE_SIMPLIFIED | MS_DEMANGLE_FOLD,
                           text, sizeof text);
    if (n && n < sizeof text) {
        simplify(text);
        if (strcmp(text, expected->of_type) == 0 || strcmp(text, expected->of_protocol) == 0)
            return true;
    }
    if (expected->n_refused < MAX_REFUSED)
        expected->refused[expected->n_refused++] = linkage;
    return false;
}

/* The frame of an answer that is the function called so, and has a line. */
static const struct ms_frame *matching(const struct ms_answer *answer, bool is_call,
                                       struct expected *expected)
{
    for (size_t k = 0; k < answer->n_frames; k++) {
        const struct ms_frame *frame = &answer->frames[k];
        if (is_call && k + 1 < answer->n_frames)
            continue;
        if (is_written(frame) && (is_call || frame->inlined) && is_called(frame, expected))
            return frame;
    }
    return NULL;
}

static void choose(struct finder *f, const struct ms_answers *answers)
{
    struct expected expected;
    bool has_name = false;
    size_t named = SIZE_MAX;
    for (size_t i = 0; i < f->n; i++) {
        const struct probe *probe = &f->probes[i];
        struct ms_frame *frame = &f->frames[probe->witness];
        if (is_written(frame))
            continue; /* found, or it had a line to begin with */
        if (named != probe->witness)
            has_name = expect_names(&f->swift->conformances[probe->conformance],
                                    &f->swift->witnesses[probe->witness],
                                    f->out->symbols[probe->witness], &expected);
        named = probe->witness;
        const struct ms_frame *found =
            has_name ? matching(&answers->items[i], probe->is_call, &expected) : NULL;
        if (!found)
            continue;
        *frame = *found;
        frame->inlined = false;
        f->out->items[probe->witness] = (struct ms_answer){frame, 1, MS_WHY_COMPLETE};
    }
}

static enum ms_status follow(struct finder *f, struct ms_error *err)
{
    struct ms_answers answers;
    if (!ms_code_refs_known(ms_image_macho(f->image)) ||
        (!ms_image_dwarf(f->image) && !ms_image_oso(f->image)))
        return MS_OK;
    enum ms_status status = ms_fixups_open(ms_image_macho(f->image), &f->fixups, err);
    if (status != MS_OK)
        return status;
    list_probes(f);
    if (f->no_memory)
        return ms_fail_memory(err);
    status = ms_image_find_many(f->image, f->addresses, f->n, &answers, err);
    if (status != MS_OK)
        return status;
    choose(f, &answers);
    ms_answers_fini(&answers);
    return f->no_memory ? ms_fail_memory(err) : MS_OK;
}

enum ms_status ms_image_witnesses(struct ms_image *image, const struct ms_swift_metadata *swift,
                                  struct ms_image_witnesses *out, struct ms_error *err)
{
    struct finder f = {.image = image, .swift = swift, .out = out, .symbols_left = MAX_PROBES};
    memset(out, 0, sizeof *out);
    out->n = swift->n_witnesses;
    out->items = calloc(out->n + 1, sizeof *out->items);
    f.frames = calloc(out->n + 1, sizeof *f.frames);
    out->storage = f.frames;
    out->symbols = calloc(out->n + 1, sizeof *out->symbols);
    enum ms_status status = out->items && f.frames && out->symbols ? MS_OK : ms_fail_memory(err);
    if (status == MS_OK)
        status = look_up(&f, err);
    if (status == MS_OK)
        status = find_symbols(&f, err);
    if (status == MS_OK)
        status = follow(&f, err);
    if (status == MS_OK)
        status = ms_image_intact(image, err);
    ms_fixups_close(f.fixups);
    free(f.probes);
    free(f.addresses);
    if (status != MS_OK)
        ms_image_witnesses_fini(out);
    return status;
}
