// SPDX-License-Identifier: Apache-2.0
#include "contact/self_collision.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "contact/self_detect.h"

#include <string.h>

enum {
    CONTACT_GRAIN = 256, // contacts a worker sums up
    HESSIAN_GRAIN = 16,  // contacts a worker differentiates twice
    HESSIAN_CHUNK = 512, // stencil matrices kept at once
    HESSIAN_SIZE = PLI_DISTANCE_DOFS * PLI_DISTANCE_DOFS
};

// e, keeps the second derivative of the energy finite where the depth is zero (m^2)
static const double softening = 1e-15;

// ---- creation

static pli_status check_ranges(pli_context *context, const pli_self_collision_def *def)
{
    if (def->vertex_count < 0 || def->tet_count < 0 || def->body_count < 0 ||
        def->triangle_count < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "%d vertices, %d tetrahedra, %d bodies and %d triangles; numbers must not "
                        "be negative",
                        def->vertex_count, def->tet_count, def->body_count, def->triangle_count);
    }
    for (int32_t b = 0; b <= def->body_count; ++b) {
        int32_t vertex = b == 0 ? 0 : def->first_vertex[b - 1];
        int32_t tet = b == 0 ? 0 : def->first_tet[b - 1];
        bool is_last = b == def->body_count;
        bool is_right = b == 0 ? def->first_vertex[0] == 0 && def->first_tet[0] == 0
                               : def->first_vertex[b] >= vertex && def->first_tet[b] >= tet;
        if (is_last) {
            is_right = is_right && def->first_vertex[b] == def->vertex_count &&
                       def->first_tet[b] == def->tet_count;
        }
        if (is_right) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "vertices and tetrahedra of bodies must follow each other from 0 to %d and "
                        "%d; entry %d of the ranges is %d and %d",
                        def->vertex_count, def->tet_count, b, def->first_vertex[b],
                        def->first_tet[b]);
    }
    return PLI_OK;
}

static pli_status check_numbers(pli_context *context, const pli_self_collision_def *def)
{
    if (!(def->stiffness > 0) || !isfinite(def->stiffness)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "stiffness of contacts is %g N/m^2, must be positive and finite",
                        def->stiffness);
    }
    if (!(def->friction >= 0) || !isfinite(def->friction)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "coefficient of friction is %g, must not be negative", def->friction);
    }
    return PLI_OK;
}

// Corners of elements exist and belong to one body, that of the element if it is known (or -1).
static pli_status check_element(pli_context *context, const pli_self_collision *collision,
                                int32_t size, const int32_t *corners, int32_t body)
{
    for (int32_t k = 0; k < size; ++k) {
        if (corners[k] < 0 || corners[k] >= collision->vertex_count) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                            "an element has vertex %d, must be at least 0 and below %d", corners[k],
                            collision->vertex_count);
        }
        int32_t found = collision->body_of_vertex[corners[k]];
        if (body < 0) body = found;
        if (found == body) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "an element of body %d has vertex %d of body %d; corners must be of one "
                        "body",
                        body, corners[k], found);
    }
    return PLI_OK;
}

static pli_status check_elements(pli_context *context, const pli_self_collision *collision,
                                 const pli_self_collision_def *def)
{
    for (int32_t b = 0; b < def->body_count; ++b) {
        for (int64_t tet = def->first_tet[b]; tet < def->first_tet[b + 1]; ++tet) {
            PLI_TRY(check_element(context, collision, 4, def->tets + 4 * tet, b));
        }
    }
    for (int64_t t = 0; t < def->triangle_count; ++t) {
        PLI_TRY(check_element(context, collision, 3, def->triangles + 3 * t, -1));
    }
    return PLI_OK;
}

static void fill_bodies(pli_self_collision *collision, const pli_self_collision_def *def)
{
    for (int32_t b = 0; b < def->body_count; ++b) {
        for (int32_t v = def->first_vertex[b]; v < def->first_vertex[b + 1]; ++v) {
            collision->body_of_vertex[v] = b;
        }
    }
}

