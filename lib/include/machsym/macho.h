/**
 * machsym/macho.h: Mach-O files as values. A file is mapped, cut into slices, and each
 * slice's load commands are validated in one pass; from then on its struct ms_macho is
 * trusted. Nothing behind the load commands is read until a table is asked for.
 *
 * Source of the format: Apple's mach-o/loader.h, mach-o/fat.h, mach-o/nlist.h,
 * mach-o/stab.h and ar(5).
 */
#ifndef MACHSYM_MACHO_H
#define MACHSYM_MACHO_H

#include "machsym/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- files -------------------------------------------------------------------------- */

/** One regular file, mapped read-only. */
struct ms_file;

/**
 * Maps the regular file at `path`. Reads nothing yet.
 * @return MS_E_IO (missing, unreadable, a directory), MS_E_FORMAT (empty), MS_E_NOMEM
 */
enum ms_status ms_file_open(const char *path, struct ms_file **out, struct ms_error *err);
void ms_file_close(struct ms_file *file); /**< takes NULL */

struct ms_bytes ms_file_bytes(const struct ms_file *file);
const char *ms_file_path(const struct ms_file *file);
/** Modification time, seconds since 1970. */
int64_t ms_file_mtime(const struct ms_file *file);

/**
 * Gives the pages that are in memory back: what is read again comes from the system's cache, or
 * from the disk. For a process that must stay small; any thread may read meanwhile.
 */
void ms_file_give_back(const struct ms_file *file);
/** The same of the whole pages in a part of the file; of bytes that lie elsewhere it does nothing. */
void ms_file_give_back_part(const struct ms_file *file, struct ms_bytes part);

/**
 * True once a page of the mapping was found gone because another process truncated the
 * file: everything read from it since is zeros and must not be believed. Also true when the
 * file at that path is still the one that was mapped and has another size or modification
 * time by now: it was written while we read. Costs a stat().
 */
bool ms_file_torn(const struct ms_file *file);

/**
 * For a SIGBUS handler: when `address` lies in a mapping of ours, puts a page of zeros
 * there, marks the file torn and returns true. Async-signal-safe. The library installs
 * no handler itself.
 */
bool ms_file_mend_fault(void *address);

/* ---- architectures ------------------------------------------------------------------ */

/**
 * "arm64", "arm64e", "x86_64h", … for a cputype and cpusubtype (its capability bits are
 * ignored), as Apple's tools name them; NULL for a pair without a name.
 */
const char *ms_arch_name(uint32_t cputype, uint32_t cpusubtype);
/** The reverse; false for a name we don't know. */
bool ms_arch_parse(const char *name, uint32_t *cputype, uint32_t *cpusubtype);
/** The name, or "unknown(CPUTYPE,CPUSUBTYPE)" written into `room`. Never NULL. */
#define MS_ARCH_TEXT 40
const char *ms_arch_text(uint32_t cputype, uint32_t cpusubtype, char room[MS_ARCH_TEXT]);

/* ---- slices ------------------------------------------------------------------------- */

enum ms_slice_kind { MS_SLICE_MACHO, MS_SLICE_ARCHIVE, MS_SLICE_OTHER };

/** One architecture's part of a file; a thin file has one. */
struct ms_slice {
    struct ms_bytes bytes;
    uint64_t file_off;   /**< where it starts in the file */
    uint32_t cputype, cpusubtype;
    uint32_t align;      /**< log2, of the fat header; 0 in a thin file */
    enum ms_slice_kind kind; /**< by its first bytes */
    bool hidden;         /**< beyond nfat_arch: old iOS files hide arm64 there */
};

/** The outer shape of a file. */
struct ms_fat {
    bool is_fat, is_fat64;
    struct ms_slice *slices;
    size_t n_slices;
    char where[128];     /**< the file's name, for messages */
};

