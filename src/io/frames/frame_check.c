// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/collision/crossing.h"
#include "geometry/collision/predicates.h"
#include "geometry/mesh/boundary.h"
#include "io/frames/frame_vtu.h"

#include "pliant/io.h"

enum { LOOP_GRAIN = 2048 };

// The surface of one part, before it is put together with the others.
typedef struct part_surface {
    const pli_frame_part *part; // NULL: not tested
    int32_t first_point;        // of the part, among all
    int32_t triangle_count;
    const int32_t *triangles; // [triangle_count][3] vertices of the part
    const int32_t *cells;     // [triangle_count] cell of the part; NULL: the triangles are cells
} part_surface;

typedef struct checker {
    pli_context *context;
    const pli_frame *frame;
    pli_arena *arena;
    pli_frame_findings *findings;
    part_surface *surfaces; // [part_count]

    // all parts together
    double *points; // [point_count][3] tiny ones are zero (m)
    bool *lost;     // [point_count] has no place
    int32_t point_count;
    int32_t *triangles;     // [triangle_count][3] points
    int32_t *triangle_part; // [triangle_count]
    int32_t *triangle_cell; // [triangle_count] cell of the part
    bool *passive;          // [triangle_count] of a collider or an obstacle
    int32_t triangle_count;
} checker;

// ---- gathering

static bool is_tested(const pli_frame_part *part, bool colliders)
{
    bool is_wanted = colliders || part->role != PLI_ROLE_COLLIDER || part->is_barrier;
    return part->kind != PLI_PART_POINTS && is_wanted;
}

static pli_status check_cells(pli_context *context, const pli_frame_part *part)
{
    int64_t count = (int64_t)part->cell_count * pli_part_corners(part->kind);
    for (int64_t i = 0; i < count; ++i) {
        if (part->cells[i] >= 0 && part->cells[i] < part->point_count) continue;
        return PLI_FAIL(context, PLI_ERROR_MESH,
                        "cell %d of '%s' refers to point %d, but there are %d points",
                        (int)(i / pli_part_corners(part->kind)), part->name, (int)part->cells[i],
                        (int)part->point_count);
    }
    return PLI_OK;
}

static pli_status find_surface(checker *c, const pli_frame_part *part, part_surface *surface)
{
    PLI_TRY(check_cells(c->context, part));
    surface->part = part;
    surface->triangle_count = part->cell_count;
    surface->triangles = part->cells;
    if (!pli_part_is_solid(part->kind)) return PLI_OK;

    pli_tets tets;
    pli_boundary boundary;
    PLI_TRY(pli_part_tets(part, c->arena, &tets));
    PLI_TRY(pli_boundary_build(&tets, c->arena, &boundary));
    surface->triangle_count = boundary.triangle_count;
    surface->triangles = boundary.triangles;
    surface->cells = boundary.tet;
    c->findings->tet_count += part->cell_count;
    return PLI_OK;
}

// Finds the surfaces of all parts to be tested, and how large they are together.
static pli_status find_surfaces(checker *c, bool colliders)
{
    const pli_frame *frame = c->frame;
    int64_t points = 0;
    int64_t cells = 0;
    int64_t triangles = 0;
    c->surfaces = pli_arena_take(c->arena, frame->part_count, sizeof *c->surfaces, "check parts");
    if (c->surfaces == NULL) return PLI_ERROR_MEMORY;
    for (int32_t p = 0; p < frame->part_count; ++p) {
        const pli_frame_part *part = &frame->parts[p];
        c->surfaces[p] = (part_surface){.first_point = (int32_t)points};
        if (!is_tested(part, colliders)) continue;
        points += part->point_count;
        cells += part->cell_count;
        // the boundary handles four faces a cell
        if (points > INT32_MAX || cells > INT32_MAX / 4) {
            return PLI_FAIL(c->context, PLI_ERROR_UNSUPPORTED,
                            "frame %d has more than %d points or %d cells to check together",
                            (int)frame->index, INT32_MAX, INT32_MAX / 4);
        }
        PLI_TRY(find_surface(c, part, &c->surfaces[p]));
        triangles += c->surfaces[p].triangle_count;
    }
    c->point_count = (int32_t)points;
    c->triangle_count = (int32_t)triangles;
    return PLI_OK;
}

