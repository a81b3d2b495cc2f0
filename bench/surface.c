// SPDX-License-Identifier: Apache-2.0
#include "surface.h"

#include "base/memory.h"
#include "base/random.h"
#include "geometry/mesh/edges.h"
#include "math/vec3.h"

enum { BOX_TRIANGLES = 12 };

void pli_bench_surface_clear(pli_context *context, pli_bench_surface *s)
{
    pli_release(context, s->triangles);
    pli_release(context, s->edges);
    pli_release(context, s->points);
    pli_release(context, s->x1);
    pli_release(context, s->x0);
    *s = (pli_bench_surface){0};
}

static pli_status surface_init(pli_context *context, int32_t vertex_room, int32_t triangle_room,
                               pli_bench_surface *s)
{
    *s = (pli_bench_surface){0};
    s->x0 = PLI_NEW(context, double, 3 * (int64_t)vertex_room, "bench positions");
    s->x1 = PLI_NEW(context, double, 3 * (int64_t)vertex_room, "bench positions");
    s->points = PLI_NEW(context, int32_t, vertex_room, "bench points");
    s->triangles = PLI_NEW(context, int32_t, 3 * (int64_t)triangle_room, "bench triangles");
    if (s->x0 != NULL && s->x1 != NULL && s->points != NULL && s->triangles != NULL) return PLI_OK;
    pli_bench_surface_clear(context, s);
    return PLI_ERROR_MEMORY;
}

static int32_t add_vertex(pli_bench_surface *s, double x, double y, double z)
{
    int32_t v = s->vertex_count++;
    pli_vec3_set(x, y, z, s->x0 + 3 * (int64_t)v);
    s->points[v] = v;
    return v;
}

