/*
 * demangle/rust_v0_read.h: a sticky reader of the pieces that Rust's v0 mangling is made of.
 * The first fault marks it bad and puts it at the end; from then on reads give nothing.
 */
#ifndef MS_DEMANGLE_RUST_V0_READ_H
#define MS_DEMANGLE_RUST_V0_READ_H

#include "base/text.h"

enum {
    MS_V0_DEPTH = 200,     /* rustc-demangle allows 500; real: 30 */
    MS_V0_STEPS = 1 << 18, /* productions read; real: 2,000 */
    MS_V0_FIRST_STEPS = 8192,
    MS_V0_STEPS_A_BYTE = 16 /* of a name that is long enough to need more */
};

struct ms_v0 {
    const char *at; /* what follows "_R": positions of back references count from here */
    size_t n, next;
    struct ms_text *out;
    bool bad;   /* sticky, as a cursor's */
    bool quiet; /* what is read is not printed, and back references are not followed */
    unsigned depth;
    size_t steps, most_steps;
    uint64_t bound_lifetimes; /* of the binders around */
};

struct ms_v0_ident {
    const char *at;
    size_t n;
    bool punycode;
};

void ms_v0_spoil(struct ms_v0 *v);
char ms_v0_peek(const struct ms_v0 *v);
char ms_v0_take(struct ms_v0 *v);
bool ms_v0_eat(struct ms_v0 *v, char c);
/** True when a list is to go on: neither at its 'E', which is eaten, nor after a fault. */
bool ms_v0_more(struct ms_v0 *v);

/** <base-62-number>: "_" is 0, "0_" is 1. */
uint64_t ms_v0_take_base62(struct ms_v0 *v);
/** An optional number behind a tag: 0 without it, else one more than what is written. */
uint64_t ms_v0_take_tagged(struct ms_v0 *v, char tag);
/** The number of a back reference, whose 'B' was read: a position before that 'B'. */
size_t ms_v0_take_back(struct ms_v0 *v);
/** <undisambiguated-identifier> */
struct ms_v0_ident ms_v0_take_ident(struct ms_v0 *v);
/** {hex} "_" */
struct ms_v0_ident ms_v0_take_hex(struct ms_v0 *v);
/** A number of it: one digit at least, and no leading zeros. */
struct ms_v0_ident ms_v0_take_hex_number(struct ms_v0 *v);
unsigned ms_v0_hex_value(char c);
/** False when it doesn't fit. */
bool ms_v0_hex_number(struct ms_v0_ident hex, uint64_t *out);

/** One production down; to be paired with ms_v0_leave whatever it returns. */
bool ms_v0_enter(struct ms_v0 *v);
void ms_v0_leave(struct ms_v0 *v);

#endif
