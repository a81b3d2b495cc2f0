// SPDX-License-Identifier: Apache-2.0
#include "contact/self_detect.h"

#include "base/parallel.h"
#include "geometry/collision/triangle.h"
#include "geometry/mesh/tet_mesh.h"

#include <string.h>

enum { BOX_GRAIN = 2048, VERTEX_GRAIN = 64, CONTACT_GRAIN = 64 };

// an object and the positions a loop looks at
typedef struct detect_job {
    pli_self_collision *collision;
    const double *x;
} detect_job;

static int32_t body_of_triangle(const pli_self_collision *collision, int32_t triangle)
{
    return collision->body_of_vertex[collision->triangles[3 * (int64_t)triangle]];
}

// ---- the closest triangle

// a point, the body whose surface is searched, and the vertex whose triangles do not count
typedef struct closest_search {
    const pli_self_collision *collision;
    const double *x;
    const double *point;
    int32_t body;
    int32_t vertex;
} closest_search;

static double triangle_distance2(void *user, int32_t triangle)
{
    const closest_search *search = user;
    const int32_t *t = search->collision->triangles + 3 * (int64_t)triangle;
    int32_t vertex = search->vertex;
    if (t[0] == vertex || t[1] == vertex || t[2] == vertex) return INFINITY;
    if (search->collision->body_of_vertex[t[0]] != search->body) return INFINITY;
    double w[3];
    return pli_triangle_closest(search->point, search->x + 3 * (int64_t)t[0],
                                search->x + 3 * (int64_t)t[1], search->x + 3 * (int64_t)t[2], w);
}

// The closest triangle, given any squared distance that one of them has; -1: there is none.
static int32_t find_closest(closest_search *search, double bound2)
{
    double distance2;
    // the limit itself is excluded, the bound is not
    double limit2 = nextafter(bound2, INFINITY);
    return pli_bvh_query_nearest(search->collision->surface_tree, search->point, limit2,
                                 triangle_distance2, search, &distance2);
}

static void find_rest_range(void *user, int64_t begin, int64_t end)
{
    const detect_job *job = user;
    for (int64_t vertex = begin; vertex < end; ++vertex) {
        closest_search search = {.collision = job->collision,
                                 .x = job->x,
                                 .point = job->x + 3 * vertex,
                                 .body = job->collision->body_of_vertex[vertex],
                                 .vertex = -1};
        job->collision->closest_at_rest[vertex] = find_closest(&search, INFINITY);
    }
}

void pli_self_collision_find_rest(pli_self_collision *collision, const double *x)
{
    detect_job job = {collision, x};
    pli_parallel_for(collision->context, collision->vertex_count, VERTEX_GRAIN, find_rest_range,
                     &job);
}

// An upper bound of the squared distance: the partner of last time, else what was close at rest.
static double bound_distance2(closest_search *search, const int32_t *last, int32_t tet)
{
    const pli_self_collision *collision = search->collision;
    for (int k = 0; k < PLI_SELF_CONTACT_BODIES; ++k) {
        if (last[k] < 0 || body_of_triangle(collision, last[k]) != search->body) continue;
        return triangle_distance2(search, last[k]);
    }
    double bound2 = INFINITY;
    for (int k = 0; k < 4; ++k) {
        int32_t triangle = collision->closest_at_rest[collision->tets[4 * (int64_t)tet + k]];
        if (triangle < 0) continue;
        bound2 = pli_smaller(bound2, triangle_distance2(search, triangle));
    }
    return bound2;
}

// ---- which bodies a vertex is in
//
// How often a body covers a point is its degree there: the number of tetrahedra around the point,
// inverted ones counted negatively. It is the winding number of the body's surface, so it changes
// only where the point crosses the surface, whatever the elements inside do, and the energy has no
// jumps. A vertex of the body itself sits on that surface; there the degree on its outer side
// counts: that of the elements it is no corner of, and, once the vertex has been pushed through
// the faces opposite to it, that of the inverted elements around it.

enum { BODIES_SEEN = 8 }; // that a point can be in at once; of more, those that come first

typedef struct body_search {
    const pli_self_collision *collision;
    const double *x;
    int32_t vertex;
    int32_t own_body; // not looked for; -1: it is
    int32_t count;
    int32_t body[BODIES_SEEN]; // ascending
    int32_t degree[BODIES_SEEN];
    int32_t tet[BODIES_SEEN]; // one of those around the point
} body_search;

