// SPDX-License-Identifier: Apache-2.0
//
// What coarse spaces are worth to a two-grid cycle: matter-aware ones on layers of two materials,
// and the choices that table 3 of Xian et al. 2019 compares.
#include "near.h"

#include "box_matrix.h"

#include "base/random.h"
#include "linear/direct/cholesky.h"
#include "linear/matrix/vector.h"
#include "linear/multigrid/multigrid.h"
#include "multilevel/skinning.h"

enum { CYCLES = 20 };

typedef struct problem {
    pli_context *context;
    box_mesh mesh;
    pli_bcsr *matrix;
    double *stiffness; // [vertex_count]  largest around
    uint8_t *mask;     // [vertex_count]  7: the vertex is held
} problem;

// Layers of 4 cells across x, every other one stiffer by contrast; one end is held.
static problem make_problem(int32_t length, int32_t width, double contrast)
{
    problem p = {.context = make_context(1)};
    assert_true(box_mesh_init(&p.mesh, length, width, width));
    OK(p.context, box_matrix_create(p.context, &p.mesh, 1e-3, contrast, &p.matrix));
    p.stiffness = malloc((size_t)p.mesh.vertex_count * sizeof *p.stiffness);
    p.mask = calloc((uint32_t)p.mesh.vertex_count, 1);
    assert_true(p.stiffness != NULL && p.mask != NULL);
    for (int32_t v = 0; v < p.mesh.vertex_count; ++v) {
        // cells 4 to 7, 12 to 15 and so on are stiff
        int32_t i = v % (p.mesh.cells[0] + 1);
        p.stiffness[v] = i % 8 >= 4 || (i > 0 && i % 8 == 0) ? contrast : 1;
        if (i == 0) p.mask[v] = 7;
    }
    pli_bcsr_fix_dofs(p.matrix, p.mask, 1);
    return p;
}

static void clear_problem(problem *p)
{
    free(p->stiffness);
    free(p->mask);
    pli_bcsr_destroy(p->matrix);
    box_mesh_clear(&p->mesh);
    pli_context_destroy(p->context);
}

static pli_skinning_def def_of(const problem *p, int32_t node_count, int32_t dofs)
{
    return (pli_skinning_def){.graph = pli_bcsr_graph(p->matrix),
                              .positions = p->mesh.x,
                              .dofs = dofs,
                              .level_count = 1,
                              .node_counts = {node_count},
                              .corner_count = 4,
                              .element_count = (int32_t)p->mesh.tet_count,
                              .elements = p->mesh.tets};
}

// By how much a cycle shrinks what it shrinks least, in the norm of the matrix: power iteration
// e <- e - B A e, whose rates increase towards it.
static double find_rate(const problem *p, const pli_multigrid *multigrid)
{
    int64_t n = 3 * (int64_t)p->mesh.vertex_count;
    double *e = PLI_NEW(p->context, double, n, "error");
    double *r = PLI_NEW(p->context, double, n, "residual");
    double rate = 0;
    for (int64_t k = 0; k < n; ++k) {
        if (p->mask[k / 3] == 0) e[k] = pli_random_range((pli_random){2, 1}, (uint64_t)k, -1, 1);
    }
    for (int32_t cycle = 0; cycle <= CYCLES; ++cycle) {
        pli_bcsr_multiply(p->matrix, e, r);
        rate = sqrt(pli_vector_dot(p->context, n, e, r));
        pli_vector_scale(p->context, n, 1 / rate, e);
        pli_vector_scale(p->context, n, 1 / rate, r);
        pli_multigrid_apply(multigrid, r, r);
        pli_vector_subtract(p->context, n, e, r, e);
    }
    pli_release(p->context, e);
    pli_release(p->context, r);
    return rate;
}

static pli_multigrid *make_multigrid(const problem *p, const pli_skinning_def *def,
                                     const char *smoothers, bool single, pli_hierarchy **hierarchy)
{
    pli_multigrid *multigrid = NULL;
    pli_vcycle_def multigrid_def = {0};
    bool definite = false;
    OK(p->context, pli_skinning_create(p->context, def, hierarchy));
    OK(p->context, pli_multigrid_parse(p->context, smoothers, 2, &multigrid_def));
    multigrid_def.single = single;
    OK(p->context,
       pli_multigrid_create(p->context, &multigrid_def, *hierarchy, p->matrix, &multigrid));
    OK(p->context, pli_multigrid_build(multigrid, p->mask, &definite));
    assert_true(definite);
    return multigrid;
}

