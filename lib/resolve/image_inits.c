/*
 * The static initialisers of an image, and the variables that they compute.
 *
 * clang puts the code that initialises one variable into a function of its own, a
 * __cxx_global_var_init, which the unit's initialiser calls or has inlined. Its variable is the one
 * that it writes to, or passes on the address of, and that is declared on a line of its code. It
 * need not be known at all: of an inline variable that several units define, one has it, and the
 * others' code remains.
 */
#include "resolve/image.h"

#include "base/array.h"
#include "dwarf/globals.h"
#include "machsym/inits.h"
#include "runtime/code_refs.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_CODE = 1 << 20,   /* bytes of one initialiser that are looked at; real: 100 KB */
    MAX_REFS = 1 << 16,   /* of one unit, to its variables */
    MAX_REFS_EACH = 1024, /* of one __cxx_global_var_init; real: 4, of a large table 500 */
    MAX_LINES_EACH = 4096,
    MAX_SAMPLES = 1 << 20, /* instructions of one unit whose lines are looked up */
    SHORT_PIECE = 1 << 14,
    MAX_CALLS = 4096 /* of one initialiser, to functions that initialise one variable each */
};

enum ms_status ms_image_inits(struct ms_image *image, struct ms_inits *out, struct ms_error *err)
{
    enum ms_status status = ms_inits_read(ms_image_macho(image), out, err);
    if (status != MS_OK)
        return status;
    status = ms_image_intact(image, err);
    if (status != MS_OK)
        ms_inits_fini(out);
    return status;
}

void ms_init_variables_fini(struct ms_init_variables *variables)
{
    free(variables->items);
    free(variables->first);
    memset(variables, 0, sizeof *variables);
}

/* An initialiser that DWARF knows. */
struct job {
    size_t init;      /* index in the list */
    uint64_t die_off; /* of its function, in .debug_info */
    uint64_t unit_off;
};

/* An instruction that names a variable. */
struct ref {
    uint64_t at_vm;
    size_t init, variable; /* indexes; the variable's in the unit */
    uint64_t owner;        /* the DIE of the __cxx_global_var_init that it belongs to; 0 = none */
    enum ms_ref_kind kind;
    bool is_inlined; /* the instruction is of a function that is inlined there */
};

/* A line that code of a __cxx_global_var_init stands on. */
struct sample {
    uint64_t owner;
    size_t init;
    struct ms_frame line;
};

/* Code that was looked at. */
struct piece {
    size_t init;
    uint64_t low, n;
};

struct found {
    size_t init;
    uint64_t at_vm;
    struct ms_init_variable variable;
};

struct finder {
    struct ms_image *image;
    struct ms_dwarf *dwarf;
    const struct ms_inits *inits;
    struct ms_fixups *fixups;
    struct job *jobs;
    size_t n_jobs;
    /* of the unit at hand */
    struct ms_unit unit;
    struct ms_globals globals;
    struct ref *refs;
    size_t n_refs, refs_room;
    struct sample *samples;
    size_t n_samples, samples_room;
    struct piece *pieces;
    size_t n_pieces, pieces_room;
    /* of the initialiser at hand */
    size_t init;
    const struct ms_global_init **calls;
    size_t n_calls, calls_room;
    bool no_memory;
    struct found *found;
    size_t n_found, found_room;
};

/* ---- which initialisers ---------------------------------------------------------------------- */

static int by_unit(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    if (x->unit_off != y->unit_off)
        return x->unit_off < y->unit_off ? -1 : 1;
    return x->init < y->init ? -1 : x->init > y->init;
}

/* The DIE of the function that starts at an address, out of the answer for it; 0 = none. */
static uint64_t function_die(const struct ms_answer *answer, uint64_t vm)
{
    const struct ms_frame *outer = answer->n_frames ? &answer->frames[answer->n_frames - 1] : NULL;
    bool is_it =
        outer && outer->source == MS_SOURCE_DWARF && outer->has_start && outer->start_vm == vm;
    return is_it ? outer->die_off : 0;
}

