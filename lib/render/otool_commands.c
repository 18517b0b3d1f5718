/*
 * render/otool_commands.c: load commands. A table says for each command its fields in order:
 * how each is called, where it is and what it means. One walk over that table writes cctools'
 * layout, whose keys end in one column for each command, or JSON. What doesn't fit into rows
 * (sections, tools, strings, thread states) has a function.
 */
#include "render/otool.h"

#include <inttypes.h>
#include <stdio.h>

enum kind {
    K_END,
    K_DEC32,
    K_DEC64,
    K_HEX32, /* of eight digits */
    K_HEX64, /* of sixteen digits */
    K_OFF,   /* an offset in the slice, 32 bits */
    K_COUNT, /* so many things of `unit` bytes at the offset just before it */
    K_OFF64,
    K_SIZE64,  /* so many bytes at the 64-bit offset just before it */
    K_SYMBOL,  /* index of a symbol */
    K_SYMBOLS, /* so many symbols from the index just before it */
    K_VERSION, /* of a system */
    K_SDK,     /* the same, 0 is unknown */
    K_LIBRARY, /* version of a library, all ones is unknown */
    K_SOURCE,  /* a 64-bit source version */
    K_DATE,
    K_STRING, /* offset of a string in the command */
    K_NAME16,
    K_UUID,
    K_PLATFORM
};

/* Sizes that differ between 32 and 64 bits. */
enum { UNIT_NLIST = 1001, UNIT_MODULE };

struct row {
    const char *key;
    uint8_t kind, off;
    uint16_t unit;
    uint8_t width; /* 0: the command's */
};

struct form {
    uint32_t cmd;
    const char *name;
    uint8_t width;     /* where the keys end */
    uint8_t bytes;     /* of the command */
    bool or_more;      /* or longer */
    const char *fault; /* what follows a wrong size */
    struct row rows[20];
    otool_part *tail;
};

#define LINKEDIT(number, name)                                                                     \
    {number,                                                                                       \
     name,                                                                                         \
     9,                                                                                            \
     16,                                                                                           \
     false,                                                                                        \
     NULL,                                                                                         \
     {{"dataoff", K_OFF, 8, 0, 0}, {"datasize", K_COUNT, 12, 1, 0}},                               \
     NULL}
#define DYLIB(number, name)                                                                        \
    {number,                                                                                       \
     name,                                                                                         \
     13,                                                                                           \
     24,                                                                                           \
     true,                                                                                         \
     NULL,                                                                                         \
     {{"name", K_STRING, 8, 0, 0},                                                                 \
      {"time stamp", K_DATE, 12, 0, 0},                                                            \
      {"current version", K_LIBRARY, 16, 0, 21},                                                   \
      {"compatibility version", K_LIBRARY, 20, 0, 21}},                                            \
     NULL}
#define STRING(number, name, key)                                                                  \
    {number, name, 13, 12, true, NULL, {{key, K_STRING, 8, 0, 0}}, NULL}
#define VERSION_MIN(number, name)                                                                  \
    {                                                                                              \
        number,                                                                                    \
        name,                                                                                      \
        9,                                                                                         \
        16,                                                                                        \
        false,                                                                                     \
        NULL,                                                                                      \
        {{"version", K_VERSION, 8, 0, 0}, {"sdk", K_SDK, 12, 0, 0}},                               \
        NULL}
#define DYLD_INFO(number, name)                                                                    \
    {number,                                                                                       \
     name,                                                                                         \
     15,                                                                                           \
     48,                                                                                           \
     false,                                                                                        \
     NULL,                                                                                         \
     {{"rebase_off", K_OFF, 8, 0, 0},                                                              \
      {"rebase_size", K_COUNT, 12, 1, 0},                                                          \
      {"bind_off", K_OFF, 16, 0, 0},                                                               \
      {"bind_size", K_COUNT, 20, 1, 0},                                                            \
      {"weak_bind_off", K_OFF, 24, 0, 0},                                                          \
      {"weak_bind_size", K_COUNT, 28, 1, 0},                                                       \
      {"lazy_bind_off", K_OFF, 32, 0, 0},                                                          \
      {"lazy_bind_size", K_COUNT, 36, 1, 0},                                                       \
      {"export_off", K_OFF, 40, 0, 0},                                                             \
      {"export_size", K_COUNT, 44, 1, 0}},                                                         \
     NULL}
