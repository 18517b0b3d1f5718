/*
 * demangle/swift_old.h: the two halves of the old mangling's reader to each other: declarations
 * and substitutions (swift_old.c), and types (swift_old_type.c). `depth` is how many levels may
 * still be within this one. All return NULL for what they can't read, with the fault noted as
 * swift_read.h has it.
 */
#ifndef MS_DEMANGLE_SWIFT_OLD_H
#define MS_DEMANGLE_SWIFT_OLD_H

#include "demangle/swift_read.h"

/* A type with its TYPE. */
struct ms_swift_node *ms_so_type(struct ms_sr *r, unsigned depth);
/* A generic signature, behind 'u' or what else announces it. */
struct ms_swift_node *ms_so_signature(struct ms_sr *r, unsigned depth);

struct ms_swift_node *ms_so_decl_name(struct ms_sr *r);
/* The name of an element of a tuple. */
struct ms_swift_node *ms_so_label(struct ms_sr *r);
/* DEPENDENT_ASSOCIATED_TYPE_REF */
struct ms_swift_node *ms_so_assoc_name(struct ms_sr *r, unsigned depth);
/* TYPE of a protocol, which stands without its letter. */
struct ms_swift_node *ms_so_protocol(struct ms_sr *r, unsigned depth);
/* A nominal type, whose letter was read, without TYPE. */
struct ms_swift_node *ms_so_nominal(struct ms_sr *r, unsigned depth);
/* The same with its arguments, behind 'G'. */
struct ms_swift_node *ms_so_bound_generic(struct ms_sr *r, unsigned depth);
/* A function or variable as context of a type. */
struct ms_swift_node *ms_so_entity(struct ms_sr *r, unsigned depth);
/* What is behind 'S', when it is a type's; without TYPE. */
struct ms_swift_node *ms_so_type_substitution(struct ms_sr *r);

#endif
