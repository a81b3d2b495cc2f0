// SPDX-License-Identifier: Apache-2.0
#include "check_frames.h"

#include "json.h"
#include "signals.h"

#include "pliant/io.h"

#include <inttypes.h>

typedef struct listener {
    pli_cli_session *session;
    pli_cli_json json;
} listener;

// ---- lines

// "3 intersections", with a comma before all but the first
static void print_count(bool *first, int64_t count, const char *one, const char *many)
{
    printf("%s%" PRId64 " %s", *first ? "" : ", ", count, count == 1 ? one : many);
    *first = false;
}

// Intersections and inverted tetrahedra always, the rarer kinds when there are any.
static void print_counts(int64_t intersections, int64_t inverted, int64_t flat, int64_t lost)
{
    bool first = true;
    print_count(&first, intersections, "intersection", "intersections");
    print_count(&first, inverted, "inverted tetrahedron", "inverted tetrahedra");
    if (flat > 0) print_count(&first, flat, "triangle without area", "triangles without area");
    if (lost > 0)
        print_count(&first, lost, "point that is not finite", "points that are not finite");
}

static void print_pair(const pli_found_pair *pair)
{
    for (int i = 0; i < 2; ++i) {
        const pli_found_cell *cell = &pair->cells[i];
        printf("%s%s cell %d (vertices %d %d %d)", i > 0 ? " meets " : "", cell->part,
               (int)cell->cell, (int)cell->vertices[0], (int)cell->vertices[1],
               (int)cell->vertices[2]);
    }
    printf(" near (%.6g, %.6g, %.6g)", pair->place[0], pair->place[1], pair->place[2]);
}

static void print_tet(const pli_found_cell *tet)
{
    printf("%s tetrahedron %d (vertices %d %d %d %d) is inverted", tet->part, (int)tet->cell,
           (int)tet->vertices[0], (int)tet->vertices[1], (int)tet->vertices[2],
           (int)tet->vertices[3]);
}

// A line with the first finding; with --verbose, the first few of each kind in lines of their own.
static void print_findings(const pli_frame_findings *findings, bool verbose)
{
    printf("frame %d, %.6g s: ", (int)findings->index, findings->time);
    print_counts(findings->intersection_count, findings->inverted_count, findings->flat_count,
                 findings->lost_count);
    if (!verbose && findings->pairs_shown > 0) {
        printf("; ");
        print_pair(&findings->pairs[0]);
    } else if (!verbose && findings->inverted_shown > 0) {
        printf("; ");
        print_tet(&findings->inverted[0]);
    }
    printf("\n");
    for (int32_t i = 0; verbose && i < findings->pairs_shown; ++i) {
        printf("  ");
        print_pair(&findings->pairs[i]);
        printf("\n");
    }
    for (int32_t i = 0; verbose && i < findings->inverted_shown; ++i) {
        printf("  ");
        print_tet(&findings->inverted[i]);
        printf("\n");
    }
}

// ---- JSON

static void put_cell(pli_cli_json *json, const pli_found_cell *cell, int32_t vertex_count)
{
    pli_cli_json_begin(json, NULL, '{');
    pli_cli_json_text(json, "part", cell->part);
    pli_cli_json_integer(json, "cell", cell->cell);
    pli_cli_json_begin(json, "vertices", '[');
    for (int32_t k = 0; k < vertex_count; ++k) {
        pli_cli_json_integer(json, NULL, cell->vertices[k]);
    }
    pli_cli_json_end(json, ']');
    pli_cli_json_end(json, '}');
}

static void put_pair(pli_cli_json *json, const pli_found_pair *pair)
{
    pli_cli_json_begin(json, NULL, '{');
    pli_cli_json_begin(json, "triangles", '[');
    for (int i = 0; i < 2; ++i) put_cell(json, &pair->cells[i], 3);
    pli_cli_json_end(json, ']');
    pli_cli_json_begin(json, "place", '[');
    for (int k = 0; k < 3; ++k) pli_cli_json_real(json, NULL, pair->place[k]);
    pli_cli_json_end(json, ']');
    pli_cli_json_end(json, '}');
}

static void put_counts(pli_cli_json *json, int64_t intersections, int64_t inverted, int64_t flat,
                       int64_t lost)
{
    pli_cli_json_integer(json, "intersections", intersections);
    pli_cli_json_integer(json, "inverted", inverted);
    pli_cli_json_integer(json, "flat", flat);
    pli_cli_json_integer(json, "lost", lost);
}