static void add_triangle(pli_bench_surface *s, int32_t a, int32_t b, int32_t c)
{
    int32_t *t = s->triangles + 3 * (int64_t)s->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

// Ends the construction: finds the edges and lets everything move by `motion`.
static pli_status surface_finish(pli_context *context, const double motion[3], pli_bench_surface *s)
{
    for (int32_t v = 0; v < s->vertex_count; ++v) {
        pli_vec3_add(s->x0 + 3 * (int64_t)v, motion, s->x1 + 3 * (int64_t)v);
    }
    return pli_edges_build(context, s->triangle_count, s->triangles, &s->edge_count, &s->edges);
}

static int32_t cube_vertex_room(int32_t n)
{
    return 6 * n * n + 2;
}

static bool is_on_cube(int32_t n, const int32_t c[3])
{
    for (int k = 0; k < 3; ++k) {
        if (c[k] == 0 || c[k] == n) return true;
    }
    return false;
}

// Adds the surface of a cube of n^3 cells; map [(n + 1)^3] is scratch.
static void add_cube(pli_bench_surface *s, int32_t n, const double corner[3], double size,
                     int32_t *map)
{
    int32_t m = n + 1;
    double h = size / n;
    for (int32_t i = 0; i < m * m * m; ++i) {
        const int32_t c[3] = {i / (m * m), i / m % m, i % m};
        if (is_on_cube(n, c)) {
            map[i] =
                add_vertex(s, corner[0] + h * c[0], corner[1] + h * c[1], corner[2] + h * c[2]);
        }
    }
    const int32_t stride[3] = {m * m, m, 1};
    for (int axis = 0; axis < 3; ++axis) {
        int32_t u = stride[(axis + 1) % 3];
        int32_t v = stride[(axis + 2) % 3];
        for (int32_t q = 0; q < 2 * n * n; ++q) {
            int32_t a = (q % 2) * n * stride[axis] + (q / 2 % n) * u + (q / 2 / n) * v;
            add_triangle(s, map[a], map[a + u], map[a + u + v]);
            add_triangle(s, map[a], map[a + u + v], map[a + v]);
        }
    }
}

static pli_status make_cubes(pli_context *context, int32_t count, double motion,
                             pli_bench_surface *s)
{
    enum { N = 20, CELLS = (N + 1) * (N + 1) * (N + 1) };
    PLI_TRY(surface_init(context, count * cube_vertex_room(N), count * 12 * N * N, s));
    int32_t *map = PLI_NEW(context, int32_t, CELLS, "bench cube");
    if (map == NULL) return PLI_ERROR_MEMORY;
    // a millimetre apart
    for (int32_t k = 0; k < count; ++k) {
        add_cube(s, N, (double[]){1.001 * k, 0.013 * k, 0.017 * k}, 1, map);
    }
    pli_release(context, map);
    return surface_finish(context, (double[]){motion, -motion, motion}, s);
}

static pli_status make_cube(pli_context *context, pli_bench_surface *s)
{
    return make_cubes(context, 1, 0, s);
}

static pli_status make_moving_cube(pli_context *context, pli_bench_surface *s)
{
    return make_cubes(context, 1, 0.005, s);
}

static pli_status make_two_cubes(pli_context *context, pli_bench_surface *s)
{
    return make_cubes(context, 2, 0, s);
}

// A cloth of a metre, folded into four layers two millimetres apart.
static pli_status make_cloth(pli_context *context, pli_bench_surface *s)
{
    enum { N = 100, WIDTH = N / 4 };
    PLI_TRY(surface_init(context, (N + 1) * (N + 1), 2 * N * N, s));
    for (int32_t i = 0; i <= N; ++i) {
        int32_t layer = i < N ? i / WIDTH : 3;
        int32_t along = i - layer * WIDTH;
        double x = 0.01 * (layer % 2 == 0 ? along : WIDTH - along);
        double z = 0.002 * (layer + (double)along / WIDTH);
        for (int32_t j = 0; j <= N; ++j) add_vertex(s, x, 0.01 * j, z);
    }
    for (int32_t q = 0; q < N * N; ++q) {
        int32_t a = q / N * (N + 1) + q % N;
        add_triangle(s, a, a + N + 1, a + N + 2);
        add_triangle(s, a, a + N + 2, a + 1);
    }
    return surface_finish(context, (double[]){0, 0, 0}, s);
}

// Scattered cubes of 5 to 10 cm, as many as make about the given number of triangles.
static pli_status add_rubble(pli_context *context, int32_t box_count, double domain,
                             pli_bench_surface *s)
{
    PLI_TRY(surface_init(context, 8 * box_count + 3, BOX_TRIANGLES * box_count + 1, s));
    pli_random random = {.seed = 3, .stream = 1};
    int32_t map[8];
    for (int32_t k = 0; k < box_count; ++k) {
        uint64_t i = 4 * (uint64_t)k;
        double corner[3];
        for (uint64_t c = 0; c < 3; ++c) corner[c] = pli_random_range(random, i + c, 0, domain);
        add_cube(s, 1, corner, pli_random_range(random, i + 3, 0.05, 0.1), map);
    }
    return PLI_OK;
}

static pli_status make_rubble(pli_context *context, pli_bench_surface *s)
{
    PLI_TRY(add_rubble(context, 16667, 3, s));
    return surface_finish(context, (double[]){0, 0, -0.002}, s);
}

static pli_status make_huge_triangle(pli_context *context, pli_bench_surface *s)
{
    PLI_TRY(add_rubble(context, 1000, 1.2, s));
    int32_t a = add_vertex(s, -100, -100, 0.6);
    int32_t b = add_vertex(s, 100, -100, 0.6);
    int32_t c = add_vertex(s, 0, 100, 0.7);
    add_triangle(s, a, b, c);
    return surface_finish(context, (double[]){0, 0, 0}, s);
}

static pli_status make_heap(pli_context *context, pli_bench_surface *s)
{
    PLI_TRY(surface_init(context, 900, 300, s));
    for (int32_t k = 0; k < 300; ++k) {
        int32_t a = add_vertex(s, 0, 0, 0);
        int32_t b = add_vertex(s, 1, 0, 0);
        add_triangle(s, a, b, add_vertex(s, 0, 1, 0));
    }
    return surface_finish(context, (double[]){0, 0, 0}, s);
}

const pli_bench_surface_case pli_bench_surfaces[PLI_BENCH_SURFACES] = {
    {"cube of 20^3 cells at rest", make_cube},
    {"cube of 20^3 cells moving 5 mm", make_moving_cube},
    {"two cubes a millimetre apart", make_two_cubes},
    {"cloth of 100 x 100 in four layers", make_cloth},
    {"200k triangles of scattered cubes", make_rubble},
    {"a huge triangle among small ones", make_huge_triangle},
    {"300 triangles at one place", make_heap},
};

pli_status pli_bench_surface_broad(pli_context *context, const pli_bench_surface *s,
                                   pli_broad_phase **broad)
{
    pli_broad_phase_def def = {.vertex_count = s->vertex_count,
                               .point_count = s->vertex_count,
                               .edge_count = s->edge_count,
                               .triangle_count = s->triangle_count,
                               .points = s->points,
                               .edges = s->edges,
                               .triangles = s->triangles};
    return pli_broad_phase_create(context, &def, broad);
}
