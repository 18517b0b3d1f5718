/*
 * macho/file.c: the one place that opens and maps a file.
 *
 * A mapped file that another process truncates raises SIGBUS when a page past its new end
 * is touched. The program's handler asks ms_file_mend_fault whether the address is ours, so
 * the mappings are kept in a registry that a signal handler can read: slots that are
 * claimed, published and given back by atomic operations alone, in blocks that are added
 * when all slots are taken and never freed.
 */
#if !defined(_DEFAULT_SOURCE) && !defined(__APPLE__)
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, which POSIX.1-2008 lacks */
#endif

#include "base/error.h"
#include "machsym/macho.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

enum { SLOTS_A_BLOCK = 64 };

/*
 * One registered mapping. The low two bits of `version` are its state, the rest counts how
 * often the slot was used: a reader that finds the same version before and after reading
 * `start` and `end` has a pair that belongs together.
 */
enum { SLOT_FREE = 0, SLOT_CLAIMED = 1, SLOT_LIVE = 2, SLOT_STATE = 3 };

struct slot {
    atomic_uint version;
    atomic_uintptr_t start, end;
    atomic_bool torn;
};

struct slot_block {
    struct slot slots[SLOTS_A_BLOCK];
    _Atomic(struct slot_block *) next;
};

_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_POINTER_LOCK_FREE == 2 &&
                   ATOMIC_BOOL_LOCK_FREE == 2,
               "a lock could be held by the thread that the signal interrupts");

static struct slot_block first_block;
static atomic_uintptr_t page_bytes; /* asked once, outside the signal handler */

struct ms_file {
    struct ms_bytes bytes;
    struct slot *slot;
    int64_t mtime;
    dev_t device;
    ino_t inode;
    char path[];
};

/* A free slot, claimed for us alone; NULL when memory is out. */
static struct slot *slot_claim(void)
{
    for (struct slot_block *block = &first_block;;) {
        for (int i = 0; i < SLOTS_A_BLOCK; i++) {
            struct slot *slot = &block->slots[i];
            unsigned version = atomic_load(&slot->version);
            if ((version & SLOT_STATE) == SLOT_FREE &&
                atomic_compare_exchange_strong(&slot->version, &version, version + SLOT_CLAIMED))
                return slot;
        }
        struct slot_block *next = atomic_load(&block->next);
        if (!next) {
            struct slot_block *fresh = calloc(1, sizeof *fresh);
            if (!fresh)
                return NULL;
            if (atomic_compare_exchange_strong(&block->next, &next, fresh))
                next = fresh;
            else
                free(fresh); /* another thread was quicker; `next` is its block */
        }
        block = next;
    }
}

static void slot_publish(struct slot *slot, const void *at, size_t n)
{
    atomic_store(&slot->start, (uintptr_t)at);
    atomic_store(&slot->end, (uintptr_t)at + n);
    atomic_store(&slot->torn, false);
    atomic_fetch_add(&slot->version, SLOT_LIVE - SLOT_CLAIMED);
}

/* From claimed or live to free, with a version that was never used before. */
static void slot_release(struct slot *slot)
{
    unsigned version = atomic_load(&slot->version);
    atomic_store(&slot->version, (version | SLOT_STATE) + 1);
}

