/* The name of a type, put together of its layers as C writes it: what stands before the name
 * of a variable, then what stands behind it. */
#include "dwarf/type_printer.h"

#include <inttypes.h>

static const struct ms_type_die nothing;

bool ms_type_exhausted(struct ms_type_printer *p)
{
    if (p->depth < MS_MAX_TYPE_DEPTH && p->types->budget && !p->text->failed)
        return false;
    if (!p->text->failed && (p->text->n < 3 || memcmp(p->text->at + p->text->n - 3, "...", 3) != 0))
        ms_text_puts(p->text, "...");
    return true;
}

struct ms_type_die ms_type_layer(struct ms_type_printer *p, bool has, uint64_t off)
{
    struct ms_type_die out;
    if (!has || !p->types->budget)
        return nothing;
    p->types->budget--;
    if (!ms_type_die_read(p->types, off, &out))
        return nothing;
    if (!out.has_signature || !p->types->budget)
        return out;
    p->types->budget--;
    return ms_type_die_read(p->types, out.signature, &out) ? out : nothing;
}

struct ms_type_die ms_type_of(struct ms_type_printer *p, const struct ms_type_die *die)
{
    return ms_type_layer(p, die->has_type, die->type);
}

static bool is_qualifier(const struct ms_type_die *die)
{
    return die->tag == DW_TAG_const_type || die->tag == DW_TAG_volatile_type;
}

/* "(*" rather than "*": what is pointed to goes on behind the name. */
static bool needs_parentheses(struct ms_type_printer *p, struct ms_type_die die)
{
    for (int i = 0; is_qualifier(&die) && i < MS_MAX_TYPE_DEPTH; i++)
        die = ms_type_of(p, &die);
    return die.tag == DW_TAG_subroutine_type || die.tag == DW_TAG_array_type;
}

static void put_before(struct ms_type_printer *p, const struct ms_type_die *die);
static void put_after(struct ms_type_printer *p, const struct ms_type_die *die, bool skip_this);

/* ---- children ------------------------------------------------------------------------------ */

bool ms_type_children_start(struct ms_type_printer *p, const struct ms_type_die *die,
                            struct ms_type_children *out)
{
    struct ms_walk_die first;
    const struct ms_unit *unit = die->children ? ms_types_unit(p->types, die->off) : NULL;
    if (!unit)
        return false;
    out->unit = *unit;
    ms_walk_start(&out->walk, &out->unit, die->off - ms_types_base(p->types, &out->unit));
    return ms_walk_next(&out->walk, &first);
}

bool ms_type_children_next(struct ms_type_printer *p, struct ms_type_children *children,
                           struct ms_type_die *out)
{
    struct ms_walk_die die;
    while (ms_walk_next(&children->walk, &die)) {
        if (!p->types->left || !p->types->budget)
            return false;
        p->types->left--; /* a class may have thousands inside, which aren't read */
        if (!die.abbrev || die.depth != 1)
            continue;
        *out = ms_type_layer(p, true, ms_types_base(p->types, &children->unit) + die.off);
        return out->tag != 0;
    }
    return false;
}

/* ---- scopes ------------------------------------------------------------------------------- */

static bool has_scopes(uint16_t tag)
{
    switch (tag) {
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_namespace:
    case DW_TAG_enumeration_type:
        return true;
    }
    return false;
}

static bool ends_scopes(uint16_t tag)
{
    switch (tag) {
    case 0:
    case DW_TAG_compile_unit:
    case DW_TAG_partial_unit:
    case DW_TAG_type_unit:
    case DW_TAG_skeleton_unit:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
        return true;
    }
    return false;
}

static void put_unqualified(struct ms_type_printer *p, const struct ms_type_die *die);

