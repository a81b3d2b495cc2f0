// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/polygon_sweep.h"

#include "geometry/collision/predicates.h"

#include <string.h>

// A side is known by the corner at which it begins. Chains belong to the side below them.
typedef struct sweep {
    int32_t count;
    double (*p)[2]; // [count]  corners, counter-clockwise
    int32_t *order; // [count]  corners from left to right
    int32_t *rank;  // [count]  place of a corner in order
    pli_polygon_report *report;

    // the sides that the line meets, as a treap
    int32_t root;
    int32_t *parent;    // [count]
    int32_t *child[2];  // [count]  with what is below, with what is above
    int32_t *beside[2]; // [count]  the next one below and above

    // the chain above a side, from the side's end to that of the side above it; -1: none
    int32_t *chain[2];  // [count]  first and last link
    int32_t *rightmost; // [count]  link

    int32_t link_count;
    int32_t *corner;  // [3 count]  of a link
    int32_t *next[2]; // [3 count]  links before and after; -1: none

    int32_t triangle_count;
    int32_t (*triangles)[3]; // [count - 2]
} sweep;

enum { BELOW = 0, ABOVE = 1 };

// ---- sides

static int32_t after(const sweep *s, int32_t corner)
{
    return corner + 1 < s->count ? corner + 1 : 0;
}

static int32_t before(const sweep *s, int32_t corner)
{
    return corner > 0 ? corner - 1 : s->count - 1;
}

static int orient(const sweep *s, int32_t a, int32_t b, int32_t c)
{
    return pli_orient2d(s->p[a], s->p[b], s->p[c]);
}

// Where a side begins and ends from left to right.
static void get_ends(const sweep *s, int32_t side, int32_t ends[2])
{
    int32_t other = after(s, side);
    bool forward = s->rank[side] < s->rank[other];
    ends[0] = forward ? side : other;
    ends[1] = forward ? other : side;
}

static bool set_fault(sweep *s, pli_polygon_fault fault, int32_t first, int32_t second)
{
    *s->report = (pli_polygon_report){fault, first < second ? first : second,
                                      first < second ? second : first};
    return false;
}

// Whether a corner on the line of a side lies within it.
static bool is_within(const sweep *s, const int32_t ends[2], int32_t corner)
{
    return s->rank[corner] >= s->rank[ends[0]] && s->rank[corner] <= s->rank[ends[1]];
}

// Whether two sides have a point in common.
static bool do_touch(const sweep *s, const int32_t a[2], const int32_t b[2])
{
    int turn[4] = {orient(s, a[0], a[1], b[0]), orient(s, a[0], a[1], b[1]),
                   orient(s, b[0], b[1], a[0]), orient(s, b[0], b[1], a[1])};
    if (turn[0] * turn[1] < 0 && turn[2] * turn[3] < 0) return true;
    return (turn[0] == 0 && is_within(s, a, b[0])) || (turn[1] == 0 && is_within(s, a, b[1])) ||
           (turn[2] == 0 && is_within(s, b, a[0])) || (turn[3] == 0 && is_within(s, b, a[1]));
}

// Sides that have become neighbours; false when they are at fault. Those that share a corner were
// judged there.
static bool check_pair(sweep *s, int32_t first, int32_t second)
{
    if (first < 0 || second < 0) return true;
    if (after(s, first) == second || after(s, second) == first) return true;
    int32_t a[2], b[2];
    get_ends(s, first, a);
    get_ends(s, second, b);
    return !do_touch(s, a, b) || set_fault(s, PLI_POLYGON_CROSSING, first, second);
}

// ---- the sides that the line meets

static uint32_t priority(int32_t side)
{
    uint64_t bits = (uint64_t)side * 0x9e3779b97f4a7c15u;
    bits ^= bits >> 29;
    bits *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(bits >> 32);
}

// Puts one side into the place of another below its parent.
static void hang(sweep *s, int32_t parent, int32_t old, int32_t side)
{
    if (parent < 0) {
        s->root = side;
    } else {
        s->child[s->child[ABOVE][parent] == old ? ABOVE : BELOW][parent] = side;
    }
    if (side >= 0) s->parent[side] = parent;
}

// Turns a side and its parent round.
static void rotate_up(sweep *s, int32_t side)
{
    int32_t parent = s->parent[side];
    int way = s->child[ABOVE][parent] == side ? ABOVE : BELOW;
    int32_t moved = s->child[!way][side];
    hang(s, s->parent[parent], parent, side);
    s->child[!way][side] = parent;
    s->parent[parent] = side;
    s->child[way][parent] = moved;
    if (moved >= 0) s->parent[moved] = parent;
}

