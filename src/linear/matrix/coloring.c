// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/coloring.h"

#include "base/memory.h"
#include "base/random.h"

#include <string.h>

enum { DEFAULT_CHUNK_SIZE = 512, NODE_GRAIN = 1024, MASK_COLORS = 64, UNCOLORED = -1 };

// Sorts items by colour (counting sort): color_begin has color_count + 1 entries, zeroed.
static void sort_by_color(int32_t item_count, const int32_t *color, int32_t color_count,
                          int32_t *color_begin, int32_t *sorted)
{
    for (int32_t item = 0; item < item_count; ++item) ++color_begin[color[item] + 1];
    for (int32_t c = 0; c < color_count; ++c) color_begin[c + 1] += color_begin[c];
    for (int32_t item = 0; item < item_count; ++item) sorted[color_begin[color[item]]++] = item;
    memmove(color_begin + 1, color_begin, (size_t)color_count * sizeof *color_begin);
    color_begin[0] = 0;
}

static int32_t largest_degree(const pli_graph *graph)
{
    int64_t largest = 0;
    for (int32_t node = 0; node < graph->node_count; ++node) {
        int64_t degree = graph->start[node + 1] - graph->start[node];
        if (degree > largest) largest = degree;
    }
    return (int32_t)largest;
}

// Scratch of the greedy method.
typedef struct greedy_state {
    const pli_graph *graph;
    int32_t *color; // [node_count]
    int32_t *taken; // [largest degree + 2]  last node that found the colour at a neighbour, plus 1
    int32_t *load;  // [largest degree + 2]  nodes of a colour
    int32_t color_count;
} greedy_state;

static void mark_neighbor_colors(greedy_state *state, int32_t node)
{
    const pli_graph *graph = state->graph;
    for (int64_t at = graph->start[node]; at < graph->start[node + 1]; ++at) {
        int32_t other = graph->neighbor[at];
        if (other != node && state->color[other] != UNCOLORED) {
            state->taken[state->color[other]] = node + 1;
        }
    }
}

static void color_first_fit(greedy_state *state)
{
    for (int32_t node = 0; node < state->graph->node_count; ++node) {
        mark_neighbor_colors(state, node);
        int32_t c = 0;
        while (state->taken[c] == node + 1) ++c;
        state->color[node] = c;
        ++state->load[c];
        if (c >= state->color_count) state->color_count = c + 1;
    }
}

// Moves nodes of overfull colours to the emptiest colour that none of their neighbours has.
static void balance_colors(greedy_state *state)
{
    int32_t node_count = state->graph->node_count;
    memset(state->taken, 0, (size_t)state->color_count * sizeof *state->taken);
    int32_t mean = state->color_count > 0 ? node_count / state->color_count : 0;
    for (int32_t node = 0; node < node_count; ++node) {
        int32_t old = state->color[node];
        if (state->load[old] <= mean + 1) continue;
        mark_neighbor_colors(state, node);
        int32_t best = old;
        for (int32_t c = 0; c < state->color_count; ++c) {
            if (state->taken[c] != node + 1 && state->load[c] < state->load[best]) best = c;
        }
        state->color[node] = best;
        --state->load[old];
        ++state->load[best];
    }
}

static pli_status color_greedy(pli_context *context, const pli_graph *graph,
                               pli_graph_coloring *coloring)
{
    int64_t capacity = (int64_t)largest_degree(graph) + 2;
    greedy_state state = {.graph = graph,
                          .color = coloring->color,
                          .taken = PLI_NEW(context, int32_t, capacity, "colouring"),
                          .load = PLI_NEW(context, int32_t, capacity, "colouring")};
    pli_status status = PLI_ERROR_MEMORY;
    if (state.taken == NULL || state.load == NULL) goto done;
    for (int32_t node = 0; node < graph->node_count; ++node) state.color[node] = UNCOLORED;
    color_first_fit(&state);
    balance_colors(&state);
    coloring->color_count = state.color_count;
    status = PLI_OK;

done:
    PLI_RELEASE(context, state.taken, state.load);
    return status;
}

// Scratch of the randomised method.
typedef struct palette_state {
    const pli_graph *graph;
    pli_random random;
    int32_t *color;   // [node_count]  final colour, or UNCOLORED
    int32_t *draw;    // [node_count]  colour drawn in this round, or UNCOLORED
    int32_t *palette; // [node_count]  a node draws from colours 0 to palette - 1
    int32_t *open;    // [open_count]  nodes without a colour, increasing
    int32_t open_count;
    uint8_t *kept; // [node_count]  the draw of this round becomes the colour
    uint64_t round;
} palette_state;

