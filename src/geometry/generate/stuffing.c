// SPDX-License-Identifier: Apache-2.0
#include "geometry/generate/stuffing.h"

#include "base/parallel.h"
#include "geometry/generate/cutting.h"

#include <stdio.h>

enum {
    SEARCH_STEPS = 12, // tries per lattice position
    LEVEL_STEPS = 6,   // tries to match the volume
    PHASE_COUNT = 4    // lattice positions
};

// numbers of vertices with which a mesh in several pieces is tried again
enum { WHOLE_FACTOR = 16, WHOLE_LIMIT = 64000 };

static const double count_goal = 0.02;     // a count this close ends the search
static const double count_enough = 0.06;   // and this close is left alone
static const double count_limit = 0.10;    // more than this is reported
static const double count_hopeless = 0.5;  // more than this no other position mends
static const double volume_goal = 0.002;   // volumes this close are equal
static const double volume_enough = 0.005; // and this close are left alone
static const double volume_limit = 0.02;   // more than this is as bad as too many vertices
static const double least_piece = 0.001;   // of the volume
static const double largest_level = 0.4;   // of the spacing

// Lattice positions in spacings: centred, so that symmetric shapes get nearly symmetric meshes,
// then some without any symmetry, in which no two faces of a box meet the lattice in the same way.
static const double phases[PHASE_COUNT][3] = {
    {0, 0, 0}, {0.13, 0.29, 0.41}, {0.37, 0.07, 0.23}, {0.19, 0.43, 0.31}};

// one mesh in the making
typedef struct stuffing {
    pli_context *context;
    const pli_shape *shape;
    const pli_stuffing_def *def;
    pli_bcc_def lattice;
    double level_ratio; // level in spacings
    double volume;      // of the shape (m^3)
    pli_stuffing_report *report;
} stuffing;

// ---- the number of vertices

static pli_status count_vertices(const stuffing *s, double spacing, int32_t *count)
{
    *count = 0;
    pli_bcc_def lattice = s->lattice;
    lattice.spacing = spacing;
    pli_bcc *bcc = NULL;
    pli_cutting *cutting = NULL;
    pli_cutting_def def = {s->shape, s->level_ratio * spacing, false};
    PLI_TRY(pli_bcc_create(s->context, s->shape, &lattice, &bcc));
    pli_status status = pli_cutting_create(bcc, &def, &cutting);
    if (status == PLI_OK) *count = pli_cutting_vertex_count(cutting);
    pli_cutting_destroy(cutting);
    pli_bcc_destroy(bcc);
    return status;
}

// what a search over the spacing knows; logarithms, in which counts are nearly straight lines
typedef struct spacing_search {
    double goal;             // log of the wanted count
    double spacing, error;   // best so far: log spacing, |log count - goal|
    double low, low_count;   // largest log spacing with too many vertices, and its log count
    double high, high_count; // smallest log spacing with too few
} spacing_search;

static void note_count(spacing_search *search, double spacing, int32_t count)
{
    double value = log(fmax(count, 0.5));
    if (fabs(value - search->goal) < search->error) {
        search->error = fabs(value - search->goal);
        search->spacing = spacing;
    }
    if (value > search->goal && spacing > search->low) {
        search->low = spacing;
        search->low_count = value;
    }
    if (value <= search->goal && spacing < search->high) {
        search->high = spacing;
        search->high_count = value;
    }
}

// The next spacing to try: between the bracketing ones by interpolation, kept off their ends; or
// beyond the only one known, as if the count went with the power -2.7 of the spacing, but not by
// more than half as much again: thin shapes appear all at once.
static double next_spacing(const spacing_search *search)
{
    const double power = 2.7;
    const double longest = 0.4;
    if (!isfinite(search->low)) {
        double step = (search->goal - search->high_count) / power;
        return search->high - fmin(step, longest) - 1e-3;
    }
    if (!isfinite(search->high)) {
        double step = (search->low_count - search->goal) / power;
        return search->low + fmin(step, longest) + 1e-3;
    }
    double width = search->high - search->low;
    double drop = search->low_count - search->high_count;
    double t = drop > 0 ? (search->low_count - search->goal) / drop : 0.5;
    return search->low + fmin(fmax(t, 0.1), 0.9) * width;
}

