// SPDX-License-Identifier: Apache-2.0
#include "mpm/implicit/node_hold.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/mat3.h"
#include "mpm/grid/grid_contact.h"

#include <math.h>
#include <string.h>

enum { BLOCK_NODES = PLI_NODE_EDGE * PLI_NODE_EDGE * PLI_NODE_EDGE, NODE_GRAIN = 1024 };

// What is decided about an object that lets things go and one of its nodes. Odd: the node is held.
enum { LEFT_FREE, TAKEN, RELEASED, TAKEN_AGAIN };

// Two bits for every such object of a node, in their order; further ones share the last.
enum { VERDICTS = 8 };

// a normal that others have already taken but for this part, squared, says nothing new
static const double least_part = 1e-4;

// part of a speed that may be rounding
static const double still = 1e-13;

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
    PLI_RELEASE(context, hold->all, hold->verdict, hold->nodes, hold->tangents, hold->place, hold);
}

int64_t pli_node_hold_memory(const pli_node_hold *hold)
{
    return (int64_t)(pli_memory_size(hold->all) + pli_memory_size(hold->verdict) +
                     pli_memory_size(hold->nodes) + pli_memory_size(hold->tangents) +
                     pli_memory_size(hold->place));
}

static pli_status reserve(pli_node_hold *hold, int32_t count)
{
    // arrays are there even if there is no node yet
    if (count <= hold->room && hold->room > 0) return PLI_OK;
    int64_t room = (int64_t)count + count / 4 + 1;
    PLI_TRY(PLI_RESIZE(hold->context, hold->all, room, "held nodes"));
    PLI_TRY(PLI_RESIZE(hold->context, hold->verdict, room, "held nodes"));
    PLI_TRY(PLI_RESIZE(hold->context, hold->nodes, room, "held nodes"));
    PLI_TRY(PLI_RESIZE(hold->context, hold->tangents, 9 * room, "held nodes"));
    PLI_TRY(PLI_RESIZE(hold->context, hold->place, room, "held nodes"));
    hold->room = (int32_t)room;
    return PLI_OK;
}

// ---- one node

// A normal that is taken from a node.
typedef struct grip {
    double dual[3]; // n*
    double w[3];    // velocity of its object (m/s)
    double friction;
    int32_t object; // among those of the node that let go, -1: it does not
} grip;

// A node while objects act on it, one after another.
typedef struct node_work {
    pli_held_node *node;
    uint16_t *verdict;
    int32_t separating; // objects so far that let go
    uint16_t entered;   // bits of those that do not have it, and should
    int32_t grip_count;
    grip grips[3];
} node_work;

static int32_t get_verdict(const node_work *work, int32_t object)
{
    return *work->verdict >> 2 * object & 3;
}

static void set_verdict(node_work *work, int32_t object, int32_t verdict)
{
    uint32_t cleared = *work->verdict & ~(3U << 2 * object);
    *work->verdict = (uint16_t)(cleared | (uint32_t)verdict << 2 * object);
}

static void hold_wholly(node_work *work, const double w[3])
{
    memset(work->node->T, 0, sizeof work->node->T);
    pli_vec3_copy(w, work->node->c);
    work->node->is_held = true;
    work->grip_count = 0;
    work->entered = 0;
}

// a . n_k = 0 for the normals before, so theirs must be made orthogonal to n, and a is its own
static void add_grip(node_work *work, const double n[3], const double a[3], double part,
                     const grip *made)
{
    grip *added = &work->grips[work->grip_count];
    *added = *made;
    pli_vec3_scale(1 / part, a, added->dual);
    for (int32_t k = 0; k < work->grip_count; ++k) {
        double *dual = work->grips[k].dual;
        pli_vec3_add_scaled(dual, -pli_vec3_dot(dual, n), added->dual, dual);
    }
    ++work->grip_count;
}

// Takes the direction n from what is free, with the speed n . w along it.
static void hold_normal(node_work *work, const double n[3], const grip *made, bool is_wall)
{
    pli_held_node *node = work->node;
    double a[3];
    pli_mat3_apply(node->T, n, a);
    double missing = pli_vec3_dot(n, made->w) - pli_vec3_dot(n, node->c);
    double part = pli_vec3_norm2(a);
    node->is_held = true;
    if (part > least_part && work->grip_count < 3) {
        // n . a is |a|^2, as T is a projector
        pli_vec3_add_scaled(node->c, missing / part, a, node->c);
        for (int e = 0; e < 9; ++e) node->T[e] -= a[e / 3] * a[e % 3] / part;
        add_grip(work, n, a, part, made);
    } else if (is_wall) {
        pli_vec3_add_scaled(node->c, missing, n, node->c);
    }
}