// Lists the vertices of the triangles. closest_at_rest serves as marks until it is filled.
static void list_surface(pli_self_collision *collision)
{
    int32_t *mark = collision->closest_at_rest;
    for (int64_t k = 0; k < 3 * (int64_t)collision->triangle_count; ++k) {
        mark[collision->triangles[k]] = 1;
    }
    int32_t count = 0;
    for (int32_t v = 0; v < collision->vertex_count; ++v) {
        if (mark[v] != 0) collision->surface_vertex[count++] = v;
    }
    collision->surface_count = count;
}

static bool allocate_constants(pli_self_collision *c, const pli_self_collision_def *def)
{
    pli_context *context = c->context;
    int64_t vertices = def->vertex_count;
    int64_t tets = def->tet_count;
    int64_t triangles = def->triangle_count;
    c->tets = PLI_NEW(context, int32_t, 4 * tets, "collision tetrahedra");
    c->triangles = PLI_NEW(context, int32_t, 3 * triangles, "collision triangles");
    c->body_of_vertex = PLI_NEW(context, int32_t, vertices, "collision bodies");
    c->surface_vertex = PLI_NEW(context, int32_t, vertices, "collision surface");
    c->closest_at_rest = PLI_NEW(context, int32_t, vertices, "collision rest partners");
    c->x = PLI_NEW(context, double, 3 * vertices, "collision positions");
    c->triangle_boxes = PLI_NEW(context, pli_bounds, triangles, "collision boxes");
    c->triangle_centers = PLI_NEW(context, double, 3 * triangles, "collision centres");
    return c->tets != NULL && c->triangles != NULL && c->body_of_vertex != NULL &&
           c->surface_vertex != NULL && c->closest_at_rest != NULL && c->x != NULL &&
           c->triangle_boxes != NULL && c->triangle_centers != NULL;
}

// Room for as many contacts as there can be.
static bool allocate_contacts(pli_self_collision *c)
{
    pli_context *context = c->context;
    int64_t room = PLI_SELF_CONTACT_BODIES * (int64_t)c->surface_count;
    c->hessian_chunk = room < HESSIAN_CHUNK ? room : HESSIAN_CHUNK;
    c->touches = PLI_NEW(context, pli_self_touch, room, "collision touches");
    c->contacts = PLI_NEW(context, pli_self_contact, room, "contacts");
    c->frozen = PLI_NEW(context, pli_self_pair, room, "contacts");
    c->last_triangle = PLI_NEW(context, int32_t, room, "collision partners");
    c->hessians = PLI_NEW(context, double, HESSIAN_SIZE * c->hessian_chunk, "contact Hessians");
    return c->touches != NULL && c->contacts != NULL && c->frozen != NULL &&
           c->last_triangle != NULL && c->hessians != NULL;
}

static pli_status build_trees(pli_self_collision *c, const double *rest)
{
    pli_self_collision_fill_boxes(c, rest);
    PLI_TRY(pli_bvh_create(c->context, c->triangle_count, c->triangle_boxes, &c->surface_tree));
    PLI_TRY(pli_tet_locate_create(c->context, c->vertex_count, rest, c->tet_count, c->tets,
                                  &c->locate));
    pli_self_collision_find_rest(c, rest);
    return PLI_OK;
}

static pli_status fill_collision(pli_self_collision *c, const pli_self_collision_def *def)
{
    if (!allocate_constants(c, def)) return PLI_ERROR_MEMORY;
    fill_bodies(c, def);
    PLI_TRY(check_elements(c->context, c, def));
    memcpy(c->tets, def->tets, 4 * (size_t)def->tet_count * sizeof *c->tets);
    memcpy(c->triangles, def->triangles, 3 * (size_t)def->triangle_count * sizeof *c->triangles);
    list_surface(c);
    if (!allocate_contacts(c)) return PLI_ERROR_MEMORY;
    pli_self_collision_forget(c);
    if (c->self) {
        PLI_TRY(pli_incidence_build(c->context, c->vertex_count, 4, c->tet_count, c->tets,
                                    &c->tets_at));
        PLI_TRY(pli_incidence_build(c->context, c->vertex_count, 3, c->triangle_count, c->triangles,
                                    &c->triangles_at));
    }
    return build_trees(c, def->rest);
}