// Finds a spacing that gives the wanted number of vertices at the present lattice position and
// level, starting from `first`.
static pli_status match_count(stuffing *s, double first)
{
    spacing_search search = {.goal = log(s->def->vertex_count),
                             .spacing = log(first),
                             .error = INFINITY,
                             .low = -INFINITY,
                             .high = INFINITY};
    double spacing = log(first);
    for (int step = 0; step < SEARCH_STEPS && search.error > count_goal; ++step) {
        int32_t count;
        PLI_TRY(count_vertices(s, exp(spacing), &count));
        note_count(&search, spacing, count);
        spacing = next_spacing(&search);
        if (search.high - search.low < 1e-3) break;
    }
    s->lattice.spacing = exp(search.spacing);
    return PLI_OK;
}

// ---- the filling

// a filling without pinches and small pieces
typedef struct attempt {
    pli_filling filling;
    pli_filling_report repairs;
    pli_bcc_def lattice;
    double level;      // m
    double excess;     // its volume minus the shape's (m^3)
    double lost_share; // of the volume, in parts too thin for the lattice
} attempt;

// Fills the shape with its surface at a level.
static pli_status fill_at(const stuffing *s, const pli_bcc *bcc, double level, attempt *out)
{
    *out = (attempt){.level = level};
    pli_cutting *cutting = NULL;
    pli_cutting_def def = {s->shape, level, true};
    PLI_TRY(pli_cutting_create(bcc, &def, &cutting));
    pli_status status = pli_filling_init(cutting, &out->filling);
    pli_cutting_destroy(cutting);
    if (status == PLI_OK) status = pli_filling_repair(&out->filling, least_piece, &out->repairs);
    if (status != PLI_OK) {
        pli_filling_clear(&out->filling);
        return status;
    }
    out->excess = pli_filling_volume(&out->filling) - s->volume;
    return PLI_OK;
}

// The level at which the volumes agree, starting from a first attempt: secant steps, the first with
// the area as the slope.
static pli_status match_volume(const stuffing *s, const pli_bcc *bcc, attempt *best)
{
    double limit = largest_level * bcc->spacing;
    double slope = best->repairs.area;
    double level = best->level;
    double excess = best->excess;
    if (fabs(excess) <= volume_enough * s->volume || !(slope > 0)) return PLI_OK;
    for (int step = 0; step < LEVEL_STEPS && fabs(best->excess) > volume_goal * s->volume; ++step) {
        double next = fmin(fmax(level - excess / slope, -limit), limit);
        if (fabs(next - level) < 1e-6 * bcc->spacing) break;
        attempt other;
        PLI_TRY(fill_at(s, bcc, next, &other));
        // growing the surface outwards should not shrink the volume; if it does the guess stays
        double secant = (other.excess - excess) / (next - level);
        if (secant > 0) slope = secant;
        level = next;
        excess = other.excess;
        bool is_better = fabs(excess) < fabs(best->excess);
        pli_filling_clear(is_better ? &best->filling : &other.filling);
        if (is_better) *best = other;
    }
    return PLI_OK;
}

// ---- warnings

// what workers share
typedef struct lost_job {
    const pli_cutting *cutting;
    const pli_shape *shape;
    double level;
} lost_job;

// Whether all nodes of a cube and its centre are outside, and one of them near enough to the
// surface for something thin to pass between them.
static bool is_suspicious(const lost_job *job, const int32_t origin[3])
{
    const pli_bcc *bcc = job->cutting->bcc;
    double nearest = INFINITY;
    for (int corner = 0; corner < 9; ++corner) {
        int32_t at[3];
        for (int k = 0; k < 3; ++k) at[k] = origin[k] + (corner == 8 ? 1 : 2 * (corner >> k & 1));
        int32_t node = pli_bcc_find(bcc, at);
        if (node < 0) continue;
        if (job->cutting->state[node] >= 0) return false;
        nearest = fmin(nearest, bcc->value[node] - job->level);
    }
    return nearest < 0.6 * bcc->spacing;
}

// Eighths of cubes that are inside of the shape while all nodes around are outside.
static pli_sum count_lost(void *user, int64_t begin, int64_t end)
{
    const lost_job *job = user;
    const pli_bcc *bcc = job->cutting->bcc;
    pli_sum sum = {0, 0};
    for (int64_t cell = begin; cell < end; ++cell) {
        int32_t origin[3];
        pli_bcc_coordinates(bcc, (int32_t)(2 * cell), origin);
        if (!is_suspicious(job, origin)) continue;
        double points[24], values[8];
        for (int corner = 0; corner < 8; ++corner) {
            double at[3];
            for (int k = 0; k < 3; ++k) at[k] = origin[k] + 0.5 + (corner >> k & 1);
            pli_bcc_position(bcc, at, points + 3 * corner);
        }
        pli_shape_values(job->shape, 8, points, values);
        for (int corner = 0; corner < 8; ++corner) sum.hi += values[corner] < job->level;
    }
    return sum;
}

