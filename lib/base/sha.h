/**
 * base/sha.h: SHA-1, SHA-256 and SHA-384 (FIPS 180-4) of bytes in memory: what code signatures
 * are made of. Not for secrets: nothing here is hardened against who measures its time.
 */
#ifndef MS_BASE_SHA_H
#define MS_BASE_SHA_H

#include "machsym/types.h"

enum { MS_SHA1_BYTES = 20, MS_SHA256_BYTES = 32, MS_SHA384_BYTES = 48, MS_SHA_MAX_BYTES = 48 };

void ms_sha1(struct ms_bytes in, uint8_t out[MS_SHA1_BYTES]);
void ms_sha256(struct ms_bytes in, uint8_t out[MS_SHA256_BYTES]);
void ms_sha384(struct ms_bytes in, uint8_t out[MS_SHA384_BYTES]);

#endif