static void put_scopes(struct ms_type_printer *p, uint64_t off)
{
    uint64_t parent;
    if (ms_type_exhausted(p) || !ms_types_parent(p->types, off, &parent))
        return;
    struct ms_type_die scope = ms_type_layer(p, true, parent);
    if (ends_scopes(scope.tag))
        return;
    p->depth++;
    put_scopes(p, parent);
    put_unqualified(p, &scope);
    ms_text_puts(p->text, "::");
    p->depth--;
}

/* ---- before the name ----------------------------------------------------------------------- */

static void put_pointer_before(struct ms_type_printer *p, const struct ms_type_die *die,
                               const char *sign)
{
    struct ms_type_die inner = ms_type_of(p, die);
    put_before(p, &inner);
    if (p->word)
        ms_text_putc(p->text, ' ');
    if (needs_parentheses(p, inner))
        ms_text_putc(p->text, '(');
    ms_text_puts(p->text, sign);
    p->word = false;
}

static void put_member_pointer_before(struct ms_type_printer *p, const struct ms_type_die *die)
{
    struct ms_type_die inner = ms_type_of(p, die);
    put_before(p, &inner);
    if (needs_parentheses(p, inner))
        ms_text_putc(p->text, '(');
    else if (p->word)
        ms_text_putc(p->text, ' ');
    if (die->has_container) {
        struct ms_type_die container = ms_type_layer(p, true, die->container);
        ms_type_put(p, &container);
        ms_text_puts(p->text, "::");
    }
    ms_text_putc(p->text, '*');
    p->word = false;
}

/* Qualifiers in a row, in any order, and what they qualify. */
struct qualified {
    bool is_const, is_volatile;
    struct ms_type_die type;
};

static struct qualified unqualify(struct ms_type_printer *p, const struct ms_type_die *die)
{
    struct qualified out = {false, false, *die};
    for (int i = 0; is_qualifier(&out.type) && i < 2; i++) {
        out.is_const |= out.type.tag == DW_TAG_const_type;
        out.is_volatile |= out.type.tag == DW_TAG_volatile_type;
        out.type = ms_type_of(p, &out.type);
    }
    return out;
}

/* "const int" but "int *const"; those of a member function come behind its parameters. */
static void put_qualifiers_before(struct ms_type_printer *p, const struct ms_type_die *die)
{
    struct qualified q = unqualify(p, die);
    bool function = q.type.tag == DW_TAG_subroutine_type;
    struct ms_type_die element = q.type;
    for (int i = 0; i < MS_MAX_TYPE_DEPTH &&
                    (element.tag == DW_TAG_array_type || element.tag == DW_TAG_restrict_type ||
                     element.tag == DW_TAG_atomic_type);
         i++)
        element = ms_type_of(p, &element);
    bool leading =
        element.tag != DW_TAG_pointer_type && element.tag != DW_TAG_ptr_to_member_type && !function;
    if (leading && q.is_const)
        ms_text_puts(p->text, "const ");
    if (leading && q.is_volatile)
        ms_text_puts(p->text, "volatile ");
    put_before(p, &q.type);
    if (leading || function)
        return;
    if (p->word) /* behind restrict */
        ms_text_putc(p->text, ' ');
    p->word = true;
    if (q.is_const)
        ms_text_puts(p->text, "const");
    if (q.is_volatile)
        ms_text_puts(p->text, q.is_const ? " volatile" : "volatile");
}

/* `restrict` and `_Atomic`: behind a pointer, before anything else. */
static void put_other_qualifier(struct ms_type_printer *p, const struct ms_type_die *die)
{
    const char *word = die->tag == DW_TAG_restrict_type ? "restrict" : "_Atomic";
    struct ms_type_die inner = ms_type_of(p, die);
    bool pointer = inner.tag == DW_TAG_pointer_type;
    if (!pointer) {
        ms_text_puts(p->text, word);
        ms_text_putc(p->text, ' ');
    }
    put_before(p, &inner);
    if (pointer) {
        if (p->word)
            ms_text_putc(p->text, ' ');
        ms_text_puts(p->text, word);
        p->word = true;
    }
}