// Share of the shape's volume that slips through the lattice.
static pli_status measure_lost(const stuffing *s, const pli_bcc *bcc, double level, double *share)
{
    *share = 0;
    pli_cutting *cutting = NULL;
    pli_cutting_def def = {s->shape, level, false};
    PLI_TRY(pli_cutting_create(bcc, &def, &cutting));
    lost_job job = {cutting, s->shape, level};
    pli_sum eighths =
        pli_parallel_sum(s->context, pli_bcc_node_count(bcc) / 2, 512, count_lost, &job);
    double cube = bcc->spacing * bcc->spacing * bcc->spacing;
    if (s->volume > 0) *share = pli_sum_value(eighths) * cube / 8 / s->volume;
    pli_cutting_destroy(cutting);
    return PLI_OK;
}

static void warn_pieces(const stuffing *s)
{
    const pli_stuffing_report *report = s->report;
    if (report->whole_vertices > 0) {
        char pieces[32] = "one";
        if (report->whole_components > 1) {
            snprintf(pieces, sizeof pieces, "%d", report->whole_components);
        }
        PLI_LOG(s->context, PLI_LOG_WARNING,
                "the mesh has %d separate pieces, since parts of the shape are thinner than the "
                "mesh can show at spacing %g; with %d vertices it has %s",
                report->component_count, report->spacing, report->whole_vertices, pieces);
    } else {
        PLI_LOG(s->context, PLI_LOG_WARNING,
                "the mesh has %d separate pieces, and some more vertices leave as many; if it "
                "should be one, join the shape's parts",
                report->component_count);
    }
}

static void warn(const stuffing *s, int32_t vertex_count)
{
    const pli_stuffing_report *report = s->report;
    int32_t wanted = s->def->vertex_count;
    if (wanted > 0 && fabs((double)vertex_count / wanted - 1) > count_limit) {
        PLI_LOG(s->context, PLI_LOG_WARNING,
                "the mesh has %d vertices instead of %d: no lattice gives a number closer to it",
                vertex_count, wanted);
    }
    if (report->lost_share > 0.001) {
        PLI_LOG(s->context, PLI_LOG_WARNING,
                "%.1f %% of the shape is thinner than the mesh can show at spacing %g and is lost; "
                "ask for more vertices",
                100 * report->lost_share, report->spacing);
    }
    if (report->dropped_components > 0) {
        PLI_LOG(s->context, PLI_LOG_WARNING,
                "dropped %d pieces, each with less than 0.1 %% of the volume",
                report->dropped_components);
    }
    if (report->component_count > 1) warn_pieces(s);
}

// ---- the whole

static pli_status check_def(pli_context *context, const pli_shape *shape,
                            const pli_stuffing_def *def)
{
    pli_bounds bounds = pli_shape_bounds(shape);
    if (!pli_bounds_is_finite(&bounds) || pli_bounds_is_empty(&bounds)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "only a bounded shape can be filled with tetrahedra; intersect it with a "
                        "box first");
    }
    if (def->vertex_count > 0 && def->vertex_count < 8) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "number of vertices is %d, must be at least 8",
                        def->vertex_count);
    }
    if (def->vertex_count <= 0 && !(isfinite(def->spacing) && def->spacing > 0)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "neither a number of vertices nor a positive spacing is given");
    }
    return PLI_OK;
}

static pli_status fail_empty(const stuffing *s)
{
    return PLI_FAIL(s->context, PLI_ERROR_MESH,
                    "nothing of the shape is left at spacing %g; ask for more vertices or a "
                    "smaller spacing",
                    s->lattice.spacing);
}

// Volume of the shape, sampled finely compared with the spacing.
static pli_status measure_shape(stuffing *s, double spacing)
{
    pli_bounds bounds = pli_shape_bounds(s->shape);
    double cells = 4 * pli_bounds_longest(&bounds) / spacing;
    int32_t resolution = (int32_t)fmin(fmax(cells, 128), 400);
    PLI_TRY(pli_shape_volume(s->context, s->shape, resolution, &s->volume));
    s->report->shape_volume = s->volume;
    return PLI_OK;
}

