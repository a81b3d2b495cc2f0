// SPDX-License-Identifier: Apache-2.0
#include "geometry/collision/broad_phase.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/collision/bounds.h"
#include "geometry/collision/simplex_tree.h"
#include "geometry/mesh/edges.h"
#include "geometry/mesh/incidence.h"

#include <float.h>
#include <math.h>

enum {
    LANES = PLI_SIMPLEX_LANES,
    BLOCK_SIZE = 256,   // primitives that look for partners as one block
    VERTEX_GRAIN = 1024 // vertices a worker treats at once
};

// the kinds of primitives that are looked for, and that look
typedef enum set_kind { POINTS, EDGES, TRIANGLES, LONE_POINTS, LONE_EDGES, SET_COUNT } set_kind;

// primitives of one kind
typedef struct primitive_set {
    int32_t count;
    int32_t size;     // corners
    int32_t *corners; // [count][size] surface vertices
    int32_t *ids;     // [count] index in the list of the def, ascending; NULL: its own
} primitive_set;

// a list of the def
typedef struct corner_list {
    const char *name;
    int32_t count;
    int32_t size;
    const int32_t *corners; // [count][size] vertices
} corner_list;

enum { LIST_COUNT = TRIANGLES + 1 };

// where a block of primitives writes the pairs it finds
typedef struct pair_slice {
    int64_t start;
    int64_t room;
    int64_t count; // found; more than room: the slice was too short
} pair_slice;

// one kind of pairs
typedef struct pair_search {
    set_kind first;  // those that look
    set_kind second; // those that are looked for
    int32_t block_count;
    pair_slice *slices;  // [block_count]
    int64_t room;        // pairs
    int32_t (*pairs)[2]; // [room]
} pair_search;

enum { SEARCH_COUNT = 4 };

static const set_kind kinds[SEARCH_COUNT][2] = {
    {POINTS, TRIANGLES}, {EDGES, EDGES}, {LONE_POINTS, LONE_EDGES}, {LONE_POINTS, LONE_POINTS}};

struct pli_broad_phase {
    pli_context *context;
    pli_groups_collide_fn collides;
    void *user;

    // constant
    int32_t vertex_count; // vertices that primitives use
    int32_t *vertices;    // [vertex_count] as numbered by the caller, ascending
    int32_t *groups;      // [vertex_count]
    bool *is_fixed;       // [vertex_count]
    primitive_set sets[SET_COUNT];

    // of the last call
    float *boxes;     // [vertex_count][8] min, -max, unused (m): at the start, or of the whole way
    float *end_boxes; // [vertex_count][8] at the end of the way
    bool is_moving;   // searches heed the end
    pli_simplex_tree trees[SET_COUNT];
    pair_search searches[SEARCH_COUNT];
};

// positions at both ends of the motion, the same twice for a rest
typedef struct box_job {
    const pli_broad_phase *broad;
    const double *x0;
    const double *x1;
    double t;      // up to where motion counts
    double margin; // m
    float *boxes;  // [vertex_count][8]
} box_job;

// The largest float that is not above x.
static float round_down(double x)
{
    float f = (float)x;
    if ((double)f <= x) return f;
    if (f == 0) return -FLT_TRUE_MIN;
    int32_t bits;
    memcpy(&bits, &f, sizeof bits);
    bits += f > 0 ? -1 : 1;
    memcpy(&f, &bits, sizeof f);
    return f;
}

// Where the way from a to b is at time t, to within *error.
static double find_end(double a, double b, double t, double *error)
{
    *error = 0;
    if (t == 1) return b;
    // four roundings at most, and that of adding the error
    *error = 4 * DBL_EPSILON * (fabs(a) + fabs(b));
    return (1 - t) * a + t * b;
}

