/**
 * base/limits.h: the ceilings on what an untrusted input can make us do. Each says what
 * real files reach, so that a later reader can judge whether it is still generous.
 */
#ifndef MS_BASE_LIMITS_H
#define MS_BASE_LIMITS_H

enum {
    MS_MAX_FAT_SLICES = 64,        /* real: 2 to 6 */
    MS_MAX_LOAD_COMMANDS = 65536,  /* real: 20 to 500; kernel collections some 1,000 */
    MS_MAX_FILESET_COMMANDS = 8192, /* of a kernel collection, whose entries are told; real: 1,000 */
    MS_MAX_DIE_DEPTH = 1024,       /* real: 30; generated C++ 60 */
    MS_MAX_ORIGIN_CHAIN = 8,       /* abstract origin / specification hops; real: 2 */
    MS_MAX_INLINE_DEPTH = 512,     /* inlined calls at one address; real: 40 */
    MS_MAX_PATH = 4096,
    MS_MAX_IMAGE_NAME = 1024,      /* of a report: a file name or an identifier; real: 120 */
    MS_MAX_JSON_DEPTH = 1024,      /* MetricKit trees nest a level a frame */
    MS_MAX_SHOWN_NAME = 1 << 16,   /* of a function or file; a longer one is cut */
    MS_MAX_READABLE = 1 << 28,     /* bytes of all demangled names of a report; those that come
                                      after that stay mangled. Real: 10 MB */
    MS_MAX_NAME = 1 << 20          /* a mangled name; real: 5,000 bytes */
};

/* A whole report, in bytes: real ones stay below 20 MB. */
#define MS_MAX_REPORT ((size_t)1 << 30)

#endif