#define FVMLIB(number, name)                                                                       \
    {number,                                                                                       \
     name,                                                                                         \
     14,                                                                                           \
     20,                                                                                           \
     true,                                                                                         \
     NULL,                                                                                         \
     {{"name", K_STRING, 8, 0, 0},                                                                 \
      {"minor version", K_DEC32, 12, 0, 0},                                                        \
      {"header addr", K_HEX32, 16, 0, 0}},                                                         \
     NULL}

/* clang-format off */
static const struct form FORMS[] = {
    {0x1, "LC_SEGMENT", 9, 56, true, NULL, {{NULL, 0, 0, 0, 0}}, otool_put_segment},
    {0x19, "LC_SEGMENT_64", 9, 72, true, NULL, {{NULL, 0, 0, 0, 0}}, otool_put_segment},
    {0x2, "LC_SYMTAB", 8, 24, false, NULL,
     {{"symoff", K_OFF, 8, 0, 0}, {"nsyms", K_COUNT, 12, UNIT_NLIST, 0},
      {"stroff", K_OFF, 16, 0, 0}, {"strsize", K_COUNT, 20, 1, 0}}, NULL},
    {0x3, "LC_SYMSEG (obsolete)", 8, 16, false, NULL,
     {{"offset", K_OFF, 8, 0, 0}, {"size", K_COUNT, 12, 1, 0}}, NULL},
    {0x4, "LC_THREAD", 11, 8, true, NULL, {{NULL, 0, 0, 0, 0}}, otool_put_thread},
    {0x5, "LC_UNIXTHREAD", 11, 8, true, NULL, {{NULL, 0, 0, 0, 0}}, otool_put_thread},
    FVMLIB(0x6, "LC_LOADFVMLIB"), FVMLIB(0x7, "LC_IDFVMLIB"),
    {0x8, "LC_IDENT", 13, 8, true, NULL, {{NULL, 0, 0, 0, 0}}, otool_put_ident},
    {0x9, "LC_FVMFILE", 14, 16, true, NULL,
     {{"name", K_STRING, 8, 0, 0}, {"header addr", K_HEX32, 12, 0, 0}}, NULL},
    {0xb, "LC_DYSYMTAB", 15, 80, false, NULL,
     {{"ilocalsym", K_SYMBOL, 8, 0, 0}, {"nlocalsym", K_SYMBOLS, 12, 0, 0},
      {"iextdefsym", K_SYMBOL, 16, 0, 0}, {"nextdefsym", K_SYMBOLS, 20, 0, 0},
      {"iundefsym", K_SYMBOL, 24, 0, 0}, {"nundefsym", K_SYMBOLS, 28, 0, 0},
      {"tocoff", K_OFF, 32, 0, 0}, {"ntoc", K_COUNT, 36, 8, 0},
      {"modtaboff", K_OFF, 40, 0, 0}, {"nmodtab", K_COUNT, 44, UNIT_MODULE, 0},
      {"extrefsymoff", K_OFF, 48, 0, 0}, {"nextrefsyms", K_COUNT, 52, 4, 0},
      {"indirectsymoff", K_OFF, 56, 0, 0}, {"nindirectsyms", K_COUNT, 60, 4, 0},
      {"extreloff", K_OFF, 64, 0, 0}, {"nextrel", K_COUNT, 68, 8, 0},
      {"locreloff", K_OFF, 72, 0, 0}, {"nlocrel", K_COUNT, 76, 8, 0}}, NULL},
    DYLIB(0xc, "LC_LOAD_DYLIB"), DYLIB(0xd, "LC_ID_DYLIB"),
    DYLIB(0x80000018, "LC_LOAD_WEAK_DYLIB"), DYLIB(0x8000001f, "LC_REEXPORT_DYLIB"),
    DYLIB(0x20, "LC_LAZY_LOAD_DYLIB"), DYLIB(0x80000023, "LC_LOAD_UPWARD_DYLIB"),
    STRING(0xe, "LC_LOAD_DYLINKER", "name"), STRING(0xf, "LC_ID_DYLINKER", "name"),
    STRING(0x27, "LC_DYLD_ENVIRONMENT", "name"), STRING(0x8000001c, "LC_RPATH", "path"),
    STRING(0x12, "LC_SUB_FRAMEWORK", "umbrella"), STRING(0x13, "LC_SUB_UMBRELLA", "sub_umbrella"),
    STRING(0x14, "LC_SUB_CLIENT", "client"), STRING(0x15, "LC_SUB_LIBRARY", "sub_library"),
    {0x10, "LC_PREBOUND_DYLIB", 15, 20, true, NULL,
     {{"name", K_STRING, 8, 0, 0}, {"nmodules", K_DEC32, 12, 0, 0}}, otool_put_prebound},
    {0x11, "LC_ROUTINES", 13, 40, false, NULL,
     {{"init_address", K_HEX32, 8, 0, 0}, {"init_module", K_DEC32, 12, 0, 0},
      {"reserved1", K_DEC32, 16, 0, 0}, {"reserved2", K_DEC32, 20, 0, 0},
      {"reserved3", K_DEC32, 24, 0, 0}, {"reserved4", K_DEC32, 28, 0, 0},
      {"reserved5", K_DEC32, 32, 0, 0}, {"reserved6", K_DEC32, 36, 0, 0}}, NULL},
    {0x1a, "LC_ROUTINES_64", 13, 72, false, NULL,
     {{"init_address", K_HEX64, 8, 0, 0}, {"init_module", K_DEC64, 16, 0, 0},
      {"reserved1", K_DEC64, 24, 0, 0}, {"reserved2", K_DEC64, 32, 0, 0},
      {"reserved3", K_DEC64, 40, 0, 0}, {"reserved4", K_DEC64, 48, 0, 0},
      {"reserved5", K_DEC64, 56, 0, 0}, {"reserved6", K_DEC64, 64, 0, 0}}, NULL},
    {0x16, "LC_TWOLEVEL_HINTS", 8, 16, false, NULL,
     {{"offset", K_OFF, 8, 0, 0}, {"nhints", K_COUNT, 12, 4, 0}}, NULL},
    {0x17, "LC_PREBIND_CKSUM", 8, 12, false, NULL, {{"cksum", K_HEX32, 8, 0, 0}}, NULL},
    {0x1b, "LC_UUID", 8, 24, false, NULL, {{"uuid", K_UUID, 8, 0, 0}}, NULL},
    LINKEDIT(0x1d, "LC_CODE_SIGNATURE"), LINKEDIT(0x1e, "LC_SEGMENT_SPLIT_INFO"),
    LINKEDIT(0x26, "LC_FUNCTION_STARTS"), LINKEDIT(0x29, "LC_DATA_IN_CODE"),
    LINKEDIT(0x2b, "LC_DYLIB_CODE_SIGN_DRS"), LINKEDIT(0x2e, "LC_LINKER_OPTIMIZATION_HINT"),
    LINKEDIT(0x80000033, "LC_DYLD_EXPORTS_TRIE"), LINKEDIT(0x80000034, "LC_DYLD_CHAINED_FIXUPS"),
    LINKEDIT(0x36, "LC_ATOM_INFO"), LINKEDIT(0x37, "LC_FUNCTION_VARIANTS"),
    LINKEDIT(0x38, "LC_FUNCTION_VARIANT_FIXUPS"),
    {0x21, "LC_ENCRYPTION_INFO", 13, 20, false, NULL,
     {{"cryptoff", K_OFF, 8, 0, 0}, {"cryptsize", K_COUNT, 12, 1, 0},
      {"cryptid", K_DEC32, 16, 0, 0}}, NULL},
    {0x2c, "LC_ENCRYPTION_INFO_64", 13, 24, false, NULL,
     {{"cryptoff", K_OFF, 8, 0, 0}, {"cryptsize", K_COUNT, 12, 1, 0},
      {"cryptid", K_DEC32, 16, 0, 0}, {"pad", K_DEC32, 20, 0, 0}}, NULL},
    DYLD_INFO(0x22, "LC_DYLD_INFO"), DYLD_INFO(0x80000022, "LC_DYLD_INFO_ONLY"),
    VERSION_MIN(0x24, "LC_VERSION_MIN_MACOSX"), VERSION_MIN(0x25, "LC_VERSION_MIN_IPHONEOS"),
    VERSION_MIN(0x2f, "LC_VERSION_MIN_TVOS"), VERSION_MIN(0x30, "LC_VERSION_MIN_WATCHOS"),
    {0x80000028, "LC_MAIN", 10, 24, false, NULL,
     {{"entryoff", K_DEC64, 8, 0, 0}, {"stacksize", K_DEC64, 16, 0, 0}}, NULL},
    {0x2a, "LC_SOURCE_VERSION", 9, 16, false, NULL, {{"version", K_SOURCE, 8, 0, 0}}, NULL},
    {0x2d, "LC_LINKER_OPTION", 8, 12, true, NULL, {{"count", K_DEC32, 8, 0, 0}}, otool_put_strings},
    {0x31, "LC_NOTE", 10, 40, false, NULL,
     {{"data_owner", K_NAME16, 8, 0, 0}, {"offset", K_OFF64, 24, 0, 0},
      {"size", K_SIZE64, 32, 0, 0}}, NULL},
    {0x32, "LC_BUILD_VERSION", 9, 24, true, NULL,
     {{"platform", K_PLATFORM, 8, 0, 0}, {"minos", K_VERSION, 12, 0, 0},
      {"sdk", K_SDK, 16, 0, 0}, {"ntools", K_DEC32, 20, 0, 0}}, otool_put_tools},
    {0x80000035, "LC_FILESET_ENTRY", 13, 32, true, NULL,
     {{"vmaddr", K_HEX64, 8, 0, 0}, {"fileoff", K_OFF64, 16, 0, 0},
      {"entry_id", K_STRING, 24, 0, 0}, {"reserved", K_DEC32, 28, 0, 0}}, NULL},
    {0x39, "LC_TARGET_TRIPLE", 8, 12, true, NULL, {{"triple", K_STRING, 8, 0, 0}}, NULL},
};
/* clang-format on */

