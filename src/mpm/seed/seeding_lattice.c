// SPDX-License-Identifier: Apache-2.0
//
// The lattice with n points a cell whose closest points are farthest apart.
//
// A lattice that repeats in every cell contains all corners of cells, and has a basis of the form
//
//   v1 = (1/a, ., .),  v2 = (0, 1/b, .),  v3 = (0, 0, 1/c),   a b c = n
//
// (Hermite's form). That the corners belong to it leaves a choices for the second entry of v1, a
// for its third, and b for that of v2; with n as the unit all entries are whole numbers:
//
//   v1 = (b c, c p, p r + b q) / n,  v2 = (0, a c, a r) / n,  v3 = (0, 0, a b) / n,
//   0 <= p, q < a,  0 <= r < b
//
// All are tried. Cubes do without: n = m^3 is the cubic lattice, which is what everybody expects.
#include "mpm/seed/seeding_pattern.h"

typedef struct cell_lattice {
    int32_t n;
    int32_t counts[3];   // a, b, c
    int32_t basis[3][3]; // v1, v2, v3 in units of 1 / n
} cell_lattice;

static cell_lattice make_lattice(int32_t n, int32_t a, int32_t b, const int32_t pqr[3])
{
    int32_t c = n / (a * b);
    int32_t p = pqr[0], q = pqr[1], r = pqr[2];
    return (cell_lattice){
        n, {a, b, c}, {{b * c, c * p, p * r + b * q}, {0, a * c, a * r}, {0, 0, a * b}}};
}

// Point number `index` of the cell, 0 <= entries < n.
static void lattice_point(const cell_lattice *lattice, int32_t index, int32_t point[3])
{
    const int32_t *counts = lattice->counts;
    const int32_t at[3] = {index / (counts[1] * counts[2]), index / counts[2] % counts[1],
                           index % counts[2]};
    for (int k = 0; k < 3; ++k) {
        int32_t sum = 0;
        for (int i = 0; i < 3; ++i) sum += at[i] * lattice->basis[i][k];
        point[k] = sum % lattice->n;
    }
}

// Squared length of the shortest vector of a lattice, in units of 1 / n^2; gives up below `least`.
static int32_t shortest2(const cell_lattice *lattice, int32_t least)
{
    // corners of the cell are n apart
    int32_t n = lattice->n;
    int32_t shortest = n * n;
    for (int32_t index = 1; index < n && shortest >= least; ++index) {
        int32_t point[3];
        lattice_point(lattice, index, point);
        int32_t length2 = 0;
        for (int k = 0; k < 3; ++k) {
            int32_t d = 2 * point[k] > n ? n - point[k] : point[k];
            length2 += d * d;
        }
        if (length2 < shortest) shortest = length2;
    }
    return shortest;
}

// Tries all lattices with these a and b, keeping the best.
static void search_offsets(int32_t n, int32_t a, int32_t b, int32_t *best2, cell_lattice *best)
{
    for (int32_t index = 0; index < a * a * b; ++index) {
        const int32_t pqr[3] = {index % a, index / a % a, index / (a * a)};
        cell_lattice lattice = make_lattice(n, a, b, pqr);
        int32_t length2 = shortest2(&lattice, *best2 + 1);
        if (length2 <= *best2) continue;
        *best2 = length2;
        *best = lattice;
    }
}

static cell_lattice best_lattice(int32_t n)
{
    static const int32_t straight[3] = {0, 0, 0};
    int32_t m = (int32_t)lround(cbrt(n));
    if (m * m * m == n) return make_lattice(n, m, m, straight);
    int32_t best2 = 0;
    cell_lattice best = make_lattice(n, 1, 1, straight);
    for (int32_t a = 1; a <= n; ++a) {
        for (int32_t b = 1; b <= n / a; ++b) {
            if (n % (a * b) == 0) search_offsets(n, a, b, &best2, &best);
        }
    }
    return best;
}

static int32_t common_divisor(int32_t a, int32_t b)
{
    while (b != 0) {
        int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

double pli_seeding_lattice(int32_t count, double *points)
{
    cell_lattice lattice = best_lattice(count);
    // along each axis coordinates are multiples of a step; half of it keeps points off the faces
    double shift[3];
    for (int k = 0; k < 3; ++k) {
        int32_t step = count;
        for (int i = 0; i < 3; ++i) step = common_divisor(step, lattice.basis[i][k]);
        shift[k] = 0.5 * step;
    }
    for (int32_t index = 0; index < count; ++index) {
        int32_t point[3];
        lattice_point(&lattice, index, point);
        for (int k = 0; k < 3; ++k) points[3 * index + k] = (point[k] + shift[k]) / count;
    }
    return sqrt(shortest2(&lattice, 0)) / count;
}
