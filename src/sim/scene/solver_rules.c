// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/solver_rules.h"

#include "base/suggest.h"
#include "material/yield.h"
#include "sim/model/coarse_build.h"
#include "sim/model/model_paint.h"
#include "sim/scene/schema.h"
#include "sim/step/tets_build.h"

#include <stdio.h>
#include <string.h>

// ---- keys of the section

static pli_status check_name(const pli_scene *scene, const pli_visit *visit)
{
    const pli_solver_def *solver = visit->holder;
    char found[PLI_EXCERPT_CAPACITY];
    pli_suggest suggest;
    pli_suggest_init(&suggest, pli_excerpt(solver->name, found));
    pli_suggest_add(&suggest, "auto");
    bool is_known = strcmp(solver->name, "auto") == 0;
    pli_solver_info info;
    for (int32_t i = 0; pli_solver_info_get(i, &info); ++i) {
        is_known = is_known || strcmp(solver->name, info.name) == 0;
        pli_suggest_add(&suggest, info.name);
    }
    if (is_known) return PLI_OK;
    char path[PLI_PATH_CAPACITY];
    pli_visit at = pli_visit_member(visit, "name", &solver->name, path);
    return pli_scene_fail(scene, PLI_ERROR_SCENE, &at,
                          "found '%s', which is not a solver; solvers are %s", found,
                          pli_suggest_text(&suggest));
}

pli_status pli_solver_check_keys(const pli_scene *scene, const pli_visit *visit)
{
    const pli_solver_def *solver = visit->holder;
    PLI_TRY(check_name(scene, visit));
    if (solver->wolfe_decrease < solver->wolfe_curvature) return PLI_OK;
    char path[PLI_PATH_CAPACITY];
    pli_visit at = pli_visit_member(visit, "wolfe_decrease", &solver->wolfe_decrease, path);
    return pli_scene_fail(scene, PLI_ERROR_SCENE, &at, "must be less than wolfe_curvature");
}

static pli_status check_levels(const pli_scene *scene, const pli_visit *visit)
{
    const pli_multigrid_def *def = visit->holder;
    char path[PLI_PATH_CAPACITY];
    pli_visit at = pli_visit_member(visit, "levels", &def->levels, path);
    if (def->level_count > PLI_HIERARCHY_LEVELS) {
        return pli_scene_fail(scene, PLI_ERROR_SCENE, &at, "found %d levels; allowed: at most %d",
                              (int)def->level_count, (int)PLI_HIERARCHY_LEVELS);
    }
    for (int32_t k = 1; k < def->level_count; ++k) {
        if (def->levels[k - 1] < def->levels[k]) continue;
        return pli_scene_fail(scene, PLI_ERROR_SCENE, &at,
                              "found %d before %d; expected increasing numbers of nodes, the "
                              "coarsest level first",
                              (int)def->levels[k - 1], (int)def->levels[k]);
    }
    if (def->level_count == 0 || def->handle_count <= def->levels[0]) return PLI_OK;
    return pli_scene_fail(scene, PLI_ERROR_SCENE, &at,
                          "the coarsest level has %d nodes, fewer than the %d handles",
                          (int)def->levels[0], (int)def->handle_count);
}

// How many levels a text of smoothers names.
static int32_t count_parts(const char *text)
{
    int32_t count = 1;
    for (const char *at = text; *at != '\0'; ++at) count += *at == '/';
    return count;
}