static const struct otool_name PLATFORMS[] = {
    {1, "MACOS"},        {2, "IOS"},           {3, "TVOS"},
    {4, "WATCHOS"},      {5, "BRIDGEOS"},      {6, "MACCATALYST"},
    {7, "IOSSIMULATOR"}, {8, "TVOSSIMULATOR"}, {9, "WATCHOSSIMULATOR"},
    {10, "DRIVERKIT"},   {11, "VISIONOS"},     {12, "VISIONOSSIMULATOR"},
    {13, "FIRMWARE"},    {14, "SEPOS"},        {0, NULL},
};
static const struct form *find_form(uint32_t cmd)
{
    for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++)
        if (FORMS[i].cmd == cmd)
            return &FORMS[i];
    return NULL;
}

/* ---- one field -------------------------------------------------------------------------- */

static uint64_t unit_bytes(const struct ms_otool_image *image, uint16_t unit)
{
    switch (unit) {
    case UNIT_NLIST:
        return image->is64 ? 16 : 12;
    case UNIT_MODULE:
        return image->is64 ? 56 : 52;
    }
    return unit;
}

/* A string that lies in the command itself, "(offset N)" behind it. */
static void put_string(const struct ms_otool_out *out, unsigned width, const char *key,
                       struct ms_bytes body, uint32_t off)
{
    struct ms_bytes rest;
    bool good = off < body.n && ms_bytes_from(body, off, &rest);
    if (!good && out->json)
        return; /* unknown members are absent */
    otool_put_key(out, width, key);
    if (!good) {
        ms_sink_printf(out->sink, "?(bad offset %u)\n", (unsigned)off);
        return;
    }
    size_t n = strnlen((const char *)rest.at, rest.n);
    if (out->json) {
        ms_json_string_n(out->json, (const char *)rest.at, n);
        return;
    }
    otool_plain(out->sink, rest.at, n);
    ms_sink_printf(out->sink, " (offset %u)\n", (unsigned)off);
}

