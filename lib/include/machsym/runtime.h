/**
 * machsym/runtime.h: what the runtimes of Objective-C and Swift find in an image: classes with
 * their methods, types, and which function of a type meets which requirement of a protocol. All
 * of it survives strip.
 *
 * Sources: objc4 (objc-runtime-new.h); Swift's include/swift/ABI/Metadata.h, MetadataValues.h
 * and docs/ABI/TypeMetadata.rst.
 *
 * What is damaged is left out or has a `fault`; the rest is there. A read list borrows strings
 * from the image and owns the others.
 */
#ifndef MACHSYM_RUNTIME_H
#define MACHSYM_RUNTIME_H

#include "machsym/image.h"
#include "machsym/macho.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Objective-C ------------------------------------------------------------------------ */

struct ms_objc_method {
    const char *selector;     /**< NULL when it can't be read */
    const char *types;        /**< its encoding, "v16@0:8"; or NULL */
    uint64_t vm;              /**< of its code, without a Thumb bit; meaningful when has_address */
    uint64_t entry_vm;        /**< of its entry in the list */
    bool has_address;
    bool is_class_method;     /**< "+" */
    const char *import;       /**< the symbol that the code's pointer is bound to, or NULL */
    const struct ms_error *fault; /**< why something is missing; NULL when all is well */
};

/** A class or a category, with its own methods. */
struct ms_objc_class {
    const char *name;         /**< of the class, as in the metadata; NULL when it can't be read */
    const char *shown_name;   /**< the same, demangled when it is a Swift class: "App.Gadget" */
    const char *category;     /**< NULL for a class; "?" when it can't be read */
    const char *superclass;   /**< of a class; NULL for a root class, or when it can't be read */
    const char *shown_superclass; /**< the same, demangled: "Swift._SwiftObject" */
    uint64_t vm;              /**< of the class or category; 0 when its pointer can't be read */
    bool is_category;
    bool is_swift;            /**< its code is Swift */
    bool runs_load;           /**< listed as having +load */
    size_t first_method, n_methods; /**< in ms_objc.methods: instance methods, then class methods */
    const struct ms_error *fault;
};

struct ms_objc {
    struct ms_objc_class *classes; /**< classes, then categories, in the order of their lists */
    size_t n_classes;
    struct ms_objc_method *methods;
    size_t n_methods;
    struct ms_error damage;   /**< the first section or bound that ended a list early; or MS_OK */
    void *storage;            /**< owned */
};

/**
 * Reads __objc_classlist, __objc_catlist, __objc_catlist2 and their +load lists.
 * @param out  overwritten; freed by ms_objc_fini, before *macho
 * @return MS_OK also when there are none, or some are damaged; MS_E_UNSUPPORTED for a dSYM, which
 *         has the headers of these sections and not their bytes; MS_E_NOMEM
 */
enum ms_status ms_objc_read(const struct ms_macho *macho, struct ms_objc *out,
                            struct ms_error *err);
void ms_objc_fini(struct ms_objc *objc);

/**
 * "-[Class selector]", "+[Class(Category) selector]"; '?' for what is unknown. snprintf-like.
 * @param as_linked  the class's name as in the metadata, as symbols have it; else demangled
 */
size_t ms_objc_method_name(const struct ms_objc_class *owner, const struct ms_objc_method *method,
                           bool as_linked, char *out, size_t room);

/* ---- Swift ------------------------------------------------------------------------------- */

/** A type or protocol, as a person writes it. */
struct ms_swift_name {
    const char *module; /**< "SwiftUI"; NULL when unknown */
    const char *path;   /**< in its module: "Outer.Inner"; NULL when it can't be read */
    /** Of a type declared in an extension of another module's type: the extension's module,
     *  which declares it; else NULL: `module` does. */
    const char *declared_in;
};
/** "Module.Outer.Inner", or the part that is known; "?" without any. snprintf-like. */
size_t ms_swift_name_write(const struct ms_swift_name *name, char *out, size_t room);

enum ms_swift_kind {
    MS_SWIFT_MODULE = 0,
    MS_SWIFT_EXTENSION = 1,
    MS_SWIFT_ANONYMOUS = 2,
    MS_SWIFT_PROTOCOL = 3,
    MS_SWIFT_OPAQUE = 4,
    MS_SWIFT_CLASS = 16,
    MS_SWIFT_STRUCT = 17,
    MS_SWIFT_ENUM = 18
};
/** "class", "struct", …; "unknown" for one that isn't listed. */
const char *ms_swift_kind_name(unsigned kind);

/** An entry of __swift5_types, __swift5_types2 or __swift5_protos. */
struct ms_swift_type {
    struct ms_swift_name name;
    unsigned kind;       /**< enum ms_swift_kind, or a number that we don't know */
    bool is_generic;
    uint64_t vm;         /**< of its context descriptor; 0 when it can't be read */
    uint64_t access_vm;  /**< of the function that gives its metadata; 0 = none */
    const char *import;  /**< the symbol that its slot is bound to, in another image; or NULL */
    const struct ms_error *fault;
};

/** What a requirement of a protocol asks for. */
enum ms_swift_requirement {
    MS_SWIFT_BASE_PROTOCOL = 0,
    MS_SWIFT_METHOD,
    MS_SWIFT_INIT,
    MS_SWIFT_GETTER,
    MS_SWIFT_SETTER,
    MS_SWIFT_READ,
    MS_SWIFT_MODIFY,
    MS_SWIFT_ASSOCIATED_TYPE,
    MS_SWIFT_ASSOCIATED_CONFORMANCE,
    MS_SWIFT_UNKNOWN_REQUIREMENT
};
/** "getter", "method", …. */
const char *ms_swift_requirement_name(enum ms_swift_requirement kind);

