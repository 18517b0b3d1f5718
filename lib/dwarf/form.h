/**
 * dwarf/form.h: how attribute values are encoded: their sizes, and reading one.
 * What a value means (an index into .debug_addr, an offset into .debug_str) is the
 * unit's to say: see unit.h.
 */
#ifndef MS_DWARF_FORM_H
#define MS_DWARF_FORM_H

#include "base/cursor.h"
#include "dwarf/constants.h"

/** What the sizes of some forms hang on; all units of a file mostly share one. */
struct ms_encoding {
    uint16_t version;      /* of the unit, 2 to 5 */
    uint8_t address_size;  /* 4 or 8 */
    uint8_t offset_size;   /* 4 or 8: the 32-bit or 64-bit format */
    uint8_t ref_addr_size; /* an address in DWARF 2, an offset since */
    bool big;
};

/* Vendor forms that have no twin in the standard, squeezed into a byte. */
enum { MS_FORM_UNKNOWN = 0, MS_FORM_ref_alt = 0xf0, MS_FORM_addrx_offset = 0xf1 };

/** The form as one byte, vendor forms mapped to what they amount to; 0 when unknown. */
uint8_t ms_form_normalize(uint64_t form);

/** What a reader that only skips must do with a value. */
enum ms_form_shape {
    MS_SHAPE_FIXED, /* so many bytes, perhaps none */
    MS_SHAPE_LEB,   /* a LEB128, and then so many bytes */
    MS_SHAPE_STRING,
    MS_SHAPE_BLOCK1, /* so many bytes as its own first 1, 2, 4 bytes or LEB128 say */
    MS_SHAPE_BLOCK2,
    MS_SHAPE_BLOCK4,
    MS_SHAPE_BLOCK,
    MS_SHAPE_INDIRECT
};

/** The shape of a normalised, known form; *size is the number of fixed bytes. */
enum ms_form_shape ms_form_shape(uint8_t form, const struct ms_encoding *encoding, unsigned *size);

enum { MS_QUICK_ULEB = 9, MS_QUICK_ADDRESS, MS_QUICK_OFFSET, MS_QUICK_REF_ADDR };

/** 1, 2, 3, 4 or 8 bytes, or as many as one of the above says; 0 = anything else. */
extern const uint8_t ms_form_quick_sizes[256];

/** The number of bytes of a form of which the value is the plain number that they make,
 *  MS_QUICK_ULEB when that is a LEB128 without a sign, 0 for all other forms. */
static inline unsigned ms_form_quick_size(uint8_t form, const struct ms_encoding *encoding)
{
    unsigned size = ms_form_quick_sizes[form];
    return size <= MS_QUICK_ULEB      ? size
           : size == MS_QUICK_ADDRESS ? encoding->address_size
           : size == MS_QUICK_OFFSET  ? encoding->offset_size
                                      : encoding->ref_addr_size;
}

/** A value as it stands, read but not looked up anywhere. */
struct ms_value {
    uint8_t form; /* normalised, never DW_FORM_indirect; 0 = there is no value */
    uint64_t u;   /* number, address, offset, index; blocks: their length */
    union {
        uint64_t extra;     /* what MS_FORM_addrx_offset adds to the address */
        const char *string; /* of DW_FORM_string */
    };
};

/**
 * Reads one value. `implicit` is the constant of the abbreviation for
 * DW_FORM_implicit_const. A value that runs past the end, or an indirect one of an
 * unknown form, leaves the cursor bad.
 */
struct ms_value ms_value_read(struct ms_cursor *c, const struct ms_encoding *encoding, uint8_t form,
                              int64_t implicit);

/** Moves past one value. */
void ms_value_skip(struct ms_cursor *c, const struct ms_encoding *encoding, uint8_t form);

/** True for the forms that hold a plain number. */
bool ms_value_is_constant(const struct ms_value *value);

#endif
