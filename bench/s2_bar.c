// SPDX-License-Identifier: Apache-2.0
#include "s2_bar.h"

#include "base/memory.h"
#include "fem/elastic.h"
#include "geometry/generate/grid_mesh.h"
#include "linear/matrix/coloring.h"
#include "linear/matrix/vector.h"
#include "material/laws.h"
#include "multilevel/matter.h"

#include <math.h>

static const double poisson = 0.4;
static const double density = 1000;                // kg/m^3
static const double step = 0.01;                   // s
static const double gravity = 9.8;                 // m/s^2
static const double bar_size[3] = {1, 0.35, 0.35}; // m

static pli_status make_mesh(pli_bar *bar, const pli_bar_def *def)
{
    pli_grid_mesh_def grid = {.bounds = {{0, 0, 0}, {bar_size[0], bar_size[1], bar_size[2]}},
                              .cells = {def->cells[0], def->cells[1], def->cells[2]},
                              .split = PLI_GRID_MESH_SIX};
    return pli_grid_mesh_create(bar->context, &grid, &bar->mesh);
}

static pli_status allocate(pli_bar *bar)
{
    int64_t n = bar->mesh->vertex_count;
    bar->mask = PLI_NEW(bar->context, uint8_t, n, "bar");
    bar->young = PLI_NEW(bar->context, double, bar->mesh->tet_count, "bar");
    bar->stiffness = PLI_NEW(bar->context, double, n, "bar");
    bar->piece = PLI_NEW(bar->context, int32_t, n, "bar");
    bar->b = PLI_NEW(bar->context, double, 3 * n, "bar");
    bar->x = PLI_NEW(bar->context, double, 3 * n, "bar");
    bool complete = bar->mask != NULL && bar->young != NULL && bar->stiffness != NULL &&
                    bar->piece != NULL && bar->b != NULL && bar->x != NULL;
    return complete ? pli_arena_create(bar->context, 1 << 20, &bar->arena) : PLI_ERROR_MEMORY;
}

// Which piece of the pattern a tetrahedron is in: every other number is stiff.
static int32_t piece_of(const pli_bar *bar, const pli_bar_def *def, int32_t tet)
{
    enum { CUBE = 6 }; // cells along the edge of a cube
    double centroid[3];
    pli_tet_centroid(bar->mesh->points, bar->mesh->tets + 4 * (int64_t)tet, centroid);
    if (def->matter != PLI_BAR_CHECKER) {
        return (int32_t)((def->matter == PLI_BAR_SLABS ? 8 : 4) * centroid[0]);
    }
    int32_t piece = 0;
    for (int a = 0; a < 3; ++a) {
        piece += (int32_t)(def->cells[a] * centroid[a] / bar_size[a]) / CUBE;
    }
    return piece;
}

// E of every tetrahedron, and the largest around every vertex.
static void lay_matter(pli_bar *bar, const pli_bar_def *def)
{
    for (int32_t tet = 0; tet < bar->mesh->tet_count; ++tet) {
        const int32_t *corners = bar->mesh->tets + 4 * (int64_t)tet;
        bool stiff = piece_of(bar, def, tet) % 2 == 1;
        bar->young[tet] = stiff ? def->contrast * def->young : def->young;
        for (int k = 0; k < 4; ++k) {
            bar->stiffness[corners[k]] = fmax(bar->stiffness[corners[k]], bar->young[tet]);
        }
    }
}

static pli_status create_elastic(const pli_bar *bar, pli_elastic **elastic)
{
    static const pli_material_ops *const laws[] = {&pli_law_linear};
    const pli_tet_mesh *mesh = bar->mesh;
    pli_status status = PLI_ERROR_MEMORY;
    int32_t *law_of_tet = PLI_NEW(bar->context, int32_t, mesh->tet_count, "laws");
    double *params =
        PLI_NEW(bar->context, double, PLI_ELASTIC_PARAMS *(int64_t)mesh->tet_count, "laws");
    if (law_of_tet != NULL && params != NULL) {
        for (int32_t tet = 0; tet < mesh->tet_count; ++tet) {
            double inputs[2] = {bar->young[tet], poisson};
            pli_law_linear.derive(inputs, params + PLI_ELASTIC_PARAMS * (int64_t)tet);
        }
        pli_elastic_def made = {.vertex_count = mesh->vertex_count,
                                .tet_count = mesh->tet_count,
                                .rest = mesh->points,
                                .tets = mesh->tets,
                                .law_count = 1,
                                .laws = laws,
                                .law_of_tet = law_of_tet,
                                .params = params};
        status = pli_elastic_create(bar->context, &made, elastic);
    }
    pli_release(bar->context, params);
    pli_release(bar->context, law_of_tet);
    return status;
}

// A = K at rest; the law is linear, so it is K everywhere
static pli_status add_stiffness(pli_bar *bar)
{
    pli_elastic *elastic = NULL;
    PLI_TRY(create_elastic(bar, &elastic));
    pli_clique_list list = {4, bar->mesh->tet_count, bar->mesh->tets};
    pli_status status =
        pli_bcsr_create(bar->context, bar->mesh->vertex_count, 1, &list, &bar->matrix);
    if (status == PLI_OK) status = pli_elastic_term.bind(elastic, bar->matrix);
    if (status == PLI_OK) {
        pli_elastic_term.add_hessian(elastic, bar->mesh->points, false, bar->matrix);
    }
    pli_elastic_destroy(elastic);
    return status;
}

