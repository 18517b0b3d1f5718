/* Comparing the paths that tools print, cut short or with parts blotted out, with real ones. */
#include "machsym/imagelist.h"

#include "base/limits.h"

#include <string.h>

/*
 * What stands for left-out text at the start of `pattern`: "*" of redaction, "..." of vmmap
 * where it lacks room, and the same as one character. Returns its length, 0 for none.
 */
static size_t gap(const char *pattern)
{
    if (pattern[0] == '*')
        return 1;
    if (strncmp(pattern, "...", 3) == 0 || strncmp(pattern, "\xe2\x80\xa6", 3) == 0)
        return 3;
    return 0;
}

/* Whether the pattern, with its gaps filled somehow, is the text. Time: the product of both. */
static bool fits(const char *pattern, const char *text)
{
    const char *retry_pattern = NULL, *retry_text = NULL;
    while (*text) {
        size_t n = gap(pattern);
        if (n) {
            retry_pattern = pattern += n;
            retry_text = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (retry_pattern) { /* let the last gap take one byte more */
            pattern = retry_pattern;
            text = ++retry_text;
        } else {
            return false;
        }
    }
    for (size_t n; (n = gap(pattern));)
        pattern += n;
    return !*pattern;
}

/* macOS prints both /var and the /private/var that it is a link to. */
static const char *without_private(const char *path)
{
    return strncmp(path, "/private/", 9) == 0 ? path + 8 : path;
}

/* "/Users/USER/…" with the user's name blotted out: tries the one of the wanted path. */
static bool fits_user(const char *pattern, const char *wanted)
{
    static const char blotted[] = "/Users/USER/", users[] = "/Users/";
    if (strncmp(pattern, blotted, sizeof blotted - 1) != 0 ||
        strncmp(wanted, users, sizeof users - 1) != 0)
        return false;
    const char *slash = strchr(wanted + sizeof users - 1, '/');
    return slash && fits(pattern + sizeof blotted - 2, slash);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool ms_image_path_matches(const char *path, const char *wanted)
{
    if (!path || !wanted || !*path || !*wanted || strlen(path) > MS_MAX_PATH ||
        strlen(wanted) > MS_MAX_PATH)
        return false;
    if (strchr(wanted, '/')) {
        path = without_private(path);
        wanted = without_private(wanted);
        return fits(path, wanted) || fits_user(path, wanted);
    }
    /* A last part that is nothing but a gap could be any file: that is no match. */
    const char *last = last_part(path);
    bool says_something = false;
    for (const char *at = last; *at && !says_something;) {
        size_t n = gap(at);
        at += n;
        says_something = !n;
    }
    return says_something && fits(last, wanted);
}
