/*
 * common/helper_server.h: a helper program that stays, to be asked for one thing after another:
 * what starting it costs is paid once. Each is done by a child of its own; see lib/base/serve.h.
 */
#ifndef MACHSYM_CLI_HELPER_SERVER_H
#define MACHSYM_CLI_HELPER_SERVER_H

#include "common/program.h"

#include <sys/types.h>

struct helper_request {
    const char *const *arguments; /* NULL-terminated, without the program's name */
    unsigned cpu_seconds;
    uint64_t memory_bytes;
    int output, messages; /* descriptors, which stay open here */
};

/*
 * Has the program at `path` begin with it. Returns the process that does, which may be killed until
 * helper_server_wait; -1: it can't be asked so, and is to be run in the ordinary way, as it is the
 * first time, when nothing says that there will be more.
 */
pid_t helper_server_ask(const char *path, const struct helper_request *request);

/* Waits until what was begun last has ended. */
void helper_server_wait(const char *path, struct helper_end *end);

#endif
