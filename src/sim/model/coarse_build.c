// SPDX-License-Identifier: Apache-2.0
#include "sim/model/coarse_build.h"

#include "base/memory.h"
#include "base/timers.h"
#include "linear/matrix/bcsr_pattern.h"
#include "math/vec3.h"
#include "multilevel/matter.h"
#include "multilevel/skinning.h"
#include "sim/scene/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// what the hierarchy is made from
typedef struct coarse {
    pli_context *context;
    const pli_model *model;
    const pli_multigrid_def *def;
    pli_bcsr_pattern pattern; // of all elements
    uint8_t *skipped;         // [vertex_count]
    double *stiffness;        // [vertex_count] largest of the elements of a vertex (Pa)
    int32_t *piece;           // [vertex_count] of matter; NULL: all is one
    int32_t *samples;         // [handle_count]
    int32_t sample_count;
    int32_t *sheets; // [sheet_count][3] triangles of shells and cloth
    int32_t sheet_count;
} coarse;

// ---- the graph

static pli_status build_pattern(coarse *c)
{
    const pli_model *model = c->model;
    const pli_clique_list lists[] = {
        {.size = 4, .count = model->cell_count, .vertices = model->cells},
        {.size = 3, .count = model->shell_triangle_count, .vertices = model->triangles},
        {.size = 2, .count = model->spring_count, .vertices = model->spring_ends},
    };
    return pli_bcsr_pattern_build(c->context, model->vertex_count, PLI_COUNT_OF(lists), lists,
                                  &c->pattern);
}

static pli_status allocate_arrays(coarse *c)
{
    int64_t n = c->model->vertex_count;
    c->skipped = PLI_NEW(c->context, uint8_t, n, "coarse spaces");
    c->stiffness = PLI_NEW(c->context, double, n, "coarse spaces");
    c->samples = PLI_NEW(c->context, int32_t, c->def->handle_count, "coarse spaces");
    c->sheets =
        PLI_NEW(c->context, int32_t, 3 * (int64_t)c->model->triangle_count, "coarse spaces");
    bool complete =
        c->skipped != NULL && c->stiffness != NULL && c->samples != NULL && c->sheets != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

static void skip_obstacles(coarse *c)
{
    for (int32_t k = 0; k < pli_model_things(c->model); ++k) {
        const pli_model_body *body = &c->model->bodies[k];
        if (body->kind != PLI_BODY_OBSTACLE) continue;
        for (int32_t i = 0; i < body->vertex_count; ++i) c->skipped[body->first_vertex + i] = 1;
    }
}

static void list_sheets(coarse *c)
{
    for (int32_t k = 0; k < c->model->body_count; ++k) {
        const pli_model_body *body = &c->model->bodies[k];
        if (body->kind == PLI_BODY_OBSTACLE) continue;
        memcpy(c->sheets + 3 * (int64_t)c->sheet_count,
               c->model->triangles + 3 * (int64_t)body->first_triangle,
               3 * (size_t)body->triangle_count * sizeof(int32_t));
        c->sheet_count += body->triangle_count;
    }
}

// ---- matter

static void raise_stiffness(coarse *c, double stiffness, const int32_t *corners, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        c->stiffness[corners[i]] = fmax(c->stiffness[corners[i]], stiffness);
    }
}

static void compute_stiffness(coarse *c)
{
    const pli_model *model = c->model;
    for (int64_t k = 0; k < model->cell_count; ++k) {
        int32_t material = model->material_of[pli_model_tet_of_cell(model, k)];
        raise_stiffness(c, model->materials[material].rest_norm, model->cells + 4 * k, 4);
    }
    for (int64_t k = 0; k < model->shell_triangle_count; ++k) {
        double stiffness = model->materials[model->triangle_material[k]].rest_norm;
        raise_stiffness(c, stiffness, model->triangles + 3 * k, 3);
    }
    for (int32_t i = 0; i < model->vertex_count; ++i) {
        if (!(c->stiffness[i] > 0)) c->stiffness[i] = 1; // cloth, obstacles
    }
}

// Whether neighbours differ in their stiffness by more than rounding.
static bool is_mixed(const coarse *c)
{
    for (int32_t i = 0; i < c->model->vertex_count; ++i) {
        for (int64_t at = c->pattern.row_start[i]; at < c->pattern.row_start[i + 1]; ++at) {
            double ratio = c->stiffness[c->pattern.column[at]] / c->stiffness[i];
            if (ratio > 1 + 1e-9) return true;
        }
    }
    return false;
}