// Computes boxes of vertices and returns the largest vertex, in the caller's numbers, that has a
// position that is not finite, or -1.
static double compute_boxes(void *user, int64_t begin, int64_t end)
{
    const box_job *job = user;
    double bad = -1;
    for (int64_t i = begin; i < end; ++i) {
        int64_t vertex = job->broad->vertices[i];
        const double *a = job->x0 + 3 * vertex;
        const double *b = job->x1 + 3 * vertex;
        float *box = job->boxes + 8 * i;
        for (int k = 0; k < 3; ++k) {
            double error;
            if (!isfinite(a[k]) || !isfinite(b[k])) bad = (double)vertex;
            double c = find_end(a[k], b[k], job->t, &error);
            box[k] = round_down(pli_smaller(a[k], c - error) - job->margin);
            box[3 + k] = round_down(-pli_larger(a[k], c + error) - job->margin);
        }
    }
    return bad;
}

static int32_t fit_boxes(const box_job *job)
{
    const pli_broad_phase *broad = job->broad;
    if (broad->vertex_count == 0) return -1;
    return (int32_t)pli_parallel_max(broad->context, broad->vertex_count, VERTEX_GRAIN,
                                     compute_boxes, (void *)job);
}

int32_t pli_broad_phase_fit_boxes(pli_broad_phase *broad, const double *x0, const double *x1,
                                  double t, double reach)
{
    box_job job = {broad, x0, x1, t, 0.5 * reach, broad->boxes};
    return fit_boxes(&job);
}

pli_broad_surface pli_broad_phase_surface(const pli_broad_phase *broad)
{
    return (pli_broad_surface){
        broad->context,
        broad->vertices,
        broad->boxes,
        {broad->sets[POINTS].corners, broad->sets[EDGES].corners, broad->sets[TRIANGLES].corners}};
}

// what blocks work on
typedef struct search_job {
    const pli_broad_phase *broad;
    const pair_search *search;
} search_job;

// a primitive that looks for partners
typedef struct seeker {
    const int32_t *corners;
    bool is_fixed;
    int32_t group;
    int32_t asked_group; // the last one that was asked about, and the answer
    bool does_collide;
} seeker;

static bool is_primitive_fixed(const pli_broad_phase *broad, int32_t size, const int32_t *corners)
{
    for (int32_t c = 0; c < size; ++c) {
        if (!broad->is_fixed[corners[c]]) return false;
    }
    return true;
}

static seeker make_seeker(const pli_broad_phase *broad, const primitive_set *set, int32_t index)
{
    seeker s = {0};
    s.corners = set->corners + set->size * (int64_t)index;
    s.is_fixed = is_primitive_fixed(broad, set->size, s.corners);
    s.group = broad->groups[s.corners[0]];
    s.asked_group = s.group;
    s.does_collide = broad->collides == NULL || broad->collides(broad->user, s.group, s.group);
    return s;
}

// A bit for every primitive of a leaf that has a corner in common with the seeker; own and other
// are the numbers of corners of both, given as constants so that the loops unroll.
PLI_INLINE uint32_t find_neighbours(const pli_simplex_tree *tree, int32_t leaf,
                                    const int32_t *corners, int32_t own, int32_t other)
{
    const int32_t *rows = tree->leaf_corners + LANES * other * (int64_t)leaf;
    pli_f8_mask is_shared = {0};
    for (int32_t c = 0; c < other; ++c) {
        pli_f8_mask row;
        memcpy(&row, rows + LANES * c, sizeof row);
        for (int32_t k = 0; k < own; ++k) {
            is_shared |= (pli_f8_mask)(row == corners[k] - (pli_f8_mask){0});
        }
    }
    return pli_f8_bits(is_shared);
}

// Whether fixed vertices and groups allow the pair.
static bool is_pair_allowed(const pli_broad_phase *broad, seeker *s, const primitive_set *set,
                            int32_t other)
{
    const int32_t *corners = set->corners + set->size * (int64_t)other;
    if (s->is_fixed && is_primitive_fixed(broad, set->size, corners)) return false;
    if (broad->collides == NULL) return true;
    int32_t group = broad->groups[corners[0]];
    if (group != s->asked_group) {
        s->asked_group = group;
        s->does_collide = broad->collides(broad->user, s->group, group);
    }
    return s->does_collide;
}

