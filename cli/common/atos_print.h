/*
 * common/atos_print.h: one answer of atos, in its form or as JSON.
 */
#ifndef MACHSYM_CLI_ATOS_PRINT_H
#define MACHSYM_CLI_ATOS_PRINT_H

#include "common/names.h"
#include "machsym/image.h"
#include "machsym/output.h"
#include "machsym/symbolize.h"

/* One question: the word as given, and what it means. */
struct atos_question {
    size_t word;     /* offset of its NUL-terminated text in the batch's text */
    bool is_name;    /* it was given as a name */
    bool is_address; /* it is an address, or the name of one */
    uint64_t address_rt, lookup_vm;
};

/* Whoever prints: two threads have one each. Their image is the same, so folded names, which the
 * image looks for, are printed by one thread alone. */
struct atos_printer {
    struct ms_image *image;
    const struct ms_image_info *info;
    uint64_t slide;
    struct ms_show_style style;
    struct ms_show_pool *pool;
    struct ms_sink *sink;
    struct unread_names *unread; /* told with `verbose` */
    const char *delimiter;
    const char *place; /* " (in NAME) (", atos_place, and … */
    size_t n_place;    /* … how long it is without the second bracket */
    bool inlines, json, dedup, verbose;
};

/* What stands behind each name, and in front of a line: malloc'ed, NULL without memory. *n gets the
 * length of the first alone. */
char *atos_place(const struct ms_image_info *info, size_t *n);

/*
 * Prints what is known of the address; `answer` is NULL for a word that means none.
 * Returns EXIT_DONE, or an exit status after having complained.
 */
int atos_print(struct atos_printer *printer, const struct atos_question *question, const char *word,
               const struct ms_answer *answer);

#endif
