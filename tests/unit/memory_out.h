/*
 * unit/memory_out.h: memory that runs out at the n-th allocation. Takes the place of malloc,
 * so it works only where that can be done: with glibc, and without a sanitizer's own malloc.
 * A test sets `countdown` to n around the call and -1 afterwards, and skips itself where
 * CAN_FAIL is 0. `alive` counts the blocks that were taken and not given back.
 */
#ifndef TESTS_UNIT_MEMORY_OUT_H
#define TESTS_UNIT_MEMORY_OUT_H

#include <criterion/criterion.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define CAN_FAIL 1

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t n);
void *__libc_realloc(void *at, size_t n);
void __libc_free(void *at);

static long countdown = -1; /* allocations that still succeed; negative: all */
static long alive;

static bool fails_now(void)
{
    if (countdown < 0)
        return false;
    if (countdown-- > 0)
        return false;
    countdown = 0; /* and every one after it */
    errno = ENOMEM;
    return true;
}

static void *counted(void *at, bool is_new)
{
    alive += at && is_new;
    return at;
}

void *malloc(size_t n)
{
    return fails_now() ? NULL : counted(__libc_malloc(n), true);
}
void *calloc(size_t count, size_t n)
{
    return fails_now() ? NULL : counted(__libc_calloc(count, n), true);
}
void *realloc(void *at, size_t n)
{
    return fails_now() ? NULL : counted(__libc_realloc(at, n), !at);
}
void free(void *at)
{
    alive -= at != NULL;
    __libc_free(at);
}
#else
#define CAN_FAIL 0
static long countdown __attribute__((unused)), alive __attribute__((unused));
#endif

#endif
