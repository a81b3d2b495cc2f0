// SPDX-License-Identifier: Apache-2.0
#include "sim/step/solver.h"

#include "base/memory.h"
#include "sim/step/minimizer_build.h"
#include "sim/step/tets_build.h"

// ---- creation

static pli_status create_shell(pli_solver *s)
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
                              .bending = model->bending};
    status = pli_shell_create(s->context, &def, &s->shell);

done:
    pli_arena_end(s->scratch, mark);
    return status;
}

static pli_status create_springs(pli_solver *s)
{
    const pli_model *model = s->model;
    if (model->spring_count == 0) return PLI_OK;
    pli_spring_def def = {.vertex_count = model->vertex_count,
                          .spring_count = model->spring_count,
                          .ends = model->spring_ends,
                          .stiffness = model->spring_stiffness,
                          .rest_length = model->spring_length};
    return pli_spring_net_create(s->context, &def, &s->springs);
}

// Damping times of tetrahedra, in the order of the elastic term (s).
static double *list_tet_damping(const pli_solver *s)
{
    const pli_model *model = s->model;
    double *damping = pli_arena_doubles(s->scratch, model->tet_count, "damping");
    for (int32_t k = 0; damping != NULL && k < model->tet_count; ++k) {
        damping[k] = model->materials[model->material_of[s->elastic->origin[k]]].rayleigh;
    }
    return damping;
}

// Damping times of the shells' triangles (s).
static double *list_triangle_damping(const pli_solver *s)
{
    const pli_model *model = s->model;
    int32_t count = model->shell_triangle_count;
    double *damping = pli_arena_doubles(s->scratch, count, "damping");
    for (int32_t k = 0; damping != NULL && k < count; ++k) {
        damping[k] = model->materials[model->triangle_material[k]].rayleigh;
    }
    return damping;
}

// Damping times of hinges, the mean of those of their triangles (s).
static double *list_hinge_damping(const pli_solver *s, const double *of_triangle)
{
    int32_t count = s->shell->hinges->hinge_count;
    double *damping = pli_arena_doubles(s->scratch, count, "damping");
    for (int64_t k = 0; damping != NULL && k < count; ++k) {
        const int32_t *triangles = s->shell->hinge_triangles + 2 * k;
        damping[k] = 0.5 * (of_triangle[triangles[0]] + of_triangle[triangles[1]]);
    }
    return damping;
}

static pli_status create_rayleigh(pli_solver *s)
{
    if (!s->model->has_rayleigh) return PLI_OK;
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    pli_status status = PLI_ERROR_MEMORY;
    pli_rayleigh_source sources[PLI_RAYLEIGH_SOURCES];
    int32_t count = 0;
    double *tets = list_tet_damping(s);
    if (tets == NULL) goto done;
    sources[count++] = pli_rayleigh_elastic(s->elastic, tets);
    if (s->shell != NULL) {
        double *triangles = list_triangle_damping(s);
        if (triangles == NULL) goto done;
        double *hinges = list_hinge_damping(s, triangles);
        if (hinges == NULL) goto done;
        sources[count++] = pli_rayleigh_membrane(s->shell->membrane, triangles);
        sources[count++] = pli_rayleigh_hinges(s->shell->hinges, hinges);
    }
    if (s->springs != NULL) {
        sources[count++] = pli_rayleigh_springs(s->springs, s->model->spring_rayleigh);
    }
    status = pli_rayleigh_create(s->context, s->model->vertex_count, count, sources, &s->rayleigh);

done:
    pli_arena_end(s->scratch, mark);
    return status;
}