// Sorts pairs with a common first index by the second (Shell 1959, gaps of Ciura 2001).
static void sort_partners(int64_t count, int32_t (*pairs)[2])
{
    static const int64_t first_gaps[] = {1, 4, 10, 23, 57, 132, 301, 701};
    int64_t gaps[48];
    int32_t gap_count = 0;
    for (int64_t gap = 1; gap < count; ++gap_count) {
        gaps[gap_count] = gap;
        gap = gap_count + 1 < 8 ? first_gaps[gap_count + 1] : 9 * gap / 4;
    }
    while (gap_count-- > 0) {
        int64_t gap = gaps[gap_count];
        for (int64_t i = gap; i < count; ++i) {
            int32_t value = pairs[i][1];
            int64_t j = i;
            for (; j >= gap && pairs[j - gap][1] > value; j -= gap) {
                pairs[j][1] = pairs[j - gap][1];
            }
            pairs[j][1] = value;
        }
    }
}

// Appends a pair to the slice, or only counts it when the slice is full.
PLI_INLINE void add_pair(const pair_search *search, int32_t first, int32_t second,
                         pair_slice *slice)
{
    if (slice->count < slice->room) {
        int32_t *pair = search->pairs[slice->start + slice->count];
        pair[0] = first;
        pair[1] = second;
    }
    ++slice->count;
}

// Looks for the partners of one primitive; own and other are the corners that both kinds have.
PLI_INLINE void seek_partners(const search_job *job, int32_t index, int32_t own, int32_t other,
                              pair_slice *slice)
{
    const pli_broad_phase *broad = job->broad;
    const pair_search *search = job->search;
    const primitive_set *set = &broad->sets[search->first];
    const primitive_set *others = &broad->sets[search->second];
    const pli_simplex_tree *tree = &broad->trees[search->second];
    seeker s = make_seeker(broad, set, index);
    bool is_restricted = s.is_fixed || broad->collides != NULL;
    int32_t id = set->ids != NULL ? set->ids[index] : index;
    int64_t before = slice->count;

    pli_simplex_walk walk;
    pli_f8 box = pli_simplex_box(own, s.corners, broad->boxes);
    pli_f8 end_box = broad->is_moving ? pli_simplex_box(own, s.corners, broad->end_boxes) : box;
    pli_simplex_walk_begin(tree, box, end_box, search->first == search->second ? index : -1, &walk);
    uint32_t lanes;
    for (int32_t leaf; (leaf = pli_simplex_walk_next(&walk, &lanes)) >= 0;) {
        lanes &= ~find_neighbours(tree, leaf, s.corners, own, other);
        for (; lanes != 0; lanes &= lanes - 1) {
            int32_t partner = tree->nodes[leaf].last[__builtin_ctz(lanes)];
            if (is_restricted && !is_pair_allowed(broad, &s, others, partner)) continue;
            add_pair(search, id, others->ids != NULL ? others->ids[partner] : partner, slice);
        }
    }
    if (slice->count <= slice->room) {
        sort_partners(slice->count - before, search->pairs + slice->start + before);
    }
}

// The search for each pair of sizes, with the sizes as constants.
static void seek_range(const search_job *job, int64_t begin, int64_t end, pair_slice *slice)
{
    int32_t own = job->broad->sets[job->search->first].size;
    int32_t other = job->broad->sets[job->search->second].size;
    for (int64_t i = begin; i < end; ++i) {
        if (own == 2) {
            seek_partners(job, (int32_t)i, 2, 2, slice);
        } else if (other == 3) {
            seek_partners(job, (int32_t)i, 1, 3, slice);
        } else {
            seek_partners(job, (int32_t)i, 1, other, slice);
        }
    }
}