// The filling at one spacing, with the level that matches the volume.
static pli_status fill_shape(stuffing *s, attempt *best)
{
    *best = (attempt){0};
    pli_bcc *bcc = NULL;
    PLI_TRY(pli_bcc_create(s->context, s->shape, &s->lattice, &bcc));
    pli_status status = fill_at(s, bcc, s->level_ratio * bcc->spacing, best);
    if (status == PLI_OK && !s->def->keep_level) status = match_volume(s, bcc, best);
    if (status == PLI_OK) status = measure_lost(s, bcc, best->level, &best->lost_share);
    pli_bcc_destroy(bcc);
    if (status != PLI_OK) pli_filling_clear(&best->filling);
    best->lattice = s->lattice;
    s->level_ratio = best->level / s->lattice.spacing;
    return status;
}

// By how much the number of vertices is off, relative to what was asked for.
static double count_error(const stuffing *s, const attempt *a)
{
    if (s->def->vertex_count <= 0) return 0;
    return fabs((double)a->filling.vertex_count / s->def->vertex_count - 1);
}

static double volume_error(const stuffing *s, const attempt *a)
{
    return s->def->keep_level ? 0 : fabs(a->excess) / s->volume;
}

// Whether thin parts were torn apart: several pieces, and places where the surface touched itself.
static bool is_torn(const attempt *a)
{
    return a->repairs.component_count > 1 && a->repairs.pinch_tets > 0;
}

// How bad an attempt is: 1 for each limit that it just misses.
static double badness(const stuffing *s, const attempt *a)
{
    return count_error(s, a) / count_limit + volume_error(s, a) / volume_limit + is_torn(a);
}

static bool is_good(const stuffing *s, const attempt *a)
{
    return count_error(s, a) <= count_enough && volume_error(s, a) <= volume_enough && !is_torn(a);
}

// Spacing from the count, level from the volume; once more if the level has changed the count.
static pli_status fill_to_count(stuffing *s, double first, attempt *out)
{
    s->level_ratio = 0;
    PLI_TRY(match_count(s, first));
    PLI_TRY(fill_shape(s, out));
    if (count_error(s, out) <= count_enough || s->level_ratio == 0) return PLI_OK;
    pli_filling_clear(&out->filling);
    PLI_TRY(match_count(s, s->lattice.spacing));
    return fill_shape(s, out);
}

// Tries lattice positions until one is good; otherwise the least bad of them.
static pli_status find_filling(stuffing *s, attempt *best)
{
    *best = (attempt){0};
    if (s->def->vertex_count <= 0) return fill_shape(s, best);
    // about two nodes to a cube; a coarse start makes the first try cheap
    double first = 1.5 * cbrt(2 * s->volume / s->def->vertex_count);
    for (int p = 0; p < PHASE_COUNT; ++p) {
        attempt other;
        pli_vec3_copy(phases[p], s->lattice.phase);
        pli_status status = fill_to_count(s, first, &other);
        if (status != PLI_OK) {
            pli_filling_clear(&best->filling);
            return status;
        }
        bool is_better = p == 0 || badness(s, &other) < badness(s, best);
        pli_filling_clear(is_better ? &best->filling : &other.filling);
        if (is_better) *best = other;
        // a count that is far off is a matter of the shape, not of the position
        if (is_good(s, best) || count_error(s, best) > count_hopeless) break;
        first = s->lattice.spacing;
    }
    return PLI_OK;
}

// ---- more vertices for thin parts

// Pieces at a spacing, in one pass: roughly what a mesh of that spacing has.
static pli_status count_pieces_at(const stuffing *s, double spacing, int32_t *count)
{
    attempt tried;
    pli_bcc_def lattice = s->lattice;
    lattice.spacing = spacing;
    pli_bcc *bcc = NULL;
    PLI_TRY(pli_bcc_create(s->context, s->shape, &lattice, &bcc));
    pli_status status = fill_at(s, bcc, s->level_ratio * spacing, &tried);
    pli_bcc_destroy(bcc);
    if (status != PLI_OK) return status;
    *count = tried.repairs.component_count;
    pli_filling_clear(&tried.filling);
    return PLI_OK;
}

