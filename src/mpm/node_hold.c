// SPDX-License-Identifier: Apache-2.0
#include "mpm/node_hold.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/mat3.h"
#include "mpm/grid_contact.h"

#include <math.h>
#include <string.h>

enum { BLOCK_NODES = PLI_NODE_EDGE * PLI_NODE_EDGE * PLI_NODE_EDGE, NODE_GRAIN = 1024 };

// What is known of nodes that may separate: by their velocity, or from then on held or free; a node
// that was released and then held again keeps being held.
enum { BY_VELOCITY, RELEASED, TAKEN, TAKEN_AGAIN };

// a normal that others have already taken but for this part, squared, says nothing new
static const double least_part = 1e-10;

// mass of a node, over that of the heaviest, that is as good as none
static const double negligible_mass = 1e-18;

// ---- life

pli_status pli_node_hold_create(pli_context *context, const pli_grid_colliders *borrowed_colliders,
                                pli_node_hold **hold)
{
    *hold = PLI_NEW(context, pli_node_hold, 1, "held nodes");
    if (*hold == NULL) return PLI_ERROR_MEMORY;
    (*hold)->context = context;
    (*hold)->colliders = borrowed_colliders;
    return PLI_OK;
}

void pli_node_hold_destroy(pli_node_hold *hold)
{
    if (hold == NULL) return;
    pli_context *context = hold->context;
    pli_release(context, hold->all);
    pli_release(context, hold->verdict);
    pli_release(context, hold->nodes);
    pli_release(context, hold->tangents);
    pli_release(context, hold->place);
    pli_release(context, hold);
}

int64_t pli_node_hold_memory(const pli_node_hold *hold)
{
    return (int64_t)(pli_memory_size(hold->all) + pli_memory_size(hold->verdict) +
                     pli_memory_size(hold->nodes) + pli_memory_size(hold->tangents) +
                     pli_memory_size(hold->place));
}

static bool grow(pli_node_hold *hold, void **array, int64_t count, size_t size)
{
    void *grown = pli_reallocate(hold->context, *array, count, size, "held nodes");
    if (grown != NULL) *array = grown;
    return grown != NULL;
}

static pli_status reserve(pli_node_hold *hold, int32_t count)
{
    if (count <= hold->room) return PLI_OK;
    int64_t room = (int64_t)count + count / 4;
    bool good = grow(hold, (void **)&hold->all, room, sizeof *hold->all) &&
                grow(hold, (void **)&hold->verdict, room, sizeof *hold->verdict) &&
                grow(hold, (void **)&hold->nodes, room, sizeof *hold->nodes) &&
                grow(hold, (void **)&hold->tangents, 9 * room, sizeof *hold->tangents) &&
                grow(hold, (void **)&hold->place, room, sizeof *hold->place);
    if (good) hold->room = (int32_t)room;
    return good ? PLI_OK : PLI_ERROR_MEMORY;
}

// ---- one node

static void hold_wholly(pli_held_node *node, const double w[3])
{
    memset(node->T, 0, sizeof node->T);
    pli_vec3_copy(w, node->c);
    memset(node->normal, 0, sizeof node->normal);
    node->is_held = true;
}

// Takes the direction n from what is free, with the speed n . w along it.
static void hold_normal(pli_held_node *node, const double n[3], const double w[3], bool is_wall)
{
    double a[3];
    pli_mat3_apply(node->T, n, a);
    double missing = pli_vec3_dot(n, w) - pli_vec3_dot(n, node->c);
    double part = pli_vec3_norm2(a);
    node->is_held = true;
    if (part > least_part) {
        // n . a is |a|^2, as T is a projector
        pli_vec3_add_scaled(node->c, missing / part, a, node->c);
        for (int e = 0; e < 9; ++e) node->T[e] -= a[e / 3] * a[e % 3] / part;
    } else if (is_wall) {
        pli_vec3_add_scaled(node->c, missing, n, node->c);
    }
}

// Whether an object that lets things go has the node all the same.
static bool is_kept(uint8_t verdict, const double n[3], const double w[3], const double v[3])
{
    if (verdict != BY_VELOCITY) return verdict != RELEASED;
    double r[3];
    pli_vec3_subtract(v, w, r);
    return pli_vec3_dot(r, n) < 0;
}

// ---- a block of nodes

typedef struct hold_job {
    pli_node_hold *hold;
    const pli_node_grid *grid;
    const double *velocity;
} hold_job;

// the nodes of a block
typedef struct block_nodes {
    int32_t first;
    int32_t count;
    double x[3 * BLOCK_NODES];  // where they are (m)
    double x0[3 * BLOCK_NODES]; // as the shape of an object sees them
    double values[BLOCK_NODES];
} block_nodes;

