// SPDX-License-Identifier: Apache-2.0
#include "mpm/seeding_tile.h"

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
static const double relative_radius = 0.85;

typedef struct dart_board {
    pli_seeding_tile *tile;
    pli_random random;
    int32_t side;                // cells of the background grid along each axis
    int32_t *particle_of;        // [side^3] the particle in a cell plus one, 0: none
    int32_t stencil[STENCIL][3]; // steps to the cells around one, nearest first
} dart_board;

// Steps by their length, equally long ones in the order of counting.
static void build_stencil(dart_board *board)
{
    int32_t count = 0;
    for (int32_t length2 = 0; length2 <= 3 * REACH * REACH; ++length2) {
        for (int32_t s = 0; s < STENCIL; ++s) {
            const int32_t side = 2 * REACH + 1;
            const int32_t step[3] = {s % side - REACH, s / side % side - REACH,
                                     s / (side * side) - REACH};
            if (step[0] * step[0] + step[1] * step[1] + step[2] * step[2] != length2) continue;
            for (int k = 0; k < 3; ++k) board->stencil[count][k] = step[k];
            ++count;
        }
    }
}

static int32_t wrap(int32_t at, int32_t side)
{
    if (at < 0) return at + side;
    return at < side ? at : at - side;
}

static int64_t cell_near(const dart_board *board, const int32_t at[3], const int32_t step[3])
{
    int32_t x = wrap(at[0] + step[0], board->side);
    int32_t y = wrap(at[1] + step[1], board->side);
    int32_t z = wrap(at[2] + step[2], board->side);
    return x + (int64_t)board->side * (y + (int64_t)board->side * z);
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
    double radius2 = tile->radius * tile->radius;
    for (int s = 0; s < STENCIL; ++s) {
        int32_t other = board->particle_of[cell_near(board, at, board->stencil[s])];
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
    static const int32_t stay[3] = {0, 0, 0};
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
        board->particle_of[cell_near(board, at, stay)] = ++tile->count;
    }
}

static pli_status fill_tile(pli_seeding_tile *tile, int32_t wanted, uint64_t seed)
{
    pli_context *context = tile->context;
    dart_board board = {.tile = tile, .random = {seed, 0}};
    build_stencil(&board);
    board.side = (int32_t)ceil(tile->side * sqrt(3.0) / tile->radius);
    int64_t cells = (int64_t)board.side * board.side * board.side;
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
    pli_release(tile->context, tile->points);
    pli_release(tile->context, tile);
}
