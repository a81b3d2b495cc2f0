// SPDX-License-Identifier: Apache-2.0
#include "io/file/scan.h"

#include "base/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

enum {
    SHOWN_BYTES = 40 // of a wrong word in a message
};

void pli_scan_init(pli_scan *scan, pli_context *context, const char *source, const char *bytes,
                   int64_t count)
{
    *scan = (pli_scan){.context = context, .source = source, .begin = bytes, .end = bytes + count};
    bool marked = count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
    scan->next = marked ? bytes + 3 : bytes;
    scan->place = scan->next;
}

int64_t pli_scan_lines_between(const pli_scan *scan, const char *from, const char *to)
{
    int64_t count = 0;
    for (const char *c = from; c < to; ++c) {
        bool pair = *c == '\r' && c + 1 < scan->end && c[1] == '\n';
        count += *c == '\n' || (*c == '\r' && !pair);
    }
    return count;
}

int64_t pli_scan_line_of(const pli_scan *scan, const char *byte)
{
    return 1 + pli_scan_lines_between(scan, scan->begin, byte);
}

pli_status pli_scan_fail(const pli_scan *scan, const char *file, int line, const char *format, ...)
{
    char text[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (scan->binary) {
        return pli_context_fail(scan->context, PLI_ERROR_MESH, file, line, "%s: byte %lld: %s",
                                scan->source, (long long)(scan->place - scan->begin), text);
    }
    return pli_context_fail(scan->context, PLI_ERROR_MESH, file, line, "%s:%lld: %s", scan->source,
                            (long long)pli_scan_line_of(scan, scan->place), text);
}

// ---- text ----

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(const pli_scan *scan, char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || (c == ',' && scan->commas);
}

static bool is_word_end(const pli_scan *scan, const char *c)
{
    return c >= scan->end || is_blank(scan, *c) || is_line_end(*c) ||
           (*c == scan->comment && scan->comment != '\0');
}

static void skip_to_line_end(pli_scan *scan)
{
    while (scan->next < scan->end && !is_line_end(*scan->next)) ++scan->next;
}

// Consumes one line end, of any kind.
static void skip_line_end(pli_scan *scan)
{
    if (pli_scan_left(scan) >= 2 && scan->next[0] == '\r' && scan->next[1] == '\n') ++scan->next;
    if (scan->next < scan->end) ++scan->next;
}

static bool is_continuation(const pli_scan *scan)
{
    return scan->continued && pli_scan_left(scan) >= 2 && scan->next[0] == '\\' &&
           is_line_end(scan->next[1]);
}

// Skips blanks and, at the end of a line, its comment.
static void skip_in_line(pli_scan *scan)
{
    while (scan->next < scan->end && (is_blank(scan, *scan->next) || is_continuation(scan))) {
        if (*scan->next++ == '\\') skip_line_end(scan);
    }
    if (scan->comment != '\0' && scan->next < scan->end && *scan->next == scan->comment) {
        skip_to_line_end(scan);
    }
}

bool pli_scan_skip_blank(pli_scan *scan)
{
    skip_in_line(scan);
    while (scan->next < scan->end && is_line_end(*scan->next)) {
        ++scan->next;
        skip_in_line(scan);
    }
    scan->place = scan->next;
    return scan->next < scan->end;
}

bool pli_scan_has_value(pli_scan *scan)
{
    if (!scan->by_lines) return pli_scan_skip_blank(scan);
    skip_in_line(scan);
    scan->place = scan->next;
    return scan->next < scan->end && !is_line_end(*scan->next);
}

// A word as it can be shown in a message.
static void show_word(const pli_scan *scan, char shown[SHOWN_BYTES + 4])
{
    int64_t length = 0;
    const char *c = scan->place;
    for (; !is_word_end(scan, c) && length < SHOWN_BYTES; ++c) {
        shown[length++] = *c >= ' ' && *c <= '~' ? *c : '?';
    }
    strcpy(shown + length, is_word_end(scan, c) ? "" : "...");
}

pli_status pli_scan_fail_word(const pli_scan *scan, const char *what, const char *needed)
{
    if (scan->place >= scan->end) {
        return PLI_SCAN_FAIL(scan, "the file ends where %s should be; %s is needed", what, needed);
    }
    if (is_line_end(*scan->place)) {
        return PLI_SCAN_FAIL(scan, "the line ends where %s should be; %s is needed", what, needed);
    }
    char shown[SHOWN_BYTES + 4];
    show_word(scan, shown);
    return PLI_SCAN_FAIL(scan, "found '%s' where %s should be; %s is needed", shown, what, needed);
}

pli_status pli_scan_word(pli_scan *scan, const char *what, pli_span *word)
{
    *word = (pli_span){scan->next, 0};
    if (!pli_scan_has_value(scan)) return pli_scan_fail_word(scan, what, "a word");
    const char *c = scan->next;
    while (!is_word_end(scan, c)) ++c;
    *word = (pli_span){scan->next, c - scan->next};
    scan->next = c;
    return PLI_OK;
}

pli_status pli_scan_integer(pli_scan *scan, const char *what, int64_t min, int64_t max,
                            int64_t *value)
{
    *value = 0;
    if (!pli_scan_has_value(scan)) return pli_scan_fail_word(scan, what, "a whole number");
    const char *stop = pli_integer_parse(scan->next, scan->end, value);
    bool whole = stop > scan->next && is_word_end(scan, stop);
    if (whole && *value >= min && *value <= max) {
        scan->next = stop;
        return PLI_OK;
    }
    char needed[96] = "a whole number";
    if (whole && min > max) {
        snprintf(needed, sizeof needed, "an earlier item to refer to");
    } else if (whole && max == INT64_MAX) {
        snprintf(needed, sizeof needed, "at least %lld", (long long)min);
    } else if (whole) {
        snprintf(needed, sizeof needed, "a number from %lld to %lld", (long long)min,
                 (long long)max);
    }
    return pli_scan_fail_word(scan, what, needed);
}

pli_status pli_scan_real(pli_scan *scan, const char *what, double *value)
{
    *value = 0;
    if (!pli_scan_has_value(scan)) return pli_scan_fail_word(scan, what, "a number");
    const char *stop = pli_number_parse(scan->next, scan->end, value);
    if (stop == scan->next || !is_word_end(scan, stop)) {
        return pli_scan_fail_word(scan, what, "a finite number");
    }
    if (!isfinite(*value)) return pli_scan_fail_word(scan, what, "a number below 1.8e308");
    scan->next = stop;
    return PLI_OK;
}

pli_status pli_scan_reals(pli_scan *scan, const char *what, int32_t count, double *values)
{
    for (int32_t i = 0; i < count; ++i) PLI_TRY(pli_scan_real(scan, what, &values[i]));
    return PLI_OK;
}

bool pli_scan_accept(pli_scan *scan, const char *word)
{
    if (!pli_scan_has_value(scan)) return false;
    int64_t length = (int64_t)strlen(word);
    if (pli_scan_left(scan) < length || strncasecmp(scan->next, word, (size_t)length) != 0) {
        return false;
    }
    if (!is_word_end(scan, scan->next + length)) return false;
    scan->next += length;
    return true;
}

pli_status pli_scan_expect(pli_scan *scan, const char *word, const char *what)
{
    if (pli_scan_accept(scan, word)) return PLI_OK;
    char needed[96];
    snprintf(needed, sizeof needed, "'%s'", word);
    return pli_scan_fail_word(scan, what, needed);
}

pli_status pli_scan_end_line(pli_scan *scan)
{
    skip_in_line(scan);
    scan->place = scan->next;
    if (scan->next < scan->end && !is_line_end(*scan->next)) {
        char shown[SHOWN_BYTES + 4];
        show_word(scan, shown);
        return PLI_SCAN_FAIL(scan,
                             "found '%s' after the last value of this line; nothing more may "
                             "stand here",
                             shown);
    }
    (void)pli_scan_skip_blank(scan);
    return PLI_OK;
}

pli_span pli_scan_rest_of_line(pli_scan *scan)
{
    while (scan->next < scan->end && is_blank(scan, *scan->next)) ++scan->next;
    const char *begin = scan->next;
    skip_to_line_end(scan);
    const char *end = scan->next;
    while (end > begin && is_blank(scan, end[-1])) --end;
    skip_line_end(scan);
    scan->place = begin;
    return (pli_span){begin, end - begin};
}

pli_status pli_scan_check_count(const pli_scan *scan, const char *what, int64_t min_bytes,
                                int64_t count)
{
    // the last item of a text file may lack the blank after it
    int64_t fitting = (pli_scan_left(scan) + 1) / min_bytes;
    if (count < 0 || count > INT32_MAX) {
        return PLI_SCAN_FAIL(scan, "%lld %s are announced; the number must lie between 0 and %d",
                             (long long)count, what, INT32_MAX);
    }
    if (count > fitting) {
        return PLI_SCAN_FAIL(scan,
                             "%lld %s are announced, but the %lld bytes that follow hold at most "
                             "%lld; the file is cut short or the number is wrong",
                             (long long)count, what, (long long)pli_scan_left(scan),
                             (long long)fitting);
    }
    return PLI_OK;
}

pli_status pli_scan_count(pli_scan *scan, const char *what, int64_t min_bytes, int64_t *count)
{
    char number_of[96];
    snprintf(number_of, sizeof number_of, "the number of %s", what);
    PLI_TRY(pli_scan_integer(scan, number_of, 0, INT32_MAX, count));
    return pli_scan_check_count(scan, what, min_bytes, *count);
}

bool pli_span_starts(pli_span span, const char *word)
{
    size_t length = strlen(word);
    return span.length >= (int64_t)length && strncasecmp(span.text, word, length) == 0;
}

bool pli_span_is(pli_span span, const char *word)
{
    return span.length == (int64_t)strlen(word) && pli_span_starts(span, word);
}

// ---- binary ----

pli_status pli_scan_begin_binary(pli_scan *scan)
{
    while (scan->next < scan->end && is_blank(scan, *scan->next)) ++scan->next;
    scan->place = scan->next;
    if (pli_scan_left(scan) >= 2 && scan->next[0] == '\r' && scan->next[1] == '\n') ++scan->next;
    if (scan->next >= scan->end || *scan->next != '\n') {
        return pli_scan_fail_word(scan, "the end of the line before binary data", "a line feed");
    }
    ++scan->next;
    scan->binary = true;
    return PLI_OK;
}

void pli_scan_end_binary(pli_scan *scan)
{
    scan->binary = false;
    (void)pli_scan_skip_blank(scan);
}

pli_status pli_scan_take(pli_scan *scan, const char *what, int64_t count, const char **bytes)
{
    *bytes = scan->next;
    scan->place = scan->next;
    if (count < 0 || count > pli_scan_left(scan)) {
        return PLI_SCAN_FAIL(scan,
                             "%s should be here, %lld bytes long, but only %lld bytes are left; "
                             "the file is cut short",
                             what, (long long)count, (long long)pli_scan_left(scan));
    }
    scan->next += count;
    return PLI_OK;
}

int32_t pli_scalar_size(pli_scalar type)
{
    static const int32_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[type];
}

bool pli_scalar_is_integer(pli_scalar type)
{
    return type != PLI_SCALAR_F32 && type != PLI_SCALAR_F64;
}

static int64_t cut_to_integer(double value)
{
    // 2^63 and beyond, and what is not a number
    if (!(value < 9.2e18)) return INT64_MAX;
    return value > -9.2e18 ? (int64_t)value : INT64_MIN;
}

// The bits of a number of so many bytes.
static uint64_t load_bits(const char *bytes, int32_t size, bool big_endian)
{
    uint64_t bits = 0;
    for (int32_t k = 0; k < size; ++k) {
        uint64_t byte = (unsigned char)bytes[big_endian ? size - 1 - k : k];
        bits |= byte << 8 * k;
    }
    return bits;
}

int64_t pli_scalar_load_integer(pli_scalar type, const char *bytes, bool big_endian)
{
    if (!pli_scalar_is_integer(type)) {
        return cut_to_integer(pli_scalar_load_real(type, bytes, big_endian));
    }
    uint64_t bits = load_bits(bytes, pli_scalar_size(type), big_endian);
    switch (type) {
    case PLI_SCALAR_I8: return (int8_t)bits;
    case PLI_SCALAR_I16: return (int16_t)bits;
    case PLI_SCALAR_I32: return (int32_t)bits;
    case PLI_SCALAR_I64: return (int64_t)bits;
    default: return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
    }
}

double pli_scalar_load_real(pli_scalar type, const char *bytes, bool big_endian)
{
    uint64_t bits = load_bits(bytes, pli_scalar_size(type), big_endian);
    if (type == PLI_SCALAR_F32) {
        uint32_t low = (uint32_t)bits;
        float value;
        memcpy(&value, &low, sizeof value);
        return (double)value;
    }
    if (type == PLI_SCALAR_F64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    return (double)pli_scalar_load_integer(type, bytes, big_endian);
}

pli_status pli_scan_type(pli_scan *scan, const char *what, const char *needed,
                         const pli_scalar_name *names, pli_scalar *type)
{
    pli_span word;
    *type = PLI_SCALAR_F64;
    PLI_TRY(pli_scan_word(scan, what, &word));
    for (; names->name != NULL; ++names) {
        if (!pli_span_is(word, names->name)) continue;
        *type = names->type;
        return PLI_OK;
    }
    return pli_scan_fail_word(scan, what, needed);
}

pli_status pli_scan_value(pli_scan *scan, const char *what, pli_scalar type, double *value)
{
    *value = 0;
    if (!scan->binary) return pli_scan_real(scan, what, value);
    const char *bytes = NULL;
    PLI_TRY(pli_scan_take(scan, what, pli_scalar_size(type), &bytes));
    *value = pli_scalar_load_real(type, bytes, scan->big_endian);
    return PLI_OK;
}

pli_status pli_scan_whole_value(pli_scan *scan, const char *what, pli_scalar type, int64_t min,
                                int64_t max, int64_t *value)
{
    *value = 0;
    if (!scan->binary) return pli_scan_integer(scan, what, min, max, value);
    const char *bytes = NULL;
    PLI_TRY(pli_scan_take(scan, what, pli_scalar_size(type), &bytes));
    *value = pli_scalar_load_integer(type, bytes, scan->big_endian);
    return PLI_OK;
}
