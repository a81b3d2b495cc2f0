// SPDX-License-Identifier: Apache-2.0
//
// Anchors in matrices that stay: inertia and drag are part of the scalar matrix, attachments of the
// blocks on its diagonal, and nothing is in both.
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffness_is_in_the_matrix_or_in_the_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