/* What a type without a name is: "structure ", as LLVM has it. */
static const char *kind_of(uint16_t tag)
{
    static const struct {
        uint16_t tag;
        const char *kind;
    } kinds[] = {
        {DW_TAG_structure_type, "structure "},
        {DW_TAG_class_type, "class "},
        {DW_TAG_union_type, "union "},
        {DW_TAG_enumeration_type, "enumeration "},
        {DW_TAG_base_type, "base "},
        {0x12, "string "},
        {0x20, "set "},
        {0x29, "file "},
        {0x2d, "packed "},
        {0x38, "interface "},
        {0x40, "shared "},
        {0x46, "coarray "},
        {0x4b, "immutable "},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].tag == tag)
            return kinds[i].kind;
    return "";
}

static void put_named(struct ms_type_printer *p, const struct ms_type_die *die)
{
    if (!die->name) {
        ms_text_puts(p->text,
                     die->tag == DW_TAG_namespace ? "(anonymous namespace)" : kind_of(die->tag));
        return;
    }
    bool null = die->tag == DW_TAG_unspecified_type && strcmp(die->name, "decltype(nullptr)") == 0;
    bool simple = strncmp(die->name, "_STN|", 5) == 0; /* the name, then "|" and its arguments */
    size_t n = simple ? strcspn(die->name + 5, "|") : strlen(die->name);
    if (null)
        ms_text_puts(p->text, "std::nullptr_t");
    else
        ms_text_add(p->text, die->name + (simple ? 5 : 0), n);
    if (die->tag == DW_TAG_namespace || die->tag == DW_TAG_unspecified_type)
        return;
    ms_type_put_template(p, die);
    p->word = true;
}

/* Without the scopes of the layer itself. */
static void put_bare_before(struct ms_type_printer *p, const struct ms_type_die *die)
{
    p->word = true;
    struct ms_type_die inner;
    switch (die->tag) {
    case 0:
        ms_text_puts(p->text, "void");
        break;
    case DW_TAG_pointer_type:
        put_pointer_before(p, die, "*");
        break;
    case DW_TAG_reference_type:
        put_pointer_before(p, die, "&");
        break;
    case DW_TAG_rvalue_reference_type:
        put_pointer_before(p, die, "&&");
        break;
    case DW_TAG_ptr_to_member_type:
        put_member_pointer_before(p, die);
        break;
    case DW_TAG_subroutine_type:
        inner = ms_type_of(p, die);
        put_before(p, &inner);
        if (p->word)
            ms_text_putc(p->text, ' ');
        p->word = false;
        break;
    case DW_TAG_array_type:
    case DW_TAG_LLVM_ptrauth_type:
        inner = ms_type_of(p, die);
        put_before(p, &inner);
        break;
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
        put_qualifiers_before(p, die);
        break;
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
        put_other_qualifier(p, die);
        break;
    default:
        put_named(p, die);
    }
}

static void put_before(struct ms_type_printer *p, const struct ms_type_die *die)
{
    if (ms_type_exhausted(p))
        return;
    p->depth++;
    if (has_scopes(die->tag))
        put_scopes(p, die->off);
    put_bare_before(p, die);
    p->depth--;
}

/* ---- behind the name ------------------------------------------------------------------------ */

/* Languages whose arrays start at 1; unknown ones have no default. */
static bool default_bound(uint64_t language, uint64_t *bound)
{
    static const uint8_t from_1[] = {0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0d,
                                     0x0e, 0x0f, 0x12, 0x17, 0x1f, 0x22, 0x23};
    *bound = 0;
    for (size_t i = 0; i < sizeof from_1; i++)
        if (from_1[i] == language)
            *bound = 1;
    return language != 0 && language < 0x40;
}

static uint64_t language_of(const struct ms_unit *unit)
{
    struct ms_die die;
    struct ms_value value;
    uint64_t attribute;
    if (ms_die_open(unit, unit->header.root, &die))
        while (ms_die_next(&die, &attribute, &value))
            if (attribute == DW_AT_language && ms_value_is_constant(&value))
                return value.u;
    return 0;
}