bool ms_file_mend_fault(void *address)
{
    uintptr_t at = (uintptr_t)address, page = atomic_load(&page_bytes);
    if (!page)
        return false; /* nothing was ever mapped */
    for (struct slot_block *block = &first_block; block; block = atomic_load(&block->next)) {
        for (int i = 0; i < SLOTS_A_BLOCK; i++) {
            struct slot *slot = &block->slots[i];
            unsigned version = atomic_load(&slot->version);
            if ((version & SLOT_STATE) != SLOT_LIVE)
                continue;
            uintptr_t start = atomic_load(&slot->start), end = atomic_load(&slot->end);
            /* The kernel maps whole pages, so the last one may end past `end`. */
            if (at < start || at - start >= (end - start + page - 1) / page * page ||
                atomic_load(&slot->version) != version)
                continue;
            int saved = errno;
            void *hole = (void *)(at / page * page);
            void *got = mmap(hole, page, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            errno = saved;
            atomic_store(&slot->torn, true);
            return got == hole;
        }
    }
    return false;
}

static enum ms_status check_kind(const char *path, const struct stat *st, struct ms_error *err)
{
    if (S_ISDIR(st->st_mode))
        return ms_fail_io(err, path, EISDIR, "cannot be read");
    if (!S_ISREG(st->st_mode))
        return ms_fail(err, MS_E_IO, path, MS_NO_OFFSET, "not a regular file");
    if (st->st_size == 0)
        return ms_fail(err, MS_E_FORMAT, path, MS_NO_OFFSET, "the file is empty");
    if ((uintmax_t)st->st_size > SIZE_MAX - ((size_t)1 << 20))
        return ms_fail(err, MS_E_LIMIT, path, MS_NO_OFFSET,
                       "%llu bytes are more than this machine can map",
                       (unsigned long long)st->st_size);
    return MS_OK;
}

static enum ms_status map_file(struct ms_file *file, int fd, struct ms_error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return ms_fail_io(err, file->path, errno, "cannot be read");
    enum ms_status status = check_kind(file->path, &st, err);
    if (status != MS_OK)
        return status;
    file->mtime = (int64_t)st.st_mtime;
    file->device = st.st_dev;
    file->inode = st.st_ino;
    file->slot = slot_claim();
    if (!file->slot)
        return ms_fail_memory(err);
    size_t n = (size_t)st.st_size;
    void *at = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED) {
        int number = errno;
        slot_release(file->slot);
        file->slot = NULL;
        return ms_fail_io(err, file->path, number, "cannot be mapped");
    }
    file->bytes.at = at;
    file->bytes.n = n;
    slot_publish(file->slot, at, n);
    return MS_OK;
}

enum ms_status ms_file_open(const char *path, struct ms_file **out, struct ms_error *err)
{
    *out = NULL;
    if (!atomic_load(&page_bytes)) {
        long page = sysconf(_SC_PAGESIZE);
        atomic_store(&page_bytes, page > 0 ? (uintptr_t)page : 4096);
    }
    size_t length = strlen(path);
    struct ms_file *file = calloc(1, sizeof *file + length + 1);
    if (!file)
        return ms_fail_memory(err);
    memcpy(file->path, path, length + 1);
    /* Without O_NONBLOCK a FIFO would keep us waiting for a writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    enum ms_status status =
        fd < 0 ? ms_fail_io(err, path, errno, "cannot be opened") : map_file(file, fd, err);
    if (fd >= 0)
        close(fd); /* the mapping stays */
    if (status == MS_OK)
        *out = file;
    else
        ms_file_close(file);
    return status;
}

void ms_file_close(struct ms_file *file)
{
    if (!file)
        return;
    if (file->slot) {
        /* Out of the registry first, so that no fault of a later mapping at the same address
         * can be taken for ours. */
        slot_release(file->slot);
        /* mmap is not const, and the pages that a fault replaced belong to the same range. */
        munmap((void *)(uintptr_t)file->bytes.at, file->bytes.n);
    }
    free(file);
}

void ms_file_give_back(const struct ms_file *file)
{
    /* POSIX's own call does nothing in glibc. A page of zeros that stands for a lost one is lost
     * again: the next fault brings another. */
    if (file->slot)
        (void)madvise((void *)(uintptr_t)file->bytes.at, file->bytes.n, MADV_DONTNEED);
}

void ms_file_give_back_part(const struct ms_file *file, struct ms_bytes part)
{
    const uintptr_t start = (uintptr_t)file->bytes.at, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t low = (uintptr_t)part.at, off = low - start;
    if (!file->slot || low < start || off > file->bytes.n || part.n > file->bytes.n - off)
        return;
    const uintptr_t from = (low + page - 1) / page * page, end = (low + part.n) / page * page;
    if (from < end)
        (void)madvise((void *)from, end - from, MADV_DONTNEED);
}

struct ms_bytes ms_file_bytes(const struct ms_file *file)
{
    return file->bytes;
}

const char *ms_file_path(const struct ms_file *file)
{
    return file->path;
}

int64_t ms_file_mtime(const struct ms_file *file)
{
    return file->mtime;
}

bool ms_file_torn(const struct ms_file *file)
{
    if (atomic_load(&file->slot->torn))
        return true;
    /* The rest of the page in which a truncated file ends reads as zeros without a fault, and
     * a file written anew in place mixes old bytes with new ones. A file that was replaced by
     * another (rename) is whole in our mapping. */
    struct stat st;
    return stat(file->path, &st) == 0 && st.st_dev == file->device && st.st_ino == file->inode &&
           ((uintmax_t)st.st_size != file->bytes.n || (int64_t)st.st_mtime != file->mtime);
}
