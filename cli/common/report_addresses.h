/*
 * common/report_addresses.h: which addresses of one image some crash reports ask for.
 */
#ifndef MACHSYM_CLI_REPORT_ADDRESSES_H
#define MACHSYM_CLI_REPORT_ADDRESSES_H

#include "common/args.h"
#include "machsym/image.h"

/* As linked; ascending and each once when report_addresses_read is done. */
struct report_addresses {
    uint64_t *items;
    size_t n, room;
    size_t n_reports; /* in which the image is */
};

/*
 * Reads the reports in the files ("-" is standard input), and keeps what frames and control
 * registers ask for in the image with this UUID.
 * Returns EXIT_DONE, or an exit status after having complained.
 */
int report_addresses_read(struct report_addresses *out, const struct word_list *files,
                          const struct ms_image_info *info);
void report_addresses_fini(struct report_addresses *addresses);

#endif