static void put_bounds(struct ms_type_printer *p, const struct ms_type_die *range,
                       uint64_t language)
{
    uint64_t lower;
    bool known = default_bound(language, &lower);
    bool odd = range->has_lower && !(known && range->lower == lower);
    bool end = range->has_count || range->has_upper;
    if (!odd && !end) {
        ms_text_puts(p->text, "[]");
    } else if (!odd && known) {
        ms_text_printf(p->text, "[%" PRIu64 "]",
                       range->has_count ? range->count : range->upper - lower + 1);
    } else {
        ms_text_puts(p->text, "[[");
        if (odd)
            ms_text_printf(p->text, "%" PRIu64, range->lower);
        else
            ms_text_putc(p->text, '?');
        ms_text_puts(p->text, ", ");
        if (range->has_count && !odd)
            ms_text_printf(p->text, "? + %" PRIu64, range->count);
        else if (end)
            ms_text_printf(p->text, "%" PRIu64,
                           range->has_count ? range->lower + range->count : range->upper + 1);
        else
            ms_text_putc(p->text, '?');
        ms_text_puts(p->text, ")]");
    }
}

static void put_array(struct ms_type_printer *p, const struct ms_type_die *die)
{
    struct ms_type_children children;
    struct ms_type_die child;
    if (!ms_type_children_start(p, die, &children))
        return;
    uint64_t language = language_of(&children.unit);
    while (ms_type_children_next(p, &children, &child))
        if (child.tag == DW_TAG_subrange_type)
            put_bounds(p, &child, language);
}

/* The parameters, without the first one's `this` where a pointer to a member stands before.
 * Returns the type of that. */
static struct ms_type_die put_parameters(struct ms_type_printer *p, const struct ms_type_die *die,
                                         bool skip_this)
{
    struct ms_type_children children;
    struct ms_type_die child, type, self = nothing;
    bool first = true, has_children = ms_type_children_start(p, die, &children);
    ms_text_putc(p->text, '(');
    while (has_children && ms_type_children_next(p, &children, &child)) {
        if (child.tag != DW_TAG_formal_parameter && child.tag != DW_TAG_unspecified_parameters)
            break;
        type = ms_type_of(p, &child);
        if (skip_this && child.artificial) {
            self = type;
            skip_this = false;
            continue;
        }
        skip_this = false;
        if (!first)
            ms_text_puts(p->text, ", ");
        first = false;
        if (child.tag == DW_TAG_unspecified_parameters)
            ms_text_puts(p->text, "...");
        else
            ms_type_put(p, &type);
    }
    ms_text_putc(p->text, ')');
    return self;
}

static void put_convention(struct ms_type_printer *p, uint64_t convention)
{
    static const struct {
        uint8_t number;
        const char *words;
    } conventions[] = {
        {0xb1, "stdcall"},        {0xb2, "pascal"},         {0xb3, "fastcall"},
        {0xb5, "thiscall"},       {0xc0, "vectorcall"},     {0xc1, "ms_abi"},
        {0xc2, "sysv_abi"},       {0xc3, "pcs(\"aapcs\")"}, {0xc4, "pcs(\"aapcs-vfp\")"},
        {0xc5, "intel_ocl_bicc"}, {0xc8, "swiftcall"},      {0xc9, "preserve_most"},
        {0xca, "preserve_all"},   {0xcb, "regcall"},        {0xcc, "m68k_rtd"},
        {0xcd, "preserve_none"},
    };
    for (size_t i = 0; i < sizeof conventions / sizeof *conventions; i++)
        if (conventions[i].number == convention)
            ms_text_printf(p->text, " __attribute__((%s))", conventions[i].words);
}