// Pieces of the mesh with so many vertices, as it would be made.
static pli_status count_pieces(const stuffing *s, int32_t vertex_count, int32_t *count)
{
    pli_stuffing_def def = {.vertex_count = vertex_count, .keep_level = s->def->keep_level};
    pli_stuffing_report report = *s->report;
    stuffing other = *s;
    other.def = &def;
    other.report = &report;
    attempt tried;
    PLI_TRY(find_filling(&other, &tried));
    *count = tried.repairs.component_count;
    pli_filling_clear(&tried.filling);
    return PLI_OK;
}

// Looks for the number of vertices with which a mesh in several pieces hangs together.
static pli_status find_whole(const stuffing *s, int32_t vertex_count)
{
    pli_stuffing_report *report = s->report;
    if (report->component_count <= 1) return PLI_OK;
    report->whole_components = report->component_count;
    int64_t most = WHOLE_FACTOR * (int64_t)vertex_count;
    if (most > WHOLE_LIMIT) most = WHOLE_LIMIT;
    if (most < 2 * (int64_t)vertex_count) return PLI_OK;

    // where a fine mesh has as many, the pieces are the shape's own
    int32_t least = 0;
    double spacing = report->spacing * cbrt((double)vertex_count / (double)most);
    PLI_TRY(count_pieces_at(s, spacing, &least));
    if (least >= report->component_count) return PLI_OK;
    for (int64_t tried = 2 * (int64_t)vertex_count; tried <= most; tried *= 2) {
        int32_t count = 0;
        PLI_TRY(count_pieces(s, (int32_t)tried, &count));
        if (count < 1 || count >= report->whole_components) continue;
        report->whole_components = count;
        report->whole_vertices = (int32_t)tried;
        if (count <= least) break;
    }
    return PLI_OK;
}

// ---- the mesh

// Turns the filling into a mesh that is numbered for locality.
static pli_status make_mesh(const stuffing *s, const pli_filling *filling, pli_tet_mesh **mesh)
{
    pli_tet_mesh_def def = {.vertex_count = filling->vertex_count,
                            .points = filling->points,
                            .tet_count = filling->tet_count,
                            .tets = filling->tets};
    PLI_TRY(pli_tet_mesh_create(s->context, &def, NULL, mesh));
    pli_status status = pli_tet_mesh_reorder(*mesh);
    if (status != PLI_OK) {
        pli_tet_mesh_destroy(*mesh);
        *mesh = NULL;
        return status;
    }
    // nobody has seen another numbering
    for (int32_t v = 0; v < (*mesh)->vertex_count; ++v) (*mesh)->vertex_origin[v] = v;
    return PLI_OK;
}

static void fill_report(const attempt *a, const pli_tet_mesh *mesh, pli_stuffing_report *report)
{
    report->spacing = a->lattice.spacing;
    report->level = a->level;
    report->mesh_volume = pli_tet_mesh_volume(mesh);
    report->lost_share = a->lost_share;
    report->component_count = a->repairs.component_count;
    report->dropped_components = a->repairs.dropped_components;
    report->pinch_tets = a->repairs.pinch_tets;
}

pli_status pli_stuffing_create(pli_context *context, const pli_shape *shape,
                               const pli_stuffing_def *def, pli_stuffing_report *report,
                               pli_tet_mesh **mesh)
{
    pli_stuffing_report unwanted;
    if (report == NULL) report = &unwanted;
    *report = (pli_stuffing_report){0};
    *mesh = NULL;
    PLI_TRY(check_def(context, shape, def));
    stuffing s = {.context = context,
                  .shape = shape,
                  .def = def,
                  .lattice = {.spacing = def->spacing},
                  .report = report};
    PLI_TRY(measure_shape(&s, def->vertex_count > 0 ? INFINITY : def->spacing));
    if (!(s.volume > 0)) return fail_empty(&s);

    attempt best;
    pli_status status = find_filling(&s, &best);
    if (status == PLI_OK && best.filling.tet_count == 0) status = fail_empty(&s);
    if (status == PLI_OK) status = make_mesh(&s, &best.filling, mesh);
    if (status == PLI_OK) {
        fill_report(&best, *mesh, report);
        status = find_whole(&s, (*mesh)->vertex_count);
    }
    if (status == PLI_OK) {
        warn(&s, (*mesh)->vertex_count);
    } else {
        pli_tet_mesh_destroy(*mesh);
        *mesh = NULL;
    }
    pli_filling_clear(&best.filling);
    return status;
}
