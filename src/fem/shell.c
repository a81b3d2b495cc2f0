// SPDX-License-Identifier: Apache-2.0
#include "fem/shell.h"

#include "base/memory.h"
#include "geometry/mesh/hinges.h"

// D of a triangle times its area, which is the volume over the thickness.
static double weigh_rigidity(const pli_shell *shell, const pli_shell_term_def *def,
                             int32_t triangle, double *area)
{
    const pli_membrane_def *m = &def->membrane;
    *area = shell->membrane->volume[triangle] / m->thickness[triangle];
    return *area * def->bending[triangle] *
           pli_plate_rigidity(m->young[triangle], m->poisson[triangle], m->thickness[triangle]);
}

// Mean by area of the rigidities of a hinge's triangles.
static double hinge_rigidity(const pli_shell *shell, const pli_shell_term_def *def,
                             const int32_t triangles[2])
{
    double areas[2];
    double sum = weigh_rigidity(shell, def, triangles[0], &areas[0]) +
                 weigh_rigidity(shell, def, triangles[1], &areas[1]);
    return sum / (areas[0] + areas[1]);
}

static pli_status create_hinges(pli_shell *shell, const pli_shell_term_def *def)
{
    const pli_membrane_def *m = &def->membrane;
    pli_hinge_list list;
    PLI_TRY(pli_hinge_list_build(shell->context, m->triangle_count, m->triangles, &list));
    pli_status status = PLI_ERROR_MEMORY;
    double *rigidity = PLI_NEW(shell->context, double, list.count, "rigidity");
    if (rigidity == NULL) goto done;
    for (int32_t k = 0; k < list.count; ++k) {
        rigidity[k] = hinge_rigidity(shell, def, list.triangles + 2 * (int64_t)k);
    }
    pli_hinges_def hinges = {.vertex_count = m->vertex_count,
                             .hinge_count = list.count,
                             .rest = m->rest,
                             .vertices = list.vertices,
                             .rigidity = rigidity};
    status = pli_hinges_create(shell->context, &hinges, &shell->hinges);
    if (status != PLI_OK) goto done;
    shell->hinge_triangles = list.triangles;
    list.triangles = NULL;

done:
    pli_release(shell->context, rigidity);
    pli_hinge_list_clear(shell->context, &list);
    return status;
}

pli_status pli_shell_create(pli_context *context, const pli_shell_term_def *def, pli_shell **shell)
{
    *shell = NULL;
    pli_shell *made = PLI_NEW(context, pli_shell, 1, "shell");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    pli_status status = pli_membrane_create(context, &def->membrane, &made->membrane);
    if (status == PLI_OK) status = create_hinges(made, def);
    if (status != PLI_OK) {
        pli_shell_destroy(made);
        return status;
    }
    *shell = made;
    return PLI_OK;
}

void pli_shell_destroy(pli_shell *shell)
{
    if (shell == NULL) return;
    pli_release(shell->context, shell->hinge_triangles);
    pli_hinges_destroy(shell->hinges);
    pli_membrane_destroy(shell->membrane);
    pli_release(shell->context, shell);
}

void pli_shell_add(pli_shell *shell, pli_objective *objective)
{
    pli_objective_add(objective, &pli_membrane_term, shell->membrane);
    pli_objective_add(objective, &pli_hinges_term, shell->hinges);
}

pli_sum pli_shell_energy(pli_shell *shell, const double *x)
{
    pli_sum sum = pli_membrane_term.energy(shell->membrane, x);
    pli_sum_merge(&sum, pli_hinges_term.energy(shell->hinges, x));
    return sum;
}