static pli_status check_smoothers(const pli_scene *scene, const pli_visit *visit)
{
    const pli_multigrid_def *def = visit->holder;
    pli_context *context = pli_scene_context(scene);
    char path[PLI_PATH_CAPACITY];
    pli_visit at = pli_visit_member(visit, "smoothers", &def->smoothers, path);
    int32_t parts = count_parts(def->smoothers);
    if (def->level_count == 0 && parts > 3) {
        return pli_scene_fail(scene, PLI_ERROR_SCENE, &at,
                              "names %d levels, but 'levels' leaves their number open; give levels "
                              "%d numbers, or write two or three parts, such as direct/GS(4)/GS(2)",
                              (int)parts, (int)parts - 1);
    }
    pli_vcycle_def multigrid = {0};
    pli_status status = pli_coarse_parse(context, def, &multigrid);
    if (status == PLI_OK || status == PLI_ERROR_MEMORY) return status;
    char text[PLI_FIELD_ERROR_CAPACITY];
    pli_context_message(context, text, sizeof text);
    return pli_scene_fail(scene, PLI_ERROR_SCENE, &at, "%s", text);
}

pli_status pli_solver_check_multigrid(const pli_scene *scene, const pli_visit *visit)
{
    const pli_multigrid_def *def = visit->holder;
    PLI_TRY(check_levels(scene, visit));
    PLI_TRY(check_smoothers(scene, visit));
    if (def->dofs == 12 || def->dofs == 3) return PLI_OK;
    char path[PLI_PATH_CAPACITY];
    pli_visit at = pli_visit_member(visit, "dofs", &def->dofs, path);
    return pli_scene_fail(scene, PLI_ERROR_SCENE, &at, "found '%d'; allowed: 12 or 3",
                          (int)def->dofs);
}

// ---- what a solver takes

typedef struct model_rules {
    const pli_model *model;
    const pli_scene *scene;
    const pli_scene_def *def;
    const char *name; // of the solver
} model_rules;

static pli_visit solver_key(const model_rules *r, const char *path, const void *member)
{
    return (pli_visit){.path = path, .holder = &r->def->solver, .member = member};
}

// Barriers need steps that can be cut short.
static pli_status check_barrier(const model_rules *r)
{
    const pli_solver_kind *kind = r->model->solver_kind;
    const pli_solver_def *def = &r->def->solver;
    if (r->model->contact.method != PLI_CONTACT_BARRIER) return PLI_OK;
    if (def->line_search == PLI_LINE_SEARCH_NONE) {
        pli_visit at = solver_key(r, "solver.line_search", &def->line_search);
        return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                              "found 'none', but contact.method: barrier needs a line search; use "
                              "auto");
    }
    if (pli_solver_has(kind, PLI_TAKES_BARRIERS)) return PLI_OK;
    pli_visit at = solver_key(r, "solver", &def->name);
    return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                          "contact.method: barrier needs %s, which solver %s does not have; use "
                          "ipc-pcg or ipc-llt",
                          kind->search == PLI_SEARCH_NONE && pli_solver_has(kind, PLI_MAKES_STEPS)
                              ? "a line search"
                              : "the matrix of every iteration",
                          r->name);
}

static pli_status check_constraints(const model_rules *r)
{
    const pli_model *model = r->model;
    if (pli_solver_has(model->solver_kind, PLI_TAKES_CONSTRAINTS)) return PLI_OK;
    bool likes_blocks = pli_solver_has(model->solver_kind, PLI_LIKES_BLOCKS);
    for (int32_t k = 0; k < model->collider_count; ++k) {
        if (model->colliders[k].method != PLI_COLLIDER_CONSTRAINT) continue;
        const pli_collider_def *def = &r->def->colliders[k];
        pli_visit at = {.path = "colliders", .holder = def, .member = &def->method};
        return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                              "collider %s is a constraint, which solver %s does not take; use "
                              "solver newton or pn-pcg, or give the collider method %s",
                              def->name, r->name, likes_blocks ? "quadratic" : "penalty");
    }
    return PLI_OK;
}

