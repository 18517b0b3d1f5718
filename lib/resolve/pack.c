/* Writing and checking ready indexes. */
#include "machsym/pack.h"

#include "pack/gsym_write.h"
#include "pack/msym_format.h"
#include "pack/msym_write.h"
#include "resolve/pack_build.h"
#include "resolve/pack_shell.h"

#include <string.h>

static void copy_counts(const struct ms_pack_counts *counts, struct ms_pack_result *result)
{
    result->n_units = counts->n_units;
    result->n_broken = counts->n_broken;
    result->n_functions = counts->n_pieces;
    result->first_fault = counts->first_fault;
}

static bool give(void *to, const char *bytes, size_t n)
{
    struct ms_sink *sink = to;
    sink->failed = sink->failed || !sink->write(sink->to, bytes, n);
    return !sink->failed;
}

/* Header, load commands, index. */
static enum ms_status write_msym(const struct ms_image *image, const struct ms_msym_writer *writer,
                                 struct ms_sink *sink, struct ms_pack_result *result,
                                 struct ms_error *err)
{
    struct ms_text shell;
    uint64_t n = ms_msym_bytes(writer);
    ms_text_init(&shell, SIZE_MAX / 2);
    enum ms_status status = ms_pack_shell(ms_image_macho(image), n, &shell, err);
    if (status == MS_OK) {
        result->n_bytes = shell.n + n;
        if (!give(sink, shell.at, shell.n) || !ms_msym_give(writer, give, sink))
            status = ms_fail(err, MS_E_IO, NULL, MS_NO_OFFSET, "the index could not be written");
    }
    ms_text_fini(&shell);
    return status;
}

static enum ms_status pack_msym(struct ms_image *image, const struct ms_pack_options *options,
                                struct ms_sink *sink, struct ms_pack_result *result,
                                struct ms_error *err)
{
    struct ms_pack_request request = {options->n_workers, options->only, options->n_only, true};
    struct ms_pack_counts counts;
    struct ms_spool *spool;
    struct ms_msym_writer *writer = NULL;
    struct ms_image_info info;
    ms_image_info(image, &info);
    enum ms_status status = ms_pack_build(image, &request, &spool, &counts, err);
    if (status != MS_OK)
        return status;
    copy_counts(&counts, result);
    /* Kernels and old images have code below __TEXT, so addresses count from 0. */
    struct ms_msym_choice choice = {.name = info.name, .n_workers = options->n_workers};
    choice.flags = options->only ? MSYM_PARTIAL : 0;
    choice.flags |= (counts.n_broken ? MSYM_BROKEN : 0) | (counts.lost ? MSYM_LOST : 0);
    status = ms_msym_write(spool, &choice, &writer, err);
    if (status == MS_OK)
        status = ms_image_intact(image, err); /* the strings have been read just now */
    if (status == MS_OK) {
        result->n_functions = ms_msym_functions(writer);
        status = write_msym(image, writer, sink, result, err);
    }
    ms_msym_writer_close(writer);
    ms_spool_close(spool);
    return status;
}

static enum ms_status add_to_gsym(const struct ms_spool *spool, struct ms_gsym_writer *writer,
                                  struct ms_error *err)
{
    struct ms_piece_room room;
    struct ms_piece piece;
    enum ms_status status = MS_OK;
    memset(&room, 0, sizeof room);
    for (size_t i = 0; i < ms_spool_n(spool) && status == MS_OK; i++)
        status = ms_spool_get(spool, i, &room, &piece) ? ms_gsym_add(writer, &piece, err)
                                                       : ms_fail_memory(err);
    ms_piece_room_fini(&room);
    return status;
}

static enum ms_status pack_gsym(struct ms_image *image, const struct ms_pack_options *options,
                                struct ms_sink *sink, struct ms_pack_result *result,
                                struct ms_error *err)
{
    struct ms_pack_request request = {options->n_workers, options->only, options->n_only, false};
    struct ms_pack_counts counts;
    struct ms_spool *spool;
    struct ms_gsym_writer *writer = NULL;
    const struct ms_macho *macho = ms_image_macho(image);
    enum ms_status status = ms_pack_build(image, &request, &spool, &counts, err);
    if (status != MS_OK)
        return status;
    copy_counts(&counts, result);
    status =
        ms_gsym_writer_open(macho->text_vm, macho->has_uuid ? &macho->uuid : NULL, &writer, err);
    if (status == MS_OK)
        status = add_to_gsym(spool, writer, err);
    if (status == MS_OK)
        status = ms_gsym_finish(writer, &result->n_bytes, &result->n_functions, err);
    if (status == MS_OK)
        status = ms_image_intact(image, err); /* the strings have been read just now */
    if (status == MS_OK && !ms_gsym_give(writer, give, sink))
        status = ms_fail(err, MS_E_IO, NULL, MS_NO_OFFSET, "the index could not be written");
    ms_gsym_writer_close(writer);
    ms_spool_close(spool);
    return status;
}

enum ms_status ms_image_pack(struct ms_image *image, const struct ms_pack_options *options,
                             struct ms_sink *sink, struct ms_pack_result *result,
                             struct ms_error *err)
{
    memset(result, 0, sizeof *result);
    return (options->format == MS_PACK_GSYM ? pack_gsym : pack_msym)(image, options, sink, result,
                                                                     err);
}

enum ms_status ms_image_check_index(struct ms_image *image, struct ms_pack_info *out,
                                    struct ms_error *err)
{
    struct ms_ready_index *index = ms_image_index(image);
    if (!index && image->dwarf_ready == MS_FAILED) {
        if (err)
            *err = image->dwarf_error;
        return image->dwarf_error.status;
    }
    if (!index) {
        /* One that the file doesn't hold to its end is none to look-ups. */
        const struct ms_macho *macho = &ms_image_dwarf_part(image)->macho;
        const struct ms_section *section =
            ms_macho_section(macho, MS_PACK_SEGMENT, MS_PACK_SECTION);
        struct ms_bytes bytes;
        return section ? ms_macho_section_bytes(macho, section, &bytes, err) : MS_ABSENT;
    }
    ms_ready_index_info(index, out);
    enum ms_status status = ms_ready_index_check(index, err);
    return status == MS_OK ? ms_image_intact(image, err) : status;
}