/* The kinds that few commands have. */
static void put_rare_row(const struct ms_otool_image *image, const struct row *row, unsigned width,
                         struct ms_bytes body, const struct ms_otool_out *out)
{
    const uint32_t value = otool_u32(body, row->off, image->big);
    char text[80], date[32];
    switch ((enum kind)row->kind) {
    case K_SOURCE: {
        uint64_t v = otool_u64(body, row->off, image->big);
        unsigned part[5] = {(unsigned)(v >> 40), v >> 30 & 0x3ff, v >> 20 & 0x3ff, v >> 10 & 0x3ff,
                            v & 0x3ff};
        int n = 5; /* zeros at the end are left out, down to two parts */
        while (n > 2 && part[n - 1] == 0)
            n--;
        size_t at = 0;
        for (int i = 0; i < n; i++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%u", i ? "." : "", part[i]);
        otool_put_text(out, width, row->key, text);
        break;
    }
    case K_DATE:
        otool_date(out, value, date);
        snprintf(text, sizeof text, " %s", date);
        otool_put_number(out, width, row->key, value, text);
        break;
    case K_UUID: {
        struct ms_bytes part;
        struct ms_uuid uuid = {{0}};
        if (ms_bytes_part(body, row->off, sizeof uuid.byte, &part))
            memcpy(uuid.byte, part.at, sizeof uuid.byte);
        ms_uuid_format(&uuid, text);
        otool_put_text(out, width, row->key, text);
        break;
    }
    case K_PLATFORM: {
        const char *name = otool_name_of(PLATFORMS, value);
        if (out->style->verbose && name)
            otool_put_text(out, width, row->key, name);
        else
            otool_put_number(out, width, row->key, value, "");
        break;
    }
    default:
        break;
    }
}

static void put_row(const struct ms_otool_image *image, const struct form *form,
                    const struct row *row, struct ms_bytes body, uint64_t n_symbols,
                    const struct ms_otool_out *out)
{
    const unsigned width = row->width ? row->width : form->width;
    const uint32_t value = otool_u32(body, row->off, image->big);
    const uint64_t wide = otool_u64(body, row->off, image->big);
    /* The number just before, which an offset or index has. */
    const uint64_t before = row->off >= 12 ? otool_u32(body, row->off - 4u, image->big) : 0;
    char text[64], name[17];
    switch ((enum kind)row->kind) {
    case K_DEC32:
        otool_put_number(out, width, row->key, value, "");
        break;
    case K_DEC64:
        otool_put_number(out, width, row->key, wide, "");
        break;
    case K_HEX32:
        otool_put_hex(out, width, row->key, value, 8, "");
        break;
    case K_HEX64:
        otool_put_hex(out, width, row->key, wide, 16, "");
        break;
    case K_OFF:
        otool_put_number(out, width, row->key, value,
                         otool_past_end(otool_is_past(image, value, 0)));
        break;
    case K_COUNT:
        otool_put_number(
            out, width, row->key, value,
            otool_past_end(otool_is_past(image, before, value * unit_bytes(image, row->unit))));
        break;
    case K_OFF64:
        otool_put_number(out, width, row->key, wide, otool_past_end(otool_is_past(image, wide, 0)));
        break;
    case K_SIZE64:
        otool_put_number(
            out, width, row->key, wide,
            otool_past_end(otool_is_past(image, otool_u64(body, row->off - 8u, image->big), wide)));
        break;
    case K_SYMBOL:
        otool_put_number(out, width, row->key, value,
                         value > n_symbols ? " (greater than the number of symbols)" : "");
        break;
    case K_SYMBOLS:
        otool_put_number(out, width, row->key, value,
                         before + value > n_symbols ? " (past the end of the symbol table)" : "");
        break;
    case K_VERSION:
    case K_SDK:
        otool_version(value, text);
        otool_put_text(out, width, row->key, row->kind == K_SDK && value == 0 ? "n/a" : text);
        break;
    case K_LIBRARY:
        otool_dylib_version(value, text);
        otool_put_text(out, width, row->key, value == UINT32_MAX ? "n/a" : text);
        break;
    case K_STRING:
        put_string(out, width, row->key, body, value);
        break;
    case K_NAME16:
        otool_name16(body, row->off, name);
        otool_put_text(out, width, row->key, name);
        break;
    default:
        put_rare_row(image, row, width, body, out);
    }
}

/* ---- one command ------------------------------------------------------------------------ */

static void put_command(const struct ms_otool_image *image, const struct form *form,
                        const struct ms_load_command *command, uint64_t n_symbols,
                        const struct ms_otool_out *out)
{
    uint32_t bytes = otool_u32(command->body, 4, image->big);
    bool wrong = form->or_more ? bytes < form->bytes : bytes != form->bytes;
    otool_put_text(out, form->width, "cmd", form->name);
    if (form->tail == otool_put_segment) { /* has a check of its own */
        otool_put_segment(image, command->body, out);
        return;
    }
    if (form->tail == otool_put_tools)
        wrong = bytes != form->bytes + 8 * (uint64_t)otool_u32(command->body, 20, image->big);
    otool_put_number(out, form->width, "cmdsize", bytes,
                     wrong && form->tail != otool_put_thread ? " Incorrect size" : "");
    for (const struct row *row = form->rows; row->key; row++)
        put_row(image, form, row, command->body, n_symbols, out);
    if (form->tail)
        form->tail(image, command->body, out);
}

/* Its words, eight in a line, as cctools shows what it does not know. */
static void put_unknown(const struct ms_otool_image *image, const struct ms_load_command *command,
                        const struct ms_otool_out *out)
{
    char name[48];
    uint32_t bytes = otool_u32(command->body, 4, image->big);
    snprintf(name, sizeof name, "?(0x%08x) Unknown load command", (unsigned)command->cmd);
    otool_put_text(out, 9, "cmd", name);
    otool_put_number(out, 9, "cmdsize", bytes, "");
    if (out->json) {
        ms_json_key(out->json, "words");
        ms_json_array(out->json);
    }
    size_t n = command->body.n / 4;
    for (size_t i = 2; i < n; i++) {
        uint32_t word = otool_u32(command->body, 4 * i, image->big);
        if (out->json)
            ms_json_address(out->json, word);
        else
            ms_sink_printf(out->sink, "%08x %s", (unsigned)word,
                           i + 1 == n || (i - 2) % 8 == 7 ? "\n" : "");
    }
    if (out->json)
        ms_json_array_end(out->json);
}

enum ms_status ms_otool_commands(const struct ms_otool_image *image, const struct ms_otool_out *out,
                                 struct ms_error *err)
{
    struct otool_walk walk;
    struct ms_load_command command;
    enum ms_status status;
    uint64_t n_symbols = UINT32_MAX; /* until an LC_SYMTAB says */
    otool_walk_start(image, &walk);
    if (out->json)
        ms_json_array(out->json);
    while ((status = otool_walk_next(image, &walk, &command, err)) == MS_OK) {
        const struct form *form = find_form(command.cmd);
        if (command.cmd == 0x2)
            n_symbols = otool_u32(command.body, 12, image->big);
        if (out->json)
            ms_json_object(out->json);
        else
            ms_sink_printf(out->sink, "Load command %u\n", (unsigned)(walk.index - 1));
        if (!out->json && walk.at > image->command_bytes)
            ms_sink_printf(out->sink, "load command %u extends past end of load commands\n",
                           (unsigned)(walk.index - 1));
        if (form)
            put_command(image, form, &command, n_symbols, out);
        else
            put_unknown(image, &command, out);
        if (out->json)
            ms_json_object_end(out->json);
    }
    if (out->json)
        ms_json_array_end(out->json);
    else if (status == MS_ABSENT && walk.at != image->command_bytes)
        ms_sink_puts(out->sink, "Inconsistent sizeofcmds\n");
    return status == MS_ABSENT ? MS_OK : status;
}