static pli_status take_arrays(checker *c)
{
    int64_t triangles = c->triangle_count;
    c->points = pli_arena_doubles(c->arena, 3 * (int64_t)c->point_count, "check points");
    c->lost = pli_arena_take(c->arena, c->point_count, sizeof *c->lost, "check points");
    c->triangles = pli_arena_ints(c->arena, 3 * triangles, "check triangles");
    c->triangle_part = pli_arena_ints(c->arena, triangles, "check triangles");
    c->triangle_cell = pli_arena_ints(c->arena, triangles, "check triangles");
    c->passive = pli_arena_take(c->arena, triangles, sizeof *c->passive, "check triangles");
    bool all = c->points != NULL && c->lost != NULL && c->triangles != NULL &&
               c->triangle_part != NULL && c->triangle_cell != NULL && c->passive != NULL;
    return all ? PLI_OK : PLI_ERROR_MEMORY;
}

static bool is_lost(const double point[3])
{
    // written so that a NaN is lost
    bool kept = fabs(point[0]) <= PLI_PREDICATE_LARGEST &&
                fabs(point[1]) <= PLI_PREDICATE_LARGEST && fabs(point[2]) <= PLI_PREDICATE_LARGEST;
    return !kept;
}

// Copies points into the range in which the predicates are right.
static void add_points(checker *c, const part_surface *surface)
{
    for (int32_t i = 0; i < surface->part->point_count; ++i) {
        int32_t point = surface->first_point + i;
        const double *x = surface->part->points + 3 * (int64_t)i;
        for (int k = 0; k < 3; ++k) {
            c->points[3 * (int64_t)point + k] = fabs(x[k]) < PLI_PREDICATE_SMALLEST ? 0 : x[k];
        }
        c->lost[point] = is_lost(x);
        c->findings->lost_count += c->lost[point];
    }
}

// Appends the triangles of a part, without those that have a lost corner.
static void add_triangles(checker *c, int32_t p)
{
    const part_surface *surface = &c->surfaces[p];
    for (int32_t i = 0; i < surface->triangle_count; ++i) {
        int32_t *corners = c->triangles + 3 * (int64_t)c->triangle_count;
        bool lost = false;
        for (int k = 0; k < 3; ++k) {
            corners[k] = surface->first_point + surface->triangles[3 * (int64_t)i + k];
            lost = lost || c->lost[corners[k]];
        }
        if (lost) continue;
        c->triangle_part[c->triangle_count] = p;
        c->triangle_cell[c->triangle_count] = surface->cells != NULL ? surface->cells[i] : i;
        c->passive[c->triangle_count] = surface->part->role != PLI_ROLE_BODY;
        ++c->triangle_count;
    }
}

static pli_status gather(checker *c, bool colliders)
{
    PLI_TRY(find_surfaces(c, colliders));
    PLI_TRY(take_arrays(c));
    c->triangle_count = 0;
    for (int32_t p = 0; p < c->frame->part_count; ++p) {
        if (c->surfaces[p].part == NULL) continue;
        add_points(c, &c->surfaces[p]);
        add_triangles(c, p);
    }
    c->findings->triangle_count = c->triangle_count;
    return PLI_OK;
}

// ---- triangles

static const double *corner_of(const checker *c, int32_t triangle, int k)
{
    return c->points + 3 * (int64_t)c->triangles[3 * (int64_t)triangle + k];
}

static pli_sum count_flat(void *user, int64_t begin, int64_t end)
{
    const checker *c = user;
    pli_sum count = {0, 0};
    for (int64_t i = begin; i < end; ++i) {
        int32_t t = (int32_t)i;
        if (c->passive[t]) continue;
        bool flat =
            pli_triangle_is_flat(corner_of(c, t, 0), corner_of(c, t, 1), corner_of(c, t, 2));
        pli_sum_add(&count, flat);
    }
    return count;
}

static pli_found_cell describe_triangle(const checker *c, int32_t triangle)
{
    const part_surface *surface = &c->surfaces[c->triangle_part[triangle]];
    pli_found_cell cell = {.part = surface->part->name, .cell = c->triangle_cell[triangle]};
    for (int k = 0; k < 3; ++k) {
        cell.vertices[k] = c->triangles[3 * (int64_t)triangle + k] - surface->first_point;
    }
    cell.vertices[3] = -1;
    return cell;
}

