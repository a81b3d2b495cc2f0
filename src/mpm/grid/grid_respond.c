// SPDX-License-Identifier: Apache-2.0
//
// What nodes do that are in objects: see grid_collider.h for the equations.
//
// Objects at a page act in groups of up to GROUP, so that memory on the stack suffices. Only in a
// page with more of them, and there only for nodes that are in objects of two groups, do groups
// matter: they act one after the other without turns.
#include "math/simd.h"
#include "math/transpose_simd.h"
#include "math/vec3.h"
#include "mpm/grid/grid_contact.h"

enum {
    GROUP = 16,
    TURNS = 32,  // of objects that share a node, at most
    VELOCITY = 4 // first float of a node's velocity
};

// change of velocity that is none, squared, as a part of the speed squared
static const float settled_part = 1e-12F;

// an object at work on a page, and on the row at hand
typedef struct actor {
    const pli_grid_collider *def;
    const pli_grid_contact *contact;
    bool has_velocity;
    double impulse[3]; // given to the page so far (kg m/s)

    uint32_t lanes;          // that it may change
    const float *normals;    // [3][8], NULL: sticky
    float w[3][PLI_BLOCK_Z]; // its velocity at the nodes (m/s)
} actor;

typedef struct group {
    const pli_grid_colliders *set;
    const pli_grid_page *page;
    pli_grid_view *view;
    int32_t count;
    actor actors[GROUP];
} group;

// eight nodes
typedef struct row_state {
    float mass[PLI_BLOCK_Z];
    pli_f8 v[3];
} row_state;

// ---- one row

PLI_INLINE pli_f8_mask lanes_mask(uint32_t lanes)
{
    const pli_f8_mask bit = {1, 2, 4, 8, 16, 32, 64, 128};
    pli_f8_mask all = (int32_t)lanes - (pli_f8_mask){0};
    return (pli_f8_mask)((all & bit) != 0);
}

