/* ms_dwarf_check: all units, as a look-up would read them. */
#include "dwarf/aranges.h"
#include "dwarf/lookup.h"
#include "dwarf/reader.h"

struct check {
    struct ms_lookup lookup;
    ms_dwarf_fault_taker take;
    void *owner;
    struct ms_dwarf_counts *counts;
};

/* False when the owner has seen enough. */
static bool report(const struct check *c, const struct ms_error *fault)
{
    return !c->take || c->take(c->owner, fault);
}

/* Reads names and call site of a function. Its fault is kept, the pass goes on. */
struct names {
    struct ms_lookup *lookup;
    enum ms_status status;
    struct ms_error fault;
};

static bool check_names(void *owner, const struct ms_unit *unit, uint64_t die_off, uint64_t low,
                        uint64_t high)
{
    struct names *names = owner;
    struct ms_function function;
    struct ms_error found;
    (void)low;
    (void)high;
    enum ms_status status = ms_function_read(names->lookup->dwarf, &names->lookup->references, unit,
                                             die_off, &function, &found);
    if (status != MS_OK && names->status == MS_OK) {
        names->status = status;
        names->fault = found;
    }
    return status != MS_E_NOMEM;
}

static enum ms_status check_functions(struct check *c, const struct ms_unit *unit,
                                      struct ms_error *fault)
{
    struct ms_lookup *l = &c->lookup;
    struct names names = {.lookup = l};
    enum ms_status status = ms_lookup_pass(l, unit, MS_SCAN_CHECK, check_names, &names, fault);
    c->counts->n_dies += l->scan.n_dies;
    c->counts->n_functions += l->scan.n_functions;
    c->counts->n_inlined += l->scan.n_inlined;
    if (status == MS_OK && names.status != MS_OK)
        *fault = names.fault;
    return status == MS_OK ? names.status : status;
}

static enum ms_status check_lines(struct check *c, const struct ms_unit *unit,
                                  struct ms_error *fault)
{
    struct ms_lookup *l = &c->lookup;
    enum ms_status status = ms_lookup_start(l, unit, NULL, 0, fault);
    if (status != MS_OK)
        return status;
    bool open = ms_lookup_open_lines(l, &status, fault);
    if (status != MS_OK || l->error.status != MS_OK) {
        if (status == MS_OK)
            *fault = l->error;
        return fault->status;
    }
    if (!open)
        return MS_OK;
    struct ms_line_state state = ms_line_state_at(0);
    bool inside = false;
    while (ms_line_next(&l->machine, &state)) {
        c->counts->n_rows++;
        c->counts->n_sequences += state.end;
        inside = !state.end;
    }
    return state.fault || inside ? ms_line_machine_fail(&l->machine, &state, fault) : MS_OK;
}

/* Both halves are looked at, whatever the first came to. */
static enum ms_status check_unit(struct check *c, const struct ms_unit_header *header,
                                 struct ms_error *err)
{
    struct ms_unit unit;
    struct ms_error fault;
    enum ms_status status = ms_unit_open(c->lookup.dwarf, header, &unit, &fault);
    bool opened = status == MS_OK, broken = false;
    for (int half = 0; half < 2; half++) {
        if (opened)
            status = half == 0                      ? check_functions(c, &unit, &fault)
                     : ms_unit_may_have_code(&unit) ? check_lines(c, &unit, &fault)
                                                    : MS_OK;
        if (status == MS_E_NOMEM)
            return ms_fail_memory(err);
        if (status != MS_OK && !broken)
            c->counts->n_broken++;
        broken |= status != MS_OK;
        if (status != MS_OK && !report(c, &fault))
            return MS_ABSENT;
        if (!opened)
            break;
    }
    return MS_OK;
}

static enum ms_status check_section(struct check *c, bool in_types, struct ms_error *err)
{
    struct ms_unit_walk walk = {c->lookup.dwarf, in_types, 0};
    struct ms_unit_header header;
    struct ms_error fault;
    for (enum ms_status status;
         (status = ms_unit_walk_next(&walk, &header, &fault)) != MS_ABSENT;) {
        c->counts->n_units++;
        c->counts->n_type_units += header.type == DW_UT_type;
        if (status == MS_OK) {
            status = check_unit(c, &header, err);
            if (status != MS_OK)
                return status;
            continue;
        }
        c->counts->n_broken++;
        if (!report(c, &fault))
            return MS_ABSENT;
    }
    return MS_OK;
}

static enum ms_status check_aranges(struct check *c)
{
    struct ms_aranges aranges;
    struct ms_error fault;
    uint64_t low, high;
    ms_aranges_start(&aranges, c->lookup.dwarf, &fault);
    while (ms_aranges_next(&aranges, &low, &high))
        ;
    return aranges.status == MS_OK || report(c, &fault) ? MS_OK : MS_ABSENT;
}

enum ms_status ms_dwarf_check(struct ms_dwarf *dwarf, ms_dwarf_fault_taker take, void *owner,
                              struct ms_dwarf_counts *out, struct ms_error *err)
{
    struct check c = {.take = take, .owner = owner, .counts = out};
    memset(out, 0, sizeof *out);
    ms_lookup_init(&c.lookup, dwarf, 0);
    enum ms_status status = check_section(&c, false, err);
    if (status == MS_OK)
        status = check_section(&c, true, err);
    if (status == MS_OK)
        status = check_aranges(&c);
    ms_lookup_fini(&c.lookup);
    return status;
}
