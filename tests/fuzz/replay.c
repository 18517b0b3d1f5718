/*
 * Runs a fuzz target over every file of the folders and files named, without a fuzzer, so
 * that what was once found stays fixed: `replay_fat tests/fuzz/corpus/fat`.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long n_inputs;

static int run_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    struct stat st;
    if (!in || fstat(fileno(in), &st) != 0) {
        perror(path);
        if (in)
            fclose(in);
        return 1;
    }
    /* Exactly as many bytes as the file has, so that a sanitizer sees a read past the end. */
    size_t n = (size_t)st.st_size;
    uint8_t *bytes = malloc(n ? n : 1);
    size_t got = bytes ? fread(bytes, 1, n, in) : 0;
    fclose(in);
    if (!bytes || got != n) {
        free(bytes);
        fprintf(stderr, "%s: cannot be read whole\n", path);
        return 1;
    }
    LLVMFuzzerTestOneInput(bytes, n);
    n_inputs++;
    free(bytes);
    return 0;
}

static int run(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        perror(path);
        return 1;
    }
    if (!S_ISDIR(st.st_mode))
        return run_file(path);
    DIR *dir = opendir(path);
    if (!dir) {
        perror(path);
        return 1;
    }
    int failed = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char child[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
        failed |= run(child);
    }
    closedir(dir);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= run(argv[i]);
    printf("%s: %lu inputs replayed\n", argv[0], n_inputs);
    return failed;
}