static int32_t body_of_tet(const pli_self_collision *collision, int32_t tet)
{
    return collision->body_of_vertex[collision->tets[4 * (int64_t)tet]];
}

static bool is_inverted(const body_search *search, int32_t tet)
{
    return pli_tet_volume_at(search->x, search->collision->tets + 4 * (int64_t)tet) < 0;
}

// Where a body stands in the list, or is put; -1: there are enough that come before it.
static int32_t place_of(body_search *search, int32_t body)
{
    int32_t place = 0;
    while (place < search->count && search->body[place] < body) ++place;
    if (place < search->count && search->body[place] == body) return place;
    if (place == BODIES_SEEN) return -1;
    if (search->count < BODIES_SEEN) ++search->count;
    for (int32_t k = search->count - 1; k > place; --k) {
        search->body[k] = search->body[k - 1];
        search->degree[k] = search->degree[k - 1];
        search->tet[k] = search->tet[k - 1];
    }
    search->body[place] = body;
    search->degree[place] = 0;
    search->tet[place] = -1;
    return place;
}

static bool want_tet(void *user, int32_t tet)
{
    const body_search *search = user;
    return body_of_tet(search->collision, tet) != search->own_body;
}

static bool count_tet(void *user, int32_t tet)
{
    body_search *search = user;
    int32_t place = place_of(search, body_of_tet(search->collision, tet));
    if (place < 0) return true;
    search->degree[place] += is_inverted(search, tet) ? -1 : 1;
    search->tet[place] = tet;
    return true;
}

// Whether the direction d from the vertex runs into an element at it, before it leaves.
static bool cone_contains(const body_search *search, int32_t tet, const double d[3])
{
    const int32_t *corners = search->collision->tets + 4 * (int64_t)tet;
    const double *p = search->x + 3 * (int64_t)search->vertex;
    double e[3][3];
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        if (corners[k] == search->vertex) continue;
        pli_vec3_subtract(search->x + 3 * (int64_t)corners[k], p, e[count++]);
    }
    double volume = pli_vec3_triple(e[0], e[1], e[2]);
    return pli_vec3_triple(d, e[1], e[2]) * volume > 0 &&
           pli_vec3_triple(e[0], d, e[2]) * volume > 0 &&
           pli_vec3_triple(e[0], e[1], d) * volume > 0;
}

// How often elements at the vertex cover the direction d.
static int32_t star_degree(const body_search *search, const double d[3])
{
    const pli_incidence *at = &search->collision->tets_at;
    int32_t degree = 0;
    for (int64_t k = at->start[search->vertex]; k < at->start[search->vertex + 1]; ++k) {
        if (!cone_contains(search, at->elements[k], d)) continue;
        degree += is_inverted(search, at->elements[k]) ? -1 : 1;
    }
    return degree;
}

// The vertex's normal, outwards: the sum of those of its triangles, by their areas.
static void vertex_normal(const body_search *search, double n[3])
{
    const pli_incidence *at = &search->collision->triangles_at;
    pli_vec3_set(0, 0, 0, n);
    for (int64_t k = at->start[search->vertex]; k < at->start[search->vertex + 1]; ++k) {
        const int32_t *t = search->collision->triangles + 3 * (int64_t)at->elements[k];
        double a[3], b[3], area[3];
        pli_vec3_subtract(search->x + 3 * (int64_t)t[1], search->x + 3 * (int64_t)t[0], a);
        pli_vec3_subtract(search->x + 3 * (int64_t)t[2], search->x + 3 * (int64_t)t[0], b);
        pli_vec3_cross(a, b, area);
        pli_vec3_add(n, area, n);
    }
}

// Takes the vertex's own place on its body's surface into account.
static void correct_own_degree(body_search *search)
{
    int32_t own = search->collision->body_of_vertex[search->vertex];
    for (int32_t k = 0; k < search->count; ++k) {
        if (search->body[k] != own || search->degree[k] <= 0) continue;
        double outwards[3];
        vertex_normal(search, outwards);
        search->degree[k] += star_degree(search, outwards);
    }
}

