/**
 * base/serve.h: a helper program that is asked for one thing after another, on a socket. A child
 * does each, under limits of its own: what dies, or goes round in circles, takes nothing else
 * along, and what starting the program costs is paid once.
 *
 * A request is a struct ms_serve_request, sent with two descriptors, the child's standard output
 * and error; then the arguments, each with its NUL. The answer are two int64_t: the child's process
 * id, below 0 when there is none; and once it has ended its exit status, or minus the signal that
 * ended it. Until the next request its process id is no other process's, so that it may be killed.
 */
#ifndef MS_BASE_SERVE_H
#define MS_BASE_SERVE_H

#include <stdint.h>

struct ms_serve_request {
    uint64_t n_bytes; /* of arguments */
    uint64_t cpu_seconds, memory_bytes;
};

enum { MS_SERVE_MAX_ARGUMENTS = 32, MS_SERVE_MAX_BYTES = 1 << 20 };

/** What one child does: as main, with the program's own name in argv[0]. */
typedef int ms_serve_run(int argc, char **argv);

/**
 * Serves until the other end of the socket is closed. Returns an exit status.
 * @param socket  its number as text, as on the command line
 */
int ms_serve(const char *socket, char *program, ms_serve_run *run);

#endif