static void link_beside(sweep *s, int32_t below, int32_t above)
{
    if (below >= 0) s->beside[ABOVE][below] = above;
    if (above >= 0) s->beside[BELOW][above] = below;
}

// Puts a side right between two neighbours, of which either may be missing (-1).
static void insert_between(sweep *s, int32_t side, int32_t below, int32_t above)
{
    s->child[BELOW][side] = s->child[ABOVE][side] = -1;
    s->beside[BELOW][side] = s->beside[ABOVE][side] = -1;
    link_beside(s, below, side);
    link_beside(s, side, above);

    // of two neighbours in a tree the lower has nothing above it or the higher nothing below it
    bool on_top = below >= 0 && s->child[ABOVE][below] < 0;
    int32_t parent = on_top ? below : above;
    s->parent[side] = parent;
    if (parent < 0) {
        s->root = side;
    } else {
        s->child[on_top ? ABOVE : BELOW][parent] = side;
    }
    while (s->parent[side] >= 0 && priority(s->parent[side]) < priority(side)) rotate_up(s, side);
}

static void remove_side(sweep *s, int32_t side)
{
    while (s->child[BELOW][side] >= 0 && s->child[ABOVE][side] >= 0) {
        int32_t low = s->child[BELOW][side];
        int32_t high = s->child[ABOVE][side];
        rotate_up(s, priority(low) > priority(high) ? low : high);
    }
    int32_t kept = s->child[BELOW][side] >= 0 ? s->child[BELOW][side] : s->child[ABOVE][side];
    hang(s, s->parent[side], side, kept);
    link_beside(s, s->beside[BELOW][side], s->beside[ABOVE][side]);
}

// One side goes on where another ends. The place in the order stays, so the priority does as well;
// the tree is balanced by whichever came first.
static void replace_side(sweep *s, int32_t old, int32_t side)
{
    int32_t below = s->beside[BELOW][old];
    int32_t above = s->beside[ABOVE][old];
    remove_side(s, old);
    insert_between(s, side, below, above);
}

// The sides right below and above a corner that begins sides; false when it lies on a side.
static bool locate(sweep *s, int32_t corner, int32_t *below, int32_t *above)
{
    *below = *above = -1;
    for (int32_t side = s->root; side >= 0;) {
        int32_t ends[2];
        get_ends(s, side, ends);
        int turn = orient(s, ends[0], ends[1], corner);
        if (turn == 0) return set_fault(s, PLI_POLYGON_CROSSING, side, corner);
        if (turn > 0) *below = side;
        if (turn < 0) *above = side;
        side = s->child[turn > 0 ? ABOVE : BELOW][side];
    }
    return true;
}

// ---- chains

static int32_t make_link(sweep *s, int32_t corner)
{
    int32_t link = s->link_count++;
    s->corner[link] = corner;
    s->next[BELOW][link] = s->next[ABOVE][link] = -1;
    return link;
}

static void join_links(sweep *s, int32_t low, int32_t high)
{
    s->next[ABOVE][low] = high;
    s->next[BELOW][high] = low;
}

static void set_chain(sweep *s, int32_t side, int32_t first, int32_t last, int32_t rightmost)
{
    s->chain[BELOW][side] = first;
    s->chain[ABOVE][side] = last;
    s->rightmost[side] = rightmost;
}

// Emits a triangle that turns left, unless it does not.
static bool cut_triangle(sweep *s, int32_t a, int32_t b, int32_t c)
{
    if (orient(s, a, b, c) <= 0 || s->triangle_count >= s->count - 2) return false;
    int32_t *triangle = s->triangles[s->triangle_count++];
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
    return true;
}

// Joins a corner to what it sees of the chain of a side from one of its ends, where it becomes the
// new end.
static void extend_chain(sweep *s, int32_t side, int end, int32_t corner)
{
    int32_t link = s->chain[end][side];
    for (int32_t further = s->next[!end][link]; further >= 0; further = s->next[!end][link]) {
        int32_t a = s->corner[link];
        int32_t b = s->corner[further];
        bool is_cut = end == BELOW ? cut_triangle(s, a, corner, b) : cut_triangle(s, a, b, corner);
        if (!is_cut) break;
        link = further;
    }
    int32_t made = make_link(s, corner);
    if (end == BELOW) {
        join_links(s, made, link);
    } else {
        join_links(s, link, made);
    }
    s->chain[end][side] = made;
    s->rightmost[side] = made;
}

