// SPDX-License-Identifier: Apache-2.0
//
// Pieces of matter: which one a vertex moves with, and what handles that stay inside of them are
// worth to conjugate gradients on slabs and checkerboards.
#include "near.h"
#include "support/fault_sweep.h"

#include "box_matrix.h"

#include "linear/multigrid/multigrid.h"
#include "multilevel/matter.h"
#include "multilevel/skinning.h"

enum { CUBE = 4 }; // cells along the edge of a cube, or across a slab

static const double ratio = 10; // of stiffness that makes matter another one

typedef enum pattern { PLAIN, SLABS, CHECKER } pattern;

typedef struct bar {
    pli_context *context;
    box_mesh mesh;
    double *young;     // [tet_count]
    double *stiffness; // [vertex_count]  largest around
    int32_t *piece;    // [vertex_count]
    uint8_t *mask;     // [vertex_count]  7: held, at the lower end of x
    pli_bcsr *matrix;
} bar;

static bool is_stiff(const box_mesh *mesh, int64_t tet, pattern kind)
{
    int32_t cell = (int32_t)(tet / 5);
    int32_t i = cell % mesh->cells[0] / CUBE;
    int32_t j = cell / mesh->cells[0] % mesh->cells[1] / CUBE;
    int32_t k = cell / (mesh->cells[0] * mesh->cells[1]) / CUBE;
    if (kind == CHECKER) return (i + j + k) % 2 == 1;
    return kind == SLABS && i % 2 == 1;
}

static void lay_matter(bar *b, pattern kind, double contrast)
{
    for (int64_t tet = 0; tet < b->mesh.tet_count; ++tet) {
        b->young[tet] = is_stiff(&b->mesh, tet, kind) ? contrast : 1;
        for (int k = 0; k < 4; ++k) {
            double *largest = &b->stiffness[b->mesh.tets[4 * tet + k]];
            *largest = fmax(*largest, b->young[tet]);
        }
    }
}

static pli_simplices simplices_of(const bar *b)
{
    return (pli_simplices){b->mesh.vertex_count, b->mesh.x, 4, (int32_t)b->mesh.tet_count,
                           b->mesh.tets};
}

static bar make_bar(const int32_t cells[3], pattern kind, double contrast)
{
    bar b = {.context = make_context(2)};
    assert_true(box_mesh_init(&b.mesh, cells[0], cells[1], cells[2]));
    b.young = PLI_NEW(b.context, double, b.mesh.tet_count, "bar");
    b.stiffness = PLI_NEW(b.context, double, b.mesh.vertex_count, "bar");
    b.piece = PLI_NEW(b.context, int32_t, b.mesh.vertex_count, "bar");
    b.mask = PLI_NEW(b.context, uint8_t, b.mesh.vertex_count, "bar");
    lay_matter(&b, kind, contrast);
    pli_simplices mesh = simplices_of(&b);
    OK(b.context, pli_matter_compute_pieces(b.context, &mesh, b.young, ratio, b.piece));
    for (int32_t v = 0; v < b.mesh.vertex_count; ++v) b.mask[v] = b.mesh.x[3 * v] < 0.5 ? 7 : 0;
    box_assembly assembly = {
        .mesh = &b.mesh, .lambda = 1, .mu = 1, .contrast = 1, .stiffness = b.young};
    OK(b.context, box_matrix_assemble(b.context, assembly, 1e-3, &b.matrix));
    pli_bcsr_fix_dofs(b.matrix, b.mask, 1);
    return b;
}

static void clear_bar(bar *b)
{
    pli_bcsr_destroy(b->matrix);
    pli_release(b->context, b->young);
    pli_release(b->context, b->stiffness);
    pli_release(b->context, b->piece);
    pli_release(b->context, b->mask);
    box_mesh_clear(&b->mesh);
    pli_context_destroy(b->context);
}

static int32_t piece_at(const bar *b, int32_t i, int32_t j, int32_t k)
{
    return b->piece[box_vertex(&b->mesh, i, j, k)];
}

static void vertices_move_with_the_stiffest_piece(void **state)
{
    (void)state;
    bar b = make_bar((const int32_t[]){8, 4, 4}, SLABS, 100);
    // the interface is in plane 4 and belongs to the stiff slab behind it
    for (int32_t v = 0; v < b.mesh.vertex_count; ++v) {
        bool stiff = b.mesh.x[3 * v] > CUBE - 0.5;
        assert_int_equal(b.piece[v], stiff ? piece_at(&b, 8, 0, 0) : piece_at(&b, 0, 0, 0));
    }
    assert_int_not_equal(piece_at(&b, 0, 0, 0), piece_at(&b, 8, 0, 0));
    clear_bar(&b);
}

static void cubes_that_share_an_edge_are_two_pieces(void **state)
{
    (void)state;
    bar b = make_bar((const int32_t[]){8, 8, 4}, CHECKER, 100);
    // stiff cubes are at (1, 0) and (0, 1) and share the edge at (4, 4)
    int32_t one = piece_at(&b, 6, 2, 2);
    int32_t other = piece_at(&b, 2, 6, 2);
    assert_int_not_equal(one, other);
    for (int32_t k = 0; k <= 4; ++k) {
        int32_t edge = piece_at(&b, 4, 4, k);
        assert_true(edge == one || edge == other);
        assert_int_equal(piece_at(&b, 5, 4, k), one);
        assert_int_equal(piece_at(&b, 3, 4, k), other);
    }
    clear_bar(&b);
}

