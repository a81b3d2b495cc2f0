// SPDX-License-Identifier: Apache-2.0
#include "contact/constraint.h"

#include "base/memory.h"
#include "contact/coulomb.h"
#include "contact/feasible.h"
#include "math/mat3.h"

enum { POINT_GRAIN = 256, CONTACT_GRAIN = 64 };

// times the size of the scene
static const double feasible_depth = 1e-13;
static const double touching_distance = 1e-12;

// of the angle that normals turn by along a step over an edge, at least; a step along a ball would
// have to be ten times as long as its radius
static const double edge_cosine = 0.1;

// the active constraints of one point
typedef struct contact_point {
    int32_t point;
    int32_t count; // 1 to 3
    int32_t collider[3];
    double normal[3][3]; // unit
    double lambda[3];    // N
    double braked[3][3]; // impulses of friction, once it was applied (N s)
} contact_point;

struct pli_constraint {
    pli_context *context;
    pli_collision_def def;
    pli_feasible feasible;
    double reach; // values up to this are touching (m)

    // scratch of choose_active
    uint8_t *touching; // [point_count]

    // written by choose_active, empty after release
    int32_t active_count;    // points with active constraints
    contact_point *contacts; // [active_count], points increasing; room for point_count
    int32_t *points;         // [active_count]
    double *tangents;        // [active_count][9]
    double *curvature;       // [active_count][9] N/m
};

pli_status pli_constraint_create(pli_context *context, const pli_collision_def *def,
                                 pli_constraint **out)
{
    *out = NULL;
    PLI_TRY(pli_collision_check(context, def));
    pli_constraint *self = PLI_NEW(context, pli_constraint, 1, "constraint");
    if (self == NULL) return PLI_ERROR_MEMORY;
    int64_t n = def->point_count;
    self->context = context;
    self->def = *def;
    self->feasible =
        (pli_feasible){&self->def, PLI_COLLIDER_CONSTRAINT, feasible_depth * def->size};
    self->reach = touching_distance * def->size;
    self->touching = PLI_NEW(context, uint8_t, n, "touching points");
    self->contacts = PLI_NEW(context, contact_point, n, "contacts");
    self->points = PLI_NEW(context, int32_t, n, "points in contact");
    self->tangents = PLI_NEW(context, double, 9 * n, "tangents of contacts");
    self->curvature = PLI_NEW(context, double, 9 * n, "curvature of contacts");
    bool complete = self->touching != NULL && self->contacts != NULL && self->points != NULL &&
                    self->tangents != NULL && self->curvature != NULL;
    if (!complete) {
        pli_constraint_destroy(self);
        return PLI_ERROR_MEMORY;
    }
    *out = self;
    return PLI_OK;
}

void pli_constraint_destroy(pli_constraint *self)
{
    if (self == NULL) return;
    PLI_RELEASE(self->context, self->curvature, self->tangents, self->points, self->contacts,
                self->touching, self);
}

// ---- projection

typedef struct project_job {
    const pli_constraint *self;
    double *x;
    double *d;
} project_job;

// Lists the active surfaces that a point at x stays on. One that it has left over an edge, so that
// what is nearest lies straight behind, is not among them: it would pull the point back to the edge
// from wherever it goes, and hold it there.
static int32_t list_surfaces(const pli_constraint *self, const contact_point *contact,
                             const double x[3], int32_t surfaces[3])
{
    int32_t count = 0;
    for (int32_t i = 0; i < contact->count; ++i) {
        double gradient[3];
        const pli_collider *collider = &self->def.colliders[contact->collider[i]];
        double value = pli_collider_gradient(collider, x, gradient);
        double cosine = pli_vec3_dot(gradient, contact->normal[i]) / pli_vec3_norm(gradient);
        if (value > self->feasible.tolerance && cosine < edge_cosine) continue;
        surfaces[count++] = contact->collider[i];
    }
    return count;
}

static void project_one(const project_job *job, int64_t point, const contact_point *contact)
{
    int32_t surfaces[3];
    double *x = job->x + 3 * point;
    pli_feasible_point moved = {
        .x = x,
        .d = job->d != NULL ? job->d + 3 * point : NULL,
        .held = pli_collision_held(&job->self->def, point),
        .surface_count = contact != NULL ? list_surfaces(job->self, contact, x, surfaces) : 0,
        .surfaces = surfaces,
    };
    pli_feasible_project(&job->self->feasible, &moved);
}

static void project_contacts(void *user, int64_t begin, int64_t end)
{
    const project_job *job = user;
    for (int64_t k = begin; k < end; ++k) {
        const contact_point *contact = &job->self->contacts[k];
        project_one(job, contact->point, contact);
    }
}

// The point leaves all constraints at once, so that it is met only once.
static void project_violated(void *user, int64_t point, int32_t collider)
{
    (void)collider;
    project_one(user, point, NULL);
}

static void project_points(void *user, int64_t begin, int64_t end)
{
    const project_job *job = user;
    const pli_constraint *self = job->self;
    pli_collision_scan scan = {&self->def, PLI_COLLIDER_CONSTRAINT, -self->feasible.tolerance,
                               job->x};
    pli_collision_visit(&scan, begin, end, project_violated, user);
}

