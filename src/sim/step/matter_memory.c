// SPDX-License-Identifier: Apache-2.0
//
// What a run of particles takes.
#include "sim/model/matter_build.h"
#include "sim/step/matter_implicit.h"

pli_status pli_matter_count(pli_model *model)
{
    pli_matter *matter = model->matter;
    if (model->solver_kind->grid == NULL) return PLI_OK;
    pli_implicit_stepper_def def = pli_matter_implicit_describe(model);
    return pli_implicit_sizes_count(model->context, &def.cloud, matter->start.count,
                                    matter->start.position, &matter->sizes);
}

static int64_t row_bytes(void)
{
    int64_t row = 0;
#define X(member, type, kind, columns, name) row += (columns) * (int64_t)sizeof(type);
    PLI_MATTER_ARRAYS(X)
#undef X
    return row;
}

// A particle is a row in each of model, state and the checkpoint that is being written, and has 48
// bytes in the fields of a frame and 128 in a step. About as many again are lists that are not
// full, copies where regions meet, particles on their way from block to block, and pages of the
// grid. A run without any takes 30 MB. Runs of 1e5 to 1e6 particles, 1 to 64 a cell, had within 8 %
// of this. Implicit steps have a row of their own instead, 8 more bytes in frames, and what
// mpm/implicit/implicit_sizes.h counts.
int64_t pli_matter_memory(const pli_model *model)
{
    const int64_t all = 30000000, frame = 48, step = 128, loose = 140;
    int64_t count = model->matter->start.count, shared = all + (3 * row_bytes() + frame) * count;
    if (model->solver_kind->grid == NULL) return shared + (step + loose) * count;
    pli_implicit_stepper_def def = pli_matter_implicit_describe(model);
    return shared + (row_bytes() + 8) * count +
           pli_implicit_sizes_memory(&model->matter->sizes, &def);
}
