// SPDX-License-Identifier: Apache-2.0
#include "mpm/seed/seeding_tile.h"

#include "base/memory.h"
#include "base/random.h"
#include "math/vec3.h"

enum {
    TILE_PARTICLES = 32768, // about
    REACH = 2,              // cells of the background grid that a radius spans
    STENCIL = (2 * REACH + 1) * (2 * REACH + 1) * (2 * REACH + 1),
    DARTS_A_PARTICLE = 2000, // after so many the tile is taken as it is
    COORDINATE_BITS = 21
};

// the radius, relative to the edge of the cube that is one particle's share of the volume
static const double relative_radius = 0.82;

// The background grid has REACH more cells on each side, which repeat those of the other side: so
// cells around one are always at the same steps in memory.
typedef struct dart_board {
    pli_seeding_tile *tile;
    pli_random random;
    int32_t side;           // cells of the background grid along each axis
    int32_t row;            // side + 2 REACH
    int32_t *particle_of;   // [row^3] the particle in a cell plus one, 0: none
    int32_t steps[STENCIL]; // in memory, to the cells around one, nearest first
} dart_board;

// Place in memory of a cell, coordinates from -REACH to side + REACH - 1.
static int32_t place_at(const dart_board *board, const int32_t at[3])
{
    return at[0] + REACH + board->row * (at[1] + REACH + board->row * (at[2] + REACH));
}

// Steps by their length, equally long ones in the order of counting.
static void build_steps(dart_board *board)
{
    const int32_t wide = 2 * REACH + 1, row = board->row;
    int32_t count = 0;
    for (int32_t length2 = 0; length2 <= 3 * REACH * REACH; ++length2) {
        for (int32_t s = 0; s < STENCIL; ++s) {
            int32_t x = s % wide - REACH, y = s / wide % wide - REACH,
                    z = s / (wide * wide) - REACH;
            if (x * x + y * y + z * z == length2) board->steps[count++] = x + row * (y + row * z);
        }
    }
}

// Writes a particle into its cell and those that repeat it.
static void enter(dart_board *board, const int32_t at[3], int32_t particle)
{
    for (int32_t image = 0; image < 27; ++image) {
        const int32_t moved[3] = {at[0] + (image % 3 - 1) * board->side,
                                  at[1] + (image / 3 % 3 - 1) * board->side,
                                  at[2] + (image / 9 - 1) * board->side};
        bool is_there = true;
        for (int k = 0; k < 3; ++k) {
            is_there = is_there && moved[k] >= -REACH && moved[k] < board->side + REACH;
        }
        if (is_there) board->particle_of[place_at(board, moved)] = particle + 1;
    }
}

// Squared distance of the nearest images of two points.
static double periodic_distance2(const double a[3], const double b[3], double period)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double d = fabs(a[k] - b[k]);
        if (d > 0.5 * period) d = period - d;
        sum += d * d;
    }
    return sum;
}

static bool is_free(const dart_board *board, const int32_t at[3], const double point[3])
{
    const pli_seeding_tile *tile = board->tile;
    const int32_t *here = board->particle_of + place_at(board, at);
    double radius2 = tile->radius * tile->radius;
    for (int s = 0; s < STENCIL; ++s) {
        int32_t other = here[board->steps[s]];
        if (other == 0) continue;
        const double *x = tile->points + 3 * (int64_t)(other - 1);
        if (periodic_distance2(point, x, tile->side) < radius2) return false;
    }
    return true;
}

// Odd multiples of 2^-22 of the side: never on a face of a cell.
static void draw_dart(const dart_board *board, int64_t dart, double point[3])
{
    const uint64_t mask = ((uint64_t)1 << COORDINATE_BITS) - 1;
    const double unit = (double)board->tile->side / (1 << COORDINATE_BITS);
    uint64_t bits = pli_random_bits(board->random, (uint64_t)dart);
    for (int k = 0; k < 3; ++k) {
        point[k] = ((double)(bits >> (k * COORDINATE_BITS) & mask) + 0.5) * unit;
    }
}

static void throw_darts(dart_board *board, int32_t wanted)
{
    pli_seeding_tile *tile = board->tile;
    double cells_per_unit = (double)board->side / tile->side;
    int64_t darts = (int64_t)wanted * DARTS_A_PARTICLE;
    for (int64_t dart = 0; dart < darts && tile->count < wanted; ++dart) {
        double point[3];
        int32_t at[3];
        draw_dart(board, dart, point);
        for (int k = 0; k < 3; ++k) at[k] = (int32_t)(point[k] * cells_per_unit);
        if (!is_free(board, at, point)) continue;
        pli_vec3_copy(point, tile->points + 3 * (int64_t)tile->count);
        enter(board, at, tile->count++);
    }
}

static pli_status fill_tile(pli_seeding_tile *tile, int32_t wanted, uint64_t seed)
{
    pli_context *context = tile->context;
    dart_board board = {.tile = tile, .random = {seed, 0}};
    board.side = (int32_t)ceil(tile->side * sqrt(3.0) / tile->radius);
    board.row = board.side + 2 * REACH;
    build_steps(&board);
    int64_t cells = (int64_t)board.row * board.row * board.row;
    board.particle_of = PLI_NEW(context, int32_t, cells, "seeding background grid");
    if (board.particle_of == NULL) return PLI_ERROR_MEMORY;
    throw_darts(&board, wanted);
    pli_release(context, board.particle_of);
    return PLI_OK;
}

pli_status pli_seeding_tile_create(pli_context *context, int32_t per_cell, uint64_t seed,
                                   pli_seeding_tile **out)
{
    *out = NULL;
    pli_seeding_tile *tile = PLI_NEW(context, pli_seeding_tile, 1, "seeding tile");
    if (tile == NULL) return PLI_ERROR_MEMORY;
    pli_status status = PLI_ERROR_MEMORY;
    tile->context = context;
    tile->side = (int32_t)round(cbrt((double)TILE_PARTICLES / per_cell));
    tile->radius = relative_radius / cbrt(per_cell);
    int32_t wanted = tile->side * tile->side * tile->side * per_cell;
    tile->points = PLI_NEW(context, double, 3 * (int64_t)wanted, "seeding tile points");
    if (tile->points == NULL) goto done;
    status = fill_tile(tile, wanted, seed);
    if (status == PLI_OK) *out = tile;

done:
    if (status != PLI_OK) pli_seeding_tile_destroy(tile);
    return status;
}

void pli_seeding_tile_destroy(pli_seeding_tile *tile)
{
    if (tile == NULL) return;
    PLI_RELEASE(tile->context, tile->points, tile);
}