/**
 * Reads the fat header, or makes one slice of a thin Mach-O or a static archive.
 * `name` is for messages. An entry that lies outside the file, overlaps the header, or
 * a count over the limit (a Java class file has the same magic) is MS_E_FORMAT; a file
 * that is neither fat, Mach-O nor archive is MS_E_FORMAT "not a Mach-O file: …".
 */
enum ms_status ms_fat_parse(struct ms_bytes file, const char *name, struct ms_fat *out,
                            struct ms_error *err);
void ms_fat_fini(struct ms_fat *fat);

/* ---- one thin image ----------------------------------------------------------------- */

enum {
    MS_CPU_I386 = 7,
    MS_CPU_ARM = 12,
    MS_CPU_PPC = 18,
    MS_CPU_64 = 0x01000000,
    MS_CPU_64_32 = 0x02000000,
    MS_CPU_X86_64 = MS_CPU_I386 | MS_CPU_64,
    MS_CPU_ARM64 = MS_CPU_ARM | MS_CPU_64,
    MS_CPU_ARM64_32 = MS_CPU_ARM | MS_CPU_64_32,
    MS_CPU_PPC64 = MS_CPU_PPC | MS_CPU_64
};

enum {
    MS_MH_OBJECT = 1, MS_MH_EXECUTE = 2, MS_MH_CORE = 4, MS_MH_DYLIB = 6, MS_MH_DYLINKER = 7,
    MS_MH_BUNDLE = 8, MS_MH_DYLIB_STUB = 9, MS_MH_DSYM = 10, MS_MH_KEXT = 11, MS_MH_FILESET = 12
};

struct ms_segment {
    char name[17];            /**< always NUL-terminated here */
    uint64_t vm, vm_bytes;
    uint64_t off, file_bytes; /**< in the slice; both 0 in a dSYM but for __LINKEDIT and __DWARF */
    uint32_t maxprot, initprot, flags;
    uint32_t first_section, n_sections;
};

struct ms_section {
    char name[17], segment_name[17];
    uint64_t vm, vm_bytes;
    /** In the slice. The file has 32 bits for it: in a segment that reaches past 4 GB
     *  (a large dSYM) the wrapped value is put right from the segment's 64-bit offset and
     *  the order of its sections. */
    uint64_t off;
    uint32_t align, reloff, nreloc, flags, reserved1, reserved2;
    uint32_t segment;         /**< index into segments */
};

/** One load command as it stands: `body` is the whole command, header included. */
struct ms_load_command {
    uint32_t cmd;
    uint32_t off;             /**< in the slice */
    struct ms_bytes body;
};

/** A thin Mach-O whose load commands were validated; see ms_macho_parse. */
struct ms_macho {
    struct ms_bytes bytes;    /**< the whole slice (or the whole file, for a fileset entry) */
    bool is64, big;
    uint32_t cputype, cpusubtype, filetype, flags;
    struct ms_load_command *commands;
    size_t n_commands;
    struct ms_segment *segments;
    size_t n_segments;
    struct ms_section *sections; /**< n_sect of an nlist counts these from 1 */
    size_t n_sections;

    bool has_uuid, has_text, has_build;
    struct ms_uuid uuid;
    uint64_t text_vm;         /**< vmaddr of __TEXT: the link address A. MS_MH_OBJECT: 0 */
    uint64_t text_bytes;      /**< its vmsize */
    uint32_t platform, minos, sdk; /**< of LC_BUILD_VERSION or LC_VERSION_MIN_* */
    struct ms_bytes function_starts; /**< payload; empty when there is none */
    struct ms_bytes nlist, strings;  /**< of LC_SYMTAB; empty when there is none */
    uint64_t nlist_off, strings_off; /**< in the slice */
    uint32_t n_nlist;
    /** A damaged part that leaves the rest usable (LC_SYMTAB outside the file, …): the
     *  part is empty and this says why; status MS_OK when all is well. */
    struct ms_error damage;
    char where[160];          /**< "App (arm64)", for messages */
};