static bool heeds_matter(const coarse *c)
{
    if (c->def->sampling == PLI_SAMPLING_AUTO) return is_mixed(c);
    return c->def->sampling == PLI_SAMPLING_MATERIAL;
}

// Pieces of matter among tetrahedra. Other vertices are one piece that is nobody's.
static pli_status find_pieces(coarse *c)
{
    static const double ratio = 10; // of stiffness that makes matter another one
    const pli_model *model = c->model;
    if (model->tet_count == 0 || !heeds_matter(c)) return PLI_OK;
    double *stiffness = PLI_NEW(c->context, double, model->cell_count, "coarse spaces");
    c->piece = PLI_NEW(c->context, int32_t, model->vertex_count, "coarse spaces");
    pli_status status = PLI_ERROR_MEMORY;
    if (stiffness == NULL || c->piece == NULL) goto done;
    for (int64_t k = 0; k < model->cell_count; ++k) {
        int32_t material = model->material_of[pli_model_tet_of_cell(model, k)];
        stiffness[k] = model->materials[material].rest_norm;
    }
    pli_simplices mesh = {model->vertex_count, model->rest, 4, model->cell_count, model->cells};
    status = pli_matter_compute_pieces(c->context, &mesh, stiffness, ratio, c->piece);

done:
    pli_release(c->context, stiffness);
    return status;
}

// ---- handles

static int32_t find_nearest(const coarse *c, const double point[3])
{
    int32_t nearest = -1;
    double best = INFINITY;
    for (int32_t i = 0; i < c->model->vertex_count; ++i) {
        double d[3];
        pli_vec3_subtract(c->model->rest + 3 * (int64_t)i, point, d);
        double distance = pli_vec3_norm2(d);
        if (c->skipped[i] || distance >= best) continue;
        best = distance;
        nearest = i;
    }
    return nearest;
}

// The vertices nearest to the scene's handles, each once.
static void find_samples(coarse *c)
{
    for (int32_t k = 0; k < c->def->handle_count; ++k) {
        int32_t vertex = find_nearest(c, c->def->handles[k].point);
        bool known = vertex < 0;
        for (int32_t i = 0; i < c->sample_count && !known; ++i) known = c->samples[i] == vertex;
        if (!known) c->samples[c->sample_count++] = vertex;
    }
}

// ---- the hierarchy

static pli_skinning_weights choose_weights(const coarse *c)
{
    static const pli_skinning_weights of_kind[] = {
        [PLI_WEIGHTS_CONSTANT] = PLI_SKINNING_CONSTANT,
        [PLI_WEIGHTS_SMOOTH] = PLI_SKINNING_SMOOTH,
        [PLI_WEIGHTS_AVERAGED] = PLI_SKINNING_AVERAGED,
    };
    return of_kind[c->def->weights];
}

static pli_status create_hierarchy(coarse *c, pli_hierarchy **hierarchy)
{
    const pli_model *model = c->model;
    const pli_multigrid_def *def = c->def;
    bool solid = model->tet_count > 0;
    pli_skinning_def skinning = {
        .graph = {model->vertex_count, c->pattern.row_start, c->pattern.column},
        .positions = model->rest,
        .skipped = c->skipped,
        .stiffness = heeds_matter(c) ? c->stiffness : NULL,
        .piece = c->piece,
        .dofs = def->dofs,
        .level_count = def->level_count,
        .sample_count = c->sample_count,
        .samples = c->samples,
        .seed = model->seed,
        .weights = choose_weights(c),
        .corner_count = solid ? 4 : 3,
        .element_count = solid ? model->cell_count : c->sheet_count,
        .elements = solid ? model->cells : c->sheets};
    // scenes count from the coarsest, hierarchies from the finest
    for (int32_t k = 0; k < def->level_count; ++k) {
        skinning.node_counts[k] = def->levels[def->level_count - 1 - k];
    }
    return pli_skinning_create(c->context, &skinning, hierarchy);
}

static pli_status build(coarse *c, pli_hierarchy **hierarchy)
{
    PLI_TRY(build_pattern(c));
    PLI_TRY(allocate_arrays(c));
    skip_obstacles(c);
    list_sheets(c);
    compute_stiffness(c);
    PLI_TRY(find_pieces(c));
    find_samples(c);
    return create_hierarchy(c, hierarchy);
}