static void init_palettes(void *user, int64_t begin, int64_t end)
{
    palette_state *state = user;
    for (int64_t node = begin; node < end; ++node) {
        int64_t degree = state->graph->start[node + 1] - state->graph->start[node];
        state->palette[node] = 1 + (int32_t)(2 * degree / 5);
        state->color[node] = UNCOLORED;
        state->draw[node] = UNCOLORED;
        state->open[node] = (int32_t)node;
    }
}

static bool neighbor_has_color(const palette_state *state, int32_t node, int32_t color)
{
    const pli_graph *graph = state->graph;
    for (int64_t at = graph->start[node]; at < graph->start[node + 1]; ++at) {
        int32_t other = graph->neighbor[at];
        if (other != node && state->color[other] == color) return true;
    }
    return false;
}

// A random colour of the palette that no finished neighbour has; a dry palette grows.
static int32_t draw_color(palette_state *state, int32_t node)
{
    int32_t size = state->palette[node];
    uint64_t index = state->round * (uint64_t)state->graph->node_count + (uint64_t)node;
    int32_t first = (int32_t)(pli_random_uniform(state->random, index) * size);
    for (int32_t k = 0; k < size; ++k) {
        int32_t candidate = (first + k) % size;
        if (!neighbor_has_color(state, node, candidate)) return candidate;
    }
    ++state->palette[node];
    return neighbor_has_color(state, node, size) ? UNCOLORED : size;
}

static void draw_colors(void *user, int64_t begin, int64_t end)
{
    palette_state *state = user;
    for (int64_t k = begin; k < end; ++k) {
        state->draw[state->open[k]] = draw_color(state, state->open[k]);
    }
}

// A draw is kept when no neighbour with a smaller number drew the same: some node always is first.
static void keep_draws(void *user, int64_t begin, int64_t end)
{
    palette_state *state = user;
    const pli_graph *graph = state->graph;
    for (int64_t k = begin; k < end; ++k) {
        int32_t node = state->open[k];
        bool kept = state->draw[node] != UNCOLORED;
        for (int64_t at = graph->start[node]; kept && at < graph->start[node + 1]; ++at) {
            int32_t other = graph->neighbor[at];
            kept = !(other < node && state->color[other] == UNCOLORED &&
                     state->draw[other] == state->draw[node]);
        }
        state->kept[node] = kept;
    }
}

static void finish_round(palette_state *state)
{
    int32_t left = 0;
    for (int32_t k = 0; k < state->open_count; ++k) {
        int32_t node = state->open[k];
        if (state->kept[node]) {
            state->color[node] = state->draw[node];
        } else {
            state->open[left++] = node;
        }
    }
    state->open_count = left;
    ++state->round;
}

// Renumbers the colours that are in use without gaps; returns their number.
static int32_t close_gaps(int32_t node_count, int32_t *color, int32_t *number)
{
    int32_t used = 0;
    for (int32_t node = 0; node < node_count; ++node) {
        if (number[color[node]] == 0) number[color[node]] = ++used;
        color[node] = number[color[node]] - 1;
    }
    return used;
}

static pli_status color_randomly(pli_context *context, const pli_graph *graph, uint64_t seed,
                                 pli_graph_coloring *coloring)
{
    int64_t n = graph->node_count;
    palette_state state = {.graph = graph,
                           .random = {seed, 0},
                           .color = coloring->color,
                           .draw = PLI_NEW(context, int32_t, n, "colouring"),
                           .palette = PLI_NEW(context, int32_t, n, "colouring"),
                           .open = PLI_NEW(context, int32_t, n, "colouring"),
                           .open_count = graph->node_count,
                           .kept = PLI_NEW(context, uint8_t, n, "colouring")};
    int32_t *number =
        PLI_NEW(context, int32_t, 2 * (int64_t)largest_degree(graph) + 4, "colouring");
    pli_status status = PLI_ERROR_MEMORY;
    if (state.draw == NULL || state.palette == NULL || state.open == NULL || state.kept == NULL ||
        number == NULL) {
        goto done;
    }
    pli_parallel_for(context, n, NODE_GRAIN, init_palettes, &state);
    while (state.open_count > 0) {
        pli_parallel_for(context, state.open_count, NODE_GRAIN, draw_colors, &state);
        pli_parallel_for(context, state.open_count, NODE_GRAIN, keep_draws, &state);
        finish_round(&state);
    }
    coloring->color_count = close_gaps(graph->node_count, state.color, number);
    status = PLI_OK;

done:
    PLI_RELEASE(context, state.draw, state.palette, state.open, state.kept, number);
    return status;
}

