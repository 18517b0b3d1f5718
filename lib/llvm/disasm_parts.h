/**
 * llvm/disasm_parts.h: the parts of the disassembler: symbols, what an address means, texts that
 * were made before, LLVM itself.
 */
#ifndef MS_LLVM_DISASM_PARTS_H
#define MS_LLVM_DISASM_PARTS_H

#include "base/cursor.h"
#include "base/text.h"
#include "macho/fixups.h"
#include "macho/records.h"
#include "llvm/disasm.h"

/* ---- symbols ------------------------------------------------------------------------------ */

/* A label: where a function starts in the section that is disassembled. */
struct disasm_label {
    uint64_t vm;
    const char *name; /* NULL: only known to start there */
    bool thumb;
    bool stub; /* the name is of what it jumps to */
};

struct disasm_symbols {
    const struct ms_macho *macho;
    struct ms_record *records; /* by address; index: of the nlist */
    size_t n_records;
    struct disasm_label *labels; /* by address */
    size_t n_labels, label_room;
    struct ms_symbols functions; /* for the labels of a range; names are its own */
};

enum ms_status disasm_symbols_read(const struct ms_macho *macho, size_t section,
                                   struct disasm_symbols *out, struct ms_error *err);
/**
 * The labels for a range that starts at `low`: what lies before it is the function's that holds it,
 * be it without a name, and every function in the range has one. Without it a label is a symbol of
 * the table, as cctools has it for a whole section.
 */
enum ms_status disasm_symbols_range(struct disasm_symbols *symbols, size_t section, uint64_t low,
                                    struct ms_error *err);
void disasm_symbols_fini(struct disasm_symbols *symbols);
/** The name of a symbol that is exactly there, NULL without one; of several the last. */
const char *disasm_symbol_at(const struct disasm_symbols *symbols, uint64_t vm);

/* ---- relocations of objects ------------------------------------------------------------------ */

struct disasm_reloc {
    uint32_t at;    /* offset in the section (in an image with external ones: an address) */
    uint32_t index; /* in the table */
};
struct disasm_relocs {
    const struct ms_macho *macho;
    struct ms_bytes table; /* 8 bytes each */
    struct disasm_reloc *items;
    size_t n;
    bool external; /* of the whole image */
};
/* One of them, taken apart. */
struct disasm_relocation {
    uint32_t address, symbol, type, length, value; /* value: of a scattered one */
    bool external, pcrel, scattered;
};
enum ms_status disasm_relocs_read(const struct ms_macho *macho, const struct ms_section *section,
                                  struct disasm_relocs *out, struct ms_error *err);
void disasm_relocs_fini(struct disasm_relocs *relocs);
/** The first at `at`, NULL without one. */
const struct disasm_reloc *disasm_reloc_at(const struct disasm_relocs *relocs, uint64_t at);
/** True when one lies in the n bytes from `at`. */
bool disasm_reloc_in(const struct disasm_relocs *relocs, uint64_t at, uint64_t n);
/** False past the end of the table. */
bool disasm_relocation(const struct disasm_relocs *relocs, uint64_t index,
                       struct disasm_relocation *out);
/** The name of symbol i of the table, NULL when it is none. */
const char *disasm_symbol_name(const struct ms_macho *macho, uint32_t i);

/* ---- what an address means ----------------------------------------------------------------- */

struct disasm_info {
    const struct ms_macho *macho;
    const struct ms_section *section;
    const struct disasm_symbols *symbols;
    const struct disasm_relocs *relocs;
    struct ms_fixups *fixups; /* NULL where pointers can't be read */
    struct ms_bytes indirect; /* the indirect symbol table */
    bool symbolic;
    /* Set by the callbacks: the text depends on where the instruction is. */
    bool depends;
    /* What was loaded last, for the messages to come. */
    const char *class_name, *selector;
    struct ms_text method;
    char *demangled;
    uint64_t adrp_pc;
    uint32_t adrp;
};

enum ms_status disasm_info_init(struct disasm_info *info, const struct ms_macho *macho,
                                const struct ms_section *section,
                                const struct disasm_symbols *symbols,
                                const struct disasm_relocs *relocs, bool symbolic,
                                struct ms_error *err);
void disasm_info_fini(struct disasm_info *info);

/* The two callbacks of llvm-c/Disassembler.h. */
int disasm_operand(void *info, uint64_t pc, uint64_t offset, uint64_t operand_bytes, uint64_t bytes,
                   int tag, void *out);
const char *disasm_look_up(void *info, uint64_t value, uint64_t *type, uint64_t pc,
                           const char **name);

/** What a pointer to literal data means, in the words of a reference type; NULL: nothing. */
const char *disasm_literal(struct disasm_info *info, uint64_t vm, uint64_t pc, uint64_t *type);
/** The symbol that the stub or pointer at an address stands for; NULL. */
const char *disasm_indirect(const struct disasm_info *info, uint64_t vm);

/* ---- texts made before --------------------------------------------------------------------- */

/*
 * The text of an instruction that mentions no address depends on its bytes alone, and programs
 * consist of few different ones: from bytes to text. An instruction's bytes are never the
 * beginning of another one's, so that the first length that is found is right.
 */
struct disasm_cache;

struct disasm_cache *disasm_cache_new(void); /* NULL without memory */
void disasm_cache_free(struct disasm_cache *cache);
/** The length of the instruction at `at` that is known, 0 when none is; 16 bytes are readable. */
unsigned disasm_cache_find(const struct disasm_cache *cache, const uint8_t *at, const char **text,
                           size_t *n);
/** Keeps it, if there is room. */
void disasm_cache_add(struct disasm_cache *cache, const uint8_t *at, unsigned bytes,
                      const char *text, size_t n);

/* ---- LLVM ----------------------------------------------------------------------------------- */

struct disasm_engine; /* one or two of LLVM's contexts: 32-bit ARM has two instruction sets */

/**
 * @param cpu  as LLVM calls it: its instructions alone, NULL: every one; not for Intel's
 * @return MS_E_UNSUPPORTED: LLVM has no such target; MS_E_ARGUMENT: no such processor; MS_E_NOMEM
 */
enum ms_status disasm_engine_new(const struct ms_macho *macho, const char *cpu,
                                 struct disasm_info *info, struct disasm_engine **out,
                                 struct ms_error *err);
void disasm_engine_free(struct disasm_engine *engine);
/** While true the engine keeps what it knows of instructions to come. */
void disasm_engine_keep(struct disasm_engine *engine, bool keep);
/** The length of the instruction, 0 when it is none; its text in *text until the next call. */
unsigned disasm_engine_decode(struct disasm_engine *engine, bool thumb, const uint8_t *at, size_t n,
                              uint64_t pc, const char **text);

#endif