static pli_status allocate_arrays(pli_solver *s)
{
    pli_context *context = s->context;
    int64_t n = s->model->vertex_count;
    s->fixed = PLI_NEW(context, uint8_t, n, "fixed coordinates");
    s->inertia_stiffness = PLI_NEW(context, double, n, "inertia");
    s->inertia_target = PLI_NEW(context, double, 3 * n, "inertia");
    s->drag_stiffness = PLI_NEW(context, double, n, "drag");
    s->attachment_stiffness = PLI_NEW(context, double, n, "attachments");
    s->attachment_target = PLI_NEW(context, double, 3 * n, "attachments");
    s->x = PLI_NEW(context, double, 3 * n, "iterate");
    s->J = PLI_NEW(context, double, s->model->tet_count, "determinants");
    bool complete = s->fixed != NULL && s->inertia_stiffness != NULL && s->inertia_target != NULL &&
                    s->drag_stiffness != NULL && s->attachment_stiffness != NULL &&
                    s->attachment_target != NULL && s->x != NULL && s->J != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

static pli_status allocate_barrier_arrays(pli_solver *s)
{
    int64_t n = s->model->vertex_count;
    s->pursuit_stiffness = PLI_NEW(s->context, double, n, "pursuit");
    s->pursuit_target = PLI_NEW(s->context, double, 3 * n, "pursuit");
    s->friction_start = PLI_NEW(s->context, double, 3 * n, "friction");
    bool complete =
        s->pursuit_stiffness != NULL && s->pursuit_target != NULL && s->friction_start != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

static void add_terms(pli_solver *s)
{
    const pli_model *model = s->model;
    pli_objective *objective = &s->objective;
    int32_t n = model->vertex_count;
    if (model->time.mode == PLI_MODE_DYNAMIC) {
        s->inertia = (pli_anchor){s->context, n, s->inertia_stiffness, s->inertia_target};
        pli_objective_add(objective, &pli_anchor_term, &s->inertia);
    }
    if (model->has_drag) {
        // the target is the position before the step, set with the step
        s->drag = (pli_anchor){s->context, n, s->drag_stiffness, NULL};
        pli_objective_add(objective, &pli_anchor_term, &s->drag);
    }
    if (model->attachment_count > 0) {
        s->attachment = (pli_anchor){s->context, n, s->attachment_stiffness, s->attachment_target};
        pli_objective_add(objective, &pli_attachment_term, &s->attachment);
    }
    // grips and forces are those of a state, set with the step
    s->grip = (pli_anchor){s->context, n, NULL, NULL};
    pli_objective_add(objective, &pli_attachment_term, &s->grip);
    s->load = (pli_load){s->context, n, NULL};
    pli_objective_add(objective, &pli_load_term, &s->load);
    s->gravity = (pli_gravity){s->context, n, model->mass, {0, 0, 0}};
    for (int k = 0; k < 3; ++k) s->gravity.acceleration[k] = model->gravity[k];
    pli_objective_add(objective, &pli_gravity_term, &s->gravity);
    if (s->projective != NULL) {
        pli_objective_add(objective, &pli_projective_term, s->projective);
    } else {
        pli_objective_add(objective, &pli_elastic_term, s->elastic);
    }
    if (s->shell != NULL) pli_shell_add(s->shell, objective);
    if (s->springs != NULL) pli_objective_add(objective, &pli_spring_term, s->springs);
    if (s->rayleigh != NULL) pli_objective_add(objective, &pli_rayleigh_term, s->rayleigh);
    pli_contacts_add(s->contacts, objective);
    if (s->pursuit_stiffness != NULL) {
        s->pursuit = (pli_anchor){s->context, n, s->pursuit_stiffness, s->pursuit_target};
        pli_objective_add(objective, &pli_attachment_term, &s->pursuit);
    }

    objective->fixed = s->fixed;
    objective->norm_weights = model->norm_weights;
    objective->norm_scale = model->norm_scale;
}

static pli_status build(pli_solver *s)
{
    PLI_TRY(pli_arena_create(s->context, 1 << 16, &s->scratch));
    pli_arena_set_cancel(s->scratch, pli_solver_is_cancelled_inside, s);
    if (s->model->matter != NULL) {
        return s->model->solver_kind->grid != NULL
                   ? pli_matter_implicit_create(s->model, &s->implicit)
                   : pli_matter_solver_create(s->model, &s->matter);
    }
    PLI_TRY(allocate_arrays(s));
    PLI_TRY(pli_tets_build(s));
    PLI_TRY(create_shell(s));
    PLI_TRY(create_springs(s));
    PLI_TRY(create_rayleigh(s));
    PLI_TRY(pli_contacts_create(s->model, s->fixed, &s->timers, &s->contacts));
    if (pli_contacts_barrier(s->contacts) != NULL) PLI_TRY(allocate_barrier_arrays(s));
    pli_objective_init(&s->objective, s->context, s->model->vertex_count);
    add_terms(s);
    return pli_minimizer_build(s);
}

pli_status pli_solver_create(const pli_model *model, pli_solver **solver)
{
    *solver = NULL;
    pli_solver *made = PLI_NEW(model->context, pli_solver, 1, "solver");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->model = model;
    made->context = model->context;
    pli_timers_clear(&made->timers);
    pli_status status = build(made);
    if (status != PLI_OK) {
        pli_solver_destroy(made);
        return status;
    }
    *solver = made;
    return PLI_OK;
}

void pli_solver_destroy(pli_solver *solver)
{
    if (solver == NULL) return;
    pli_context *context = solver->context;
    pli_frame_cache_destroy(solver->frames);
    pli_matter_implicit_destroy(solver->implicit);
    pli_matter_solver_destroy(solver->matter);
    pli_vertex_descent_destroy(solver->vertex_descent);
    pli_local_global_destroy(solver->local_global);
    pli_lbfgs_destroy(solver->lbfgs);
    pli_linear_solver_destroy(solver->linear);
    pli_subspace_destroy(solver->subspace);
    pli_elastic_destroy(solver->cubature);
    pli_objective_clear(&solver->objective);
    pli_contacts_destroy(solver->contacts);
    pli_rayleigh_destroy(solver->rayleigh);
    pli_spring_net_destroy(solver->springs);
    pli_shell_destroy(solver->shell);
    pli_elastic_destroy(solver->elastic);
    pli_projective_destroy(solver->projective);
    pli_release(context, solver->J);
    pli_release(context, solver->x);
    pli_release(context, solver->friction_start);
    pli_release(context, solver->pursuit_target);
    pli_release(context, solver->pursuit_stiffness);
    pli_release(context, solver->attachment_target);
    pli_release(context, solver->attachment_stiffness);
    pli_release(context, solver->drag_stiffness);
    pli_release(context, solver->inertia_target);
    pli_release(context, solver->inertia_stiffness);
    pli_release(context, solver->fixed);
    pli_arena_destroy(solver->scratch);
    pli_release(context, solver);
}

void pli_solver_set_monitor(pli_solver *solver, pli_iteration_fn monitor, void *user)
{
    solver->monitor = monitor;
    solver->monitor_user = user;
}

void pli_solver_set_residual_monitor(pli_solver *solver, pli_residual_fn monitor, void *user)
{
    solver->residual_monitor = monitor;
    solver->residual_user = user;
}

void pli_solver_set_measuring(pli_solver *solver, bool measuring)
{
    solver->unmeasured = !measuring;
}

void pli_solver_set_cancel(pli_solver *solver, pli_cancel_fn cancel, void *user)
{
    solver->cancel = cancel;
    solver->cancel_user = user;
}
