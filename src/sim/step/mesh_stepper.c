// SPDX-License-Identifier: Apache-2.0
#include "sim/step/mesh_stepper.h"

#include "base/memory.h"
#include "sim/report/culprit.h"
#include "sim/step/load_steps.h"
#include "sim/step/loads.h"
#include "sim/step/minimizer_build.h"
#include "sim/step/scripts.h"
#include "sim/step/shells_build.h"
#include "sim/step/tets_build.h"

// ---- terms

static pli_status create_springs(pli_mesh_stepper *s)
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

// Damping times of tetrahedra, or of patches of them, in the order of an elastic term (s).
static double *list_tet_damping(const pli_mesh_stepper *s, const pli_elastic *elastic)
{
    const pli_model *model = s->model;
    const pli_patches *patches = elastic->patches;
    int64_t count = elastic->elements.cliques.count;
    double *damping = pli_arena_doubles(s->scratch, count, "damping");
    for (int64_t k = 0; damping != NULL && k < count; ++k) {
        // materials of a patch have the same
        int64_t tet = patches != NULL ? patches->begin[k] : k;
        damping[k] = model->materials[model->material_of[elastic->origin[tet]]].rayleigh;
    }
    return damping;
}

// Damping times of the shells' triangles (s).
static double *list_triangle_damping(const pli_mesh_stepper *s)
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
static double *list_hinge_damping(const pli_mesh_stepper *s, const double *of_triangle)
{
    int32_t count = s->shell->hinges->hinge_count;
    double *damping = pli_arena_doubles(s->scratch, count, "damping");
    for (int64_t k = 0; damping != NULL && k < count; ++k) {
        const int32_t *triangles = s->shell->hinge_triangles + 2 * k;
        damping[k] = 0.5 * (of_triangle[triangles[0]] + of_triangle[triangles[1]]);
    }
    return damping;
}

// Damping times of plates, those of their triangles (s).
static double *list_plate_damping(const pli_mesh_stepper *s, const double *of_triangle)
{
    int32_t count = s->shell->plates != NULL ? s->shell->plates->plate_count : 0;
    double *damping = pli_arena_doubles(s->scratch, count, "damping");
    for (int32_t k = 0; damping != NULL && k < count; ++k) {
        damping[k] = of_triangle[s->shell->plate_triangles[k]];
    }
    return damping;
}

static pli_status create_rayleigh(pli_mesh_stepper *s)
{
    if (!s->model->has_rayleigh) return PLI_OK;
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    pli_status status = PLI_ERROR_MEMORY;
    pli_rayleigh_source sources[PLI_RAYLEIGH_SOURCES];
    int32_t count = 0;
    pli_elastic *list[PLI_TETS_KINDS];
    int32_t kinds = pli_tets_list(s, list);
    for (int32_t k = 0; k < kinds; ++k) {
        double *tets = list_tet_damping(s, list[k]);
        if (tets == NULL) goto done;
        sources[count++] = (pli_rayleigh_source){&list[k]->elements, tets};
    }
    if (s->shell != NULL) {
        double *triangles = list_triangle_damping(s);
        if (triangles == NULL) goto done;
        double *hinges = list_hinge_damping(s, triangles);
        if (hinges == NULL) goto done;
        sources[count++] = (pli_rayleigh_source){&s->shell->membrane->elements, triangles};
        sources[count++] = (pli_rayleigh_source){&s->shell->hinges->elements, hinges};
        double *plates = list_plate_damping(s, triangles);
        if (plates == NULL) goto done;
        if (s->shell->plates != NULL) {
            sources[count++] = (pli_rayleigh_source){&s->shell->plates->elements, plates};
        }
    }
    if (s->springs != NULL) {
        sources[count++] = (pli_rayleigh_source){&s->springs->elements, s->model->spring_rayleigh};
    }
    status = pli_rayleigh_create(s->context, s->model->vertex_count, count, sources, &s->rayleigh);

done:
    pli_arena_end(s->scratch, mark);
    return status;
}

static pli_status allocate_arrays(pli_mesh_stepper *s)
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

