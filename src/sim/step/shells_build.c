// SPDX-License-Identifier: Apache-2.0
#include "sim/step/shells_build.h"

#include <math.h>

pli_status pli_shells_build(pli_mesh_stepper *s)
{
    const pli_model *model = s->model;
    int32_t count = model->shell_triangle_count;
    if (count == 0) return PLI_OK;
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    pli_status status = PLI_ERROR_MEMORY;
    double *young = pli_arena_doubles(s->scratch, count, "moduli");
    double *poisson = pli_arena_doubles(s->scratch, count, "moduli");
    if (young == NULL || poisson == NULL) goto done;
    for (int32_t k = 0; k < count; ++k) {
        const pli_model_material *material = &model->materials[model->triangle_material[k]];
        young[k] = material->young;
        poisson[k] = material->poisson;
    }
    pli_shell_term_def def = {.membrane = {.vertex_count = model->vertex_count,
                                           .triangle_count = count,
                                           .rest = model->rest,
                                           .triangles = model->triangles,
                                           .thickness = model->thickness,
                                           .young = young,
                                           .poisson = poisson},
                              .bending = model->bending,
                              .is_plate = model->is_plate,
                              .yield = model->fold_count > 0 ? model->fold_angle : NULL,
                              .hardening = model->fold_hardening};
    status = pli_shell_create(s->context, &def, &s->shell);

done:
    pli_arena_end(s->scratch, mark);
    return status;
}

static pli_folds describe_folds(const pli_mesh_stepper *s, const pli_state *state)
{
    return (pli_folds){s->shell->hinge_rows, state->fold_angle, state->fold_path};
}

void pli_shells_load(pli_mesh_stepper *s, const pli_state *state)
{
    if (s->shell == NULL || state->fold_count == 0) return;
    const pli_folds folds = describe_folds(s, state);
    pli_hinges_set_folds(s->shell->hinges, &folds);
}

void pli_shells_end_step(pli_mesh_stepper *s, pli_state *state)
{
    if (s->shell == NULL || state->fold_count == 0) return;
    const pli_folds folds = describe_folds(s, state);
    pli_hinges_yield(s->shell->hinges, state->x, &folds);
}

void pli_shells_measure_folds(const pli_mesh_stepper *s, const pli_state *state, double *folds)
{
    const pli_model *model = s->model;
    for (int32_t k = 0; k < model->shell_triangle_count; ++k) folds[k] = 0;
    for (int64_t k = 0; k < s->shell->hinges->hinge_count; ++k) {
        double angle = fabs(state->fold_angle[s->shell->hinge_rows[k]]);
        for (int side = 0; side < 2; ++side) {
            double *fold = &folds[s->shell->hinge_triangles[2 * k + side]];
            *fold = fmax(*fold, angle);
        }
    }
}