// Smooth weights are solved on one kind of element.
static pli_status check_weights(const model_rules *r)
{
    const pli_model *model = r->model;
    const pli_multigrid_def *def = &r->def->solver.multigrid;
    bool smooth = model->solver_parts.needs_hierarchy && def->weights == PLI_WEIGHTS_SMOOTH;
    bool sheets = model->shell_triangle_count > 0 || model->spring_count > 0;
    if (!smooth || model->tet_count == 0 || !sheets) return PLI_OK;
    pli_visit at = solver_key(r, "solver.multigrid.weights", &def->weights);
    return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                          "found 'smooth', which takes either solids or shells and cloth, not both "
                          "in a scene; use constant");
}

// ---- what minimisers take that do not make a matrix for every iteration

static bool takes(const model_rules *r, uint32_t what)
{
    return pli_solver_has(r->model->solver_kind, what);
}

static bool keeps_matrix(const model_rules *r)
{
    return pli_solver_has(r->model->solver_kind, PLI_KEEPS_MATRIX);
}

static pli_status check_contact_method(const model_rules *r)
{
    if (takes(r, PLI_TAKES_COUPLINGS)) return PLI_OK;
    if (r->model->contact.method != PLI_CONTACT_PENALTY) return PLI_OK;
    pli_visit at = {
        .path = "contact.method", .holder = &r->def->contact, .member = &r->def->contact.method};
    bool lifted = keeps_matrix(r);
    return pli_scene_fail(
        r->scene, PLI_ERROR_UNSUPPORTED, &at,
        "found 'penalty', whose %s with every iteration; solver %s %s: use solver "
        "newton or newton-multigrid",
        lifted ? "matrix changes" : "couplings change", r->name,
        lifted ? "keeps one" : "colours vertices once");
}

static pli_status check_penalties(const model_rules *r)
{
    if (takes(r, PLI_TAKES_PENALTIES)) return PLI_OK;
    for (int32_t k = 0; k < r->model->collider_count; ++k) {
        if (r->model->colliders[k].method != PLI_COLLIDER_PENALTY) continue;
        const pli_collider_def *def = &r->def->colliders[k];
        pli_visit at = {.path = "colliders", .holder = def, .member = &def->method};
        return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                              "collider %s is a cubic penalty, which solver %s does not take; give "
                              "it method: quadratic, or use solver newton or newton-multigrid",
                              def->name, r->name);
    }
    return PLI_OK;
}

static pli_status check_bodies(const model_rules *r)
{
    if (takes(r, PLI_TAKES_SHELLS)) return PLI_OK;
    for (int32_t k = 0; k < r->def->body_count; ++k) {
        const pli_body_def *body = &r->def->bodies[k];
        if (body->kind != PLI_BODY_SHELL) continue;
        pli_visit at = {.path = "bodies", .holder = body, .member = &body->kind};
        bool lifted = keeps_matrix(r);
        return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                              "body %s is a shell%s; solver %s %s: use solver newton or "
                              "newton-multigrid%s",
                              body->name, lifted ? ", whose stiffness changes as it bends" : "",
                              r->name, lifted ? "keeps one matrix" : "takes solids and cloth",
                              lifted ? "" : ", or make it kind: cloth");
    }
    return PLI_OK;
}

static pli_status refuse_damping(const model_rules *r, const pli_visit *at, const char *what,
                                 const char *name)
{
    return pli_scene_fail(
        r->scene, PLI_ERROR_UNSUPPORTED, at,
        "%s %s has rayleigh damping, whose matrix changes with every step; solver "
        "%s keeps one: use drag instead, or solver newton or newton-multigrid",
        what, name, r->name);
}

static pli_status check_damping(const model_rules *r)
{
    if (takes(r, PLI_TAKES_DAMPING)) return PLI_OK;
    for (int32_t k = 0; k < r->def->material_count; ++k) {
        const pli_material_def *material = &r->def->materials[k];
        pli_visit at = {.path = "materials", .holder = material, .member = &material->rayleigh};
        bool is_damped = material->rayleigh > 0;
        for (int32_t i = 0; i < material->painted_count; ++i) {
            is_damped = is_damped || strcmp(material->painted[i].key, "rayleigh") == 0;
        }
        if (is_damped) return refuse_damping(r, &at, "material", material->name);
    }
    for (int32_t k = 0; k < r->def->body_count; ++k) {
        const pli_body_def *body = &r->def->bodies[k];
        pli_visit at = {.path = "bodies", .holder = body, .member = &body->springs.rayleigh};
        bool damped = body->kind == PLI_BODY_CLOTH && body->springs.rayleigh > 0;
        if (damped) return refuse_damping(r, &at, "cloth", body->name);
    }
    return PLI_OK;
}