/**
 * Validates all load commands of a thin slice in one pass (sizes, order, every offset and
 * count against the slice) and fills *out. The structural faults that make the rest
 * unreadable are MS_E_FORMAT with the command and its offset; a table of __LINKEDIT that
 * lies outside the slice (a truncated file) leaves that table empty and fills `damage`
 * (a string table that is cut off keeps the names before the cut).
 * @param slice  the bytes; borrowed for as long as *out is used
 * @param name   for messages
 */
enum ms_status ms_macho_parse(struct ms_bytes slice, const char *name, struct ms_macho *out,
                              struct ms_error *err);
void ms_macho_fini(struct ms_macho *macho);

/**
 * The same for an image that lies inside a larger file and whose offsets count from the
 * start of that file: an entry of a fileset (kernel collection). `bytes` of *out is the file.
 * @param header_off  where its Mach-O header is
 */
enum ms_status ms_macho_parse_at(struct ms_bytes file, uint64_t header_off, const char *name,
                                 struct ms_macho *out, struct ms_error *err);

/** One LC_FILESET_ENTRY. */
struct ms_fileset_entry {
    const char *name; /**< "com.apple.kernel"; borrowed from the load command */
    uint64_t vm, off; /**< of its Mach-O header; off counts from the start of the file */
};

/**
 * The next entry of a fileset; *position is 0 at first. MS_ABSENT after the last one;
 * MS_E_FORMAT for one whose name or header lies outside, after which one may go on.
 */
enum ms_status ms_macho_fileset_next(const struct ms_macho *macho, size_t *position,
                                     struct ms_fileset_entry *out, struct ms_error *err);

/** "LC_SEGMENT_64", …; NULL for an unknown one. */
const char *ms_load_command_name(uint32_t cmd);

/** The first section of that name; segment NULL = any. NULL when there is none. */
const struct ms_section *ms_macho_section(const struct ms_macho *macho, const char *segment,
                                          const char *section);
/** The section that holds the address, NULL when none does. */
const struct ms_section *ms_macho_section_at(const struct ms_macho *macho, uint64_t address_vm);
const struct ms_segment *ms_macho_segment(const struct ms_macho *macho, const char *name);

/**
 * A section's bytes in the file. Empty, MS_ABSENT: zerofill, or a dSYM's empty copy of a
 * section. MS_E_FORMAT: outside the file.
 */
enum ms_status ms_macho_section_bytes(const struct ms_macho *macho, const struct ms_section *section,
                                      struct ms_bytes *out, struct ms_error *err);

/** True when the section holds instructions (S_ATTR_PURE_ or SOME_INSTRUCTIONS). */
bool ms_section_is_code(const struct ms_section *section);

/** "EXECUTE", "DYLIB", "DSYM", …; NULL for an unknown file type. */
const char *ms_filetype_name(uint32_t filetype);

/* ---- nlist -------------------------------------------------------------------------- */

enum {
    MS_N_STAB = 0xe0, MS_N_PEXT = 0x10, MS_N_TYPE = 0x0e, MS_N_EXT = 0x01,
    MS_N_UNDF = 0x0, MS_N_ABS = 0x2, MS_N_SECT = 0xe, MS_N_PBUD = 0xc, MS_N_INDR = 0xa,
    MS_N_GSYM = 0x20, MS_N_FUN = 0x24, MS_N_STSYM = 0x26, MS_N_BNSYM = 0x2e, MS_N_ENSYM = 0x4e,
    MS_N_OSO = 0x66, MS_N_SO = 0x64, MS_N_AST = 0x32,
    MS_N_ARM_THUMB_DEF = 0x8, MS_N_WEAK_DEF = 0x80, MS_N_ALT_ENTRY = 0x200
};

/** One nlist entry. `name` is borrowed from the string table, "" when it has none. */
struct ms_nlist {
    const char *name;
    uint64_t value;
    uint8_t type, sect;
    uint16_t desc;
};