pli_status pli_self_collision_create(pli_context *context, const pli_self_collision_def *def,
                                     pli_self_collision **out)
{
    *out = NULL;
    PLI_TRY(check_ranges(context, def));
    PLI_TRY(check_numbers(context, def));
    pli_self_collision *collision = PLI_NEW(context, pli_self_collision, 1, "self collision");
    if (collision == NULL) return PLI_ERROR_MEMORY;
    collision->context = context;
    collision->timers = def->timers;
    collision->vertex_count = def->vertex_count;
    collision->tet_count = def->tet_count;
    collision->body_count = def->body_count;
    collision->triangle_count = def->triangle_count;
    collision->stiffness = def->stiffness;
    collision->friction = def->friction;
    collision->self = def->self;
    pli_status status = fill_collision(collision, def);
    if (status == PLI_OK) {
        *out = collision;
    } else {
        pli_self_collision_destroy(collision);
    }
    return status;
}

void pli_self_collision_destroy(pli_self_collision *c)
{
    if (c == NULL) return;
    pli_context *context = c->context;
    pli_tet_locate_destroy(c->locate);
    pli_bvh_destroy(c->surface_tree);
    pli_incidence_clear(context, &c->triangles_at);
    pli_incidence_clear(context, &c->tets_at);
    PLI_RELEASE(context, c->hessians, c->last_triangle, c->frozen, c->contacts, c->touches,
                c->triangle_centers, c->triangle_boxes, c->x, c->closest_at_rest, c->surface_vertex,
                c->body_of_vertex, c->triangles, c->tets, c);
}

void pli_self_collision_forget(pli_self_collision *collision)
{
    int64_t room = PLI_SELF_CONTACT_BODIES * (int64_t)collision->surface_count;
    for (int64_t k = 0; k < room; ++k) collision->last_triangle[k] = -1;
    collision->is_valid = false;
    collision->contact_count = 0;
}

const pli_self_contact *pli_self_collision_find(pli_self_collision *collision, const double *x,
                                                int32_t *count)
{
    pli_self_collision_detect(collision, x);
    *count = collision->contact_count;
    return collision->contacts;
}

// ---- energy and derivatives

// k d sqrt(d + e) and its first two derivatives by d = depth^2
typedef struct penalty {
    double value; // J
    double first; // J/m^2
    double second;
} penalty;

static penalty evaluate_penalty(double stiffness, double depth)
{
    double d = depth * depth;
    double root = sqrt(d + softening);
    return (penalty){
        .value = stiffness * d * root,
        .first = stiffness * (3 * d + 2 * softening) / (2 * root),
        .second = stiffness * (3 * d + 4 * softening) / (4 * root * root * root),
    };
}

// The force on the vertex of a contact is this long and along the normal, against the penetration
// it points outwards: -dE/dx (N).
static double force_length(const pli_self_collision *collision, const pli_self_contact *contact)
{
    return 2 * evaluate_penalty(collision->stiffness, contact->depth).first * contact->depth;
}

// Vertices of a contact's stencil: the vertex and the corners of the triangle.
static void get_stencil(const pli_self_collision *collision, const pli_self_contact *contact,
                        int32_t stencil[4])
{
    stencil[0] = contact->vertex;
    memcpy(stencil + 1, collision->triangles + 3 * (int64_t)contact->triangle, 3 * sizeof *stencil);
}

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    const pli_self_collision *collision = user;
    pli_sum sum = {0, 0};
    for (int64_t c = begin; c < end; ++c) {
        double depth = collision->contacts[c].depth;
        pli_sum_add(&sum, evaluate_penalty(collision->stiffness, depth).value);
    }
    return sum;
}

