// SPDX-License-Identifier: Apache-2.0
//
// Anchors in matrices that stay: inertia and drag are part of the scalar matrix, attachments of the
// blocks on its diagonal, and nothing is in both; and what is idle does nothing.
#include "near.h"

#include "optimize/anchor.h"

enum { POINTS = 3 };

static void stiffness_is_in_the_matrix_or_in_the_blocks(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_lifted *S = NULL;
    OK(context, pli_lifted_create(context, POINTS, 0, NULL, &S));
    static const double stiffness[POINTS] = {1, 0, 4};
    static const double x[3 * POINTS] = {0};
    pli_anchor anchor = {context, POINTS, stiffness, x};
    double blocks[6 * POINTS] = {0};
    assert_null(pli_anchor_term.add_blocks);
    assert_null(pli_attachment_term.add_lifted);
    pli_anchor_term.add_lifted(&anchor, S);
    pli_attachment_term.add_blocks(&anchor, x, blocks);
    for (int p = 0; p < POINTS; ++p) {
        assert_true(S->pristine[S->diagonal[p]] == stiffness[p]);
        for (int k = 0; k < 6; ++k) {
            assert_true(blocks[6 * p + k] == (k < 3 ? stiffness[p] : 0));
        }
    }
    pli_lifted_destroy(S);
    pli_context_destroy(context);
}

static void an_idle_anchor_adds_nothing(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_bcsr *H = NULL;
    OK(context, pli_bcsr_create(context, POINTS, 0, NULL, &H));
    static const double x[3 * POINTS] = {1, 2, 3};
    static const int32_t vertices[POINTS] = {0, 1, 2};
    double zero[6 * POINTS] = {0};
    double energy[POINTS] = {0};
    double g[3 * POINTS] = {0};
    double blocks[6 * POINTS] = {0};
    pli_anchor idle = {context, POINTS, NULL, NULL};
    assert_true(pli_attachment_term.is_idle(&idle));
    assert_true(pli_sum_value(pli_attachment_term.energy(&idle, x)) == 0);
    pli_attachment_term.add_gradient(&idle, x, g);
    assert_memory_equal(g, zero, sizeof g);
    pli_attachment_term.add_blocks(&idle, x, blocks);
    assert_memory_equal(blocks, zero, sizeof blocks);
    pli_vertex_batch batch = {POINTS, vertices, energy, g, blocks};
    pli_attachment_term.add_vertices(&idle, x, &batch);
    assert_memory_equal(energy, zero, sizeof energy);
    assert_memory_equal(g, zero, sizeof g);
    assert_memory_equal(blocks, zero, sizeof blocks);
    pli_bcsr_set_zero(H);
    pli_attachment_term.add_hessian(&idle, x, true, H);
    for (int p = 0; p < POINTS; ++p) assert_memory_equal(H->values + 9 * p, zero, 9 * 8);

    static const double stiffness[POINTS] = {0};
    pli_anchor busy = {context, POINTS, stiffness, x};
    assert_false(pli_attachment_term.is_idle(&busy));
    pli_bcsr_destroy(H);
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffness_is_in_the_matrix_or_in_the_blocks),
        cmocka_unit_test(an_idle_anchor_adds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