/**
 * Entry i, 0 <= i < n_nlist. A name that lies outside the string table comes out as
 * "" with *bad_name (which may be NULL) set.
 */
struct ms_nlist ms_nlist_at(const struct ms_macho *macho, uint32_t i, bool *bad_name);

/* ---- the symbol table that names code ------------------------------------------------ */

/** One function symbol. The end is the next start, or the section's end. */
struct ms_symbol {
    uint64_t start_vm, end_vm;
    const char *name;        /**< as in the file, with Mach-O's underscore */
    enum ms_source source;   /**< NLIST, EXPORT, STUB or FUNCTION_START (name NULL) */
    bool external;
};

/** Sorted, disjoint code ranges of one image, each with the best name for it. */
struct ms_symbols {
    struct ms_symbol *items;
    size_t n, room;
    void *storage;           /**< names that stand in the file only in pieces; owned */
};

/**
 * Reads nlist (defined, non-stab, code sections only; external before local, functions before
 * entries inside them and split-off cold parts; `ltmp*`, `l_*`, `L*`, `__mh_*` out), the stubs
 * that the indirect symbol table names, the exports trie where nlist has no name, and
 * LC_FUNCTION_STARTS. Where function starts are known, no symbol reaches over the next start;
 * elsewhere one ends where the next begins. A start that nothing names, or that has a name
 * that was blanked out, is there with name NULL. In 32-bit ARM the Thumb bit is cleared.
 * @return MS_OK also when a table is damaged and the others are used: `err->status` then
 *         says so. MS_E_NOMEM
 */
enum ms_status ms_symbols_read(const struct ms_macho *macho, struct ms_symbols *out,
                               struct ms_error *err);
/**
 * The same for a single address: *out has the one symbol whose range holds it, or none. One
 * pass over the tables that keeps nothing: some 5 times quicker than reading them all, so
 * worth it for up to a handful of addresses.
 */
enum ms_status ms_symbols_read_at(const struct ms_macho *macho, uint64_t address_vm,
                                  struct ms_symbols *out, struct ms_error *err);
/**
 * The same for n addresses, ascending: *out has the symbols whose ranges hold them, each once. It
 * takes little longer than one address does, as long as they are fewer than the symbols.
 */
enum ms_status ms_symbols_read_some(const struct ms_macho *macho, const uint64_t *addresses_vm,
                                    size_t n, struct ms_symbols *out, struct ms_error *err);
void ms_symbols_fini(struct ms_symbols *symbols);
/** The symbol whose range holds the address; NULL when none does. */
const struct ms_symbol *ms_symbols_find(const struct ms_symbols *symbols, uint64_t address_vm);

/**
 * The addresses of LC_FUNCTION_STARTS, ascending, Thumb bits cleared.
 * @param out  malloc'ed array, freed by the caller; NULL and 0 when there are none
 * @return MS_OK also when the list is cut short by damage: `err->status` then says so
 */
enum ms_status ms_function_starts_read(const struct ms_macho *macho, uint64_t **out, size_t *n,
                                       struct ms_error *err);

/* ---- static archives ----------------------------------------------------------------- */

/** One member of an ar(5) archive, BSD ("#1/N") and SysV ("/N") long names resolved. */
struct ms_archive_member {
    char name[256];          /**< cut at 255 bytes */
    struct ms_bytes bytes;
    uint64_t off;            /**< of the member's header, in the archive */
    int64_t mtime;
};

struct ms_archive {
    struct ms_bytes bytes;
    uint64_t next;           /**< offset of the next member's header */
    struct ms_bytes long_names;
    char where[160];
};

enum ms_status ms_archive_open(struct ms_bytes bytes, const char *name, struct ms_archive *out,
                               struct ms_error *err);
/** The next member that is not a symbol table; MS_ABSENT after the last. */
enum ms_status ms_archive_next(struct ms_archive *archive, struct ms_archive_member *out,
                               struct ms_error *err);

#ifdef __cplusplus
}
#endif
#endif