static void search_blocks(void *user, int64_t begin, int64_t end)
{
    const search_job *job = user;
    int32_t count = job->broad->sets[job->search->first].count;
    for (int64_t block = begin; block < end; ++block) {
        // the slice of the neighbour may lie in the same cache line
        pair_slice slice = job->search->slices[block];
        slice.count = 0;
        int64_t last = BLOCK_SIZE * (block + 1);
        if (last > count) last = count;
        seek_range(job, BLOCK_SIZE * block, last, &slice);
        job->search->slices[block] = slice;
    }
}

// Deals the array into slices for what blocks found the last time and an equal part of the rest.
static void deal_slices(pair_search *search)
{
    int64_t total = 0;
    for (int32_t b = 0; b < search->block_count; ++b) total += search->slices[b].count;
    int64_t spare = total < search->room ? (search->room - total) / search->block_count : 0;
    int64_t start = 0;
    for (int32_t b = 0; b < search->block_count; ++b) {
        pair_slice *slice = &search->slices[b];
        int64_t room = slice->count + spare;
        if (room > search->room - start) room = search->room - start;
        *slice = (pair_slice){.start = start, .room = room, .count = slice->count};
        start += room;
    }
}

// Makes room for count pairs; what was in the array is lost.
static pli_status reserve_pairs(pli_context *context, pair_search *search, int64_t count)
{
    if (count <= search->room) return PLI_OK;
    int64_t room = count + count / 2;
    pli_release(context, search->pairs);
    search->room = 0;
    search->pairs = pli_allocate(context, room, sizeof *search->pairs, "pairs of primitives");
    if (search->pairs == NULL) return PLI_ERROR_MEMORY;
    search->room = room;
    return PLI_OK;
}

// The pairs found, and whether a slice was too short for its part of them.
static int64_t count_pairs(const pair_search *search, bool *is_short)
{
    int64_t total = 0;
    *is_short = false;
    for (int32_t b = 0; b < search->block_count; ++b) {
        total += search->slices[b].count;
        if (search->slices[b].count > search->slices[b].room) *is_short = true;
    }
    return total;
}

// Moves the contents of the slices together.
static void close_gaps(pair_search *search)
{
    int64_t end = 0;
    for (int32_t b = 0; b < search->block_count; ++b) {
        const pair_slice *slice = &search->slices[b];
        if (slice->count > 0 && slice->start != end) {
            memmove(search->pairs[end], search->pairs[slice->start],
                    (size_t)slice->count * sizeof *search->pairs);
        }
        end += slice->count;
    }
}

static pli_status run_search(pli_broad_phase *broad, pair_search *search, pli_pair_list *list)
{
    if (search->block_count == 0 || broad->sets[search->second].count == 0) return PLI_OK;
    search_job job = {broad, search};
    deal_slices(search);
    pli_parallel_for(broad->context, search->block_count, 1, search_blocks, &job);

    // once more where the guess was too small: now it is known what each block needs
    bool is_short;
    int64_t count = count_pairs(search, &is_short);
    if (is_short) {
        PLI_TRY(reserve_pairs(broad->context, search, count));
        deal_slices(search);
        pli_parallel_for(broad->context, search->block_count, 1, search_blocks, &job);
    }
    close_gaps(search);
    *list = (pli_pair_list){count, (const int32_t(*)[2])search->pairs};
    return PLI_OK;
}

static pli_status check_input(pli_broad_phase *broad, double reach, int32_t bad_vertex)
{
    if (!(reach >= 0) || !isfinite(reach)) {
        return PLI_FAIL(broad->context, PLI_ERROR_ARGUMENT,
                        "reach of contact is %g m, must be finite and not negative", reach);
    }
    if (bad_vertex >= 0) {
        return PLI_FAIL(broad->context, PLI_ERROR_ARGUMENT,
                        "position of vertex %d is not finite; contact needs finite positions",
                        bad_vertex);
    }
    return PLI_OK;
}