static double two_grid_rate(const problem *p, const pli_skinning_def *def)
{
    pli_hierarchy *hierarchy = NULL;
    pli_multigrid *multigrid = make_multigrid(p, def, "direct/GS(2)", false, &hierarchy);
    double rate = find_rate(p, multigrid);
    pli_multigrid_destroy(multigrid);
    pli_hierarchy_destroy(hierarchy);
    return rate;
}

// Iterations of conjugate gradients to 1e-8 under a load along y.
static int32_t count_iterations(const problem *p, const pli_skinning_def *def)
{
    int64_t n = 3 * (int64_t)p->mesh.vertex_count;
    double *b = PLI_NEW(p->context, double, n, "load");
    double *x = PLI_NEW(p->context, double, n, "solution");
    pli_arena *arena = NULL;
    pli_hierarchy *hierarchy = NULL;
    pli_multigrid *multigrid = make_multigrid(p, def, "direct/GS(1)", true, &hierarchy);
    OK(p->context, pli_arena_create(p->context, 1 << 16, &arena));
    for (int64_t v = 0; v < n / 3; ++v) b[3 * v + 1] = p->mask[v] == 0 ? 1 : 0;
    pli_operator A = pli_bcsr_operator(p->matrix);
    pli_operator B = pli_multigrid_operator(multigrid);
    pli_krylov_system system = {.A = &A, .B = &B, .b = b, .x = x};
    pli_krylov_def krylov = pli_krylov_def_default();
    pli_krylov_report report;
    OK(p->context, pli_pcg(p->context, &krylov, &system, arena, &report));
    assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
    pli_arena_destroy(arena);
    pli_multigrid_destroy(multigrid);
    pli_hierarchy_destroy(hierarchy);
    pli_release(p->context, b);
    pli_release(p->context, x);
    return report.iterations;
}

// Layers with a ratio of 10 000 cost at most twice the iterations of matter of one kind.
static void averaged_weights_make_layers_as_easy_as_one_matter(void **state)
{
    (void)state;
    problem plain = make_problem(24, 8, 1);
    problem layers = make_problem(24, 8, 1e4);
    pli_skinning_def def = def_of(&plain, 40, 12);
    int32_t one = count_iterations(&plain, &def);
    def = def_of(&layers, 40, 12);
    def.stiffness = layers.stiffness;
    int32_t constant = count_iterations(&layers, &def);
    def.weights = PLI_SKINNING_AVERAGED;
    int32_t averaged = count_iterations(&layers, &def);
    print_message("iterations: %d for one matter, %d for layers, %d with averaged weights\n",
                  (int)one, (int)constant, (int)averaged);
    AT_MOST(averaged, 2 * one);
    AT_MOST(averaged, constant);
    clear_problem(&layers);
    clear_problem(&plain);
}

// With jumps of 1000 handles that straddle them leave errors that cycles hardly touch.
static void respect_for_jumps_makes_cycles_converge(void **state)
{
    (void)state;
    problem p = make_problem(16, 6, 1000);
    pli_skinning_def def = def_of(&p, 24, 12);
    double blind = two_grid_rate(&p, &def);
    def.stiffness = p.stiffness;
    double aware = two_grid_rate(&p, &def);
    print_message("two-grid rates on layers: %.3f blind, %.3f aware\n", blind, aware);
    AT_LEAST(1 - aware, 3 * (1 - blind));
    clear_problem(&p);
}

// On a block: what a slender bar bends by, translations do not catch, be they few or many.
static void choices_rank_as_in_the_paper(void **state)
{
    (void)state;
    problem p = make_problem(10, 10, 1);
    pli_skinning_def affine = def_of(&p, 15, 12);
    pli_skinning_def rigid = def_of(&p, 15, 3);
    pli_skinning_def rigid_many = def_of(&p, 60, 3);
    double affine_rate = two_grid_rate(&p, &affine);
    double few_rate = two_grid_rate(&p, &rigid);
    double many_rate = two_grid_rate(&p, &rigid_many);
    print_message("two-grid rates: affine %.3f, translations %.3f, four times as many %.3f\n",
                  affine_rate, few_rate, many_rate);
    AT_MOST(affine_rate, many_rate);
    AT_MOST(many_rate, few_rate);
    if (pli_cholesky_is_available()) {
        affine.weights = PLI_SKINNING_SMOOTH;
        double smooth_rate = two_grid_rate(&p, &affine);
        print_message("two-grid rate of smooth weights: %.3f\n", smooth_rate);
        AT_MOST(smooth_rate, affine_rate);
    }
    clear_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(averaged_weights_make_layers_as_easy_as_one_matter),
        cmocka_unit_test(respect_for_jumps_makes_cycles_converge),
        cmocka_unit_test(choices_rank_as_in_the_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