static enum ms_status list_jobs(struct finder *f, struct ms_error *err)
{
    size_t n = 0;
    uint64_t *addresses = calloc(f->inits->n + 1, sizeof *addresses);
    f->jobs = calloc(f->inits->n + 1, sizeof *f->jobs);
    struct ms_answers answers;
    memset(&answers, 0, sizeof answers);
    enum ms_status status = addresses && f->jobs ? MS_OK : ms_fail_memory(err);
    for (size_t i = 0; i < f->inits->n && status == MS_OK; i++)
        if (f->inits->items[i].has_address)
            addresses[n++] = f->inits->items[i].vm;
    if (status == MS_OK)
        status = ms_image_find_many(f->image, addresses, n, &answers, err);
    for (size_t i = 0, at = 0; i < f->inits->n && status == MS_OK; i++) {
        const struct ms_init *init = &f->inits->items[i];
        struct ms_unit_header header;
        struct ms_error ignored;
        uint64_t die_off = init->has_address ? function_die(&answers.items[at++], init->vm) : 0;
        enum ms_status found =
            die_off ? ms_unit_map_find(f->dwarf, die_off, &header, &ignored) : MS_ABSENT;
        if (found == MS_OK)
            f->jobs[f->n_jobs++] = (struct job){i, die_off, header.off};
        if (found == MS_E_NOMEM)
            status = ms_fail_memory(err);
    }
    qsort(f->jobs, f->n_jobs, sizeof *f->jobs, by_unit);
    ms_answers_fini(&answers);
    free(addresses);
    return status;
}

/* ---- what their code names ------------------------------------------------------------------- */

static bool take_ref(void *owner, const struct ms_code_ref *ref)
{
    struct finder *f = owner;
    if (ref->kind == MS_REF_CALL) {
        const struct ms_global_init *called = ms_globals_find_init(&f->globals, ref->target_vm);
        if (called && f->n_calls < MAX_CALLS)
            f->no_memory |= !MS_PUSH(f->calls, f->n_calls, f->calls_room, called);
        return !f->no_memory;
    }
    /* A weak variable is found through a pointer that dyld binds by name, even to this image. */
    uint64_t vm = ref->target_vm;
    struct ms_error ignored;
    enum ms_status status =
        ref->symbol ? ms_image_find_name(f->image, ref->symbol, &vm, &ignored) : MS_OK;
    f->no_memory |= status == MS_E_NOMEM;
    if (status != MS_OK)
        return !f->no_memory;
    const struct ms_global *global = ms_globals_find(&f->globals, vm);
    if (!global || f->n_refs >= MAX_REFS)
        return true;
    struct ref item = {.at_vm = ref->at_vm,
                       .init = f->init,
                       .variable = (size_t)(global - f->globals.items),
                       .kind = ref->kind};
    f->no_memory |= !MS_PUSH(f->refs, f->n_refs, f->refs_room, item);
    return !f->no_memory;
}

static void scan(struct finder *f, uint64_t low, uint64_t high)
{
    uint64_t n = high - low < MAX_CODE ? high - low : MAX_CODE;
    struct piece piece = {f->init, low, n};
    f->no_memory |= !MS_PUSH(f->pieces, f->n_pieces, f->pieces_room, piece);
    f->no_memory |= !ms_code_refs(ms_image_macho(f->image), f->fixups, low, n, take_ref, f);
}

static void scan_job(struct finder *f, const struct job *job)
{
    struct ms_value pcs[MS_N_PCS], value;
    struct ms_die die;
    uint64_t attribute, low, high;
    memset(pcs, 0, sizeof pcs);
    if (!ms_die_open(&f->unit, job->die_off - f->unit.header.off, &die))
        return;
    while (ms_die_next(&die, &attribute, &value))
        if (ms_part_of(attribute) < MS_N_PCS)
            pcs[ms_part_of(attribute)] = value;
    if (!ms_unit_low_high(&f->unit, pcs, &low, &high))
        return;
    f->init = job->init;
    f->n_calls = 0;
    scan(f, low, high);
    size_t n_calls = f->n_calls; /* what those call in turn is none of this */
    for (size_t i = 0; i < n_calls && !f->no_memory; i++)
        scan(f, f->calls[i]->low, f->calls[i]->high);
}