// Pressure changes the matrix of every iteration, over an open surface even what is minimised.
static pli_status check_pressure(const model_rules *r)
{
    for (int32_t k = 0; k < r->model->load_count; ++k) {
        const pli_model_load *load = &r->model->loads[k];
        if (load->triangle_count == 0) continue;
        if (takes(r, PLI_TAKES_OPEN) || (takes(r, PLI_TAKES_PRESSURE) && load->closed)) continue;
        char path[64];
        snprintf(path, sizeof path, "loads[%d].pressure", (int)k);
        const pli_body_load_def *def = &r->def->loads[k];
        pli_visit at = {.path = path, .holder = def, .member = &def->pressure};
        return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                              "a pressure follows the surface%s, which solver %s does not take; "
                              "use solver newton, pn-pcg or ipc-pcg, or a traction, which keeps "
                              "its direction",
                              takes(r, PLI_TAKES_PRESSURE) ? ", here an open one" : "", r->name);
    }
    return PLI_OK;
}

// Materials that change with time: not where a matrix or a few elements are kept, nor in shells.
static pli_status check_tracks(const model_rules *r)
{
    const pli_model *model = r->model;
    if (model->track_count == 0) return PLI_OK;
    const pli_material_def *material = &r->def->materials[model->tracks[0].source];
    pli_visit at = {.path = "materials", .holder = material, .member = material};
    bool keeps = !takes(r, PLI_TAKES_DAMPING) || model->solver_kind->subspace;
    if (keeps) {
        return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                              "material %s changes with time; solver %s keeps what it has computed "
                              "of materials: use solver newton or newton-multigrid",
                              material->name, r->name);
    }
    for (int32_t k = 0; k < model->shell_triangle_count; ++k) {
        if (!pli_model_is_keyed(model, model->triangle_material[k])) continue;
        return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                              "a shell is made of a material that changes with time, which solids "
                              "can be; paint it, or give plain numbers");
    }
    return PLI_OK;
}

static pli_status check_cavities(const model_rules *r)
{
    if (r->model->cavity_count == 0 || takes(r, PLI_TAKES_CAVITIES)) return PLI_OK;
    pli_visit at = {.path = "cavities", .holder = r->def->cavities, .member = r->def->cavities};
    return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                          "a cavity couples all vertices around it with each other, which solver "
                          "%s does not take; use solver newton, pn-pcg, ipc-pcg or lbfgs",
                          r->name);
}

// ---- what the levels of the solver subspace take

static pli_status check_subspace_bodies(const model_rules *r)
{
    for (int32_t k = 0; k < r->def->body_count; ++k) {
        const pli_body_def *body = &r->def->bodies[k];
        if (body->kind != PLI_BODY_SHELL && body->kind != PLI_BODY_CLOTH) continue;
        pli_visit at = {.path = "bodies", .holder = body, .member = &body->kind};
        return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                              "body %s is a %s; solver %s has handles for solids only: use solver "
                              "ipc-pcg or newton",
                              body->name, body->kind == PLI_BODY_SHELL ? "shell" : "cloth",
                              r->name);
    }
    return PLI_OK;
}