static pli_sum collision_energy(void *self, const double *x)
{
    pli_self_collision *collision = self;
    pli_self_collision_detect(collision, x);
    pli_self_collision_begin(collision, "contact");
    pli_sum sum = pli_parallel_sum(collision->context, collision->contact_count, CONTACT_GRAIN,
                                   sum_energy, collision);
    pli_self_collision_end(collision);
    return sum;
}

// g += scale dE/dx. Contacts are few and share vertices: one after the other.
static void scatter_gradient(const pli_self_collision *collision, double scale, double *g)
{
    for (int32_t c = 0; c < collision->contact_count; ++c) {
        const pli_self_contact *contact = &collision->contacts[c];
        int32_t stencil[4];
        get_stencil(collision, contact, stencil);
        double length = scale * force_length(collision, contact);
        for (int i = 0; i < 4; ++i) {
            double *g_i = g + 3 * (int64_t)stencil[i];
            pli_vec3_add_scaled(g_i, length * contact->weights[i], contact->normal, g_i);
        }
    }
}

static void collision_add_gradient(void *self, const double *x, double *g)
{
    pli_self_collision *collision = self;
    pli_self_collision_detect(collision, x);
    pli_self_collision_begin(collision, "contact");
    scatter_gradient(collision, 1, g);
    pli_self_collision_end(collision);
}

// contacts first .. first + count, whose matrices are computed together
typedef struct hessian_job {
    pli_self_collision *collision;
    int64_t first;
    bool projected;
} hessian_job;

static void compute_hessians(void *user, int64_t begin, int64_t end)
{
    const hessian_job *job = user;
    const pli_self_collision *collision = job->collision;
    for (int64_t k = begin; k < end; ++k) {
        const pli_self_contact *contact = &collision->contacts[job->first + k];
        const double *x = collision->x;
        int32_t stencil[4];
        pli_distance distance;
        get_stencil(collision, contact, stencil);
        pli_distance_point_triangle_feature(
            contact->feature, x + 3 * (int64_t)stencil[0], x + 3 * (int64_t)stencil[1],
            x + 3 * (int64_t)stencil[2], x + 3 * (int64_t)stencil[3], &distance);
        penalty phi = evaluate_penalty(collision->stiffness, distance.length);
        pli_distance_compose_hessian(&distance, phi.first, phi.second, job->projected,
                                     collision->hessians + HESSIAN_SIZE * k);
    }
}

// Adds a block. There is room: prepare has seen to it.
static void add_block(pli_bcsr *H, int32_t row, int32_t column, const double block[9])
{
    bool added = pli_bcsr_add_block(H, row, column, block);
    PLI_ASSERT(H->context, added);
    (void)added;
}

// Adds the blocks of the points that take part.
static void scatter_hessian(const pli_self_collision *collision, const pli_self_contact *contact,
                            const double *hessian, pli_bcsr *H)
{
    int32_t stencil[4];
    get_stencil(collision, contact, stencil);
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            if (contact->weights[i] == 0 || contact->weights[j] == 0) continue;
            double block[9];
            for (int k = 0; k < 9; ++k) {
                block[k] = hessian[PLI_DISTANCE_DOFS * (3 * i + k / 3) + 3 * j + k % 3];
            }
            add_block(H, stencil[i], stencil[j], block);
        }
    }
}

static void collision_add_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    pli_self_collision *collision = self;
    pli_self_collision_detect(collision, x);
    pli_self_collision_begin(collision, "contact");
    int64_t total = collision->contact_count;
    for (int64_t first = 0; first < total; first += collision->hessian_chunk) {
        int64_t count = total - first;
        if (count > collision->hessian_chunk) count = collision->hessian_chunk;
        hessian_job job = {collision, first, projected};
        pli_parallel_for(collision->context, count, HESSIAN_GRAIN, compute_hessians, &job);
        // in order, since contacts share vertices
        for (int64_t k = 0; k < count; ++k) {
            scatter_hessian(collision, &collision->contacts[first + k],
                            collision->hessians + HESSIAN_SIZE * k, H);
        }
    }
    pli_self_collision_end(collision);
}