static int32_t count_bits(uint64_t bits)
{
    return (int32_t)__builtin_popcountll(bits);
}

static void place_nodes(const hold_job *job, const pli_node_block *block, block_nodes *b)
{
    const pli_grid_colliders *set = job->hold->colliders;
    b->first = block->first;
    b->count = count_bits(block->nodes);
    for (int32_t k = 0; k < b->count; ++k) {
        const int32_t *at = job->grid->at + 3 * (int64_t)(b->first + k);
        for (int c = 0; c < 3; ++c) b->x[3 * k + c] = set->origin[c] + set->dx * at[c];
    }
}

// What an object does to a node of the block that is in it.
static void hold_node(const hold_job *job, const pli_grid_body *body, const block_nodes *b,
                      int32_t k)
{
    int64_t index = b->first + k;
    pli_held_node *node = &job->hold->all[index];
    const pli_grid_collider *def = &body->def;
    double w[3], gradient[3], n[3];
    pli_grid_motion_velocity(&def->motion, b->x + 3 * k, w);
    if (def->hold == PLI_GRID_STICKY) {
        hold_wholly(node, w);
        return;
    }
    pli_shape_gradient(def->shape, b->x0 + 3 * k, gradient);
    if (!(pli_vec3_norm(gradient) > 0)) {
        hold_wholly(node, w);
        return;
    }
    pli_vec3_normalize(gradient, gradient);
    pli_mat3_apply(def->motion.R, gradient, n);
    bool separates = def->hold == PLI_GRID_SEPARATE;
    pli_vec3_copy(n, node->normal);
    pli_vec3_copy(w, node->w);
    node->friction = def->friction;
    node->separates = node->separates || separates;
    uint8_t verdict = job->hold->verdict[index];
    if (separates && !is_kept(verdict, n, w, job->velocity + 3 * index)) return;
    hold_normal(node, n, w, body->is_wall);
}

static void hold_by_body(const hold_job *job, const pli_grid_body *body, block_nodes *b)
{
    const pli_grid_colliders *set = job->hold->colliders;
    for (int32_t k = 0; k < b->count; ++k) {
        pli_grid_to_shape(&body->def.motion, b->x + 3 * k, b->x0 + 3 * k);
    }
    pli_shape_values(body->def.shape, b->count, b->x0, b->values);
    for (int32_t k = 0; k < b->count; ++k) {
        if (b->values[k] <= PLI_GRID_SURFACE * set->dx) hold_node(job, body, b, k);
    }
}

static void hold_blocks(void *user, int64_t begin, int64_t end)
{
    const hold_job *job = user;
    const pli_grid_colliders *set = job->hold->colliders;
    block_nodes b;
    for (int64_t k = begin; k < end; ++k) {
        const pli_node_block *block = &job->grid->blocks[k];
        place_nodes(job, block, &b);
        for (int32_t i = 0; i < b.count; ++i) {
            pli_held_node *node = &job->hold->all[b.first + i];
            *node = (pli_held_node){.is_held = false};
            pli_mat3_identity(node->T);
        }
        pli_grid_box box = {.edge = PLI_NODE_EDGE - 1};
        for (int c = 0; c < 3; ++c) box.low[c] = PLI_NODE_EDGE * block->at[c];
        for (int32_t i = 0; i < set->body_count; ++i) {
            const pli_grid_body *body = &set->bodies[set->order[i]];
            if (body->is_active && pli_grid_body_may_touch(set, body, &box)) {
                hold_by_body(job, body, &b);
            }
        }
    }
}

// ---- all of them

static void list_held(pli_node_hold *hold, int32_t count)
{
    hold->count = 0;
    for (int32_t node = 0; node < count; ++node) {
        hold->place[node] = hold->all[node].is_held ? hold->count : -1;
        if (!hold->all[node].is_held) continue;
        memcpy(hold->tangents + 9 * (int64_t)hold->count, hold->all[node].T,
               9 * sizeof *hold->tangents);
        hold->nodes[hold->count++] = node;
    }
}

static void find_held(pli_node_hold *hold, const pli_node_grid *grid, const double *velocity)
{
    hold_job job = {hold, grid, velocity};
    pli_parallel_for(hold->context, grid->block_count, 1, hold_blocks, &job);
    for (int32_t node = 0; node < grid->count; ++node) {
        if (hold->mass[node] > hold->least_mass || hold->all[node].is_held) continue;
        hold_wholly(&hold->all[node], velocity + 3 * (int64_t)node);
    }
    list_held(hold, grid->count);
}

static double largest_mass(void *user, int64_t begin, int64_t end)
{
    const pli_node_hold *hold = user;
    double largest = 0;
    for (int64_t node = begin; node < end; ++node) largest = fmax(largest, hold->mass[node]);
    return largest;
}

