/* Writing and checking ready indexes. */
#include "machsym/pack.h"

#include "pack/gsym_write.h"
#include "pack/msym_format.h"
#include "pack/msym_write.h"
#include "resolve/pack_build.h"
#include "resolve/pack_shell.h"

#include <string.h>

static enum ms_status add_piece(void *owner, const struct ms_piece *piece, struct ms_error *err)
{
    return ms_msym_add(owner, piece, err);
}

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
                                 uint64_t n, struct ms_sink *sink, struct ms_pack_result *result,
                                 struct ms_error *err)
{
    struct ms_text shell;
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
    struct ms_pack_request request = {options->n_workers, options->only, options->n_only};
    struct ms_pack_counts counts;
    struct ms_msym_writer *writer;
    uint64_t n = 0;
    /* Kernels and old images have code below __TEXT, so addresses count from 0. */
    struct ms_image_info info;
    ms_image_info(image, &info);
    enum ms_status status = ms_msym_writer_open(0, info.name, &writer, err);
    if (status != MS_OK)
        return status;
    status = ms_pack_build(image, &request, add_piece, writer, &counts, err);
    if (status == MS_OK) {
        unsigned flags = (options->only ? MSYM_PARTIAL : 0);
        flags |= (counts.n_broken ? MSYM_BROKEN : 0) | (counts.lost ? MSYM_LOST : 0);
        copy_counts(&counts, result);
        status = ms_msym_finish(writer, flags, &n, err);
    }
    if (status == MS_OK)
        status = write_msym(image, writer, n, sink, result, err);
    ms_msym_writer_close(writer);
    return status;
}

static enum ms_status add_to_gsym(void *owner, const struct ms_piece *piece, struct ms_error *err)
{
    return ms_gsym_add(owner, piece, err);
}

static enum ms_status pack_gsym(struct ms_image *image, const struct ms_pack_options *options,
                                struct ms_sink *sink, struct ms_pack_result *result,
                                struct ms_error *err)
{
    struct ms_pack_request request = {options->n_workers, options->only, options->n_only};
    struct ms_pack_counts counts;
    struct ms_gsym_writer *writer;
    const struct ms_macho *macho = ms_image_macho(image);
    enum ms_status status =
        ms_gsym_writer_open(macho->text_vm, macho->has_uuid ? &macho->uuid : NULL, &writer, err);
    if (status != MS_OK)
        return status;
    status = ms_pack_build(image, &request, add_to_gsym, writer, &counts, err);
    if (status == MS_OK) {
        copy_counts(&counts, result);
        status = ms_gsym_finish(writer, &result->n_bytes, &result->n_functions, err);
    }
    if (status == MS_OK && !ms_gsym_give(writer, give, sink))
        status = ms_fail(err, MS_E_IO, NULL, MS_NO_OFFSET, "the index could not be written");
    ms_gsym_writer_close(writer);
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