/* ---- which of the variables is initialised --------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_line(const struct ms_frame *a, const struct ms_frame *b)
{
    return a->line && a->line == b->line && same_text(a->file, b->file) &&
           same_text(a->dir, b->dir) && same_text(a->comp_dir, b->comp_dir);
}

/* The level of the answer that is a __cxx_global_var_init; NULL when none is. */
static const struct ms_frame *owner_of(const struct ms_answer *answer)
{
    for (size_t k = 0; k < answer->n_frames; k++) {
        const struct ms_frame *frame = &answer->frames[k];
        if (ms_is_global_init(frame->name ? frame->name : frame->linkage))
            return frame;
    }
    return NULL;
}

/* Finds for each reference the __cxx_global_var_init that it stands in. */
static enum ms_status own_refs(struct finder *f, struct ms_error *err)
{
    struct ms_answers answers;
    uint64_t *addresses = calloc(f->n_refs + 1, sizeof *addresses);
    if (!addresses)
        return ms_fail_memory(err);
    for (size_t i = 0; i < f->n_refs; i++)
        addresses[i] = f->refs[i].at_vm;
    enum ms_status status = ms_image_find_many(f->image, addresses, f->n_refs, &answers, err);
    free(addresses);
    if (status != MS_OK)
        return status;
    for (size_t i = 0; i < f->n_refs; i++) {
        const struct ms_frame *owner = owner_of(&answers.items[i]);
        f->refs[i].owner = owner ? owner->die_off : 0;
        f->refs[i].is_inlined = owner && owner != answers.items[i].frames;
    }
    ms_answers_fini(&answers);
    return MS_OK;
}

static bool add_sample(struct finder *f, size_t init, const struct ms_frame *owner)
{
    const struct sample *last = f->n_samples ? &f->samples[f->n_samples - 1] : NULL;
    if (!owner->line || (last && last->init == init && last->owner == owner->die_off &&
                         same_line(&last->line, owner)))
        return true;
    struct sample sample = {owner->die_off, init, *owner};
    return MS_PUSH(f->samples, f->n_samples, f->samples_room, sample);
}

/*
 * The lines of each of them. That of the instruction which stores the variable is mostly 0, so all
 * of the code counts: on x86_64, whose instructions have any size, every byte of a short piece.
 */
static enum ms_status sample_lines(struct finder *f, struct ms_error *err)
{
    struct ms_answers answers;
    size_t n = 0, room = 0;
    bool is_x86 = ms_image_macho(f->image)->cputype == MS_CPU_X86_64;
    for (size_t i = 0; i < f->n_pieces; i++)
        room += (size_t)f->pieces[i].n + 1;
    room = room < MAX_SAMPLES ? room : MAX_SAMPLES;
    uint64_t *addresses = calloc(room, sizeof *addresses);
    size_t *pieces = calloc(room, sizeof *pieces);
    enum ms_status status = addresses && pieces ? MS_OK : ms_fail_memory(err);
    for (size_t i = 0; i < f->n_pieces && status == MS_OK; i++) {
        unsigned step = is_x86 && f->pieces[i].n <= SHORT_PIECE ? 1 : 4;
        for (uint64_t at = 0; at < f->pieces[i].n && n < room; at += step) {
            addresses[n] = f->pieces[i].low + at;
            pieces[n++] = i;
        }
    }
    if (status == MS_OK)
        status = ms_image_find_many(f->image, addresses, n, &answers, err);
    free(addresses);
    for (size_t i = 0; i < n && status == MS_OK; i++) {
        const struct ms_frame *owner = owner_of(&answers.items[i]);
        if (owner && !add_sample(f, f->pieces[pieces[i]].init, owner))
            f->no_memory = true;
    }
    if (status == MS_OK)
        ms_answers_fini(&answers);
    free(pieces);
    return f->no_memory ? ms_fail_memory(err) : status;
}