/** How one requirement of a protocol is met. */
struct ms_swift_witness {
    enum ms_swift_requirement kind;
    const char *symbol; /**< that names the requirement ("$s7SwiftUI4ViewP4body4BodyQzvgTq"), without
                             Mach-O's underscore; or NULL */
    bool has_index;
    uint32_t index;     /**< in the protocol's list of requirements, from 0 */
    bool is_static;     /**< a function of the type itself; known where there is an index */
    const char *associated; /**< n_associated bytes: the name of an associated type; or NULL */
    size_t n_associated;
    bool has_address;   /**< it is met by a function of this image: */
    uint64_t vm;        /**< where that starts, without a Thumb bit */
    uint64_t slot_vm;   /**< where the metadata says so */
    const char *import; /**< the symbol that the slot is bound to, in another image; or NULL */
};

/** One conformance of a type to a protocol. */
struct ms_swift_conformance {
    struct ms_swift_name type, protocol;
    const char *module;      /**< that declares the conformance; NULL when that isn't certain */
    bool is_retroactive;     /**< neither the type's nor the protocol's module declares it */
    bool is_synthesized;     /**< of an imported type, perhaps in several images */
    bool is_conditional;
    uint64_t vm;             /**< of its descriptor; 0 when it can't be read */
    uint64_t table_vm;       /**< of its witness table, or the pattern for it; 0 = none */
    size_t first_witness, n_witnesses; /**< in ms_swift_metadata.witnesses, in the order of the metadata */
    const struct ms_error *fault;
};

struct ms_swift_metadata {
    struct ms_swift_type *types;
    size_t n_types;
    struct ms_swift_type *protocols;
    size_t n_protocols;
    struct ms_swift_conformance *conformances;
    size_t n_conformances;
    struct ms_swift_witness *witnesses;
    size_t n_witnesses;
    struct ms_error damage; /**< the first section or bound that ended a list early; or MS_OK */
    void *storage;          /**< owned */
};

/** What ms_swift_metadata_read reads; flags. */
enum { MS_SWIFT_TYPES = 1, MS_SWIFT_PROTOCOLS = 2, MS_SWIFT_CONFORMANCES = 4 };

/**
 * Reads __swift5_types, __swift5_types2, __swift5_protos and __swift5_proto.
 * @param what  flags of the above
 * @param out   overwritten; freed by ms_swift_metadata_fini, before *macho
 * @return as ms_objc_read
 */
enum ms_status ms_swift_metadata_read(const struct ms_macho *macho, unsigned what, struct ms_swift_metadata *out,
                             struct ms_error *err);
void ms_swift_metadata_fini(struct ms_swift_metadata *swift);

/**
 * What a requirement is called: "SwiftUI.View.body.getter : A.Body", or, when nothing names it,
 * "App.Model requirement 3 (getter)", counted from 1. snprintf-like.
 * @param style  enum ms_demangle_style
 */
size_t ms_swift_requirement_write(const struct ms_swift_conformance *conformance,
                                  const struct ms_swift_witness *witness, unsigned style,
                                  char *out, size_t room);

/**
 * The same out of the symbol of a witness (`…TW`), for requirements whose own symbols are gone.
 * @return 0, and "", for a symbol that is none of this conformance
 */
size_t ms_swift_requirement_of_symbol(const struct ms_swift_conformance *conformance,
                                      const char *symbol, unsigned style, char *out, size_t room);

/**
 * The name of a witness's function, as its symbol would be demangled: "protocol witness for
 * View.body.getter in conformance ContentView". snprintf-like.
 * @param style  enum ms_demangle_style
 */
size_t ms_swift_witness_write(const struct ms_swift_conformance *conformance,
                              const struct ms_swift_witness *witness, unsigned style, char *out,
                              size_t room);

/* ---- of an image ------------------------------------------------------------------------- */

/** ms_objc_read and ms_swift_metadata_read for the binary of an image. MS_E_IO when it was truncated. */
enum ms_status ms_image_objc(struct ms_image *image, struct ms_objc *out, struct ms_error *err);
enum ms_status ms_image_swift(struct ms_image *image, unsigned what, struct ms_swift_metadata *out,
                              struct ms_error *err);

/** Where the functions of witnesses are in the sources; see ms_image_witnesses. */
struct ms_image_witnesses {
    struct ms_answer *items; /**< one a witness: no frame, or one; strings live as long as the
                                  image */
    const char **symbols;    /**< one a witness: the symbol of its function (`…TW`), where that
                                  is of its conformance; or NULL. Also as long as the image */
    size_t n;
    void *storage;           /**< owned */
};

/**
 * Looks up the functions that conformances name. A witness is mostly a few instructions that a
 * compiler made, without a line: where they call, or have inlined, the function of the type that
 * was written for the requirement, the frame is that function's; else the witness's own.
 * @param swift  with conformances, of the same image
 * @param out    overwritten; freed by ms_image_witnesses_fini
 * @return MS_E_NOMEM; MS_E_IO when a file was truncated
 */
enum ms_status ms_image_witnesses(struct ms_image *image, const struct ms_swift_metadata *swift,
                                  struct ms_image_witnesses *out, struct ms_error *err);
void ms_image_witnesses_fini(struct ms_image_witnesses *witnesses);

#ifdef __cplusplus
}
#endif
#endif