// The middle of the overlap of two triangles' boxes in one coordinate.
static double find_place(const checker *c, const int32_t pair[2], int k)
{
    double low = -INFINITY;
    double high = INFINITY;
    for (int i = 0; i < 2; ++i) {
        double a = corner_of(c, pair[i], 0)[k];
        double b = corner_of(c, pair[i], 1)[k];
        double d = corner_of(c, pair[i], 2)[k];
        low = fmax(low, fmin(a, fmin(b, d)));
        high = fmin(high, fmax(a, fmax(b, d)));
    }
    return 0.5 * (low + high);
}

// Colliders and obstacles may cross one another.
static bool is_pair(const void *user, int32_t triangle, int32_t other)
{
    const checker *c = user;
    return !c->passive[triangle] || !c->passive[other];
}

static pli_status check_triangles(checker *c)
{
    pli_frame_findings *findings = c->findings;
    pli_crossing crossings[PLI_FINDINGS_SHOWN];
    pli_soup soup = {.vertex_count = c->point_count,
                     .points = c->points,
                     .triangle_count = c->triangle_count,
                     .triangles = c->triangles,
                     .is_pair = is_pair,
                     .user = c};
    PLI_TRY(pli_soup_find_crossings(c->context, &soup, PLI_FINDINGS_SHOWN, crossings,
                                    &findings->intersection_count));
    for (int32_t i = 0; i < PLI_FINDINGS_SHOWN && i < findings->intersection_count; ++i) {
        pli_found_pair *pair = &findings->pairs[findings->pairs_shown++];
        for (int k = 0; k < 2; ++k) {
            pair->cells[k] = describe_triangle(c, crossings[i].triangles[k]);
        }
        for (int k = 0; k < 3; ++k) pair->place[k] = find_place(c, crossings[i].triangles, k);
    }
    findings->flat_count = (int64_t)pli_sum_value(
        pli_parallel_sum(c->context, c->triangle_count, LOOP_GRAIN, count_flat, c));
    return PLI_OK;
}

// ---- tetrahedra

typedef struct tet_loop {
    const checker *c;
    const part_surface *surface;
} tet_loop;

static bool is_inverted(const tet_loop *loop, int64_t tet)
{
    const double *x[4];
    for (int k = 0; k < 4; ++k) {
        int32_t point = loop->surface->first_point + loop->surface->part->cells[4 * tet + k];
        if (loop->c->lost[point]) return false;
        x[k] = loop->c->points + 3 * (int64_t)point;
    }
    return pli_orient3d(x[0], x[1], x[2], x[3]) <= 0;
}

static pli_sum count_inverted(void *user, int64_t begin, int64_t end)
{
    pli_sum count = {0, 0};
    for (int64_t tet = begin; tet < end; ++tet) pli_sum_add(&count, is_inverted(user, tet));
    return count;
}

static void show_inverted(const tet_loop *loop, pli_frame_findings *findings)
{
    const pli_frame_part *part = loop->surface->part;
    for (int32_t tet = 0; tet < part->cell_count; ++tet) {
        if (findings->inverted_shown == PLI_FINDINGS_SHOWN) return;
        if (!is_inverted(loop, tet)) continue;
        pli_found_cell *cell = &findings->inverted[findings->inverted_shown++];
        *cell = (pli_found_cell){.part = part->name, .cell = tet};
        for (int k = 0; k < 4; ++k) cell->vertices[k] = part->cells[4 * (int64_t)tet + k];
    }
}

static void check_tets(checker *c)
{
    for (int32_t p = 0; p < c->frame->part_count; ++p) {
        tet_loop loop = {c, &c->surfaces[p]};
        const pli_frame_part *part = loop.surface->part;
        if (part == NULL || part->kind != PLI_PART_TETS) continue;
        pli_sum count =
            pli_parallel_sum(c->context, part->cell_count, LOOP_GRAIN, count_inverted, &loop);
        if (pli_sum_value(count) == 0) continue;
        c->findings->inverted_count += (int64_t)pli_sum_value(count);
        show_inverted(&loop, c->findings);
    }
}

