#if !defined(_DEFAULT_SOURCE) && !defined(__APPLE__)
#define _DEFAULT_SOURCE
#endif

#include "machsym/error.h"
#include "machsym/macho.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void setup(void)
{
    strcpy(folder, "/tmp/machsym-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void teardown(void)
{
    static const char *const NAMES[] = {"a", "b", "fifo", "new"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        unlink(path_of(NAMES[i]));
    rmdir(folder);
}

static void write_file(const char *name, size_t n)
{
    FILE *f = fopen(path_of(name), "wb");
    cr_assert_not_null(f);
    for (size_t i = 0; i < n; i++)
        fputc((int)(i / 4096 + 1), f);
    fclose(f);
}

static void refuses(const char *path, enum ms_status status, int number, const char *text)
{
    struct ms_file *file = (void *)1;
    struct ms_error err;
    cr_assert_eq(ms_file_open(path, &file, &err), status);
    cr_assert_null(file);
    cr_assert_eq(err.status, status);
    cr_assert_eq(err.sys_errno, number);
    cr_assert_eq(err.offset, MS_NO_OFFSET);
    cr_assert_str_eq(err.where, path);
    cr_assert_str_eq(err.text, text);
}

TestSuite(file, .init = setup, .fini = teardown);

Test(file, maps_a_regular_file)
{
    struct ms_file *file;
    struct ms_error err;
    struct stat st;
    write_file("a", 5000);
    cr_assert_eq(ms_file_open(path_of("a"), &file, &err), MS_OK);
    struct ms_bytes bytes = ms_file_bytes(file);
    cr_assert_eq(bytes.n, 5000);
    cr_assert_eq(bytes.at[0], 1);
    cr_assert_eq(bytes.at[4999], 2);
    cr_assert_str_eq(ms_file_path(file), path_of("a"));
    cr_assert_eq(stat(path_of("a"), &st), 0);
    cr_assert_eq(ms_file_mtime(file), (int64_t)st.st_mtime);
    cr_assert(!ms_file_torn(file));
    ms_file_close(file);
    ms_file_close(NULL);
}

Test(file, refusals)
{
    refuses(path_of("missing"), MS_E_IO, ENOENT, "cannot be opened");
    refuses(folder, MS_E_IO, EISDIR, "cannot be read");
    write_file("a", 0);
    refuses(path_of("a"), MS_E_FORMAT, 0, "the file is empty");
    cr_assert_eq(mkfifo(path_of("fifo"), 0600), 0);
    refuses(path_of("fifo"), MS_E_IO, 0, "not a regular file");
}

Test(file, unreadable)
{
    if (geteuid() == 0)
        cr_skip_test("root reads everything");
    write_file("a", 10);
    cr_assert_eq(chmod(path_of("a"), 0), 0);
    refuses(path_of("a"), MS_E_IO, EACCES, "cannot be opened");
}

/* ---- files that change under us -------------------------------------------------------------- */

static volatile sig_atomic_t n_faults;

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    n_faults++;
    if (ms_file_mend_fault(info->si_addr))
        return;
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_faults(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    cr_assert_eq(sigaction(SIGBUS, &action, NULL), 0);
    cr_assert_eq(sigaction(SIGSEGV, &action, NULL), 0);
}

Test(file, truncated_while_mapped)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct ms_file *file, *other;
    struct ms_error err;
    write_file("a", 8 * page);
    write_file("b", 8 * page);
    cr_assert_eq(ms_file_open(path_of("a"), &file, &err), MS_OK);
    cr_assert_eq(ms_file_open(path_of("b"), &other, &err), MS_OK);
    catch_faults();
    const volatile uint8_t *at = ms_file_bytes(file).at;
    cr_assert_neq(at[0], 0);
    cr_assert_eq(truncate(path_of("a"), (off_t)page), 0);
    cr_assert_eq(at[5 * page + 17], 0);
    cr_assert_eq(n_faults, 1);
    cr_assert_eq(at[5 * page], 0); /* the page is there now */
    cr_assert_eq(n_faults, 1);
    cr_assert_eq(at[8 * page - 1], 0);
    cr_assert_eq(n_faults, 2);
    cr_assert_neq(at[0], 0);
    cr_assert(ms_file_torn(file));
    cr_assert(!ms_file_torn(other));
    ms_file_close(file);
    ms_file_close(other);
}

/* Pages that were given back are read again; those that are gone are still missed. */
Test(file, pages_given_back)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct ms_file *file;
    struct ms_error err;
    write_file("a", 8 * page);
    cr_assert_eq(ms_file_open(path_of("a"), &file, &err), MS_OK);
    catch_faults();
    n_faults = 0;
    const volatile uint8_t *at = ms_file_bytes(file).at;
    uint8_t first = at[0], last = at[8 * page - 1];
    ms_file_give_back(file);
    struct ms_bytes all = ms_file_bytes(file), elsewhere = {(const uint8_t *)&all, sizeof all};
    ms_file_give_back_part(file, all);
    ms_file_give_back_part(file, (struct ms_bytes){all.at + 1, all.n - 1});
    ms_file_give_back_part(file, (struct ms_bytes){all.at, all.n + 1});
    ms_file_give_back_part(file, elsewhere);
    cr_assert_eq(at[0], first);
    cr_assert_eq(at[8 * page - 1], last);
    cr_assert(!ms_file_torn(file));
    cr_assert_eq(truncate(path_of("a"), (off_t)page), 0);
    cr_assert_eq(at[8 * page - 1], 0);
    ms_file_give_back(file);
    cr_assert_eq(at[8 * page - 1], 0, "the page of zeros was given back, too");
    cr_assert_eq(at[0], first);
    cr_assert(ms_file_torn(file));
    ms_file_close(file);
}

/* No page is gone: only its end reads as zeros, and no fault tells. */
Test(file, truncated_within_its_last_page)
{
    struct ms_file *file;
    struct ms_error err;
    write_file("a", 100);
    cr_assert_eq(ms_file_open(path_of("a"), &file, &err), MS_OK);
    cr_assert_eq(truncate(path_of("a"), 50), 0);
    cr_assert(ms_file_torn(file));
    ms_file_close(file);
}

/* What editors and linkers do: the mapping still shows the old file, whole. */
Test(file, replaced_by_another)
{
    struct ms_file *file;
    struct ms_error err;
    char from[128];
    write_file("a", 100);
    write_file("new", 20);
    cr_assert_eq(ms_file_open(path_of("a"), &file, &err), MS_OK);
    strcpy(from, path_of("new"));
    cr_assert_eq(rename(from, path_of("a")), 0);
    cr_assert(!ms_file_torn(file));
    cr_assert_eq(ms_file_bytes(file).at[99], 1);
    cr_assert_eq(unlink(path_of("a")), 0);
    cr_assert(!ms_file_torn(file));
    ms_file_close(file);
}

Test(file, faults_elsewhere_are_not_ours)
{
    struct ms_file *file;
    struct ms_error err;
    int on_stack = 0;
    write_file("a", 100);
    cr_assert(!ms_file_mend_fault(&on_stack));
    cr_assert_eq(ms_file_open(path_of("a"), &file, &err), MS_OK);
    void *at = (void *)(uintptr_t)ms_file_bytes(file).at;
    cr_assert(!ms_file_mend_fault(&on_stack));
    cr_assert(!ms_file_mend_fault(NULL));
    cr_assert(!ms_file_torn(file));
    ms_file_close(file);
    cr_assert(!ms_file_mend_fault(at)); /* not any more */
}

/* More files than one block of the registry has slots, and the slots used again. */
Test(file, many_at_once)
{
    enum { MANY = 200 };
    static struct ms_file *files[MANY];
    struct ms_error err;
    write_file("a", 100);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++)
            cr_assert_eq(ms_file_open(path_of("a"), &files[i], &err), MS_OK);
        for (int i = 0; i < MANY; i++) {
            cr_assert(ms_file_mend_fault((void *)(uintptr_t)ms_file_bytes(files[i]).at));
            cr_assert(ms_file_torn(files[i]));
            cr_assert_eq(ms_file_bytes(files[i]).at[0], 0);
        }
        for (int i = 0; i < MANY; i++)
            ms_file_close(files[i]);
    }
}

static void *open_and_close(void *path)
{
    for (int i = 0; i < 2000; i++) {
        struct ms_file *file;
        struct ms_error err;
        if (ms_file_open(path, &file, &err) != MS_OK || ms_file_torn(file))
            return path;
        /* Each thread asks about its own, so a slot given out twice would show here. */
        if (!ms_file_mend_fault((void *)(uintptr_t)ms_file_bytes(file).at) || !ms_file_torn(file))
            return path;
        ms_file_close(file);
    }
    return NULL;
}

Test(file, threads)
{
    pthread_t threads[4];
    char path[128];
    write_file("a", 100);
    strcpy(path, path_of("a"));
    for (int i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, open_and_close, path), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        cr_assert_null(failed);
    }
}