// Fills the touches of a surface vertex with the bodies it is in; until the closest triangle is
// known, a tetrahedron around the vertex stands in its place.
static void find_bodies(const detect_job *job, int32_t vertex, pli_self_touch *touches)
{
    const pli_self_collision *collision = job->collision;
    int32_t own = collision->body_of_vertex[vertex];
    body_search search = {.collision = collision,
                          .x = job->x,
                          .vertex = vertex,
                          .own_body = collision->self ? -1 : own};
    pli_tet_query query = {.point = job->x + 3 * (int64_t)vertex,
                           .skip_vertex = vertex,
                           .want = want_tet,
                           .visit = count_tet,
                           .user = &search};
    if (collision->self || collision->body_count > 1) {
        pli_tet_locate_query(collision->locate, &query);
    }
    correct_own_degree(&search);
    int32_t found = 0;
    for (int32_t k = 0; k < search.count && found < PLI_SELF_CONTACT_BODIES; ++k) {
        if (search.degree[k] <= 0) continue;
        touches[found++] = (pli_self_touch){search.body[k], search.tet[k]};
    }
    while (found < PLI_SELF_CONTACT_BODIES) touches[found++] = (pli_self_touch){-1, -1};
}

// ---- detection

// Remembers the partners of now and, where there is room, one of last time with another body.
static void remember(const pli_self_collision *collision, const pli_self_touch *touch,
                     int32_t *last)
{
    if (touch[0].body < 0) return;
    int32_t other = touch[1].triangle;
    for (int k = 0; k < PLI_SELF_CONTACT_BODIES && touch[1].body < 0; ++k) {
        if (last[k] >= 0 && body_of_triangle(collision, last[k]) != touch[0].body) other = last[k];
    }
    last[0] = touch[0].triangle;
    last[1] = other;
}

static void locate_range(void *user, int64_t begin, int64_t end)
{
    const detect_job *job = user;
    pli_self_collision *collision = job->collision;
    for (int64_t s = begin; s < end; ++s) {
        find_bodies(job, collision->surface_vertex[s],
                    collision->touches + PLI_SELF_CONTACT_BODIES * s);
    }
}

static void search_range(void *user, int64_t begin, int64_t end)
{
    const detect_job *job = user;
    pli_self_collision *collision = job->collision;
    for (int64_t s = begin; s < end; ++s) {
        pli_self_touch *touch = collision->touches + PLI_SELF_CONTACT_BODIES * s;
        int32_t *last = collision->last_triangle + PLI_SELF_CONTACT_BODIES * s;
        int32_t vertex = collision->surface_vertex[s];
        for (int32_t k = 0; k < PLI_SELF_CONTACT_BODIES && touch[k].body >= 0; ++k) {
            closest_search search = {.collision = collision,
                                     .x = job->x,
                                     .point = job->x + 3 * (int64_t)vertex,
                                     .body = touch[k].body,
                                     .vertex = vertex};
            double bound2 = bound_distance2(&search, last, touch[k].triangle);
            touch[k].triangle = find_closest(&search, bound2);
        }
        remember(collision, touch, last);
    }
}

static void fill_box_range(void *user, int64_t begin, int64_t end)
{
    const detect_job *job = user;
    for (int64_t triangle = begin; triangle < end; ++triangle) {
        const int32_t *t = job->collision->triangles + 3 * triangle;
        pli_bounds box = pli_bounds_empty();
        for (int k = 0; k < 3; ++k) pli_bounds_add_point(&box, job->x + 3 * (int64_t)t[k]);
        job->collision->triangle_boxes[triangle] = box;
    }
}

void pli_self_collision_fill_boxes(pli_self_collision *collision, const double *x)
{
    detect_job job = {collision, x};
    pli_parallel_for(collision->context, collision->triangle_count, BOX_GRAIN, fill_box_range,
                     &job);
}

// Lists the contacts in the order of vertices and bodies.
static void collect_contacts(pli_self_collision *collision)
{
    int32_t count = 0;
    for (int64_t s = 0; s < collision->surface_count; ++s) {
        const pli_self_touch *touch = collision->touches + PLI_SELF_CONTACT_BODIES * s;
        for (int32_t k = 0; k < PLI_SELF_CONTACT_BODIES && touch[k].body >= 0; ++k) {
            if (touch[k].triangle < 0) continue;
            pli_self_contact *contact = &collision->contacts[count++];
            contact->vertex = collision->surface_vertex[s];
            contact->body = touch[k].body;
            contact->triangle = touch[k].triangle;
        }
    }
    collision->contact_count = count;
}