static pli_status allocate_barrier_arrays(pli_mesh_stepper *s)
{
    int64_t n = s->model->vertex_count;
    s->pursuit_stiffness = PLI_NEW(s->context, double, n, "pursuit");
    s->pursuit_target = PLI_NEW(s->context, double, 3 * n, "pursuit");
    s->friction_start = PLI_NEW(s->context, double, 3 * n, "friction");
    bool complete =
        s->pursuit_stiffness != NULL && s->pursuit_target != NULL && s->friction_start != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

static void add_terms(pli_mesh_stepper *s)
{
    const pli_model *model = s->model;
    pli_objective *objective = &s->objective;
    int32_t n = model->vertex_count;
    if (model->time.mode == PLI_MODE_DYNAMIC) {
        s->inertia = (pli_anchor){s->context, n, s->inertia_stiffness, s->inertia_target};
        pli_objective_add_as(objective, PLI_TERM_INERTIA, &pli_anchor_term, &s->inertia);
    }
    if (model->has_drag) {
        // the target is the position before the step, set with the step
        s->drag = (pli_anchor){s->context, n, s->drag_stiffness, NULL};
        pli_objective_add_as(objective, PLI_TERM_DAMPING, &pli_anchor_term, &s->drag);
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
    s->relief = (pli_load){s->context, n, NULL};
    if (s->load_steps != NULL) pli_objective_add(objective, &pli_load_term, &s->relief);
    pli_loads_add(s);
    s->gravity = (pli_gravity){s->context, n, model->mass, {0, 0, 0}};
    for (int k = 0; k < 3; ++k) s->gravity.acceleration[k] = model->gravity[k];
    pli_objective_add(objective, &pli_gravity_term, &s->gravity);
    pli_tets_add(s, objective);
    if (s->shell != NULL) pli_shell_add(s->shell, objective);
    if (s->springs != NULL) pli_objective_add(objective, &pli_spring_term, s->springs);
    if (s->rayleigh != NULL) {
        pli_objective_add_as(objective, PLI_TERM_DAMPING, &pli_rayleigh_term, s->rayleigh);
    }
    pli_contacts_add(s->contacts, objective);
    if (s->pursuit_stiffness != NULL) {
        s->pursuit = (pli_anchor){s->context, n, s->pursuit_stiffness, s->pursuit_target};
        pli_objective_add(objective, &pli_attachment_term, &s->pursuit);
    }

    objective->fixed = s->fixed;
    objective->norm_weights = model->norm_weights;
    objective->norm_scale = model->norm_scale;
}

// ---- life

static pli_status build(pli_mesh_stepper *s)
{
    PLI_TRY(allocate_arrays(s));
    PLI_TRY(pli_tets_build(s));
    PLI_TRY(pli_shells_build(s));
    PLI_TRY(create_springs(s));
    PLI_TRY(create_rayleigh(s));
    PLI_TRY(pli_loads_create(s));
    PLI_TRY(pli_contacts_create(s->model, s->fixed, s->timers, &s->contacts));
    if (pli_contacts_barrier(s->contacts) != NULL) PLI_TRY(allocate_barrier_arrays(s));
    PLI_TRY(pli_load_steps_create(s));
    pli_objective_init(&s->objective, s->context, s->model->vertex_count);
    add_terms(s);
    PLI_TRY(pli_probes_create(s, &s->probes));
    return pli_minimizer_build(s);
}

static pli_status create(pli_solver *solver, void **self)
{
    pli_mesh_stepper *made = PLI_NEW(solver->context, pli_mesh_stepper, 1, "stepper");
    *self = made;
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->solver = solver;
    made->model = solver->model;
    made->context = solver->context;
    made->scratch = solver->scratch;
    made->timers = &solver->timers;
    return build(made);
}

static void destroy(void *self)
{
    pli_mesh_stepper *s = self;
    pli_context *context = s->context;
    pli_probes_destroy(s->probes);
    pli_body_parts_destroy(s->parts);
    pli_load_steps_destroy(s);
    pli_minimizer_destroy(&s->minimizer);
    pli_linear_solver_destroy(s->linear);
    pli_subspace_destroy(s->subspace);
    pli_elastic_destroy(s->cubature);
    pli_objective_clear(&s->objective);
    pli_contacts_destroy(s->contacts);
    pli_loads_destroy(s);
    pli_rayleigh_destroy(s->rayleigh);
    pli_spring_net_destroy(s->springs);
    pli_shell_destroy(s->shell);
    pli_tets_destroy(s);
    double *arrays[] = {s->J,
                        s->x,
                        s->friction_start,
                        s->pursuit_target,
                        s->pursuit_stiffness,
                        s->attachment_target,
                        s->attachment_stiffness,
                        s->drag_stiffness,
                        s->inertia_target,
                        s->inertia_stiffness};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) pli_release(context, arrays[k]);
    pli_release(context, s->fixed);
    pli_release(context, s);
}

// ---- the table

static pli_status step(void *self, pli_state *state, pli_step_report *report)
{
    return pli_mesh_stepper_step(self, state, report);
}

// Scripts and colliders are where the end of a step has them, or are put where the state has them.
static pli_status measure(void *self, const pli_state *state, bool after_step,
                          pli_step_report *report)
{
    pli_mesh_stepper *s = self;
    double time = pli_state_time(state);
    if (!after_step) {
        pli_scripts_hold(s, time);
        pli_scripts_attach(s, state, time);
        pli_loads_set(s, state, time);
        pli_tets_set_time(s, time);
        pli_tets_load(s, state);
        pli_shells_load(s, state);
        pli_contacts_begin_step(s->contacts, time, time);
    }
    return pli_mesh_stepper_measure(s, state, after_step, report);
}

static pli_status fill_parts(void *self, const pli_state *state, pli_frame_part *parts,
                             int32_t *count)
{
    return pli_body_parts_fill(self, state, parts, count);
}

static bool blame(void *self, const pli_state *state)
{
    return pli_culprit_blame_mesh(self, state);
}

const pli_stepper_ops pli_mesh_stepper_ops = {.has_short_loops = true,
                                              .create = create,
                                              .destroy = destroy,
                                              .step = step,
                                              .measure = measure,
                                              .fill_parts = fill_parts,
                                              .blame = blame};

pli_mesh_stepper *pli_solver_meshes(pli_solver *solver)
{
    return solver->ops == &pli_mesh_stepper_ops ? solver->stepper : NULL;
}