static void constraint_project(void *object, double *x, double *d)
{
    const pli_constraint *self = object;
    project_job job = {self, x, d};
    pli_parallel_for(self->context, self->active_count, CONTACT_GRAIN, project_contacts, &job);
    pli_parallel_for(self->context, self->def.point_count, POINT_GRAIN, project_points, &job);
}

// ---- the active set

typedef struct choose_job {
    pli_constraint *self;
    const double *x;
    const double *g;
} choose_job;

static void mark_touching(void *user, int64_t point, int32_t collider)
{
    (void)collider;
    const choose_job *job = user;
    job->self->touching[point] = 1;
}

static void find_touching(void *user, int64_t begin, int64_t end)
{
    const choose_job *job = user;
    pli_constraint *self = job->self;
    memset(self->touching + begin, 0, (size_t)(end - begin));
    pli_collision_scan scan = {&self->def, PLI_COLLIDER_CONSTRAINT, self->reach, job->x};
    pli_collision_visit(&scan, begin, end, mark_touching, user);
}

// The touched constraints of one point, in the order of the colliders.
typedef struct touched {
    pli_halfspaces h; // a: normals in the free coordinates, b = -a . g
    int32_t collider[PLI_HALFSPACES];
    double normal[PLI_HALFSPACES][3];
    double hessian[PLI_HALFSPACES][9]; // of the distance (1/m)
} touched;

static void list_touched(const pli_constraint *self, const double x[3], uint8_t held, touched *t)
{
    t->h.count = t->h.equal_count = 0;
    for (int32_t b = 0; b < self->def.collider_count; ++b) {
        const pli_collider *collider = &self->def.colliders[b];
        if (!pli_collider_is(collider, PLI_COLLIDER_CONSTRAINT)) continue;
        if (!(pli_collider_value(collider, x) < self->reach)) continue;
        int32_t k = t->h.count;
        if (k == PLI_HALFSPACES) return;
        pli_feasible_normal(&self->feasible, b, x, t->normal[k], t->hessian[k]);
        pli_vec3_copy(t->normal[k], t->h.a[k]);
        pli_collision_clear_held(held, t->h.a[k]);
        // a surface along the held coordinates can't hold a point back
        if (!(pli_vec3_norm(t->h.a[k]) > 1e-6)) continue;
        t->collider[k] = b;
        ++t->h.count;
    }
}

// Those that bind, and then those that are touched without any force, as far as independent.
static void choose_binding(touched *t, const double g[3], pli_nearest *active)
{
    double size = pli_vec3_norm(g);
    for (int32_t k = 0; k < t->h.count; ++k) t->h.b[k] = -pli_vec3_dot(t->h.a[k], g);
    pli_halfspaces_solve(&t->h, 1e-14 * size, active);
    for (int32_t k = 0; k < t->h.count && active->count < 3; ++k) {
        bool is_member = false;
        for (int32_t i = 0; i < active->count; ++i) is_member |= active->index[i] == k;
        double slack = pli_vec3_dot(t->h.a[k], active->step) + t->h.b[k];
        if (is_member || slack > 1e-12 * size) continue;
        double inverse[9];
        active->index[active->count] = k;
        active->y[active->count] = 0;
        if (pli_halfspaces_invert(&t->h, active->count + 1, active->index, inverse)) {
            ++active->count;
        }
    }
}

// T = I - sum e e^T in the free coordinates, e an orthonormal basis of the active normals.
static void compute_tangent(const touched *t, const pli_nearest *active, uint8_t held, double T[9])
{
    int32_t free_count = 0;
    memset(T, 0, 9 * sizeof *T);
    for (int k = 0; k < 3; ++k) {
        if (held >> k & 1) continue;
        T[4 * k] = 1;
        ++free_count;
    }
    if (active->count >= free_count) {
        memset(T, 0, 9 * sizeof *T);
        return;
    }
    for (int32_t i = 0; i < active->count; ++i) {
        double e[3];
        pli_mat3_apply(T, t->h.a[active->index[i]], e);
        pli_vec3_normalize(e, e);
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) T[3 * r + c] -= e[r] * e[c];
        }
    }
}

// Active constraints of the point of contact k; its count is 0 when nothing holds it back.
static void choose_contact(const choose_job *job, int64_t k)
{
    pli_constraint *self = job->self;
    contact_point *contact = &self->contacts[k];
    int64_t point = contact->point;
    uint8_t held = pli_collision_held(&self->def, point);
    touched t;
    pli_nearest active;
    list_touched(self, job->x + 3 * point, held, &t);
    choose_binding(&t, job->g + 3 * point, &active);

    double *C = self->curvature + 9 * k;
    memset(C, 0, 9 * sizeof *C);
    contact->count = active.count;
    for (int32_t i = 0; i < active.count; ++i) {
        int32_t m = active.index[i];
        contact->collider[i] = t.collider[m];
        contact->lambda[i] = active.y[i];
        pli_vec3_copy(t.normal[m], contact->normal[i]);
        memset(contact->braked[i], 0, sizeof contact->braked[i]);
        // C = -sum lambda d2phi
        pli_mat3_add_scaled(C, -active.y[i], t.hessian[m], C);
    }
    compute_tangent(&t, &active, held, self->tangents + 9 * k);
}