static pli_status check_subspace(const model_rules *r)
{
    if (!r->model->solver_kind->subspace) return PLI_OK;
    PLI_TRY(check_subspace_bodies(r));
    const pli_subspace_def *def = &r->def->solver.subspace;
    if (r->model->tet_count == 0) {
        pli_visit at = solver_key(r, "solver", &r->def->solver.name);
        return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                              "solver %s has handles for solids, but the scene has none", r->name);
    }
    bool polynomial = def->hessian == PLI_REDUCED_POLYNOMIAL;
    if (polynomial || (def->degree >= 1 && def->degree <= 2)) return PLI_OK;
    pli_visit at = solver_key(r, "solver.subspace.degree", &def->degree);
    return pli_scene_fail(r->scene, PLI_ERROR_SCENE, &at,
                          "found '%d'; allowed: 1 or 2, or 0 to 4 with hessian: polynomial",
                          (int)def->degree);
}

static pli_status check_norm(const model_rules *r)
{
    if (takes(r, PLI_MAKES_STEPS)) return PLI_OK;
    if (r->model->norm != PLI_NORM_STEP) return PLI_OK;
    pli_visit at = solver_key(r, "solver.norm", &r->def->solver.norm);
    return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                          "found 'step', the size of Newton's steps, which solver %s does not "
                          "make; use velocity, characteristic or force",
                          r->name);
}

// Jumps are told by energy, and what touches may let go of some without one.
static pli_status check_snap(const model_rules *r)
{
    const pli_time_def *time = &r->def->time;
    bool touches = r->def->collider_count > 0 || r->def->contact.method != PLI_CONTACT_NONE;
    bool refuses = time->mode == PLI_MODE_QUASI_STATIC && time->snap == PLI_SNAP_REFUSE;
    if (!refuses || !touches) return PLI_OK;
    pli_visit at = {.path = "time.snap", .holder = time, .member = &time->snap};
    return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                          "refuse is for scenes in which nothing touches: write contact: none and "
                          "no colliders, or time.snap: allow");
}

static pli_status check_search(const model_rules *r)
{
    const pli_solver_def *def = &r->def->solver;
    if (takes(r, PLI_TAKES_WOLFE)) return PLI_OK;
    if (def->line_search != PLI_LINE_SEARCH_WOLFE) return PLI_OK;
    pli_visit at = solver_key(r, "solver.line_search", &def->line_search);
    return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                          "found 'wolfe', which solver %s does not have; use auto, "
                          "backtracking or none",
                          r->name);
}

// Chebyshev's polynomials let the energy rise in between.
static pli_status check_acceleration(const model_rules *r)
{
    const pli_solver_def *def = &r->def->solver;
    bool others = r->model->tet_count > 0 && !pli_tets_are_projective(r->model);
    bool searches = def->line_search == PLI_LINE_SEARCH_BACKTRACKING ||
                    (def->line_search == PLI_LINE_SEARCH_AUTO && others);
    if (!r->model->solver_kind->accelerated || !searches) return PLI_OK;
    pli_visit at = solver_key(r, "solver.line_search", &def->line_search);
    bool given = def->line_search != PLI_LINE_SEARCH_AUTO;
    return pli_scene_fail(
        r->scene, PLI_ERROR_UNSUPPORTED, &at,
        "found '%s'%s; the energy need not fall in every iteration of solver %s: "
        "write line_search: none, or use solver pd-multigrid",
        given ? "backtracking" : "auto",
        given ? "" : ", which searches where a law is not corotated with lambda 0", r->name);
}

// Keys that go with a matrix for every iteration.
static void warn_unused(const model_rules *r)
{
    if (takes(r, PLI_TAKES_PARTS)) return;
    const pli_solver_def *def = &r->def->solver;
    static const char text[] = "is not used by solver %s, whose name says how systems are solved";
    pli_visit linear = solver_key(r, "solver.linear", &def->linear);
    if (def->linear != PLI_LINEAR_AUTO) pli_scene_warn(r->scene, &linear, text, r->name);
    pli_visit precondition = solver_key(r, "solver.preconditioner", &def->preconditioner);
    if (def->preconditioner != PLI_PRECONDITIONER_AUTO) {
        pli_scene_warn(r->scene, &precondition, text, r->name);
    }
}

