#include "common/args.h"

#include "common/console.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool word_list_push(struct word_list *list, const char *word)
{
    if (list->n == list->room) {
        size_t room = list->room ? list->room * 2 : 16;
        const char **items = realloc(list->items, room * sizeof *items);
        if (!items)
            return false;
        list->items = items;
        list->room = room;
    }
    list->items[list->n++] = word;
    return true;
}

void word_list_fini(struct word_list *list)
{
    free(list->items);
    memset(list, 0, sizeof *list);
}

/* 16: no digit. A table, since nobody can guess whether the next one is a letter. */
static unsigned digit_of(char c)
{
    static const uint8_t plus_one['f' + 1] = {
        ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
        ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
        ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
        ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};
    unsigned char byte = (unsigned char)c;
    return byte < sizeof plus_one && plus_one[byte] ? plus_one[byte] - 1u : 16;
}

bool parse_address(const char *text, bool bare_is_hex, uint64_t *out)
{
    bool hex = bare_is_hex;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        hex = true;
        text += 2;
    } else {
        for (const char *c = text; *c; c++)
            hex |= digit_of(*c) >= 10 && digit_of(*c) < 16;
    }
    uint64_t value = 0, base = hex ? 16 : 10, limit = hex ? UINT64_MAX / 16 : UINT64_MAX / 10;
    const char *c = text;
    for (unsigned digit; (digit = digit_of(*c)) < 16; c++) {
        if (digit >= base || value > limit || digit > UINT64_MAX - value * base)
            return false;
        value = value * base + digit;
    }
    if (c == text || *c)
        return false;
    *out = value;
    return true;
}

static void print_usage(FILE *to, const struct command *command)
{
    for (size_t i = 0; command->usage[i]; i++)
        fprintf(to, "%s machsym %s\n", i ? "      " : "usage:", command->usage[i]);
}

/* The options in two columns; a long left side puts its help on a line of its own. */
static void print_help(const struct command *command)
{
    print_usage(stdout, command);
    printf("\n%s.\n\n", command->summary);
    for (size_t i = 0; i < command->n_options; i++) {
        const struct option *o = &command->options[i];
        if (!o->help) /* kept for compatibility, not advertised */
            continue;
        char left[128];
        snprintf(left, sizeof left, "%s%s%s%s%s", o->name, o->alias ? ", " : "",
                 o->alias ? o->alias : "", o->argument ? " " : "", o->argument ? o->argument : "");
        if (strlen(left) <= 24)
            printf("  %-24s  %s\n", left, o->help);
        else
            printf("  %s\n  %-24s  %s\n", left, "", o->help);
    }
    printf("  %-24s  %s\n", "--help", "show this help");
    printf("  %-24s  %s\n", "--version", "show the version");
    if (command->notes)
        printf("\n%s\n", command->notes);
}

int args_misused(const struct command *command, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    complain("%s", text);
    print_usage(stderr, command);
    fprintf(stderr, "try: machsym %s --help\n", command->name);
    return EXIT_USAGE;
}

/*
 * Does the word spell this option? A one-dash word is also taken with two dashes. On
 * `--word=VALUE`, *value is set to VALUE.
 */
static bool spells(const char *name, const char *word, const char **value)
{
    if (!name)
        return false;
    *value = NULL;
    if (strcmp(name, word) == 0)
        return true;
    if (word[0] != '-' || word[1] != '-')
        return false;
    const char *bare = name + strspn(name, "-"), *given = word + 2;
    size_t n = strlen(bare);
    /* "--d" for "-d" would be noise; Apple's own words are longer than a letter. */
    if ((n == 1 && name[1] != '-') || strncmp(bare, given, n) != 0)
        return false;
    if (given[n] == '=')
        *value = given + n + 1;
    return given[n] == '=' || !given[n];
}

static int choose(const struct command *command, const struct option *o, const char *value)
{
    char known[256] = "";
    for (int i = 0; o->choices[i]; i++) {
        if (strcmp(o->choices[i], value) == 0) {
            *(int *)o->value = i;
            return ARGS_RUN;
        }
        size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", o->choices[i]);
    }
    return args_misused(command, "%s takes one of %s, not '%s'", o->name, known, value);
}

static int take_value(const struct command *command, const struct option *o, const char *value)
{
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->value = true;
        break;
    case OPTION_TEXT:
        *(const char **)o->value = value;
        break;
    case OPTION_HEX:
    case OPTION_SLIDE: {
        struct option_number *number = o->value;
        bool negative = o->kind == OPTION_SLIDE && value[0] == '-';
        number->given = true;
        if (!parse_address(value + negative, true, &number->value))
            return args_misused(command, "%s takes a hexadecimal number, not '%s'", o->name, value);
        if (negative)
            number->value = 0 - number->value;
        break;
    }
    case OPTION_LIST:
        if (!word_list_push(o->value, value)) {
            complain("out of memory");
            return EXIT_SYSTEM;
        }
        break;
    case OPTION_CHOICE:
        return choose(command, o, value);
    }
    return ARGS_RUN;
}

static const struct option *find_option(const struct command *command, const char *word,
                                        const char **value)
{
    for (size_t i = 0; i < command->n_options; i++)
        if (spells(command->options[i].name, word, value) ||
            spells(command->options[i].alias, word, value))
            return &command->options[i];
    return NULL;
}

int args_parse(const struct command *command, int argc, char **argv, struct word_list *operands)
{
    console_start(command->name);
    bool options_end = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = NULL;
        if (options_end || word[0] != '-' || !word[1]) {
            if (!word_list_push(operands, word)) {
                complain("out of memory");
                return EXIT_SYSTEM;
            }
            continue;
        }
        if (strcmp(word, "--") == 0) {
            options_end = true;
            continue;
        }
        if (strcmp(word, "--help") == 0) {
            print_help(command);
            return console_end(EXIT_DONE);
        }
        if (strcmp(word, "--version") == 0) {
            printf("machsym %s\n", MS_VERSION);
            return console_end(EXIT_DONE);
        }
        const struct option *o = find_option(command, word, &value);
        if (!o)
            return args_misused(command, "unknown option '%s'", word);
        if (o->kind == OPTION_FLAG && value)
            return args_misused(command, "%s takes no value", o->name);
        if (o->kind != OPTION_FLAG && !value) {
            if (i + 1 >= argc)
                return args_misused(command, "%s needs %s", o->name,
                                    o->argument ? o->argument : "a value");
            value = argv[++i];
        }
        int status = take_value(command, o, value);
        if (status != ARGS_RUN)
            return status;
    }
    return ARGS_RUN;
}