// The speed along n, relative to w, that a node gets from v with what is held of it so far.
static double speed_along(const pli_held_node *node, const double v[3], const double n[3],
                          const double w[3])
{
    double u[3];
    pli_mat3_apply(node->T, v, u);
    pli_vec3_add(u, node->c, u);
    return pli_vec3_dot(u, n) - pli_vec3_dot(w, n);
}

// ---- a block of nodes

// What a pass over all nodes is for.
typedef enum hold_purpose {
    TO_DECIDE, // verdicts are made
    TO_HOLD,   // by verdicts that there are
    TO_REVISE  // nodes are held as they are, and verdicts change
} hold_purpose;

typedef struct hold_job {
    pli_node_hold *hold;
    const pli_node_grid *grid;
    hold_purpose purpose;
    const double *velocity;
    const double *force;
} hold_job;

// the nodes of a block
typedef struct block_nodes {
    int32_t first;
    int32_t count;
    double x[3 * BLOCK_NODES];  // where they are (m)
    double x0[3 * BLOCK_NODES]; // as the shape of an object sees them
    double values[BLOCK_NODES];
    node_work work[BLOCK_NODES];
} block_nodes;

static void begin_nodes(const hold_job *job, const pli_node_block *block, block_nodes *b)
{
    const pli_grid_colliders *set = job->hold->colliders;
    b->first = block->first;
    b->count = (int32_t)__builtin_popcountll(block->nodes);
    for (int32_t k = 0; k < b->count; ++k) {
        int64_t index = b->first + k;
        const int32_t *at = job->grid->at + 3 * index;
        for (int c = 0; c < 3; ++c) b->x[3 * k + c] = set->origin[c] + set->dx * at[c];
        pli_held_node *node = &job->hold->all[index];
        *node = (pli_held_node){.is_held = false};
        pli_mat3_identity(node->T);
        b->work[k] = (node_work){.node = node, .verdict = &job->hold->verdict[index]};
    }
}

// Whether an object that lets things go has the node all the same; *object is its number.
static bool is_kept(const hold_job *job, node_work *work, const double v[3], const double n[3],
                    const double w[3], int32_t *object)
{
    bool has_own = work->separating < VERDICTS;
    *object = has_own ? work->separating++ : VERDICTS - 1;
    double speed = speed_along(work->node, v, n, w);
    if (job->purpose == TO_DECIDE && has_own) {
        set_verdict(work, *object, speed < 0 ? TAKEN : LEFT_FREE);
    }
    bool has = get_verdict(work, *object) % 2 == 1;
    bool enters = !has && speed < -still * (pli_vec3_norm(v) + pli_vec3_norm(w));
    if (enters) work->entered = (uint16_t)(work->entered | 1U << *object);
    return has;
}