static void gradual_matter_and_vertices_alone_are_told(void **state)
{
    (void)state;
    bar b = make_bar((const int32_t[]){8, 4, 4}, SLABS, 5);
    for (int32_t v = 0; v < b.mesh.vertex_count; ++v) assert_int_equal(b.piece[v], 0);
    pli_simplices one = simplices_of(&b);
    one.element_count = 1;
    OK(b.context, pli_matter_compute_pieces(b.context, &one, b.young, ratio, b.piece));
    int32_t vertices = 0;
    for (int32_t v = 0; v < b.mesh.vertex_count; ++v) vertices += b.piece[v] >= 0;
    assert_int_equal(vertices, 4);
    clear_bar(&b);
}

// Iterations of conjugate gradients to 1e-8 under a load along y.
static int32_t count_iterations(const bar *b, pli_skinning_weights weights, bool by_pieces)
{
    pli_hierarchy *hierarchy = NULL;
    pli_multigrid *multigrid = NULL;
    pli_arena *arena = NULL;
    pli_skinning_def def = {.graph = pli_bcsr_graph(b->matrix),
                            .positions = b->mesh.x,
                            .stiffness = b->stiffness,
                            .piece = by_pieces ? b->piece : NULL,
                            .dofs = 12,
                            .level_count = 1,
                            .node_counts = {b->mesh.vertex_count / 40},
                            .weights = weights};
    pli_vcycle_def cycle = {.single = true};
    bool definite = false;
    int64_t n = 3 * (int64_t)b->mesh.vertex_count;
    double *load = PLI_NEW(b->context, double, n, "load");
    double *x = PLI_NEW(b->context, double, n, "solution");
    OK(b->context, pli_skinning_create(b->context, &def, &hierarchy));
    OK(b->context, pli_multigrid_parse(b->context, "direct/GS(1)", 2, &cycle));
    OK(b->context, pli_multigrid_create(b->context, &cycle, hierarchy, b->matrix, &multigrid));
    OK(b->context, pli_multigrid_build(multigrid, b->mask, &definite));
    assert_true(definite);
    OK(b->context, pli_arena_create(b->context, 1 << 16, &arena));
    for (int64_t v = 0; v < n / 3; ++v) load[3 * v + 1] = b->mask[v] == 0 ? 1 : 0;
    pli_operator A = pli_bcsr_operator(b->matrix);
    pli_operator B = pli_multigrid_operator(multigrid);
    pli_krylov_system system = {.A = &A, .B = &B, .b = load, .x = x};
    pli_krylov_def krylov = pli_krylov_def_default();
    krylov.relative_tolerance = 1e-8;
    pli_krylov_report report;
    OK(b->context, pli_pcg(b->context, &krylov, &system, arena, &report));
    assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
    pli_arena_destroy(arena);
    pli_multigrid_destroy(multigrid);
    pli_hierarchy_destroy(hierarchy);
    pli_release(b->context, load);
    pli_release(b->context, x);
    return report.iterations;
}

// A ratio of 10 000 costs at most twice the iterations of matter of one kind. The bar is one cell
// wider than two cubes, so that a checkerboard has slivers.
static void mixed_matter_costs_at_most_twice_the_iterations(void **state)
{
    (void)state;
    const int32_t cells[3] = {24, 9, 9};
    bar plain = make_bar(cells, PLAIN, 1);
    bar slabs = make_bar(cells, SLABS, 1e4);
    bar checker = make_bar(cells, CHECKER, 1e4);
    int32_t one = count_iterations(&plain, PLI_SKINNING_CONSTANT, true);
    int32_t of_slabs = count_iterations(&slabs, PLI_SKINNING_AVERAGED, true);
    int32_t of_checker = count_iterations(&checker, PLI_SKINNING_AVERAGED, true);
    int32_t constant = count_iterations(&checker, PLI_SKINNING_CONSTANT, true);
    int32_t reaching = count_iterations(&checker, PLI_SKINNING_CONSTANT, false);
    print_message("iterations: %d for one matter, %d for slabs, %d for a checkerboard; with one "
                  "handle for a vertex %d, %d when handles reach over edges\n",
                  (int)one, (int)of_slabs, (int)of_checker, (int)constant, (int)reaching);
    AT_MOST(of_slabs, 2 * one);
    AT_MOST(of_checker, 2 * one);
    AT_MOST(constant, reaching);
    clear_bar(&checker);
    clear_bar(&slabs);
    clear_bar(&plain);
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    bar b = make_bar((const int32_t[]){8, 4, 2}, SLABS, 100);
    pli_simplices mesh = simplices_of(&b);
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        sweep.status = pli_matter_compute_pieces(sweep.context, &mesh, b.young, ratio, b.piece);
    }
    clear_bar(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_move_with_the_stiffest_piece),
        cmocka_unit_test(cubes_that_share_an_edge_are_two_pieces),
        cmocka_unit_test(gradual_matter_and_vertices_alone_are_told),
        cmocka_unit_test(mixed_matter_costs_at_most_twice_the_iterations),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