static void put_function_after(struct ms_type_printer *p, const struct ms_type_die *die,
                               bool skip_this, bool is_const, bool is_volatile)
{
    struct ms_type_die self = put_parameters(p, die, skip_this);
    if (self.tag == DW_TAG_pointer_type) { /* a member function's qualifiers are its this' */
        struct ms_type_die pointed = ms_type_of(p, &self);
        struct qualified q = unqualify(p, &pointed);
        is_const |= q.is_const;
        is_volatile |= q.is_volatile;
    }
    put_convention(p, die->convention);
    if (is_const)
        ms_text_puts(p->text, " const");
    if (is_volatile)
        ms_text_puts(p->text, " volatile");
    if (die->reference)
        ms_text_puts(p->text, " &");
    if (die->rvalue_reference)
        ms_text_puts(p->text, " &&");
    struct ms_type_die inner = ms_type_of(p, die);
    put_after(p, &inner, false);
}

static void put_after_layer(struct ms_type_printer *p, const struct ms_type_die *die,
                            bool skip_this)
{
    struct ms_type_die inner;
    struct qualified q;
    switch (die->tag) {
    case DW_TAG_subroutine_type:
        put_function_after(p, die, skip_this, false, false);
        break;
    case DW_TAG_array_type:
        put_array(p, die);
        break;
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
        q = unqualify(p, die);
        if (q.type.tag == DW_TAG_subroutine_type)
            put_function_after(p, &q.type, false, q.is_const, q.is_volatile);
        else
            put_after(p, &q.type, false);
        break;
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
        inner = ms_type_of(p, die);
        put_after(p, &inner, false);
        break;
    case DW_TAG_ptr_to_member_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
    case DW_TAG_pointer_type:
        inner = ms_type_of(p, die);
        if (needs_parentheses(p, inner))
            ms_text_putc(p->text, ')');
        put_after(p, &inner, die->tag == DW_TAG_ptr_to_member_type);
        break;
    }
}

static void put_after(struct ms_type_printer *p, const struct ms_type_die *die, bool skip_this)
{
    if (ms_type_exhausted(p))
        return;
    p->depth++;
    put_after_layer(p, die, skip_this);
    p->depth--;
}

/* ---- Swift's containers ------------------------------------------------------------------ */

enum { LANGUAGE_SWIFT = 0x1e };

bool ms_type_contained(struct ms_types *types, const struct ms_type_die *die, uint64_t *off)
{
    struct ms_type_printer p = {types, NULL, false, 0};
    struct ms_type_children children;
    struct ms_type_die only, second;
    if (die->tag != DW_TAG_structure_type || die->name || die->linkage)
        return false;
    types->budget = 2; /* children that may be read: a second one is one too many */
    if (!ms_type_children_start(&p, die, &children) ||
        language_of(&children.unit) != LANGUAGE_SWIFT ||
        !ms_type_children_next(&p, &children, &only) || only.tag != DW_TAG_member || only.name ||
        !only.has_type || ms_type_children_next(&p, &children, &second))
        return false;
    *off = only.type;
    return true;
}

/* ---- whole --------------------------------------------------------------------------------- */

static void put_unqualified(struct ms_type_printer *p, const struct ms_type_die *die)
{
    if (ms_type_exhausted(p))
        return;
    p->depth++;
    put_bare_before(p, die);
    put_after(p, die, false);
    p->depth--;
}

void ms_type_put(struct ms_type_printer *p, const struct ms_type_die *die)
{
    put_before(p, die);
    put_after(p, die, false);
}

void ms_type_name(struct ms_types *types, uint64_t off, struct ms_text *text)
{
    struct ms_type_printer p = {types, text, false, 0};
    unsigned budget = types->left < MS_MAX_TYPE_DIES ? (unsigned)types->left : MS_MAX_TYPE_DIES;
    types->budget = budget;
    struct ms_type_die first = ms_type_layer(&p, true, off);
    if (first.tag) /* else it can't be read: no type is told of */
        ms_type_put(&p, &first);
    uint64_t used = budget - types->budget;
    types->left -= used < types->left ? used : types->left;
}