// The smoothers of a section solver.multigrid as text: what it says, or what suits a lifted matrix
// (projective dynamics) or one of blocks.
static const char *smoothers_of(const pli_multigrid_def *def, bool lifted)
{
    if (strcmp(def->smoothers, "auto") != 0) return def->smoothers;
    // Coarse levels want more sweeps than the vertices: what they leave undone, nothing else does.
    // A lifted matrix has cheap ones, and its cycles stand alone; with blocks conjugate gradients
    // make up for what a second sweep over the vertices would give.
    return lifted ? "direct/GS(8)/GS(2)" : "direct/GS(4)/GS(1)";
}

pli_status pli_coarse_parse(pli_context *context, const pli_multigrid_def *def,
                            pli_vcycle_def *multigrid)
{
    int32_t level_count = def->level_count > 0 ? def->level_count + 1 : 2;
    return pli_multigrid_parse(context, smoothers_of(def, true), level_count, multigrid);
}

static bool is_lifted(const pli_model *model)
{
    return pli_solver_has(model->solver_kind, PLI_KEEPS_MATRIX);
}

// Smoothers for the levels that there are. A mesh with few vertices has fewer than the scene names;
// those nearest to the vertices are missing then.
static pli_status choose_smoothers(pli_model *model, const pli_multigrid_def *def)
{
    int32_t level_count = model->hierarchy->level_count + 1;
    model->multigrid = (pli_vcycle_def){.level_count = level_count,
                                        .single = def->precision == PLI_PRECISION_SINGLE};
    if (def->level_count == 0) {
        const char *text = smoothers_of(def, is_lifted(model));
        return pli_multigrid_parse(model->context, text, level_count, &model->multigrid);
    }
    pli_vcycle_def asked = {0};
    const char *text = smoothers_of(def, is_lifted(model));
    PLI_TRY(pli_multigrid_parse(model->context, text, def->level_count + 1, &asked));
    for (int32_t level = 0; level < level_count; ++level) {
        int32_t from = level > 0 ? asked.level_count - level_count + level : 0;
        model->multigrid.smoothers[level] = asked.smoothers[from > 0 ? from : 0];
    }
    return PLI_OK;
}

static void tell_levels(const pli_model *model, double seconds)
{
    char text[16 * (PLI_HIERARCHY_LEVELS + 1)] = "";
    size_t used = 0;
    for (int32_t k = model->hierarchy->level_count - 1; k >= 0; --k) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%d/",
                                 (int)model->hierarchy->transfers[k].coarse_count);
    }
    PLI_LOG(model->context, PLI_LOG_INFO, "multigrid: levels of %s%d nodes, %.3g MB, %.3g s", text,
            (int)model->vertex_count, 1e-6 * (double)pli_coarse_memory(model), seconds);
}

pli_status pli_coarse_build(pli_model *model)
{
    if (!model->solver_parts.needs_hierarchy) return PLI_OK;
    double begin = pli_clock_seconds();
    coarse c = {.context = model->context, .model = model, .def = &model->solver_def.multigrid};
    pli_status status = build(&c, &model->hierarchy);
    PLI_RELEASE(c.context, c.sheets, c.samples, c.piece, c.stiffness, c.skipped, c.pattern.column,
                c.pattern.row_start);
    if (status == PLI_OK) status = choose_smoothers(model, c.def);
    if (status == PLI_OK) tell_levels(model, pli_clock_seconds() - begin);
    return status;
}

int64_t pli_coarse_memory(const pli_model *model)
{
    if (model->hierarchy == NULL) return 0;
    // a level has about as many couplings per node as a mesh; projective dynamics has one number
    // for three coordinates. Vertices have their couplings with column and two places each, the
    // diagonal and its inverse, five vectors, links from both sides and their place in the order
    const int64_t neighbors = 15;
    int64_t coordinates = is_lifted(model) ? 1 : 3;
    int64_t square = coordinates * coordinates;
    int64_t real = model->multigrid.single ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
    int64_t side = model->hierarchy->dofs / 3 * coordinates;
    int64_t bytes =
        pli_hierarchy_memory_bytes(model->hierarchy) +
        model->vertex_count * (neighbors * (square * real + 12) + (2 * square + 28) * real + 48);
    for (int32_t k = 0; k < model->hierarchy->level_count; ++k) {
        int64_t nodes = model->hierarchy->transfers[k].coarse_count;
        bool coarsest = k == model->hierarchy->level_count - 1;
        bytes += nodes * neighbors * (side * side * (real + (int64_t)sizeof(double)) + 12);
        if (coarsest) bytes += nodes * nodes * side * side * (int64_t)sizeof(double);
    }
    return bytes;
}
