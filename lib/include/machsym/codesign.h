/**
 * machsym/codesign.h: what the code signature of a Mach-O says: who signed it, with which flags,
 * what it may do (entitlements), and whether the file is still what was signed.
 *
 * Source of the format: Apple's Security framework (cs_blobs.h, codedirectory.h, requirement.h),
 * RFC 5652 for the CMS around it. Trust is not judged: no certificate is checked against another.
 */
#ifndef MACHSYM_CODESIGN_H
#define MACHSYM_CODESIGN_H

#include "machsym/macho.h"
#include "machsym/plist.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MS_CSMAGIC_REQUIREMENT = (int)0xfade0c00,
    MS_CSMAGIC_REQUIREMENTS = (int)0xfade0c01,
    MS_CSMAGIC_CODE_DIRECTORY = (int)0xfade0c02,
    MS_CSMAGIC_EMBEDDED = (int)0xfade0cc0,
    MS_CSMAGIC_ENTITLEMENTS = (int)0xfade7171,
    MS_CSMAGIC_ENTITLEMENTS_DER = (int)0xfade7172,
    MS_CSMAGIC_CONSTRAINT = (int)0xfade8181,
    MS_CSMAGIC_CMS = (int)0xfade0b01
};

/** Slots of a signature. Those up to 11 have their hash in the code directory. */
enum {
    MS_CSSLOT_CODE_DIRECTORY = 0,
    MS_CSSLOT_INFO = 1,
    MS_CSSLOT_REQUIREMENTS = 2,
    MS_CSSLOT_RESOURCES = 3,
    MS_CSSLOT_APPLICATION = 4,
    MS_CSSLOT_ENTITLEMENTS = 5,
    MS_CSSLOT_ENTITLEMENTS_DER = 7,
    MS_CSSLOT_CONSTRAINT_SELF = 8,
    MS_CSSLOT_CONSTRAINT_LIBRARY = 11,
    MS_CSSLOT_ALTERNATE = 0x1000, /**< to 0x1005: code directories with other hashes */
    MS_CSSLOT_CMS = 0x10000
};

/** Flags of a code directory that questions are asked about; ms_codesign_flag_name has all. */
enum { MS_CS_ADHOC = 0x2, MS_CS_RUNTIME = 0x10000, MS_CS_LINKER_SIGNED = 0x20000 };

enum ms_cs_hash { MS_CSHASH_SHA1 = 1, MS_CSHASH_SHA256 = 2, MS_CSHASH_SHA256_20 = 3,
                  MS_CSHASH_SHA384 = 4 };

/** One blob of the signature, as the index lists it. */
struct ms_cs_blob {
    uint32_t slot, magic;
    uint64_t off;          /**< in the slice */
    struct ms_bytes bytes; /**< the whole blob, its 8 bytes of header included */
};

/** A code directory: the list of hashes, which is what really is signed. */
struct ms_code_directory {
    uint32_t slot;            /**< 0, or that of an alternate */
    uint64_t off;             /**< in the slice */
    struct ms_bytes bytes;
    uint32_t version, flags;
    const char *identifier;   /**< borrowed; NULL when it is not inside */
    const char *team;         /**< NULL: not set */
    uint32_t n_special, n_code;
    uint64_t code_limit;      /**< bytes of the slice that the code hashes cover */
    uint8_t hash_type, hash_bytes; /**< enum ms_cs_hash; bytes of one hash in the list */
    uint8_t platform;         /**< of Apple's own code; else 0 */
    uint8_t page_shift;       /**< log2 of a page; 0: the whole is one page */
    uint32_t hash_off;        /**< of code hash 0 in `bytes`; special ones lie before it */
    bool has_exec_segment;    /**< version 0x20400 on */
    uint64_t exec_base, exec_limit, exec_flags;
    bool has_runtime;         /**< version 0x20500 on */
    uint32_t runtime;         /**< version of the hardened runtime, as X.Y.Z in 16.8.8 bits */
    bool has_scatter;
    uint8_t hash[48];         /**< of the directory itself, `hash_full` bytes of it */
    uint8_t hash_full;        /**< 20, 32 or 48; 0 for an unknown hash. The CDHash is the first 20 */
};

/** One requirement, in the language that csreq(1) reads. */
struct ms_cs_requirement {
    uint32_t type;    /**< 1 host, 2 guest, 3 designated, 4 library, 5 plug-in */
    const char *text; /**< owned by the signature; NULL when it can't be read (a fault says why) */
};

/** What the CMS of a signature says of its signer. Unknown texts are NULL. */
struct ms_cs_signer {
    const char *const *authorities; /**< common names: the signer, its issuer, … as far as there */
    size_t n_authorities;
    size_t n_certificates;
    const char *organization, *unit; /**< O and OU of the signer's certificate */
    const char *time;      /**< "2024-05-01T10:13:30Z": the signer's own clock */
    const char *timestamp; /**< the same, by a time stamping authority */
    struct ms_bytes digest; /**< the messageDigest that was signed; empty when unknown */
};

enum ms_cs_kind {
    MS_CS_KIND_LINKER,   /**< ad hoc, made by the linker */
    MS_CS_KIND_ADHOC,    /**< hashes that nobody signed */
    MS_CS_KIND_SIGNED,   /**< with a CMS signature */
    MS_CS_KIND_UNSEALED  /**< neither ad hoc nor signed: a CMS was cut off, or never there */
};