static pli_status check_yield(const model_rules *r)
{
    bool yields = r->model->yields != NULL;
    if (takes(r, PLI_TAKES_YIELD) || (!yields && r->model->branches == NULL)) return PLI_OK;
    pli_visit at = solver_key(r, "solver.name", &r->def->solver.name);
    return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                          "solver %s has no %s tetrahedra; use newton, lbfgs or another one, or "
                          "leave %s out of the materials",
                          r->name, yields ? "yielding of" : "viscoelastic",
                          yields ? "yield" : "viscoelastic");
}

// Elements of a body that the solver does not take.
static pli_status check_elements(const model_rules *r)
{
    for (int32_t k = 0; k < r->model->body_count; ++k) {
        const pli_model_body *body = &r->model->bodies[k];
        bool refused = (body->element == PLI_ELEMENT_QUADRATIC && !takes(r, PLI_TAKES_QUADRATIC)) ||
                       (body->element == PLI_ELEMENT_LOCKING_FREE && !takes(r, PLI_TAKES_PATCHES));
        if (!refused) continue;
        const pli_body_def *def = &r->def->bodies[body->source];
        char path[PLI_PATH_CAPACITY];
        snprintf(path, sizeof path, "bodies.%s.element", def->name);
        pli_visit at = {.path = path, .holder = def, .member = &def->element};
        return pli_scene_fail(r->scene, PLI_ERROR_UNSUPPORTED, &at,
                              "solver %s does not take %s tetrahedra; use newton, pn-pcg, lbfgs or "
                              "another one of theirs, or write element: linear",
                              r->name, pli_element_names[body->element]);
    }
    return PLI_OK;
}

// Materials that go on yielding after the solve although the scene wants it inside.
static void warn_lagging(const model_rules *r)
{
    const pli_solver_def *def = &r->def->solver;
    bool wants = def->plasticity == PLI_PLASTICITY_IMPLICIT && r->model->yields != NULL;
    // those of the scene come first, and those of their elements yield like them
    for (int32_t k = 0; wants && k < r->def->material_count; ++k) {
        const pli_material *material = &r->model->yields[k];
        if (material->yield == NULL) continue;
        if (pli_material_step_law(material, true) != material->law) continue;
        pli_visit at = solver_key(r, "solver.plasticity", &def->plasticity);
        pli_scene_warn(r->scene, &at,
                       "material %s yields after each step all the same: %s with law %s has no "
                       "potential; von-mises with hencky has one",
                       r->def->materials[k].name, material->yield->schema->name,
                       material->law->name);
    }
}

pli_status pli_solver_check_model(const pli_model *model, const pli_scene *scene)
{
    // what particles take is a matter of the scene alone
    if (model->matter != NULL) return PLI_OK;
    model_rules r = {.model = model,
                     .scene = scene,
                     .def = pli_scene_get(scene),
                     .name = model->solver_kind->info.name};
    PLI_TRY(check_barrier(&r));
    PLI_TRY(check_constraints(&r));
    PLI_TRY(check_weights(&r));
    PLI_TRY(check_yield(&r));
    PLI_TRY(check_elements(&r));
    PLI_TRY(check_subspace(&r));
    PLI_TRY(check_norm(&r));
    PLI_TRY(check_contact_method(&r));
    PLI_TRY(check_bodies(&r));
    PLI_TRY(check_penalties(&r));
    PLI_TRY(check_tracks(&r));
    PLI_TRY(check_damping(&r));
    PLI_TRY(check_pressure(&r));
    PLI_TRY(check_cavities(&r));
    PLI_TRY(check_search(&r));
    PLI_TRY(check_acceleration(&r));
    PLI_TRY(check_snap(&r));
    warn_unused(&r);
    warn_lagging(&r);
    return PLI_OK;
}