// ---- particles

static pli_sum count_lost(void *user, int64_t begin, int64_t end)
{
    const pli_frame_part *part = user;
    pli_sum count = {0, 0};
    for (int64_t i = begin; i < end; ++i) pli_sum_add(&count, is_lost(part->points + 3 * i));
    return count;
}

// Particles have no surface; what they can be is lost.
static void check_particles(checker *c)
{
    for (int32_t p = 0; p < c->frame->part_count; ++p) {
        pli_frame_part part = c->frame->parts[p];
        if (part.kind != PLI_PART_POINTS) continue;
        pli_sum lost =
            pli_parallel_sum(c->context, part.point_count, LOOP_GRAIN, count_lost, &part);
        c->findings->particle_count += part.point_count;
        c->findings->lost_count += (int64_t)pli_sum_value(lost);
    }
}

// ---- frames

pli_status pli_frame_check(pli_context *context, const pli_frame *frame, bool colliders,
                           pli_frame_findings *findings)
{
    *findings = (pli_frame_findings){.index = frame->index, .time = frame->time};
    checker c = {.context = context, .frame = frame, .findings = findings};
    PLI_TRY(pli_arena_create(context, 1 << 16, &c.arena));
    pli_status status = gather(&c, colliders);
    if (status == PLI_OK) status = check_triangles(&c);
    if (status == PLI_OK) check_tets(&c);
    if (status == PLI_OK) check_particles(&c);
    findings->is_clean = findings->intersection_count == 0 && findings->inverted_count == 0 &&
                         findings->flat_count == 0 && findings->lost_count == 0;
    pli_arena_destroy(c.arena);
    return status;
}

// ---- series

static void add_findings(pli_check_report *report, const pli_frame_findings *findings)
{
    ++report->frame_count;
    report->bad_frame_count += !findings->is_clean;
    report->triangle_count += findings->triangle_count;
    report->tet_count += findings->tet_count;
    report->intersection_count += findings->intersection_count;
    report->inverted_count += findings->inverted_count;
    report->flat_count += findings->flat_count;
    report->lost_count += findings->lost_count;
    report->particle_count += findings->particle_count;
}

// Checks the frame at a position of a series; *any tells whether something was found.
static pli_status check_position(pli_context *context, const pli_check_def *def, pli_series *series,
                                 int32_t position, pli_check_report *report, bool *any)
{
    pli_frame *frame = NULL;
    pli_frame_findings findings;
    PLI_TRY(pli_series_load(series, position, &frame));
    pli_status status = pli_frame_check(context, frame, def->colliders, &findings);
    if (status == PLI_OK) {
        add_findings(report, &findings);
        *any = !findings.is_clean;
        if (def->findings != NULL) def->findings(def->findings_user, &findings);
    }
    pli_frame_destroy(frame);
    return status;
}

static pli_status check_series(pli_context *context, const pli_check_def *def, pli_series *series,
                               pli_check_report *report)
{
    int32_t count = pli_series_count(series);
    if (count == 0) {
        return PLI_FAIL(context, PLI_ERROR_IO, "%s: the series has no frames to check",
                        def->folder);
    }
    int32_t every = def->every > 0 ? def->every : 1;
    bool found = false;
    for (int64_t position = 0; position < count; position += every) {
        if (def->cancel != NULL && def->cancel(def->cancel_user)) {
            return PLI_FAIL(context, PLI_ERROR_INTERRUPTED, "the check was stopped");
        }
        bool any = false;
        PLI_TRY(check_position(context, def, series, (int32_t)position, report, &any));
        found = found || any;
        if (found && def->stop_at_first) break;
    }
    return PLI_OK;
}

pli_status pli_frames_check(pli_context *context, const pli_check_def *def,
                            pli_check_report *report)
{
    *report = (pli_check_report){0};
    if (def->folder == NULL || def->every < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a check needs a folder, and takes every 1st frame or more, not %d",
                        (int)def->every);
    }
    pli_series *series = NULL;
    PLI_TRY(pli_series_create(context, def->folder, &series));
    pli_status status = check_series(context, def, series, report);
    pli_series_destroy(series);
    return status;
}