pli_status pli_graph_coloring_create(pli_context *context, const pli_graph *graph,
                                     pli_coloring_method method, uint64_t seed,
                                     pli_graph_coloring **coloring)
{
    *coloring = NULL;
    pli_graph_coloring *made = PLI_NEW(context, pli_graph_coloring, 1, "colouring");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->node_count = graph->node_count;
    made->color = PLI_NEW(context, int32_t, graph->node_count, "colouring");
    made->node = PLI_NEW(context, int32_t, graph->node_count, "colouring");
    pli_status status = PLI_ERROR_MEMORY;
    if (made->color == NULL || made->node == NULL) goto failed;

    status = method == PLI_COLORING_GREEDY ? color_greedy(context, graph, made)
                                           : color_randomly(context, graph, seed, made);
    if (status != PLI_OK) goto failed;
    status = PLI_ERROR_MEMORY;
    made->color_begin = PLI_NEW(context, int32_t, (int64_t)made->color_count + 1, "colouring");
    if (made->color_begin == NULL) goto failed;
    sort_by_color(made->node_count, made->color, made->color_count, made->color_begin, made->node);
    *coloring = made;
    return PLI_OK;

failed:
    pli_graph_coloring_destroy(made);
    return status;
}

void pli_graph_coloring_destroy(pli_graph_coloring *coloring)
{
    if (coloring == NULL) return;
    pli_context *context = coloring->context;
    PLI_RELEASE(context, coloring->color, coloring->node, coloring->color_begin, coloring);
}

// Scratch of the chunk colouring. Colours are given out in rounds of 64, so that the colours that
// meet in a vertex are the bits of one mask; what finds no colour waits for the next round.
typedef struct chunk_state {
    const pli_clique_list *list;
    const int64_t *chunk_begin; // [chunk_count + 1]
    int32_t chunk_count;
    int32_t *color;   // [chunk_count]
    uint64_t *colors; // [vertex_count]  colours of this round that touch a vertex
    int32_t load[MASK_COLORS];
    int32_t round_count; // colours opened in this round
} chunk_state;

static uint64_t chunk_forbidden(const chunk_state *state, int32_t chunk)
{
    uint64_t forbidden = 0;
    int32_t size = state->list->size;
    const int32_t *vertices = state->list->vertices;
    for (int64_t corner = state->chunk_begin[chunk] * size;
         corner < state->chunk_begin[chunk + 1] * size; ++corner) {
        forbidden |= state->colors[vertices[corner]];
    }
    return forbidden;
}

// Sets or clears a colour at all vertices of a chunk; no other chunk of that colour is there.
static void chunk_mark(chunk_state *state, int32_t chunk, int32_t color, bool set)
{
    uint64_t bit = (uint64_t)1 << color;
    int32_t size = state->list->size;
    const int32_t *vertices = state->list->vertices;
    for (int64_t corner = state->chunk_begin[chunk] * size;
         corner < state->chunk_begin[chunk + 1] * size; ++corner) {
        uint64_t *colors = &state->colors[vertices[corner]];
        *colors = set ? *colors | bit : *colors & ~bit;
    }
    state->load[color] += set ? 1 : -1;
}

// The emptiest of the open colours that is not forbidden, or -1.
static int32_t emptiest_color(const chunk_state *state, uint64_t forbidden)
{
    int32_t best = UNCOLORED;
    for (int32_t c = 0; c < state->round_count; ++c) {
        if ((forbidden >> c & 1) != 0) continue;
        if (best == UNCOLORED || state->load[c] < state->load[best]) best = c;
    }
    return best;
}

// Colours what it can with the 64 colours from first on; returns how many chunks are left.
static int32_t color_chunk_round(chunk_state *state, int32_t first)
{
    int32_t left = 0;
    for (int32_t chunk = 0; chunk < state->chunk_count; ++chunk) {
        if (state->color[chunk] != UNCOLORED) continue;
        int32_t c = emptiest_color(state, chunk_forbidden(state, chunk));
        if (c == UNCOLORED && state->round_count < MASK_COLORS) c = state->round_count++;
        if (c == UNCOLORED) {
            ++left;
            continue;
        }
        chunk_mark(state, chunk, c, true);
        state->color[chunk] = first + c;
    }
    return left;
}

// Moves chunks of this round from fuller to emptier colours.
static void balance_chunks(chunk_state *state, int32_t first)
{
    for (int32_t chunk = 0; chunk < state->chunk_count; ++chunk) {
        if (state->color[chunk] < first) continue;
        int32_t old = state->color[chunk] - first;
        uint64_t forbidden = chunk_forbidden(state, chunk);
        int32_t best = emptiest_color(state, forbidden);
        if (best == UNCOLORED || state->load[best] + 1 >= state->load[old]) continue;
        chunk_mark(state, chunk, old, false);
        chunk_mark(state, chunk, best, true);
        state->color[chunk] = first + best;
    }
}

