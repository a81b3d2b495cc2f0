// SPDX-License-Identifier: Apache-2.0
#include "support/same_bits.h"
#include "unit/linear/problems.h"

#include "linear/matrix/bcsr_extra.h"
#include "linear/matrix/stencils.h"

enum { CELLS = 8, COUNT = 700, HESSIAN = PLI_STENCIL_DOFS * PLI_STENCIL_DOFS };

// A box and stencils of faces with far vertices, some of them with fewer than four.
typedef struct fixture {
    pli_context *context;
    pli_bcsr *matrix;
    pli_stencils stencils;
    int32_t *vertices; // [COUNT][4]
    double *hessians;  // [COUNT][12][12]
} fixture;

static fixture make_fixture(int32_t threads)
{
    fixture f = {.context = make_context(threads),
                 .vertices = malloc(4 * COUNT * sizeof *f.vertices),
                 .hessians = random_vector((int64_t)COUNT * HESSIAN, 3)};
    box_mesh mesh;
    assert_non_null(f.vertices);
    assert_true(box_mesh_init(&mesh, CELLS, CELLS, CELLS));
    OK(f.context, box_matrix_create(f.context, &mesh, 0.1, 1, &f.matrix));
    for (int32_t k = 0; k < COUNT; ++k) {
        int32_t *vertices = f.vertices + 4 * k;
        memcpy(vertices, mesh.tets + 4 * ((int64_t)k * 3 % (mesh.tet_count / 2)),
               3 * sizeof *vertices);
        vertices[3] = mesh.vertex_count - 1 - k % 40;
        if (k % 5 == 1) vertices[k % 3] = -1;
    }
    box_mesh_clear(&mesh);
    pli_stencils_init(f.context, &f.stencils);
    return f;
}

static void clear_fixture(fixture *f)
{
    pli_stencils_clear(&f->stencils);
    pli_bcsr_destroy(f->matrix);
    pli_context_destroy(f->context);
    free(f->vertices);
    free(f->hessians);
}

// The same by single blocks.
static void add_by_blocks(const fixture *f, int32_t first, int32_t end)
{
    OK(f->context, pli_bcsr_reserve_extra(f->matrix, 12 * COUNT));
    for (int32_t k = first; k < end; ++k) {
        const int32_t *vertices = f->vertices + 4 * k;
        for (int ab = 0; ab < 16; ++ab) {
            int a = ab / 4;
            int b = ab % 4;
            double block[9];
            if (vertices[a] < 0 || vertices[b] < 0) continue;
            for (int i = 0; i < 9; ++i) {
                block[i] = f->hessians[HESSIAN * k + 12 * (3 * a + i / 3) + 3 * b + i % 3];
            }
            assert_true(pli_bcsr_add_block(f->matrix, vertices[a], vertices[b], block));
        }
    }
    pli_bcsr_close_extra(f->matrix);
}

static void assert_same_matrix(const pli_bcsr *got, const pli_bcsr *want)
{
    assert_int_equal(got->extra.count, want->extra.count);
    assert_true(got->extra.revision == want->extra.revision);
    assert_int_equal(got->extra.row_count, want->extra.row_count);
    // sums of some hundred numbers in [-1, 1]
    for (int64_t k = 0; k < 9 * got->block_count; ++k) {
        NEAR(got->values[k], want->values[k], 1e-14, 1e-13);
    }
    for (int64_t k = 0; k < got->extra.count; ++k) {
        const pli_extra_block *block = got->extra.blocks + k;
        assert_int_equal(block->row, want->extra.blocks[k].row);
        assert_int_equal(block->column, want->extra.blocks[k].column);
        for (int i = 0; i < 9; ++i) {
            NEAR(block->values[i], want->extra.blocks[k].values[i], 1e-14, 1e-13);
        }
        assert_true(pli_bcsr_extra_find(got, block->row, block->column) == block);
    }
}

static void stencils_add_up_to_their_blocks(void **state)
{
    (void)state;
    fixture want = make_fixture(1);
    add_by_blocks(&want, 0, COUNT);
    fixture got = make_fixture(2);
    OK(got.context, pli_stencils_build(&got.stencils, got.matrix, COUNT, got.vertices));
    assert_true(pli_stencils_add(&got.stencils, got.hessians, got.matrix));
    assert_same_matrix(got.matrix, want.matrix);

    // again after the matrix was emptied, with a list that is known
    pli_bcsr_set_zero(got.matrix);
    pli_bcsr_set_zero(want.matrix);
    add_by_blocks(&want, 0, COUNT);
    OK(got.context, pli_stencils_build(&got.stencils, got.matrix, COUNT, got.vertices));
    assert_true(pli_stencils_add(&got.stencils, got.hessians, got.matrix));
    assert_same_matrix(got.matrix, want.matrix);
    clear_fixture(&got);
    clear_fixture(&want);
}