// Cuts the chain of a side at its rightmost corner, which both parts keep. The part above goes to
// another side.
static void split_chain(sweep *s, int32_t side, int32_t upper)
{
    int32_t right = s->rightmost[side];
    int32_t further = s->next[ABOVE][right];
    int32_t copy = make_link(s, s->corner[right]);
    if (further >= 0) join_links(s, copy, further);
    set_chain(s, upper, copy, further >= 0 ? s->chain[ABOVE][side] : copy, copy);
    s->next[ABOVE][right] = -1;
    s->chain[ABOVE][side] = right;
}

// Makes one chain of two whose ends are the same corner.
static void merge_chains(sweep *s, int32_t side, int32_t upper)
{
    int32_t link = s->chain[ABOVE][side];
    int32_t further = s->next[ABOVE][s->chain[BELOW][upper]];
    join_links(s, link, further);
    set_chain(s, side, s->chain[BELOW][side], s->chain[ABOVE][upper], link);
}

// ---- what happens at a corner; false when the polygon is at fault there

static bool has_chain(const sweep *s, int32_t side)
{
    return side >= 0 && s->chain[BELOW][side] >= 0;
}

// Two sides begin, with the interior between them or around them.
static bool begin_sides(sweep *s, int32_t corner, bool reflex)
{
    int32_t low = reflex ? before(s, corner) : corner;
    int32_t high = reflex ? corner : before(s, corner);
    int32_t below, above;
    if (!locate(s, corner, &below, &above)) return false;
    insert_between(s, low, below, above);
    insert_between(s, high, low, above);
    if (!check_pair(s, below, low) || !check_pair(s, high, above)) return false;
    if (!reflex) {
        int32_t link = make_link(s, corner);
        set_chain(s, low, link, link, link);
        return true;
    }
    if (!has_chain(s, below)) return set_fault(s, PLI_POLYGON_CROSSING, low, high);
    split_chain(s, below, high);
    extend_chain(s, below, ABOVE, corner);
    extend_chain(s, high, BELOW, corner);
    return true;
}

// Two sides end, with the interior between them or around them.
static bool end_sides(sweep *s, int32_t corner, bool reflex)
{
    int32_t low = reflex ? corner : before(s, corner);
    int32_t high = reflex ? before(s, corner) : corner;
    int32_t below = s->beside[BELOW][low];
    int32_t above = s->beside[ABOVE][high];
    bool sound = s->beside[ABOVE][low] == high && has_chain(s, reflex ? high : low) &&
                 (!reflex || has_chain(s, below));
    if (!sound) return set_fault(s, PLI_POLYGON_CROSSING, low, high);
    remove_side(s, low);
    remove_side(s, high);
    if (!check_pair(s, below, above)) return false;
    if (!reflex) {
        extend_chain(s, low, BELOW, corner);
        return true;
    }
    extend_chain(s, below, ABOVE, corner);
    extend_chain(s, high, BELOW, corner);
    merge_chains(s, below, high);
    return true;
}

// One side ends and the other one goes on, below the interior or above it.
static bool continue_side(sweep *s, int32_t corner, bool is_low)
{
    int32_t old = is_low ? before(s, corner) : corner;
    int32_t side = is_low ? corner : before(s, corner);
    replace_side(s, old, side);
    int32_t below = s->beside[BELOW][side];
    if (!check_pair(s, below, side) || !check_pair(s, side, s->beside[ABOVE][side])) return false;
    int32_t owner = is_low ? old : below;
    if (!has_chain(s, owner)) return set_fault(s, PLI_POLYGON_CROSSING, old, side);
    if (!is_low) {
        extend_chain(s, owner, ABOVE, corner);
        return true;
    }
    extend_chain(s, old, BELOW, corner);
    set_chain(s, side, s->chain[BELOW][old], s->chain[ABOVE][old], s->rightmost[old]);
    return true;
}

static bool pass_corner(sweep *s, int32_t corner)
{
    int32_t from = before(s, corner);
    int32_t to = after(s, corner);
    bool from_left = s->rank[from] < s->rank[corner];
    bool to_left = s->rank[to] < s->rank[corner];
    if (from_left != to_left) return continue_side(s, corner, from_left);
    int turn = orient(s, from, corner, to);
    // the sides lie on each other
    if (turn == 0) return set_fault(s, PLI_POLYGON_CROSSING, from, corner);
    return from_left ? end_sides(s, corner, turn < 0) : begin_sides(s, corner, turn < 0);
}

// ---- the whole

static bool comes_before(const double a[2], const double b[2])
{
    return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
}

// Merges the sorted runs [begin, middle) and [middle, end) of from.
static void merge_runs(const sweep *s, const int32_t *from, int32_t *to, int64_t begin,
                       int64_t middle, int64_t end)
{
    int64_t i = begin;
    int64_t j = middle;
    for (int64_t k = begin; k < end; ++k) {
        bool second = i == middle || (j < end && comes_before(s->p[from[j]], s->p[from[i]]));
        to[k] = second ? from[j++] : from[i++];
    }
}