// A += M/h^2, b = M g
static pli_status add_mass(pli_bar *bar)
{
    const pli_tet_mesh *mesh = bar->mesh;
    pli_status status = PLI_ERROR_MEMORY;
    pli_arena_mark mark = pli_arena_begin(bar->arena);
    double *mass = pli_arena_doubles(bar->arena, mesh->vertex_count, "mass");
    if (mass == NULL) goto done;
    pli_vector_fill(bar->context, mesh->vertex_count, 0, mass);
    for (int32_t tet = 0; tet < mesh->tet_count; ++tet) {
        const int32_t *corners = mesh->tets + 4 * (int64_t)tet;
        pli_tet_lump(mesh->points, corners, density, mass);
    }
    for (int64_t vertex = 0; vertex < mesh->vertex_count; ++vertex) {
        bar->b[3 * vertex + 1] = -gravity * mass[vertex];
        mass[vertex] /= step * step;
    }
    pli_bcsr_add_to_diagonal(bar->matrix, mass);
    status = PLI_OK;

done:
    pli_arena_end(bar->arena, mark);
    return status;
}

static void clamp_end(pli_bar *bar)
{
    for (int64_t vertex = 0; vertex < bar->mesh->vertex_count; ++vertex) {
        if (bar->mesh->points[3 * vertex] > 1e-9) continue;
        bar->mask[vertex] = 7;
        bar->b[3 * vertex + 1] = 0;
    }
    pli_bcsr_fix_dofs(bar->matrix, bar->mask, 1);
}

static pli_status fill_bar(pli_bar *bar, const pli_bar_def *def)
{
    PLI_TRY(make_mesh(bar, def));
    PLI_TRY(allocate(bar));
    lay_matter(bar, def);
    PLI_TRY(add_stiffness(bar));
    PLI_TRY(add_mass(bar));
    clamp_end(bar);
    return PLI_OK;
}

pli_status pli_bar_init(pli_bar *bar, pli_context *context, const pli_bar_def *def)
{
    *bar = (pli_bar){.context = context};
    pli_status status = fill_bar(bar, def);
    if (status != PLI_OK) pli_bar_clear(bar);
    return status;
}

void pli_bar_clear(pli_bar *bar)
{
    pli_bcsr_destroy(bar->matrix);
    pli_arena_destroy(bar->arena);
    pli_tet_mesh_destroy(bar->mesh);
    pli_release(bar->context, bar->mask);
    pli_release(bar->context, bar->young);
    pli_release(bar->context, bar->stiffness);
    pli_release(bar->context, bar->piece);
    pli_release(bar->context, bar->b);
    pli_release(bar->context, bar->x);
    *bar = (pli_bar){0};
}

pli_status pli_bar_build_multigrid(const pli_bar *bar, pli_multigrid *multigrid)
{
    bool definite = false;
    PLI_TRY(pli_multigrid_build(multigrid, bar->mask, &definite));
    if (!definite) {
        return PLI_FAIL(bar->context, PLI_ERROR_NUMERIC, "a coarse matrix is not definite");
    }
    return PLI_OK;
}

pli_status pli_bar_solve(const pli_bar *bar, const pli_multigrid *multigrid, double tolerance,
                         int32_t max_iterations, pli_krylov_report *report)
{
    pli_operator A = pli_bcsr_operator(bar->matrix);
    pli_operator B = pli_multigrid_operator(multigrid);
    pli_krylov_system system = {.A = &A, .B = &B, .b = bar->b, .x = bar->x};
    pli_krylov_def def = pli_krylov_def_default();
    def.max_iterations = max_iterations;
    def.relative_tolerance = tolerance;
    return pli_pcg(bar->context, &def, &system, bar->arena, report);
}

double pli_bar_residual(const pli_bar *bar)
{
    int64_t n = 3 * (int64_t)bar->mesh->vertex_count;
    pli_arena_mark mark = pli_arena_begin(bar->arena);
    double *r = pli_arena_doubles(bar->arena, n, "residual");
    double share = NAN;
    if (r != NULL) {
        pli_bcsr_residual(bar->matrix, bar->b, bar->x, r);
        share = pli_vector_norm(bar->context, n, r) / pli_vector_norm(bar->context, n, bar->b);
    }
    pli_arena_end(bar->arena, mark);
    return share;
}

pli_status pli_bar_hierarchy(const pli_bar *bar, bool by_matter, pli_skinning_weights weights,
                             pli_hierarchy **hierarchy)
{
    static const double ratio = 10; // of stiffness that makes matter another one
    const pli_tet_mesh *mesh = bar->mesh;
    pli_simplices elements = {mesh->vertex_count, mesh->points, 4, mesh->tet_count, mesh->tets};
    if (by_matter) {
        PLI_TRY(pli_matter_compute_pieces(bar->context, &elements, bar->young, ratio, bar->piece));
    }
    pli_skinning_def def = {.graph = pli_bcsr_graph(bar->matrix),
                            .positions = bar->mesh->points,
                            .stiffness = by_matter ? bar->stiffness : NULL,
                            .piece = by_matter ? bar->piece : NULL,
                            .dofs = 12,
                            .weights = weights};
    return pli_skinning_create(bar->context, &def, hierarchy);
}
