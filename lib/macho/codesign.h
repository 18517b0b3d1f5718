/**
 * macho/codesign.h: the parts of a code signature, each read by a file of its own.
 */
#ifndef MS_MACHO_CODESIGN_H
#define MS_MACHO_CODESIGN_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/error.h"
#include "machsym/codesign.h"

enum {
    MS_CS_MAX_BLOBS = 1024,      /* real: 8 */
    MS_CS_MAX_FAULTS = 16,       /* kept; the others are counted */
    MS_CS_MAX_DIRECTORIES = 7,   /* slots 0 and 0x1000 to 0x1005; real: 2 */
    MS_CS_MAX_REQUIREMENTS = 64, /* real: 1 */
    MS_CS_MAX_EXPRESSION = 256,  /* depth of a requirement; real: 8 */
    MS_CS_MAX_CERTIFICATES = 32, /* real: 3 */
    MS_CS_MAX_TEXT = 1 << 20     /* of a requirement as text; real: 300 bytes */
};

/* The signature with what it owns. `sign` comes first: the two have one address. */
struct ms_cs_work {
    struct ms_codesign sign;
    const struct ms_macho *macho; /* while reading */
    const char *where;
    struct ms_arena arena;
    struct ms_plist_tree *trees[6]; /* XML, DER, constraints */
    struct ms_error faults[MS_CS_MAX_FAULTS];
    struct ms_error spare; /* for those beyond */
    struct ms_code_directory directories[MS_CS_MAX_DIRECTORIES];
};

/** Where fault `format` is to be put: *err, to be filled with ms_fail. */
struct ms_error *ms_cs_fault(struct ms_cs_work *w);

/** False for a slot whose content lies in another file: the directory has its hash alone. */
bool ms_cs_has_blob(uint32_t slot);

/** MS_OK, or MS_E_NOMEM; what is malformed becomes a fault. */
enum ms_status ms_cs_read_directory(struct ms_cs_work *w, const struct ms_cs_blob *blob,
                                    struct ms_error *err);
enum ms_status ms_cs_read_requirements(struct ms_cs_work *w, const struct ms_cs_blob *blob,
                                       struct ms_error *err);
enum ms_status ms_cs_read_cms(struct ms_cs_work *w, uint64_t off, struct ms_error *err);

/** The hash of some bytes; returns its length, 0 for a type that isn't known. */
unsigned ms_cs_hash(uint8_t type, struct ms_bytes in, uint8_t out[48]);

#endif