pli_status pli_broad_phase_find_swept(pli_broad_phase *broad, const double *x0, const double *x1,
                                      double reach, pli_broad_phase_pairs *pairs)
{
    *pairs = (pli_broad_phase_pairs){0};

    // boxes of vertices at both ends
    broad->is_moving = x0 != x1;
    int32_t bad = pli_broad_phase_fit_boxes(broad, x0, x0, 1, reach);
    if (broad->is_moving) {
        box_job job = {broad, x1, x1, 1, 0.5 * reach, broad->end_boxes};
        int32_t bad_end = fit_boxes(&job);
        if (bad_end > bad) bad = bad_end;
    }
    PLI_TRY(check_input(broad, reach, bad));

    // trees over what is looked for
    const float *end_boxes = broad->is_moving ? broad->end_boxes : NULL;
    for (int k = 0; k < SET_COUNT; ++k) {
        pli_simplex_tree_fit(&broad->trees[k], broad->boxes, end_boxes);
    }

    // all kinds, or none
    pli_broad_phase_pairs found = {0};
    pli_pair_list *lists[SEARCH_COUNT] = {&found.point_triangle, &found.edge_edge,
                                          &found.point_edge, &found.point_point};
    for (int k = 0; k < SEARCH_COUNT; ++k) {
        PLI_TRY(run_search(broad, &broad->searches[k], lists[k]));
    }
    *pairs = found;
    return PLI_OK;
}

pli_status pli_broad_phase_find(pli_broad_phase *broad, const double *x, double reach,
                                pli_broad_phase_pairs *pairs)
{
    return pli_broad_phase_find_swept(broad, x, x, reach, pairs);
}

static pli_status check_primitives(pli_context *context, const pli_broad_phase_def *def,
                                   const corner_list *list)
{
    if (list->count < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "number of %ss is %d, must not be negative",
                        list->name, list->count);
    }
    for (int64_t i = 0; i < list->size * (int64_t)list->count; ++i) {
        int32_t vertex = list->corners[i];
        if (vertex < 0 || vertex >= def->vertex_count) {
            return PLI_FAIL(context, PLI_ERROR_MESH,
                            "%s %d has vertex %d, but vertices are numbered from 0 to %d",
                            list->name, (int)(i / list->size), vertex, def->vertex_count - 1);
        }
        int32_t first = list->corners[i - i % list->size];
        if (def->groups != NULL && def->groups[vertex] != def->groups[first]) {
            return PLI_FAIL(context, PLI_ERROR_MESH,
                            "%s %d has vertices of groups %d and %d; a primitive belongs to one",
                            list->name, (int)(i / list->size), def->groups[first],
                            def->groups[vertex]);
        }
    }
    return PLI_OK;
}

// Numbers the vertices that primitives use; map [def->vertex_count] gets the numbers, -1: unused.
static pli_status number_vertices(pli_broad_phase *broad, const pli_broad_phase_def *def,
                                  const corner_list *lists, int32_t *map)
{
    for (int32_t v = 0; v < def->vertex_count; ++v) map[v] = -1;
    for (int k = 0; k < LIST_COUNT; ++k) {
        int64_t corner_count = lists[k].size * (int64_t)lists[k].count;
        for (int64_t i = 0; i < corner_count; ++i) map[lists[k].corners[i]] = 0;
    }
    for (int32_t v = 0; v < def->vertex_count; ++v) {
        if (map[v] == 0) map[v] = broad->vertex_count++;
    }

    broad->vertices = PLI_NEW(broad->context, int32_t, broad->vertex_count, "surface vertices");
    broad->groups = PLI_NEW(broad->context, int32_t, broad->vertex_count, "groups of vertices");
    broad->is_fixed = PLI_NEW(broad->context, bool, broad->vertex_count, "fixed vertices");
    int64_t floats = 8 * (int64_t)broad->vertex_count;
    broad->boxes = PLI_NEW(broad->context, float, floats, "vertex boxes");
    broad->end_boxes = PLI_NEW(broad->context, float, floats, "vertex boxes");
    if (broad->vertices == NULL || broad->groups == NULL || broad->is_fixed == NULL ||
        broad->boxes == NULL || broad->end_boxes == NULL) {
        return PLI_ERROR_MEMORY;
    }
    for (int32_t v = 0; v < def->vertex_count; ++v) {
        if (map[v] < 0) continue;
        broad->vertices[map[v]] = v;
        broad->groups[map[v]] = def->groups != NULL ? def->groups[v] : 0;
        broad->is_fixed[map[v]] = def->is_fixed != NULL && def->is_fixed[v];
    }
    return PLI_OK;
}