PLI_INLINE pli_f8 dot(const pli_f8 a[3], const pli_f8 b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

PLI_INLINE void load_row(const float *nodes, row_state *state)
{
    pli_f4 rows[PLI_BLOCK_Z];
    for (int k = 0; k < PLI_BLOCK_Z; ++k) {
        const float *node = nodes + PLI_NODE_FLOATS * k;
        state->mass[k] = node[0];
        memcpy(&rows[k], node + VELOCITY, sizeof rows[k]);
    }
    pli_rows_to_planes(rows, state->v);
}

// Velocities only: what else nodes have is left alone.
PLI_INLINE void store_row(const row_state *state, float *nodes)
{
    pli_f4 rows[PLI_BLOCK_Z];
    pli_planes_to_rows(state->v, rows);
    for (int k = 0; k < PLI_BLOCK_Z; ++k) {
        memcpy(nodes + PLI_NODE_FLOATS * k + VELOCITY, &rows[k], 3 * sizeof(float));
    }
}

// r becomes s r_t for the nodes that the mask keeps; others are taken out of it.
PLI_INLINE void slide(const pli_grid_collider *def, const float *normals, pli_f8_mask *mask,
                      pli_f8 r[3])
{
    pli_f8 n[3];
    for (int c = 0; c < 3; ++c) n[c] = pli_f8_load(normals + PLI_BLOCK_Z * c);
    pli_f8_mask has_normal = (pli_f8_mask)(dot(n, n) > 0);
    pli_f8 r_n = dot(r, n);
    if (def->hold == PLI_GRID_SEPARATE) *mask &= (pli_f8_mask)(r_n < 0) | ~has_normal;

    pli_f8 t[3];
    for (int c = 0; c < 3; ++c) t[c] = r[c] - r_n * n[c];
    // 0 / 0 where there is nothing to brake: the maximum takes its second operand
    const pli_f8 zero = {0};
    pli_f8 braked = (float)def->friction * pli_f8_abs(r_n) / pli_f8_sqrt(dot(t, t));
    pli_f8 s = pli_f8_max(1 - braked, zero);
    for (int c = 0; c < 3; ++c) r[c] = pli_f8_select(has_normal, s * t[c], zero);
}

// impulse += sum of mass times change of velocity over the nodes of the mask; others may have
// velocities that are not finite.
PLI_INLINE void add_impulse(const row_state *state, const pli_f8 changed[3], pli_f8_mask mask,
                            double impulse[3])
{
    const pli_f8 zero = {0};
    for (int c = 0; c < 3; ++c) {
        float before[PLI_BLOCK_Z], after[PLI_BLOCK_Z];
        pli_f8_store(pli_f8_select(mask, state->v[c], zero), before);
        pli_f8_store(pli_f8_select(mask, changed[c], zero), after);
        double sum = 0;
        for (int k = 0; k < PLI_BLOCK_Z; ++k) {
            sum += (double)state->mass[k] * ((double)after[k] - (double)before[k]);
        }
        impulse[c] += sum;
    }
}

static void act(actor *a, row_state *state)
{
    pli_f8_mask mask = lanes_mask(a->lanes);
    pli_f8 r[3], w[3], changed[3];
    for (int c = 0; c < 3; ++c) {
        w[c] = pli_f8_load(a->w[c]);
        r[c] = state->v[c] - w[c];
    }
    if (a->normals != NULL) {
        slide(a->def, a->normals, &mask, r);
    } else {
        for (int c = 0; c < 3; ++c) r[c] = (pli_f8){0};
    }
    for (int c = 0; c < 3; ++c) changed[c] = pli_f8_select(mask, w[c] + r[c], state->v[c]);
    add_impulse(state, changed, mask, a->impulse);
    for (int c = 0; c < 3; ++c) state->v[c] = changed[c];
}

// ---- objects that share nodes

// Nodes of the row that each actor may change. Later ones have more to say: what is held by a
// sticky one is closed to all before it. Returns the union.
static uint32_t share_lanes(group *g, int32_t row)
{
    uint32_t with_mass = pli_grid_view_lanes(g->view)[row];
    uint32_t held = 0, any = 0;
    for (int32_t i = g->count - 1; i >= 0; --i) {
        actor *a = &g->actors[i];
        a->lanes = a->contact->lanes[row] & with_mass & ~held;
        if (a->normals == NULL) held |= a->lanes;
        any |= a->lanes;
    }
    return any;
}

// Nodes that two or more actors let slide.
static uint32_t shared_lanes(const group *g)
{
    uint32_t once = 0, twice = 0;
    for (int32_t i = 0; i < g->count; ++i) {
        if (g->actors[i].normals == NULL) continue;
        twice |= once & g->actors[i].lanes;
        once |= g->actors[i].lanes;
    }
    return twice;
}

// Velocities of an object at the nodes of the row.
static void set_velocities(const group *g, int32_t row, actor *a)
{
    if (!a->has_velocity) return;
    const pli_grid_motion *motion = &a->def->motion;
    const double along[3] = {0, 0, g->set->dx};
    double x[3], first[3], step[3];
    pli_grid_row_position(g->set, g->page->at, row, x);
    pli_grid_motion_velocity(motion, x, first);
    pli_vec3_cross(motion->spin, along, step);
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < PLI_BLOCK_Z; ++k) a->w[c][k] = (float)(first[c] + k * step[c]);
    }
}

// Whether no velocity of the lanes has changed by more than the limit, squares both.
PLI_INLINE bool is_settled(const row_state *state, const row_state *before, uint32_t lanes,
                           pli_f8 limit)
{
    pli_f8 d[3];
    for (int c = 0; c < 3; ++c) d[c] = state->v[c] - before->v[c];
    return pli_f8_all((pli_f8_mask)(dot(d, d) <= limit) | ~lanes_mask(lanes));
}

// Further turns of those that let things slide, until all of them are respected at the lanes that
// they share.
static void take_turns(group *g, uint32_t lanes, const row_state *start, row_state *state)
{
    pli_f8 d[3];
    for (int c = 0; c < 3; ++c) d[c] = state->v[c] - start->v[c];
    pli_f8 limit = settled_part * (dot(start->v, start->v) + dot(d, d));
    bool is_done = false;
    for (int32_t turn = 1; turn < TURNS && !is_done; ++turn) {
        row_state before = *state;
        for (int32_t i = 0; i < g->count; ++i) {
            actor *a = &g->actors[i];
            if (a->normals != NULL && a->lanes != 0) act(a, state);
        }
        is_done = is_settled(state, &before, lanes, limit);
    }
}