pli_status pli_self_collision_prepare(pli_self_collision *collision, const double *x, pli_bcsr *H)
{
    // a vertex is not coupled with the three corners; theirs are neighbours already
    enum { BLOCKS = 6 };
    pli_self_collision_detect(collision, x);
    return pli_bcsr_reserve_extra(H, (int64_t)BLOCKS * collision->contact_count);
}

static pli_status collision_prepare(void *self, const double *x, pli_bcsr *H, bool *changed)
{
    (void)changed; // stiffness is constant
    return pli_self_collision_prepare(self, x, H);
}

static void collision_freeze(void *self, const double *x)
{
    pli_self_collision_freeze(self, x);
}

const pli_term_ops pli_self_collision_term = {
    .name = "self-collision",
    .energy = collision_energy,
    .add_gradient = collision_add_gradient,
    .add_hessian = collision_add_hessian,
    .prepare = collision_prepare,
    .freeze = collision_freeze,
    .deferred = true,
};

// ---- reports and friction

void pli_self_collision_measure(pli_self_collision *collision, const double *x,
                                pli_self_collision_report *report, double *forces)
{
    double energy = pli_sum_value(collision_energy(collision, x));
    *report = (pli_self_collision_report){collision->contact_count, 0, energy};
    for (int32_t c = 0; c < collision->contact_count; ++c) {
        report->max_depth = pli_larger(report->max_depth, collision->contacts[c].depth);
    }
    if (forces == NULL) return;
    memset(forces, 0, 3 * (size_t)collision->vertex_count * sizeof *forces);
    scatter_gradient(collision, -1, forces);
}

// Friction of one contact; largest is the longest impulse that Coulomb's law allows (N s).
static double apply_friction(const pli_self_contact *contact, const int32_t stencil[4],
                             const double *mass, double largest, double *v)
{
    // relative velocity along the surface and the mass it feels
    double slip[3] = {0, 0, 0};
    double inverse_mass = 0;
    for (int i = 0; i < 4; ++i) {
        double w = contact->weights[i];
        pli_vec3_add_scaled(slip, w, v + 3 * (int64_t)stencil[i], slip);
        inverse_mass += w * w / mass[stencil[i]];
    }
    pli_vec3_add_scaled(slip, -pli_vec3_dot(slip, contact->normal), contact->normal, slip);
    double speed = pli_vec3_norm(slip);
    double full = speed / inverse_mass;
    if (!(speed > 0) || !(inverse_mass > 0) || !(largest > 0)) return 0;

    // v_i += w_i / m_i j, j = -factor m slip
    double factor = largest < full ? largest / full : 1;
    for (int i = 0; i < 4; ++i) {
        double *v_i = v + 3 * (int64_t)stencil[i];
        double share = contact->weights[i] / (mass[stencil[i]] * inverse_mass);
        pli_vec3_add_scaled(v_i, -factor * share, slip, v_i);
    }
    // the energy along j is a parabola with its bottom at factor 1
    return -full * speed * factor * (1 - 0.5 * factor);
}

double pli_self_collision_apply_friction(pli_self_collision *collision, const double *x,
                                         const double *mass, double h, double *v)
{
    pli_self_collision_detect(collision, x);
    pli_self_collision_begin(collision, "contact");
    pli_sum change = {0, 0};
    for (int32_t c = 0; c < collision->contact_count; ++c) {
        const pli_self_contact *contact = &collision->contacts[c];
        int32_t stencil[4];
        get_stencil(collision, contact, stencil);
        double largest = collision->friction * h * force_length(collision, contact);
        pli_sum_add(&change, apply_friction(contact, stencil, mass, largest, v));
    }
    pli_self_collision_end(collision);
    return pli_sum_value(change);
}
