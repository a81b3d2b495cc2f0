// SPDX-License-Identifier: Apache-2.0
//
// Walking through the bytes of a file: words, numbers, lines and binary blocks, each checked
// against what is left, with failures that name the place.
//
// A scan never copies and never allocates. Text is seen as words between blanks. In line mode a
// value must stand on the current line, and pli_scan_end_line goes on to the next one; otherwise
// line ends are blanks like others. Lines end with "\n", "\r\n" or "\r"; a UTF-8 mark at the start
// is skipped. Line numbers are only counted when a failure needs one.
//
// Failures have the form "file:line: what is wrong, and what would be right", or "file: byte n:"
// inside binary blocks (counted from 0), with status PLI_ERROR_MESH. After a failure a scan must
// not be used any more, except to say more about the place.
#ifndef PLI_IO_FILE_SCAN_H
#define PLI_IO_FILE_SCAN_H

#include "base/context.h"

#include <string.h>

typedef struct pli_scan {
    pli_context *context;
    const char *source; // name of the file in messages
    const char *begin;
    const char *end;
    const char *next;  // first byte that was not read yet
    const char *place; // what failures point at: where the value read last begins
    char comment;      // starts a comment that ends with the line; 0: there are none
    bool by_lines;     // values do not continue on the next line
    bool continued;    // unless the line ends with a backslash
    bool binary;       // in a binary block: failures count bytes instead of lines
    bool big_endian;   // byte order of binary blocks
    bool commas;       // are blanks
} pli_scan;

// A piece of the file. Lifetime: that of its bytes.
typedef struct pli_span {
    const char *text;
    int64_t length;
} pli_span;

void pli_scan_init(pli_scan *scan, pli_context *context, const char *source, const char *bytes,
                   int64_t count);

// Records a failure at scan->place.
#define PLI_SCAN_FAIL(scan, ...) pli_scan_fail((scan), __FILE__, __LINE__, __VA_ARGS__)
pli_status pli_scan_fail(const pli_scan *scan, const char *file, int line, const char *format, ...)
    PLI_PRINTF(4, 5);

// Records that the word at scan->place is not `what` should be; `needed` says what would be right.
pli_status pli_scan_fail_word(const pli_scan *scan, const char *what, const char *needed);

// Number of the line that holds this byte of the file, counted from 1.
int64_t pli_scan_line_of(const pli_scan *scan, const char *byte);

// Lines that end between two bytes of the file.
int64_t pli_scan_lines_between(const pli_scan *scan, const char *from, const char *to);

// Bytes that were not read yet.
static inline int64_t pli_scan_left(const pli_scan *scan)
{
    return scan->end - scan->next;
}

// ---- text ----

// Skips blanks, line ends and comments, whatever the mode; false at the end of the file.
bool pli_scan_skip_blank(pli_scan *scan);

// Whether a further value stands on this line; skips blanks before it.
bool pli_scan_has_value(pli_scan *scan);

// The next word: bytes up to a blank. `what` says what the word is, as in "the cell type".
PLI_CHECKED pli_status pli_scan_word(pli_scan *scan, const char *what, pli_span *word);

// A word that is a whole number within [min, max].
PLI_CHECKED pli_status pli_scan_integer(pli_scan *scan, const char *what, int64_t min, int64_t max,
                                        int64_t *value);

// A word that is a finite number.
PLI_CHECKED pli_status pli_scan_real(pli_scan *scan, const char *what, double *value);
PLI_CHECKED pli_status pli_scan_reals(pli_scan *scan, const char *what, int32_t count,
                                      double *values);

// Consumes the next word if it is this one (upper and lower case are the same).
bool pli_scan_accept(pli_scan *scan, const char *word);

// The next word must be this one; `what` says what it is, as in "the end of the list".
PLI_CHECKED pli_status pli_scan_expect(pli_scan *scan, const char *word, const char *what);

// Nothing more may stand on this line; goes to the next one that is not blank.
PLI_CHECKED pli_status pli_scan_end_line(pli_scan *scan);

// The rest of the line as it is, without blanks at either end; goes to the start of the next line.
pli_span pli_scan_rest_of_line(pli_scan *scan);

// A number of items that follow, each of at least min_bytes: it must fit into what is left of the
// file and into an int32_t.
PLI_CHECKED pli_status pli_scan_count(pli_scan *scan, const char *what, int64_t min_bytes,
                                      int64_t *count);
PLI_CHECKED pli_status pli_scan_check_count(const pli_scan *scan, const char *what,
                                            int64_t min_bytes, int64_t count);

// Whether a span is this word; upper and lower case are the same.
bool pli_span_is(pli_span span, const char *word);
bool pli_span_starts(pli_span span, const char *word);

// ---- binary ----

// Ends the current line where a binary block begins right after it: at "\n" or "\r\n" only. Until
// pli_scan_end_binary, which goes on to the next text, the scan is in that block.
PLI_CHECKED pli_status pli_scan_begin_binary(pli_scan *scan);
void pli_scan_end_binary(pli_scan *scan);

// The next count bytes.
PLI_CHECKED pli_status pli_scan_take(pli_scan *scan, const char *what, int64_t count,
                                     const char **bytes);

// The types of numbers that binary formats name.
typedef enum pli_scalar {
    PLI_SCALAR_I8,
    PLI_SCALAR_U8,
    PLI_SCALAR_I16,
    PLI_SCALAR_U16,
    PLI_SCALAR_I32,
    PLI_SCALAR_U32,
    PLI_SCALAR_I64,
    PLI_SCALAR_U64,
    PLI_SCALAR_F32,
    PLI_SCALAR_F64
} pli_scalar;

int32_t pli_scalar_size(pli_scalar type);
bool pli_scalar_is_integer(pli_scalar type);
double pli_scalar_load_real(pli_scalar type, const char *bytes, bool big_endian);

// Numbers that do not fit saturate; floating-point types are cut to whole numbers.
int64_t pli_scalar_load_integer(pli_scalar type, const char *bytes, bool big_endian);

// what a format calls a type
typedef struct pli_scalar_name {
    const char *name;
    pli_scalar type;
} pli_scalar_name;

// A word that is one of these names, which a NULL ends; `needed` says what would be right.
PLI_CHECKED pli_status pli_scan_type(pli_scan *scan, const char *what, const char *needed,
                                     const pli_scalar_name *names, pli_scalar *type);

// ---- text or binary, whichever the scan is in

// A finite number in text; any number of this type in a binary block.
PLI_CHECKED pli_status pli_scan_value(pli_scan *scan, const char *what, pli_scalar type,
                                      double *value);

// A whole number within [min, max] in text; any number of this type in a binary block.
PLI_CHECKED pli_status pli_scan_whole_value(pli_scan *scan, const char *what, pli_scalar type,
                                            int64_t min, int64_t max, int64_t *value);

#endif