static void respond_row(group *g, int32_t row)
{
    uint32_t lanes = share_lanes(g, row);
    if (lanes != 0) {
        float *nodes = g->page->nodes + (int64_t)PLI_NODE_FLOATS * PLI_BLOCK_Z * row;
        row_state state;
        load_row(nodes, &state);
        row_state start = state;
        for (int32_t i = 0; i < g->count; ++i) {
            if (g->actors[i].lanes == 0) continue;
            set_velocities(g, row, &g->actors[i]);
            act(&g->actors[i], &state);
        }
        uint32_t shared = shared_lanes(g);
        if (shared != 0) take_turns(g, shared, &start, &state);
        store_row(&state, nodes);
    }

    // on to the normals of the next row that has any
    for (int32_t i = 0; i < g->count; ++i) {
        actor *a = &g->actors[i];
        if (a->normals != NULL && a->contact->lanes[row] != 0) a->normals += a->contact->stride;
    }
}

// ---- a page

// Whether nodes with mass are among those of a contact.
static bool has_mass(const pli_grid_contact *contact, const uint8_t *with_mass)
{
    uint32_t any = 0;
    for (int32_t row = 0; row < PLI_PAGE_ROWS; ++row) any |= contact->lanes[row] & with_mass[row];
    return any != 0;
}

static void add_actor(group *g, const pli_grid_contact *contact)
{
    actor *a = &g->actors[g->count++];
    const pli_grid_collider *def = &g->set->bodies[contact->body].def;
    const pli_grid_motion *m = &def->motion;
    *a = (actor){.def = def, .contact = contact, .normals = contact->normals};
    a->has_velocity = pli_vec3_norm2(m->velocity) > 0 || pli_vec3_norm2(m->spin) > 0;
}

// Lets the group act and empties it.
static void respond_page(group *g, double *impulses)
{
    for (int32_t row = 0; row < PLI_PAGE_ROWS && g->count > 0; ++row) respond_row(g, row);
    for (int32_t i = 0; i < g->count && impulses != NULL; ++i) {
        double *impulse = impulses + 3 * (int64_t)g->actors[i].contact->body;
        pli_vec3_add(impulse, g->actors[i].impulse, impulse);
    }
    g->count = 0;
}

void pli_grid_colliders_apply(const pli_grid_colliders *set, const pli_grid_page *page,
                              double *impulses)
{
    pli_grid_contact found[GROUP];
    float normals[GROUP][PLI_PAGE_ROWS * PLI_ROW_NORMALS];
    const pli_grid_slot *slot = pli_grid_memory_find(set, page->code);
    int32_t known_count = slot != NULL && slot->memory != NULL ? slot->memory->count : 0;
    int32_t known = 0;
    pli_grid_view view;
    pli_grid_view_init(&view, page->at, page->nodes);
    group g;
    g.set = set;
    g.page = page;
    g.view = &view;
    g.count = 0;

    for (int32_t i = 0; i < set->body_count; ++i) {
        int32_t body = set->order[i];
        const pli_grid_body *b = &set->bodies[body];
        const pli_grid_contact *contact = NULL;
        if (b->def.is_static && slot != NULL) {
            // remembered contacts come in the order of action, too
            bool is_next = known < known_count && slot->memory->contacts[known].body == body;
            if (is_next) contact = &slot->memory->contacts[known++];
        } else if (b->is_active) {
            pli_grid_contact *room = &found[g.count];
            if (pli_grid_contact_find(set, body, &view, normals[g.count], room)) contact = room;
        }
        if (contact == NULL || !b->is_active) continue;
        if (!has_mass(contact, pli_grid_view_lanes(&view))) continue;
        add_actor(&g, contact);
        if (g.count == GROUP) respond_page(&g, impulses);
    }
    respond_page(&g, impulses);
}
