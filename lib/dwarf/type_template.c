/* The arguments of a template whose name leaves them to its children (-gsimple-template-names). */
#include "dwarf/type_printer.h"

#include <inttypes.h>

static void put_character(struct ms_type_printer *p, int64_t c)
{
    if (c == '\\' || c == '\'')
        ms_text_printf(p->text, "'\\%c'", (int)c);
    else if (c >= ' ' && c < 0x7f)
        ms_text_printf(p->text, "'%c'", (int)c);
    else
        ms_text_printf(p->text, "'\\x%02x'", (unsigned)(c & 0xff));
}

/* A number as an argument: what stands before it, and behind it. */
static void put_constant(struct ms_type_printer *p, const struct ms_type_die *type,
                         const struct ms_type_die *die)
{
    static const struct {
        const char *type, *before, *after;
        bool is_signed;
    } kinds[] = {
        {"int", "", "", true},
        {"long", "", "L", true},
        {"long long", "", "LL", true},
        {"unsigned int", "", "U", false},
        {"unsigned long", "", "UL", false},
        {"unsigned long long", "", "ULL", false},
        {"short", "(short)", "", true},
        {"unsigned short", "(unsigned short)", "", false},
    };
    const char *name = type->name ? type->name : "";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].type, name) != 0)
            continue;
        ms_text_puts(p->text, kinds[i].before);
        if (kinds[i].is_signed)
            ms_text_printf(p->text, "%" PRId64, die->constant);
        else
            ms_text_printf(p->text, "%" PRIu64, (uint64_t)die->constant);
        ms_text_puts(p->text, kinds[i].after);
        return;
    }
    if (strcmp(name, "bool") == 0) {
        ms_text_puts(p->text, die->constant ? "true" : "false");
    } else if (strcmp(name, "char") == 0) {
        put_character(p, die->constant);
    } else if (strcmp(name, "unsigned char") == 0 || strcmp(name, "signed char") == 0) {
        ms_text_printf(p->text, "(%s)", name);
        put_character(p, die->constant);
    }
}

static void put_value_argument(struct ms_type_printer *p, const struct ms_type_die *die)
{
    struct ms_type_die type = ms_type_of(p, die);
    if (type.tag == DW_TAG_enumeration_type) {
        ms_text_putc(p->text, '(');
        ms_type_put(p, &type);
        ms_text_printf(p->text, ")%" PRId64, die->constant);
    } else if (type.tag != DW_TAG_pointer_type && type.tag != DW_TAG_reference_type &&
               die->has_const) {
        put_constant(p, &type, die);
    }
}

/* The arguments among the children. *first until one was put. Returns whether it is a template. */
static bool put_arguments(struct ms_type_printer *p, const struct ms_type_die *die, bool *first)
{
    struct ms_type_children children;
    struct ms_type_die child;
    bool any = false;
    if (ms_type_exhausted(p) || !ms_type_children_start(p, die, &children))
        return false;
    p->depth++;
    while (ms_type_children_next(p, &children, &child)) {
        if (child.tag == DW_TAG_GNU_template_parameter_pack) {
            any = true;
            (void)put_arguments(p, &child, first);
            continue;
        }
        if (child.tag != DW_TAG_template_type_parameter &&
            child.tag != DW_TAG_template_value_parameter &&
            child.tag != DW_TAG_GNU_template_template_param)
            continue;
        ms_text_puts(p->text, *first ? "<" : ", ");
        *first = false;
        any = true;
        struct ms_type_die type;
        if (child.tag == DW_TAG_template_value_parameter) {
            put_value_argument(p, &child);
        } else if (child.tag == DW_TAG_GNU_template_template_param) {
            ms_text_puts(p->text, child.template_name ? child.template_name : "");
        } else {
            type = ms_type_of(p, &child);
            ms_type_put(p, &type);
        }
    }
    p->depth--;
    return any;
}

void ms_type_put_template(struct ms_type_printer *p, const struct ms_type_die *die)
{
    bool first = true;
    if (die->tag != DW_TAG_structure_type && die->tag != DW_TAG_class_type &&
        die->tag != DW_TAG_union_type && die->tag != DW_TAG_typedef)
        return;
    size_t n = p->text->n;
    if (n && p->text->at[n - 1] == '>') /* the name has them */
        return;
    if (!put_arguments(p, die, &first))
        return;
    if (first) /* of an empty pack */
        ms_text_putc(p->text, '<');
    n = p->text->n;
    ms_text_puts(p->text, n && p->text->at[n - 1] == '>' ? " >" : ">");
}
