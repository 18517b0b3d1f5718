/*
 * common/args.h: one table of options is both the parser and the help text.
 *
 * Apple's tools take `-arch arm64`: whole words behind one dash, no abbreviations. getopt
 * can't do that, so this is ours. Each option has its exact spelling; a one-dash word is
 * also taken with two dashes, and `--word=VALUE` as `--word VALUE`. `--` ends the options,
 * a lone `-` is an operand.
 */
#ifndef MACHSYM_CLI_ARGS_H
#define MACHSYM_CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,  /* value: bool *, set to true */
    OPTION_TEXT,  /* value: const char **, the last one given counts */
    OPTION_HEX,   /* value: struct option_number *; hexadecimal with or without 0x */
    OPTION_SLIDE, /* the same, or less than zero with a '-' before it: modulo 2^64 */
    OPTION_LIST,  /* value: struct word_list *, every one given */
    OPTION_CHOICE /* value: int *, index into `choices` */
};

struct option_number {
    bool given;
    uint64_t value;
};

struct word_list {
    const char **items; /* borrowed words; the array is freed by word_list_fini */
    size_t n, room;
};

struct option {
    const char *name;    /* "-arch", "--json"; "" as the first byte starts a new heading in help */
    const char *alias;   /* another exact spelling, or NULL */
    enum option_kind kind;
    void *value;
    const char *argument; /* how help calls the argument; NULL for flags */
    const char *help;
    const char *const *choices; /* OPTION_CHOICE: NULL-terminated */
};

/* What a command says of itself. */
struct command {
    const char *name;       /* "atos" */
    const char *summary;    /* one line, no full stop */
    const char *const *usage; /* lines after "machsym ", NULL-terminated */
    struct option *options;
    size_t n_options;
    const char *notes;      /* a paragraph after the options, or NULL */
};

/* What args_parse returns when the command is to run. */
#define ARGS_RUN (-1)

/*
 * Reads argv[1…] into the option table's values, the rest into *operands.
 * --help and --version are known to every command.
 * Returns ARGS_RUN, or the exit status to end with: 0 after help, 2 after a usage error
 * that was explained on stderr. Also sets the name that complain() uses and the process up
 * (signals, see start.c).
 */
int args_parse(const struct command *command, int argc, char **argv, struct word_list *operands);

/* A usage error in the caller's own words; returns exit status 2. */
int args_misused(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool word_list_push(struct word_list *list, const char *word);
void word_list_fini(struct word_list *list);

/*
 * A number as atos takes it: 0x… or a bare word with a letter is hexadecimal, a bare word
 * of digits is decimal unless `bare_is_hex`. False when it is not a number or needs more
 * than 64 bits.
 */
bool parse_address(const char *text, bool bare_is_hex, uint64_t *out);

#endif