static void put_findings(pli_cli_json *json, const pli_frame_findings *findings)
{
    pli_cli_json_begin(json, NULL, '{');
    pli_cli_json_integer(json, "frame", findings->index);
    pli_cli_json_real(json, "time", findings->time);
    put_counts(json, findings->intersection_count, findings->inverted_count, findings->flat_count,
               findings->lost_count);
    pli_cli_json_begin(json, "pairs", '[');
    for (int32_t i = 0; i < findings->pairs_shown; ++i) put_pair(json, &findings->pairs[i]);
    pli_cli_json_end(json, ']');
    pli_cli_json_begin(json, "tetrahedra", '[');
    for (int32_t i = 0; i < findings->inverted_shown; ++i) {
        put_cell(json, &findings->inverted[i], 4);
    }
    pli_cli_json_end(json, ']');
    pli_cli_json_end(json, '}');
}

static void put_report(pli_cli_json *json, const pli_check_report *report)
{
    pli_cli_json_integer(json, "frames", report->frame_count);
    pli_cli_json_integer(json, "bad_frames", report->bad_frame_count);
    pli_cli_json_integer(json, "triangles", report->triangle_count);
    pli_cli_json_integer(json, "tetrahedra", report->tet_count);
    pli_cli_json_integer(json, "particles", report->particle_count);
    put_counts(json, report->intersection_count, report->inverted_count, report->flat_count,
               report->lost_count);
}

// ---- the command

static void hear_findings(void *user, const pli_frame_findings *findings)
{
    listener *l = user;
    const pli_cli_arguments *arguments = &l->session->arguments;
    pli_cli_console *console = &l->session->console;
    if (!findings->is_clean) {
        pli_cli_set_status(console, "");
        if (arguments->json) {
            put_findings(&l->json, findings);
        } else if (!arguments->quiet) {
            print_findings(findings, arguments->verbose > 0);
            fflush(stdout);
        }
    }
    char line[64];
    snprintf(line, sizeof line, "checked frame %d", (int)findings->index);
    pli_cli_set_status(console, line);
}

// What a failure or the findings amount to.
static int judge(pli_cli_session *session, pli_status status, const pli_check_report *report)
{
    if (status == PLI_ERROR_INTERRUPTED) {
        pli_cli_error(&session->console, "stopped by %s after %d frames", pli_cli_stop_signal(),
                      (int)report->frame_count);
        return PLI_CLI_INTERRUPTED;
    }
    if (status != PLI_OK) return pli_cli_report(session, status);
    if (report->triangle_count == 0 && report->lost_count == 0) {
        pli_cli_warn(&session->console, "the frames have no surfaces: %s",
                     report->particle_count > 0 ? "of particles only the coordinates were tested"
                                                : "nothing was tested");
    }
    return report->bad_frame_count > 0 ? PLI_CLI_BROKEN : PLI_CLI_DONE;
}

int pli_cli_check_frames(pli_cli_session *session, const char *folder)
{
    pli_cli_signals_catch();
    const pli_cli_arguments *arguments = &session->arguments;
    listener l = {.session = session};
    pli_check_def def = {0};
    def.folder = folder;
    if (arguments->every.given) def.every = arguments->every.value;
    def.colliders = arguments->with_colliders;
    def.stop_at_first = arguments->stop_at_first;
    def.findings = hear_findings;
    def.findings_user = &l;
    def.cancel = pli_cli_ask_cancel;

    pli_cli_json_init(&l.json, stdout);
    if (arguments->json) {
        pli_cli_json_begin(&l.json, NULL, '{');
        pli_cli_json_begin(&l.json, "findings", '[');
    }
    pli_check_report report;
    pli_status status = pli_frames_check(session->context, &def, &report);
    pli_cli_set_status(&session->console, "");
    if (arguments->json) {
        pli_cli_json_end(&l.json, ']');
        put_report(&l.json, &report);
        pli_cli_json_end(&l.json, '}');
    } else if (!arguments->quiet && report.frame_count > 0) {
        printf("%d frame%s, ", (int)report.frame_count, report.frame_count == 1 ? "" : "s");
        print_counts(report.intersection_count, report.inverted_count, report.flat_count,
                     report.lost_count);
        printf("\n");
    }
    return judge(session, status, &report);
}