// Copies the lists of the def with the vertices renumbered.
static pli_status copy_lists(pli_broad_phase *broad, const corner_list *lists, const int32_t *map)
{
    for (int k = 0; k < LIST_COUNT; ++k) {
        primitive_set *set = &broad->sets[k];
        int64_t corner_count = lists[k].size * (int64_t)lists[k].count;
        set->size = lists[k].size;
        set->corners = PLI_NEW(broad->context, int32_t, corner_count, "corners of primitives");
        if (set->corners == NULL) return PLI_ERROR_MEMORY;
        set->count = lists[k].count;
        for (int64_t i = 0; i < corner_count; ++i) set->corners[i] = map[lists[k].corners[i]];
    }
    return PLI_OK;
}

// Makes a set of those primitives of another that are marked.
static pli_status select_lone(pli_context *context, const primitive_set *all, const bool *is_lone,
                              primitive_set *lone)
{
    int32_t count = 0;
    for (int32_t i = 0; i < all->count; ++i) count += is_lone[i];
    lone->size = all->size;
    lone->ids = PLI_NEW(context, int32_t, count, "lone primitives");
    lone->corners = PLI_NEW(context, int32_t, all->size * (int64_t)count, "lone corners");
    if (lone->ids == NULL || lone->corners == NULL) return PLI_ERROR_MEMORY;
    for (int32_t i = 0; i < all->count; ++i) {
        if (!is_lone[i]) continue;
        memcpy(lone->corners + all->size * (int64_t)lone->count,
               all->corners + all->size * (int64_t)i, (size_t)all->size * sizeof *lone->corners);
        lone->ids[lone->count++] = i;
    }
    return PLI_OK;
}

static void mark_lone_points(const pli_broad_phase *broad, const pli_incidence *triangles,
                             const pli_incidence *edges, bool *is_lone)
{
    for (int32_t i = 0; i < broad->sets[POINTS].count; ++i) {
        int32_t v = broad->sets[POINTS].corners[i];
        is_lone[i] = triangles->start[v] == triangles->start[v + 1] &&
                     edges->start[v] == edges->start[v + 1];
    }
}

static void mark_lone_edges(const pli_broad_phase *broad, const pli_incidence *triangles,
                            bool *is_lone)
{
    for (int32_t i = 0; i < broad->sets[EDGES].count; ++i) {
        const int32_t *edge = broad->sets[EDGES].corners + 2 * (int64_t)i;
        is_lone[i] = true;
        for (int64_t k = triangles->start[edge[0]]; k < triangles->start[edge[0] + 1]; ++k) {
            const int32_t *t = broad->sets[TRIANGLES].corners + 3 * (int64_t)triangles->elements[k];
            if (t[0] == edge[1] || t[1] == edge[1] || t[2] == edge[1]) is_lone[i] = false;
        }
    }
}

