// SPDX-License-Identifier: Apache-2.0
//
// Reports of made-up steps: added directly, read out of lines of a log, written as a page.
#ifndef PLI_TESTS_REPORT_PAGES_H
#define PLI_TESTS_REPORT_PAGES_H

#include "folder.h"

#include "io/report/report.h"
#include "io/run/run_log.h"

typedef pli_step_report (*step_maker)(int64_t number);

static inline void make_report(folder_fixture *fix, step_maker make, int64_t count,
                               pli_report *report)
{
    OK(fix->context, pli_report_init(report, fix->context));
    for (int64_t i = 1; i <= count; ++i) {
        pli_step_report step = make(i);
        pli_report_add(report, &step);
    }
}

static inline void add_lines(folder_fixture *fix, const char *const *lines, size_t count,
                             pli_report *report)
{
    pli_json json = {.context = fix->context};
    OK(fix->context, pli_report_init(report, fix->context));
    for (size_t k = 0; k < count; ++k) {
        OK(fix->context, pli_json_parse(&json, lines[k], (int64_t)strlen(lines[k])));
        pli_report_add_line(report, &json);
    }
    pli_json_clear(&json);
}

static inline void hear_line(void *user, const pli_json *line)
{
    pli_report_add_line(user, line);
}

// A report of the log in the folder, of which this many steps stay.
static inline void read_log(folder_fixture *fix, int64_t keep, pli_report *report)
{
    pli_log *log = NULL;
    pli_log_def def = {.path = in_folder(fix, "steps.jsonl"),
                       .keep = keep,
                       .heard = hear_line,
                       .heard_user = report};
    OK(fix->context, pli_report_init(report, fix->context));
    OK(fix->context, pli_log_create(fix->context, &def, &log));
    pli_log_destroy(log);
}

static inline pli_log *new_log(folder_fixture *fix)
{
    pli_log *log = NULL;
    pli_log_def def = {.path = in_folder(fix, "steps.jsonl"), .keep = -1};
    OK(fix->context, pli_log_create(fix->context, &def, &log));
    return log;
}

// Writes the lines of steps into the log and reads them into a report.
static inline void replay(folder_fixture *fix, step_maker make, int64_t count, pli_report *report)
{
    pli_log *log = new_log(fix);
    pli_text text;
    pli_text_init(&text, fix->context);
    for (int64_t i = 1; i <= count; ++i) {
        pli_step_report step = make(i);
        pli_log_append_step(&text, &step);
    }
    OK(fix->context, pli_log_append(log, text.bytes, text.length));
    pli_text_clear(&text);
    pli_log_destroy(log);
    read_log(fix, count, report);
}

static inline pli_status write_report(pli_context *context, const pli_report *report,
                                      const pli_report_facts *facts, const char *path)
{
    pli_text text;
    pli_text_init(&text, context);
    pli_report_append(&text, report, facts);
    pli_status status = text.failed ? PLI_ERROR_MEMORY : PLI_OK;
    if (status == PLI_OK) write_bytes(path, text.bytes, (size_t)text.length);
    pli_text_clear(&text);
    return status;
}

// The page as it was written, to be freed.
static inline char *page_of(folder_fixture *fix, const pli_report *report,
                            const pli_report_facts *facts)
{
    size_t count = 0;
    OK(fix->context, write_report(fix->context, report, facts, in_folder(fix, "report.html")));
    return read_bytes(in_folder(fix, "report.html"), &count);
}

// The object has these keys, separated by spaces, in this order and no others.
static inline void expect_keys(const pli_json *json, const pli_json_node *object, const char *keys)
{
    char all[512] = "";
    const pli_json_node *node = pli_json_child(json, object);
    for (; node != NULL; node = pli_json_next(json, node)) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", used > 0 ? " " : "", node->key);
    }
    assert_string_equal(all, keys);
}

#endif