// What an object does to a node of the block that is in it.
static void hold_node(const hold_job *job, const pli_grid_body *body, block_nodes *b, int32_t k)
{
    node_work *work = &b->work[k];
    const pli_grid_collider *def = &body->def;
    double gradient[3] = {0, 0, 0}, n[3];
    grip made = {.friction = def->friction, .object = -1};
    pli_grid_motion_velocity(&def->motion, b->x + 3 * k, made.w);
    bool slides = def->hold != PLI_GRID_STICKY;
    if (slides) pli_shape_gradient(def->shape, b->x0 + 3 * k, gradient);
    if (!(pli_vec3_norm(gradient) > 0)) {
        hold_wholly(work, made.w);
        return;
    }
    pli_vec3_normalize(gradient, gradient);
    pli_mat3_apply(def->motion.R, gradient, n);
    const double *v = job->velocity + 3 * (int64_t)(b->first + k);
    bool separates = def->hold == PLI_GRID_SEPARATE;
    if (separates && !is_kept(job, work, v, n, made.w, &made.object)) return;
    hold_normal(work, n, &made, body->is_wall);
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

// The object whose friction counts; nodes without mass have nothing left to decide.
static void end_node(const hold_job *job, node_work *work, int64_t index)
{
    pli_held_node *node = work->node;
    for (int32_t k = 0; k < work->grip_count; ++k) {
        const grip *at = &work->grips[k];
        if (!(at->friction > 0)) continue;
        node->friction = at->friction;
        pli_vec3_copy(at->dual, node->dual);
        pli_vec3_copy(at->w, node->w);
    }
    if (job->hold->mass[index] > job->hold->least_mass) return;
    double u[3];
    pli_mat3_apply(node->T, job->velocity + 3 * index, u);
    pli_vec3_add(u, node->c, u);
    hold_wholly(work, u);
    node->friction = 0;
}

// Changes the verdicts of a node by what the solve says; true: some did.
static bool revise_node(const hold_job *job, node_work *work, int64_t index)
{
    uint16_t before = *work->verdict;
    for (int32_t k = 0; k < work->grip_count && job->force != NULL; ++k) {
        const grip *at = &work->grips[k];
        if (at->object < 0 || get_verdict(work, at->object) == TAKEN_AGAIN) continue;
        bool is_pulled = pli_vec3_dot(job->force + 3 * index, at->dual) < 0;
        if (is_pulled) set_verdict(work, at->object, RELEASED);
    }
    for (int32_t object = 0; object < VERDICTS; ++object) {
        if (!(work->entered >> object & 1)) continue;
        bool again = get_verdict(work, object) == RELEASED;
        set_verdict(work, object, again ? TAKEN_AGAIN : TAKEN);
    }
    return *work->verdict != before;
}

// Returns how many nodes changed the active set.
static int32_t hold_block(const hold_job *job, const pli_node_block *block)
{
    const pli_grid_colliders *set = job->hold->colliders;
    block_nodes b;
    begin_nodes(job, block, &b);
    pli_grid_box box = {.edge = PLI_NODE_EDGE - 1};
    for (int c = 0; c < 3; ++c) box.low[c] = PLI_NODE_EDGE * block->at[c];
    for (int32_t i = 0; i < set->body_count; ++i) {
        const pli_grid_body *body = &set->bodies[set->order[i]];
        if (body->is_active && pli_grid_body_may_touch(set, body, &box)) {
            hold_by_body(job, body, &b);
        }
    }
    int32_t changed = 0;
    for (int32_t k = 0; k < b.count; ++k) {
        end_node(job, &b.work[k], b.first + k);
        if (job->purpose == TO_REVISE) changed += revise_node(job, &b.work[k], b.first + k);
    }
    return changed;
}

static pli_sum hold_blocks(void *user, int64_t begin, int64_t end)
{
    const hold_job *job = user;
    pli_sum changed = {0, 0};
    for (int64_t k = begin; k < end; ++k) changed.hi += hold_block(job, &job->grid->blocks[k]);
    return changed;
}

// A pass over all nodes; returns how many changed the active set.
static int32_t run_pass(const hold_job *job)
{
    hold_job copy = *job;
    pli_sum sum =
        pli_parallel_sum(job->hold->context, job->grid->block_count, 1, hold_blocks, &copy);
    return (int32_t)sum.hi;
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
    memset(hold->verdict, 0, (size_t)grid->count * sizeof *hold->verdict);
    hold_job job = {hold, grid, TO_DECIDE, velocity, NULL};
    run_pass(&job);
    list_held(hold, grid->count);
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

static bool may_separate(const pli_grid_colliders *set)
{
    for (int32_t i = 0; i < set->body_count; ++i) {
        const pli_grid_body *body = &set->bodies[i];
        if (body->is_active && body->def.hold == PLI_GRID_SEPARATE) return true;
    }
    return false;
}

int32_t pli_node_hold_revise(pli_node_hold *hold, const pli_node_grid *grid, const double *v,
                             const double *force)
{
    if (!may_separate(hold->colliders)) return 0;
    hold_job job = {hold, grid, TO_REVISE, v, force};
    int32_t changed = run_pass(&job);
    if (changed == 0) return 0;
    job.purpose = TO_HOLD;
    run_pass(&job);
    list_held(hold, grid->count);
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
        if (!(held->friction > 0)) continue;
        double r[3], free[3];
        pli_vec3_subtract(job->v + 3 * node, held->w, r);
        pli_mat3_apply(held->T, r, free);
        double impulse = job->h * fabs(pli_vec3_dot(job->force + 3 * node, held->dual));
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