static int32_t color_chunks(chunk_state *state, int32_t vertex_count)
{
    for (int32_t chunk = 0; chunk < state->chunk_count; ++chunk) state->color[chunk] = UNCOLORED;
    int32_t first = 0;
    int32_t left = state->chunk_count;
    while (left > 0) {
        memset(state->colors, 0, (size_t)vertex_count * sizeof *state->colors);
        memset(state->load, 0, sizeof state->load);
        state->round_count = 0;
        left = color_chunk_round(state, first);
        balance_chunks(state, first);
        first += state->round_count;
    }
    return first;
}

static pli_status cut_chunks(pli_chunk_coloring *coloring, int64_t element_count,
                             int32_t chunk_size)
{
    if (chunk_size <= 0) chunk_size = DEFAULT_CHUNK_SIZE;
    int64_t chunk_count = (element_count + chunk_size - 1) / chunk_size;
    if (chunk_count >= INT32_MAX) {
        return PLI_FAIL(coloring->context, PLI_ERROR_ARGUMENT,
                        "%lld elements in chunks of %d are too many chunks; use larger ones",
                        (long long)element_count, (int)chunk_size);
    }
    coloring->chunk_count = (int32_t)chunk_count;
    coloring->chunk_begin = PLI_NEW(coloring->context, int64_t, chunk_count + 1, "chunks");
    coloring->chunk = PLI_NEW(coloring->context, int32_t, chunk_count, "chunks");
    if (coloring->chunk_begin == NULL || coloring->chunk == NULL) return PLI_ERROR_MEMORY;
    for (int64_t k = 0; k < chunk_count; ++k) coloring->chunk_begin[k] = k * chunk_size;
    coloring->chunk_begin[chunk_count] = element_count;
    return PLI_OK;
}

static pli_status build_chunk_colors(pli_chunk_coloring *coloring, int32_t vertex_count,
                                     const pli_clique_list *list)
{
    pli_context *context = coloring->context;
    chunk_state state = {.list = list,
                         .chunk_begin = coloring->chunk_begin,
                         .chunk_count = coloring->chunk_count,
                         .color = PLI_NEW(context, int32_t, coloring->chunk_count, "colouring"),
                         .colors = PLI_NEW(context, uint64_t, vertex_count, "colouring")};
    pli_status status = PLI_ERROR_MEMORY;
    if (state.color == NULL || state.colors == NULL) goto done;
    coloring->color_count = color_chunks(&state, vertex_count);
    coloring->color_begin =
        PLI_NEW(context, int32_t, (int64_t)coloring->color_count + 1, "colouring");
    if (coloring->color_begin == NULL) goto done;
    sort_by_color(coloring->chunk_count, state.color, coloring->color_count, coloring->color_begin,
                  coloring->chunk);
    status = PLI_OK;

done:
    PLI_RELEASE(context, state.color, state.colors);
    return status;
}

pli_status pli_chunk_coloring_create(pli_context *context, int32_t vertex_count,
                                     const pli_clique_list *list, int32_t chunk_size,
                                     pli_chunk_coloring **coloring)
{
    *coloring = NULL;
    PLI_TRY(pli_clique_list_check(context, vertex_count, list));
    pli_chunk_coloring *made = PLI_NEW(context, pli_chunk_coloring, 1, "colouring");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    pli_status status = cut_chunks(made, list->count, chunk_size);
    if (status == PLI_OK) status = build_chunk_colors(made, vertex_count, list);
    if (status != PLI_OK) {
        pli_chunk_coloring_destroy(made);
        return status;
    }
    *coloring = made;
    return PLI_OK;
}

void pli_chunk_coloring_destroy(pli_chunk_coloring *coloring)
{
    if (coloring == NULL) return;
    pli_context *context = coloring->context;
    PLI_RELEASE(context, coloring->chunk_begin, coloring->chunk, coloring->color_begin, coloring);
}

typedef struct chunk_run {
    const pli_chunk_coloring *coloring;
    int32_t first; // position of the colour's first chunk
    pli_range_fn body;
    void *user;
} chunk_run;

static void run_chunks(void *user, int64_t begin, int64_t end)
{
    const chunk_run *run = user;
    const pli_chunk_coloring *coloring = run->coloring;
    for (int64_t k = begin; k < end; ++k) {
        int32_t chunk = coloring->chunk[run->first + k];
        run->body(run->user, coloring->chunk_begin[chunk], coloring->chunk_begin[chunk + 1]);
    }
}

void pli_chunk_coloring_run(const pli_chunk_coloring *coloring, pli_range_fn body, void *user)
{
    for (int32_t color = 0; color < coloring->color_count; ++color) {
        int32_t first = coloring->color_begin[color];
        chunk_run run = {coloring, first, body, user};
        pli_parallel_for(coloring->context, coloring->color_begin[color + 1] - first, 1, run_chunks,
                         &run);
    }
}