static void choose_contacts(void *user, int64_t begin, int64_t end)
{
    for (int64_t k = begin; k < end; ++k) choose_contact(user, k);
}

// Closes the gaps that points without active constraints leave.
static void drop_inactive(pli_constraint *self)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < self->active_count; ++k) {
        if (self->contacts[k].count == 0) continue;
        self->contacts[kept] = self->contacts[k];
        self->points[kept] = self->contacts[k].point;
        memmove(self->tangents + 9 * (int64_t)kept, self->tangents + 9 * (int64_t)k,
                9 * sizeof *self->tangents);
        memmove(self->curvature + 9 * (int64_t)kept, self->curvature + 9 * (int64_t)k,
                9 * sizeof *self->curvature);
        ++kept;
    }
    self->active_count = kept;
}

static void constraint_choose_active(void *object, const double *x, const double *g)
{
    pli_constraint *self = object;
    choose_job job = {self, x, g};
    pli_parallel_for(self->context, self->def.point_count, POINT_GRAIN, find_touching, &job);
    self->active_count = 0;
    for (int32_t point = 0; point < self->def.point_count; ++point) {
        if (self->touching[point]) self->contacts[self->active_count++].point = point;
    }
    pli_parallel_for(self->context, self->active_count, CONTACT_GRAIN, choose_contacts, &job);
    drop_inactive(self);
}

static void constraint_release(void *object)
{
    pli_constraint *self = object;
    self->active_count = 0;
}

static void constraint_get_active(const void *object, pli_active_set *set)
{
    const pli_constraint *self = object;
    *set = (pli_active_set){self->active_count, self->points, self->tangents, self->curvature};
}

const pli_projection_ops pli_constraint_projection = {
    .name = "colliders",
    .project = constraint_project,
    .choose_active = constraint_choose_active,
    .release = constraint_release,
    .get_active = constraint_get_active,
};

// ---- after the solve

void pli_constraint_measure(const pli_constraint *self, const double *x,
                            pli_collision_report *report)
{
    pli_collision_measure(self->context, &self->def, PLI_COLLIDER_CONSTRAINT, x, report);
    report->contacts = 0;
    for (int32_t k = 0; k < self->active_count; ++k) report->contacts += self->contacts[k].count;
}

void pli_constraint_add_forces(const pli_constraint *self, double *forces)
{
    for (int32_t k = 0; k < self->active_count; ++k) {
        const contact_point *contact = &self->contacts[k];
        double *f = forces + 3 * (int64_t)contact->point;
        for (int32_t i = 0; i < contact->count; ++i) {
            pli_vec3_add_scaled(f, contact->lambda[i], contact->normal[i], f);
        }
    }
}

void pli_constraint_add_resultants(const pli_constraint *self, const double *x, double h,
                                   pli_resultant *resultants)
{
    for (int32_t k = 0; k < self->active_count; ++k) {
        const contact_point *contact = &self->contacts[k];
        const double *at = x + 3 * (int64_t)contact->point;
        for (int32_t i = 0; i < contact->count; ++i) {
            double normal[3];
            pli_vec3_copy(contact->normal[i], normal);
            pli_collision_clear_held(pli_collision_held(&self->def, contact->point), normal);
            pli_resultant *sum = &resultants[contact->collider[i]];
            pli_resultant_add(sum, at, contact->lambda[i], normal);
            pli_resultant_add(sum, at, 1 / h, contact->braked[i]);
        }
    }
}

typedef struct friction_job {
    pli_constraint *self;
    const double *x;
    const double *mass;
    double h;
    double *v;
} friction_job;

static pli_sum brake_contacts(void *user, int64_t begin, int64_t end)
{
    const friction_job *job = user;
    pli_sum change = {0, 0};
    for (int64_t k = begin; k < end; ++k) {
        contact_point *contact = &job->self->contacts[k];
        int64_t point = contact->point;
        for (int32_t i = 0; i < contact->count; ++i) {
            const pli_collider *collider = &job->self->def.colliders[contact->collider[i]];
            pli_coulomb pair = {.friction = collider->friction,
                                .impulse = job->h * contact->lambda[i],
                                .mass = job->mass[point],
                                .held = pli_collision_held(&job->self->def, point)};
            pli_vec3_copy(contact->normal[i], pair.normal);
            pli_collider_velocity(collider, job->x + 3 * point, job->h, pair.velocity);
            pli_sum_add(&change, pli_coulomb_brake(&pair, job->v + 3 * point, contact->braked[i]));
        }
    }
    return change;
}

double pli_constraint_apply_friction(pli_constraint *self, const double *x, const double *mass,
                                     double h, double *v)
{
    friction_job job = {self, x, mass, h, v};
    return pli_sum_value(
        pli_parallel_sum(self->context, self->active_count, CONTACT_GRAIN, brake_contacts, &job));
}
