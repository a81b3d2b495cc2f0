// SPDX-License-Identifier: Apache-2.0
//
// A context and a set of shapes in it, for tests of what is made of shapes.
#ifndef PLI_TESTS_WORKSHOP_H
#define PLI_TESTS_WORKSHOP_H

#include "near.h"

#include "geometry/shapes/shape.h"

typedef struct workshop {
    pli_context *context;
    pli_shape_set *set;
} workshop;

static inline workshop *workshop_open(int32_t threads)
{
    workshop *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->context = make_context(threads);
    OK(w->context, pli_shape_set_create(w->context, &w->set));
    return w;
}

static inline void workshop_close(workshop *w)
{
    pli_shape_set_destroy(w->set);
    pli_context_destroy(w->context);
    free(w);
}

FIXTURE(workshop, workshop_open, workshop_close)

// A test whose state is a workshop, which lives as long as the test.
#define TEST_IN_WORKSHOP(test, threads) TEST_WITH(workshop, test, threads)

#endif