static bool has_touches(const pli_self_collision *collision)
{
    for (int64_t s = 0; s < collision->surface_count; ++s) {
        if (collision->touches[PLI_SELF_CONTACT_BODIES * s].body >= 0) return true;
    }
    return false;
}

static void measure_range(void *user, int64_t begin, int64_t end)
{
    const detect_job *job = user;
    for (int64_t c = begin; c < end; ++c) {
        pli_self_contact *contact = &job->collision->contacts[c];
        const int32_t *t = job->collision->triangles + 3 * (int64_t)contact->triangle;
        pli_distance distance;
        contact->feature = pli_distance_point_triangle(
            job->x + 3 * (int64_t)contact->vertex, job->x + 3 * (int64_t)t[0],
            job->x + 3 * (int64_t)t[1], job->x + 3 * (int64_t)t[2], &distance);
        contact->depth = distance.length;
        pli_vec3_copy(distance.normal, contact->normal);
        memcpy(contact->weights, distance.weights, sizeof contact->weights);
    }
}

// Whether a vertex is on the outer side of a triangle.
static bool is_outside(const pli_self_collision *collision, const double *x, int32_t vertex,
                       int32_t triangle)
{
    const int32_t *t = collision->triangles + 3 * (int64_t)triangle;
    const double *origin = x + 3 * (int64_t)t[0];
    double a[3], b[3], p[3];
    pli_vec3_subtract(x + 3 * (int64_t)t[1], origin, a);
    pli_vec3_subtract(x + 3 * (int64_t)t[2], origin, b);
    pli_vec3_subtract(x + 3 * (int64_t)vertex, origin, p);
    return pli_vec3_triple(p, a, b) > 0;
}

// The contacts of frozen pairs: those whose vertex has not come out.
static void collect_frozen(pli_self_collision *collision)
{
    int32_t count = 0;
    for (int32_t k = 0; k < collision->frozen_count; ++k) {
        const pli_self_pair *pair = &collision->frozen[k];
        if (is_outside(collision, collision->x, pair->vertex, pair->triangle)) continue;
        pli_self_contact *contact = &collision->contacts[count++];
        contact->vertex = pair->vertex;
        contact->body = pair->body;
        contact->triangle = pair->triangle;
    }
    collision->contact_count = count;
}

void pli_self_collision_freeze(pli_self_collision *collision, const double *x)
{
    collision->is_frozen = false;
    if (x != NULL) {
        pli_self_collision_detect(collision, x);
        collision->frozen_count = collision->contact_count;
        for (int32_t k = 0; k < collision->contact_count; ++k) {
            const pli_self_contact *contact = &collision->contacts[k];
            collision->frozen[k] =
                (pli_self_pair){contact->vertex, contact->body, contact->triangle};
        }
        collision->is_frozen = true;
    }
    collision->is_valid = false;
}

// Finds the contacts at the object's own copy of the positions.
static void find_contacts(pli_self_collision *collision)
{
    detect_job job = {collision, collision->x};
    if (collision->is_frozen) {
        collect_frozen(collision);
        return;
    }
    // which vertices are inside of which bodies
    pli_tet_locate_refit(collision->locate, collision->x);
    pli_parallel_for(collision->context, collision->surface_count, VERTEX_GRAIN, locate_range,
                     &job);

    // the closest triangles, if any are needed
    if (has_touches(collision)) {
        pli_self_collision_fill_boxes(collision, collision->x);
        pli_bvh_update(collision->surface_tree, collision->triangle_boxes,
                       collision->triangle_centers);
        pli_parallel_for(collision->context, collision->surface_count, VERTEX_GRAIN, search_range,
                         &job);
    }
    collect_contacts(collision);
}

void pli_self_collision_detect(pli_self_collision *collision, const double *x)
{
    size_t bytes = 3 * (size_t)collision->vertex_count * sizeof *x;
    detect_job job = {collision, collision->x};
    if (collision->is_valid && memcmp(x, collision->x, bytes) == 0) return;

    pli_self_collision_begin(collision, "broad phase");
    memcpy(collision->x, x, bytes);
    find_contacts(collision);
    pli_self_collision_end(collision);

    // distances and closest points
    pli_self_collision_begin(collision, "contact");
    pli_parallel_for(collision->context, collision->contact_count, CONTACT_GRAIN, measure_range,
                     &job);
    collision->is_valid = true;
    pli_self_collision_end(collision);
}