static int by_sample(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    if (x->init != y->init)
        return x->init < y->init ? -1 : 1;
    return x->owner < y->owner ? -1 : x->owner > y->owner;
}

static int by_owner(const void *a, const void *b)
{
    const struct ref *x = a, *y = b;
    if (x->init != y->init)
        return x->init < y->init ? -1 : 1;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return x->at_vm < y->at_vm ? -1 : x->at_vm > y->at_vm;
}

/* Is the variable of refs[i] one that refs[from…to) may initialise, not just read? */
static bool is_written(const struct ref *refs, size_t from, size_t to, size_t i)
{
    bool is_read = false;
    for (size_t k = from; k < to; k++) {
        if (refs[k].variable != refs[i].variable)
            continue;
        if (refs[k].kind == MS_REF_WRITE || refs[k].kind == MS_REF_ADDRESS)
            return true;
        is_read |= refs[k].kind == MS_REF_READ;
    }
    return !is_read;
}

/* Is the variable declared on a line of the __cxx_global_var_init that names it? */
static bool is_declared_there(const struct finder *f, const struct ref *ref)
{
    size_t low = 0, high = f->n_samples;
    struct sample key = {ref->owner, ref->init, {0}};
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_sample(&f->samples[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct ms_frame *declared = &f->globals.items[ref->variable].declared;
    for (size_t i = low; i < f->n_samples && i - low < MAX_LINES_EACH; i++) {
        if (by_sample(&f->samples[i], &key) != 0)
            return false;
        if (same_line(&f->samples[i].line, declared))
            return true;
    }
    return false;
}

/*
 * Does the code itself, nothing that is inlined there, write the variable? To take its address is
 * enough for one that the unit defines outside of its class.
 */
static bool is_plain(const struct finder *f, size_t from, size_t to, const struct ref *ref)
{
    bool is_member = f->globals.items[ref->variable].is_member;
    for (size_t k = from; k < to; k++)
        if (f->refs[k].variable == ref->variable && !f->refs[k].is_inlined &&
            (is_member || f->refs[k].kind == MS_REF_WRITE))
            return true;
    return false;
}

/* What refs[from…to) of one __cxx_global_var_init initialise; NULL where that isn't certain. */
static const struct ref *choose(const struct finder *f, size_t from, size_t to)
{
    const struct ref *refs = f->refs, *declared = NULL, *other = NULL;
    bool is_one_declared = true, is_one_other = true;
    if (to - from > MAX_REFS_EACH)
        return NULL;
    for (size_t i = from; i < to; i++) {
        if (!is_written(refs, from, to, i))
            continue;
        bool is_there = is_declared_there(f, &refs[i]);
        const struct ref **first = is_there ? &declared : &other;
        bool *is_one = is_there ? &is_one_declared : &is_one_other;
        *is_one = *is_one && (!*first || (*first)->variable == refs[i].variable);
        *first = *first ? *first : &refs[i];
    }
    if (declared)
        return is_one_declared ? declared : NULL;
    /* Its initialiser can begin on the next line, and a static member is declared elsewhere than it
     * is defined. Then it must be the only one. */
    return other && is_one_other && is_plain(f, from, to, other) ? other : NULL;
}

static enum ms_status add_found(struct finder *f, const struct ref *ref, struct ms_error *err)
{
    const struct ms_global *global = &f->globals.items[ref->variable];
    struct found found;
    memset(&found, 0, sizeof found);
    found.init = ref->init;
    found.at_vm = ref->at_vm;
    found.variable.frame = global->declared;
    found.variable.frame.linkage = global->linkage;
    found.variable.frame.name = global->name;
    found.variable.frame.source = MS_SOURCE_DWARF;
    found.variable.frame.die_off = global->die_off;
    found.variable.has_address = true;
    found.variable.vm = global->vm;
    return MS_PUSH(f->found, f->n_found, f->found_room, found) ? MS_OK : ms_fail_memory(err);
}

static enum ms_status conclude(struct finder *f, struct ms_error *err)
{
    enum ms_status status = f->n_refs ? own_refs(f, err) : MS_OK;
    if (f->n_refs && status == MS_OK)
        status = sample_lines(f, err);
    if (f->n_refs)
        qsort(f->refs, f->n_refs, sizeof *f->refs, by_owner);
    if (f->n_samples)
        qsort(f->samples, f->n_samples, sizeof *f->samples, by_sample);
    for (size_t i = 0, next; i < f->n_refs && status == MS_OK; i = next) {
        for (next = i + 1; next < f->n_refs && f->refs[next].owner == f->refs[i].owner &&
                           f->refs[next].init == f->refs[i].init;)
            next++;
        const struct ref *ref = f->refs[i].owner ? choose(f, i, next) : NULL;
        if (ref)
            status = add_found(f, ref, err);
    }
    return status;
}

/* All jobs of one unit. A unit that can't be read tells nothing. */
static enum ms_status do_unit(struct finder *f, size_t from, size_t to, struct ms_error *err)
{
    struct ms_unit_header header;
    struct ms_error ignored;
    f->n_refs = f->n_samples = f->n_pieces = 0;
    enum ms_status status =
        ms_unit_header_read(f->dwarf, false, f->jobs[from].unit_off, &header, &ignored);
    if (status == MS_OK)
        status = ms_unit_open(f->dwarf, &header, &f->unit, &ignored);
    if (status == MS_OK)
        status = ms_globals_read(f->dwarf, &f->unit, &f->globals, &ignored);
    if (status != MS_OK)
        return status == MS_E_NOMEM ? ms_fail_memory(err) : MS_OK;
    for (size_t i = from; i < to && f->globals.n; i++)
        scan_job(f, &f->jobs[i]);
    return f->no_memory ? ms_fail_memory(err) : conclude(f, err);
}

/* ---- the result ------------------------------------------------------------------------------ */

static int by_init(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->init != y->init)
        return x->init < y->init ? -1 : 1;
    return x->at_vm < y->at_vm ? -1 : x->at_vm > y->at_vm;
}

static enum ms_status hand_out(struct finder *f, struct ms_init_variables *out,
                               struct ms_error *err)
{
    out->items = calloc(f->n_found + 1, sizeof *out->items);
    out->first = calloc(f->inits->n + 1, sizeof *out->first);
    if (!out->items || !out->first)
        return ms_fail_memory(err);
    if (f->n_found)
        qsort(f->found, f->n_found, sizeof *f->found, by_init);
    for (size_t i = 0; i < f->inits->n; i++) {
        out->first[i] = out->n;
        for (; out->n < f->n_found && f->found[out->n].init == i; out->n++)
            out->items[out->n] = f->found[out->n].variable;
    }
    out->first[f->inits->n] = out->n;
    return MS_OK;
}

enum ms_status ms_image_init_variables(struct ms_image *image, const struct ms_inits *inits,
                                       struct ms_init_variables *out, struct ms_error *err)
{
    struct finder f = {.image = image, .inits = inits};
    enum ms_status status = MS_OK;
    memset(out, 0, sizeof *out);
    f.dwarf = ms_image_dwarf(image);
    if (!f.dwarf && image->dwarf_ready == MS_FAILED && image->dwarf_error.status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (f.dwarf && ms_code_refs_known(ms_image_macho(image)) && inits->n) {
        status = ms_fixups_open(ms_image_macho(image), &f.fixups, err);
        if (status == MS_OK)
            status = list_jobs(&f, err);
        for (size_t i = 0, next; i < f.n_jobs && status == MS_OK; i = next) {
            for (next = i + 1; next < f.n_jobs && f.jobs[next].unit_off == f.jobs[i].unit_off;)
                next++;
            status = do_unit(&f, i, next, err);
        }
    }
    if (status == MS_OK)
        status = hand_out(&f, out, err);
    if (status == MS_OK)
        status = ms_image_intact(image, err);
    if (status != MS_OK)
        ms_init_variables_fini(out);
    ms_globals_fini(&f.globals);
    ms_fixups_close(f.fixups);
    free(f.jobs);
    free(f.refs);
    free(f.samples);
    free(f.pieces);
    free(f.calls);
    free(f.found);
    return status;
}