struct ms_codesign {
    enum ms_cs_kind kind;
    uint64_t off;          /**< of the signature in the slice */
    uint64_t area_bytes;   /**< that LC_CODE_SIGNATURE gives it */
    uint32_t bytes;        /**< that it takes */
    const struct ms_cs_blob *blobs;
    size_t n_blobs;
    const struct ms_code_directory *directories; /**< that of slot 0 first */
    size_t n_directories;
    size_t best;           /**< index of the directory that a system takes: the strongest hash */
    const struct ms_cs_requirement *requirements;
    size_t n_requirements;
    bool has_requirements; /**< the blob is there, if only empty */
    struct ms_bytes cms;   /**< without the blob's header; empty when there is none */
    struct ms_cs_signer signer;
    const struct ms_plist *xml, *der; /**< entitlements; NULL: not there, or a fault says why */
    bool has_xml, has_der;            /**< their blobs are there */
    const struct ms_plist *constraints[4]; /**< self, parent, responsible, library */
    /** What is wrong with it, each with its offset in the slice; the rest was read. */
    const struct ms_error *faults;
    size_t n_faults, n_faults_more; /**< kept, and beyond those */
};

/**
 * Reads the signature of an image.
 * @param out  to be closed; borrows the image's bytes
 * @return MS_ABSENT: not signed. MS_E_FORMAT: a signature of which nothing can be read (outside
 *         of the file, no such magic, an index that is longer than it). MS_E_UNSUPPORTED: the
 *         form of before Mac OS X 10.5.6. MS_E_NOMEM. A damaged part is a fault, and no failure.
 */
enum ms_status ms_codesign_read(const struct ms_macho *macho, struct ms_codesign **out,
                                struct ms_error *err);
void ms_codesign_close(struct ms_codesign *sign); /**< takes NULL */

/** The entitlements that a system believes: DER, else XML; NULL when there are none. */
const struct ms_plist *ms_codesign_entitlements(const struct ms_codesign *sign);

/**
 * Does it have get-task-allow: may any debugger attach? True when the entitlement of that name,
 * or com.apple.security.get-task-allow, is the boolean true.
 */
bool ms_codesign_get_task_allow(const struct ms_plist *entitlements);

/** What was found not to be as the signature says. */
struct ms_cs_mismatch {
    uint32_t directory;   /**< index into directories */
    int64_t slot;         /**< page number, or minus the number of a special slot */
    uint64_t off, bytes;  /**< in the slice */
};

/** A check of hashes; of certificates and time nothing is checked. */
struct ms_cs_check {
    uint64_t n_pages;     /**< hashes of pages compared */
    uint64_t n_blobs;     /**< hashes of blobs compared */
    uint64_t n_bad;       /**< mismatches in all */
    struct ms_cs_mismatch bad[16]; /**< the first of them */
    size_t n_kept;
    bool cms_differs;     /**< the CMS was made for another code directory */
};

/** What of a signature lies in other files; empty: not compared, but see is_bundle. */
struct ms_cs_outside {
    struct ms_bytes info;      /**< Info.plist of the bundle, or the section __info_plist */
    struct ms_bytes resources; /**< _CodeSignature/CodeResources of the bundle */
    bool is_bundle;            /**< one that is empty is gone, where there is a hash of it */
};

/** Hashes the slice and its blobs anew and compares: some 5 ms a MB and directory. */
void ms_codesign_check(const struct ms_macho *macho, const struct ms_codesign *sign,
                       const struct ms_cs_outside *outside, struct ms_cs_check *out);

/** True when the directory has a hash for that special slot (1 to 11). */
bool ms_codesign_has_special(const struct ms_code_directory *directory, uint32_t slot);

/** Names of bits, as codesign prints them ("adhoc"); NULL for one without. */
const char *ms_codesign_flag_name(uint32_t bit);
/** The same for exec_flags: "main-binary", "allow-unsigned" (what get-task-allow leads to), … */
const char *ms_codesign_exec_flag_name(uint64_t bit);
/** "sha1", "sha256", "sha256-truncated", "sha384"; NULL for an unknown one. */
const char *ms_codesign_hash_name(uint8_t type);
/** "code directory", "requirements", …; NULL for an unknown slot. */
const char *ms_codesign_slot_name(uint32_t slot);

/** Paths inside of a bundle; malloc'ed. */
struct ms_bundle {
    char *binary;
    char *info;      /**< Info.plist; NULL when there is none */
    char *resources; /**< _CodeSignature/CodeResources; NULL when there is none */
};

/**
 * The main binary of a bundle: what its Info.plist names, else the file of the bundle's own name;
 * in Contents/MacOS, in the bundle itself, or below Versions/Current of a framework.
 * @param path  a folder
 * @return MS_E_FORMAT: nothing of the kind is in there. MS_E_NOMEM
 */
enum ms_status ms_bundle_find(const char *path, struct ms_bundle *out, struct ms_error *err);
void ms_bundle_fini(struct ms_bundle *bundle); /**< takes a zeroed one */

#ifdef __cplusplus
}
#endif
#endif