// Finds the points without edges and triangles, and the edges without triangles.
static pli_status build_lone_sets(pli_broad_phase *broad)
{
    pli_context *context = broad->context;
    const primitive_set *sets = broad->sets;
    pli_incidence triangles = {0};
    pli_incidence edges = {0};
    bool *is_lone = NULL;
    pli_status status = pli_incidence_build(context, broad->vertex_count, 3, sets[TRIANGLES].count,
                                            sets[TRIANGLES].corners, &triangles);
    if (status != PLI_OK) goto done;
    status = pli_incidence_build(context, broad->vertex_count, 2, sets[EDGES].count,
                                 sets[EDGES].corners, &edges);
    if (status != PLI_OK) goto done;
    status = PLI_ERROR_MEMORY;
    is_lone = PLI_NEW(context, bool, (int64_t)sets[POINTS].count + sets[EDGES].count, "lone marks");
    if (is_lone == NULL) goto done;

    mark_lone_points(broad, &triangles, &edges, is_lone);
    status = select_lone(context, &sets[POINTS], is_lone, &broad->sets[LONE_POINTS]);
    if (status != PLI_OK) goto done;
    mark_lone_edges(broad, &triangles, is_lone);
    status = select_lone(context, &sets[EDGES], is_lone, &broad->sets[LONE_EDGES]);

done:
    pli_release(context, is_lone);
    pli_incidence_clear(context, &edges);
    pli_incidence_clear(context, &triangles);
    return status;
}

// Sets up a tree for every kind that is looked for, and the searches.
static pli_status build_searches(pli_broad_phase *broad)
{
    for (int k = EDGES; k < SET_COUNT; ++k) {
        const primitive_set *set = &broad->sets[k];
        PLI_TRY(pli_simplex_tree_init(broad->context, set->count, set->size, set->corners,
                                      &broad->trees[k]));
    }
    for (int k = 0; k < SEARCH_COUNT; ++k) {
        pair_search *search = &broad->searches[k];
        search->first = kinds[k][0];
        search->second = kinds[k][1];
        search->block_count = (broad->sets[search->first].count + BLOCK_SIZE - 1) / BLOCK_SIZE;
        search->slices = PLI_NEW(broad->context, pair_slice, search->block_count, "pair slices");
        if (search->slices == NULL) return PLI_ERROR_MEMORY;
    }
    return PLI_OK;
}

pli_status pli_broad_phase_create(pli_context *context, const pli_broad_phase_def *def,
                                  pli_broad_phase **out)
{
    *out = NULL;
    if (def->vertex_count < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "number of vertices is %d, must not be negative", def->vertex_count);
    }
    const corner_list lists[LIST_COUNT] = {{"point", def->point_count, 1, def->points},
                                           {"edge", def->edge_count, 2, def->edges},
                                           {"triangle", def->triangle_count, 3, def->triangles}};
    for (int k = 0; k < LIST_COUNT; ++k) PLI_TRY(check_primitives(context, def, &lists[k]));

    pli_broad_phase *broad = PLI_NEW(context, pli_broad_phase, 1, "broad phase");
    if (broad == NULL) return PLI_ERROR_MEMORY;
    broad->context = context;
    broad->collides = def->collides;
    broad->user = def->user;
    pli_status status = PLI_ERROR_MEMORY;
    int32_t *map = PLI_NEW(context, int32_t, def->vertex_count, "surface vertex of vertex");
    if (map == NULL) goto done;

    status = number_vertices(broad, def, lists, map);
    if (status == PLI_OK) status = copy_lists(broad, lists, map);
    if (status == PLI_OK) status = build_lone_sets(broad);
    if (status == PLI_OK) status = build_searches(broad);
    if (status == PLI_OK) *out = broad;

done:
    if (status != PLI_OK) pli_broad_phase_destroy(broad);
    pli_release(context, map);
    return status;
}

void pli_broad_phase_destroy(pli_broad_phase *broad)
{
    if (broad == NULL) return;
    for (int k = 0; k < SEARCH_COUNT; ++k) {
        PLI_RELEASE(broad->context, broad->searches[k].pairs, broad->searches[k].slices);
    }
    for (int k = 0; k < SET_COUNT; ++k) {
        pli_simplex_tree_clear(&broad->trees[k]);
        PLI_RELEASE(broad->context, broad->sets[k].ids, broad->sets[k].corners);
    }
    PLI_RELEASE(broad->context, broad->end_boxes, broad->boxes, broad->is_fixed, broad->groups,
                broad->vertices, broad);
}