static void sort_corners(sweep *s, int32_t *spare)
{
    int32_t *from = s->order;
    int32_t *to = spare;
    for (int32_t i = 0; i < s->count; ++i) from[i] = i;
    for (int64_t width = 1; width < s->count; width *= 2) {
        for (int64_t begin = 0; begin < s->count; begin += 2 * width) {
            int64_t middle = begin + width < s->count ? begin + width : s->count;
            int64_t end = begin + 2 * width < s->count ? begin + 2 * width : s->count;
            merge_runs(s, from, to, begin, middle, end);
        }
        int32_t *other = from;
        from = to;
        to = other;
    }
    if (from != s->order) memcpy(s->order, from, (size_t)s->count * sizeof *from);
    for (int32_t i = 0; i < s->count; ++i) s->rank[s->order[i]] = i;
}

static bool is_flat(const sweep *s)
{
    int32_t left = s->order[0];
    int32_t right = s->order[s->count - 1];
    for (int32_t i = 0; i < s->count; ++i) {
        if (orient(s, left, right, i) != 0) return false;
    }
    return true;
}

static bool check_corners(sweep *s)
{
    if (is_flat(s)) return set_fault(s, PLI_POLYGON_FLAT, 0, s->count - 1);
    for (int32_t i = 1; i < s->count; ++i) {
        const double *a = s->p[s->order[i - 1]];
        const double *b = s->p[s->order[i]];
        if (a[0] == b[0] && a[1] == b[1]) {
            return set_fault(s, PLI_POLYGON_COINCIDENT, s->order[i - 1], s->order[i]);
        }
    }
    return true;
}

// The leftmost corner tells the orientation. Of a clockwise polygon the mirror image is swept,
// whose triangles turn as the polygon does when they are seen in it.
static void orient_corners(sweep *s, int32_t *spare)
{
    int32_t left = s->order[0];
    if (orient(s, before(s, left), left, after(s, left)) > 0) return;
    for (int32_t i = 0; i < s->count; ++i) s->p[i][1] = -s->p[i][1];
    sort_corners(s, spare);
}

static void run_sweep(sweep *s, int32_t *spare)
{
    sort_corners(s, spare);
    if (!check_corners(s)) return;
    orient_corners(s, spare);
    for (int32_t i = 0; i < s->count; ++i) {
        if (!pass_corner(s, s->order[i])) return;
    }
    // fewer triangles can only come from coordinates beyond the range of the predicates
    if (s->triangle_count != s->count - 2) {
        set_fault(s, PLI_POLYGON_CROSSING, s->order[0], s->order[s->count - 1]);
    }
}

pli_status pli_polygon_sweep(pli_arena *scratch, int32_t count, const double (*corners)[2],
                             int32_t (*triangles)[3], pli_polygon_report *report)
{
    *report = (pli_polygon_report){PLI_POLYGON_SIMPLE, 0, 0};
    pli_status status = PLI_ERROR_MEMORY;
    sweep s = {.count = count, .report = report, .root = -1, .triangles = triangles};
    int32_t *spare = NULL;
    int32_t **const of_corners[] = {&s.order,    &s.rank,      &s.parent,    &s.child[0],
                                    &s.child[1], &s.beside[0], &s.beside[1], &s.chain[0],
                                    &s.chain[1], &s.rightmost, &spare};
    int32_t **const of_links[] = {&s.corner, &s.next[0], &s.next[1]};

    pli_arena_mark mark = pli_arena_begin(scratch);
    s.p = pli_arena_take(scratch, count, sizeof *s.p, "corners of a polygon");
    if (s.p == NULL) goto done;
    for (size_t k = 0; k < sizeof of_corners / sizeof *of_corners; ++k) {
        *of_corners[k] = pli_arena_ints(scratch, count, "sides of a polygon");
        if (*of_corners[k] == NULL) goto done;
    }
    for (size_t k = 0; k < sizeof of_links / sizeof *of_links; ++k) {
        *of_links[k] = pli_arena_ints(scratch, 3 * (int64_t)count, "chains of a polygon");
        if (*of_links[k] == NULL) goto done;
    }

    // a zero of either sign is the same place
    for (int32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 2; ++k) s.p[i][k] = corners[i][k] + 0.0;
        set_chain(&s, i, -1, -1, -1);
    }
    run_sweep(&s, spare);
    status = PLI_OK;

done:
    pli_arena_end(scratch, mark);
    return status;
}