static void lists_of_several_terms_add_up(void **state)
{
    (void)state;
    fixture want = make_fixture(1);
    add_by_blocks(&want, 0, COUNT);
    fixture got = make_fixture(2);
    enum { HALF = COUNT / 2 };
    pli_stencils second;
    pli_stencils_init(got.context, &second);
    OK(got.context, pli_stencils_build(&got.stencils, got.matrix, HALF, got.vertices));
    assert_true(pli_stencils_add(&got.stencils, got.hessians, got.matrix));
    OK(got.context,
       pli_stencils_build(&second, got.matrix, COUNT - HALF, got.vertices + 4 * (int64_t)HALF));
    assert_true(pli_stencils_add(&second, got.hessians + (int64_t)HESSIAN * HALF, got.matrix));
    assert_same_matrix(got.matrix, want.matrix);

    // after blocks that were added one by one and not closed
    pli_bcsr_set_zero(got.matrix);
    pli_bcsr_set_zero(want.matrix);
    add_by_blocks(&want, 0, COUNT);
    add_by_blocks(&want, 0, 1);
    add_by_blocks(&got, 0, 1);
    got.matrix->extra.open = true;
    OK(got.context, pli_stencils_build(&got.stencils, got.matrix, COUNT, got.vertices));
    assert_true(pli_stencils_add(&got.stencils, got.hessians, got.matrix));
    assert_same_matrix(got.matrix, want.matrix);
    pli_stencils_clear(&second);
    clear_fixture(&got);
    clear_fixture(&want);
}

static void adding_has_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        fixture f = make_fixture(bits.threads);
        OK(f.context, pli_stencils_build(&f.stencils, f.matrix, COUNT, f.vertices));
        assert_true(pli_stencils_add(&f.stencils, f.hessians, f.matrix));
        uint64_t hash = vector_hash(9 * f.matrix->block_count, f.matrix->values);
        hash = pli_hash_bytes(hash, f.matrix->extra.blocks,
                              (size_t)f.matrix->extra.count * sizeof *f.matrix->extra.blocks);
        same_bits_keep_hash(&bits, hash);
        clear_fixture(&f);
    }
}

static void warm_lists_allocate_nothing(void **state)
{
    (void)state;
    fixture f = make_fixture(1);
    for (int round = 0; round < 4; ++round) {
        int64_t before = pli_context_allocation_count(f.context);
        int32_t count = round % 2 == 0 ? COUNT : COUNT / 2;
        pli_bcsr_set_zero(f.matrix);
        OK(f.context, pli_stencils_build(&f.stencils, f.matrix, count, f.vertices));
        assert_true(pli_stencils_add(&f.stencils, f.hessians, f.matrix));
        if (round > 0) assert_int_equal(pli_context_allocation_count(f.context), before);
    }
    clear_fixture(&f);
}

static void bad_lists_and_missing_room_are_refused(void **state)
{
    (void)state;
    fixture f = make_fixture(1);
    int32_t twice[4] = {1, 2, 3, 1};
    int32_t outside[4] = {1, 2, 3, f.matrix->row_count};
    assert_int_equal(pli_stencils_build(&f.stencils, f.matrix, 1, twice), PLI_ERROR_ARGUMENT);
    assert_int_equal(pli_stencils_build(&f.stencils, f.matrix, 1, outside), PLI_ERROR_ARGUMENT);
    assert_int_equal(f.stencils.count, 0);

    // nothing to add is fine; a matrix that has lost its room is not
    OK(f.context, pli_stencils_build(&f.stencils, f.matrix, 0, f.vertices));
    assert_true(pli_stencils_add(&f.stencils, f.hessians, f.matrix));
    assert_int_equal(f.matrix->extra.count, 0);
    OK(f.context, pli_stencils_build(&f.stencils, f.matrix, COUNT, f.vertices));
    pli_bcsr_extra_clear(f.matrix);
    double before = f.matrix->values[0];
    assert_false(pli_stencils_add(&f.stencils, f.hessians, f.matrix));
    NEAR(f.matrix->values[0], before, 0, 0);
    OK(f.context, pli_bcsr_reserve_extra(f.matrix, 20));
    double one[9] = {1};
    assert_true(pli_bcsr_add_block(f.matrix, 0, f.matrix->row_count - 1, one));
    assert_false(pli_stencils_add(&f.stencils, f.hessians, f.matrix));
    NEAR(f.matrix->values[0], before, 0, 0);
    clear_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stencils_add_up_to_their_blocks),
        cmocka_unit_test(lists_of_several_terms_add_up),
        cmocka_unit_test(adding_has_the_same_bits_for_any_thread_count),
        cmocka_unit_test(warm_lists_allocate_nothing),
        cmocka_unit_test(bad_lists_and_missing_room_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