pli_status pli_node_hold_build(pli_node_hold *hold, const pli_node_grid *grid, const double *mass,
                               const double *velocity)
{
    PLI_TRY(reserve(hold, grid->count));
    hold->mass = mass;
    hold->least_mass = negligible_mass *
                       pli_parallel_max(hold->context, grid->count, NODE_GRAIN, largest_mass, hold);
    memset(hold->verdict, BY_VELOCITY, (size_t)grid->count);
    find_held(hold, grid, velocity);
    return PLI_OK;
}

void pli_node_hold_apply(const pli_node_hold *hold, double *v)
{
    for (int32_t k = 0; k < hold->count; ++k) {
        const pli_held_node *node = &hold->all[hold->nodes[k]];
        double *at = v + 3 * (int64_t)hold->nodes[k], free[3];
        pli_mat3_apply(node->T, at, free);
        pli_vec3_add(free, node->c, at);
    }
}

// What the solve says about a node that may separate.
static uint8_t judge(const pli_held_node *node, uint8_t verdict, const double v[3],
                     const double force[3])
{
    if (node->is_held) {
        bool is_pulled = pli_vec3_dot(force, node->normal) < 0;
        return is_pulled && verdict != TAKEN_AGAIN ? RELEASED : verdict;
    }
    double r[3];
    pli_vec3_subtract(v, node->w, r);
    if (!(pli_vec3_dot(r, node->normal) < 0)) return verdict;
    return verdict == RELEASED ? TAKEN_AGAIN : TAKEN;
}

int32_t pli_node_hold_revise(pli_node_hold *hold, const pli_node_grid *grid, const double *v,
                             const double *force)
{
    int32_t changed = 0;
    for (int64_t node = 0; node < grid->count; ++node) {
        const pli_held_node *held = &hold->all[node];
        bool slides = pli_vec3_norm2(held->normal) > 0;
        if (!held->separates || !slides) continue;
        uint8_t verdict = judge(held, hold->verdict[node], v + 3 * node, force + 3 * node);
        if (verdict == hold->verdict[node]) continue;
        hold->verdict[node] = verdict;
        ++changed;
    }
    if (changed > 0) find_held(hold, grid, v);
    return changed;
}

// ---- friction

typedef struct brake_job {
    const pli_node_hold *hold;
    double h;
    const double *mass;
    const double *force;
    double *v;
} brake_job;

static void brake_nodes(void *user, int64_t begin, int64_t end)
{
    const brake_job *job = user;
    for (int64_t k = begin; k < end; ++k) {
        int64_t node = job->hold->nodes[k];
        const pli_held_node *held = &job->hold->all[node];
        if (!(held->friction > 0) || !(pli_vec3_norm2(held->normal) > 0)) continue;
        double r[3], free[3];
        pli_vec3_subtract(job->v + 3 * node, held->w, r);
        pli_mat3_apply(held->T, r, free);
        double impulse = job->h * fabs(pli_vec3_dot(job->force + 3 * node, held->normal));
        double momentum = job->mass[node] * pli_vec3_norm(free);
        double taken = momentum > 0 ? fmin(held->friction * impulse / momentum, 1) : 0;
        pli_vec3_add_scaled(job->v + 3 * node, -taken, free, job->v + 3 * node);
    }
}

void pli_node_hold_brake(const pli_node_hold *hold, double h, const double *mass,
                         const double *force, double *v)
{
    brake_job job = {hold, h, mass, force, v};
    pli_parallel_for(hold->context, hold->count, NODE_GRAIN, brake_nodes, &job);
}

// ---- for others

pli_node_constraints pli_node_hold_constraints(const pli_node_hold *hold)
{
    return (pli_node_constraints){hold->count, hold->nodes, hold->tangents};
}

// Points that start in the admissible set, and move in it, stay there.
static void project(void *self, double *x, double *d)
{
    (void)self;
    (void)x;
    (void)d;
}

static void choose_active(void *self, const double *x, const double *g)
{
    (void)self;
    (void)x;
    (void)g;
}

static void release(void *self)
{
    (void)self;
}

static void get_active(const void *self, pli_active_set *set)
{
    const pli_node_hold *hold = self;
    *set =
        (pli_active_set){.count = hold->count, .points = hold->nodes, .tangents = hold->tangents};
}

static const pli_projection_ops feasible_ops = {.name = "held nodes",
                                                .project = project,
                                                .choose_active = choose_active,
                                                .release = release,
                                                .get_active = get_active};

pli_feasible_set pli_node_hold_feasible(pli_node_hold *hold)
{
    return (pli_feasible_set){&feasible_ops, hold};
}
