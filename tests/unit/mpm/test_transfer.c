// SPDX-License-Identifier: Apache-2.0
//
// Between particles and grid: the kernels against the reference and against
// what the equations promise. State is float; `rounding` is the largest error of one operation.
#include "material_zoo.h"
#include "mpm/grid/transfer.h"
#include "near.h"
#include "support/transfer_reference.h"

enum { LANES = PLI_PARTICLE_LANES, KINDS = 3, BLOCKS = 4, SIDE_X = 16, SIDE_Z = 32 };

static const double rounding = 6e-8;
static const int32_t domain[3] = {BLOCKS, BLOCKS, BLOCKS};

// Blocks with particles on a dense grid of SIDE_X x SIDE_X x SIDE_Z nodes.
typedef struct world {
    pli_context *context;
    pli_paged_grid *grid;
    pli_particles *particles;
    pli_mpm_kind kinds[KINDS];
    pli_transfer transfer;
    double (*nodes)[4]; // [NODES]
} world;

enum { NODES = SIDE_X * SIDE_X * SIDE_Z };

static world *make_world(int32_t threads)
{
    static const char *const members[KINDS] = {"fixed-corotated", "hencky, viscous", "fluid"};
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->context = make_context(threads);
    for (int k = 0; k < KINDS; ++k) w->kinds[k] = (pli_mpm_kind){*zoo_find(members[k]), 1e-5};
    w->kinds[1].material.density = 1500;
    w->kinds[2].volume = 3e-5;
    OK(w->context, pli_paged_grid_create(w->context, domain, &w->grid));
    OK(w->context, pli_particles_create(w->context, w->grid, KINDS, 4096, &w->particles));
    w->nodes = calloc(NODES, sizeof *w->nodes);
    assert_non_null(w->nodes);
    return w;
}

static void begin_world(world *w)
{
    w->transfer = (pli_transfer){w->particles, w->kinds, 0.0625};
    for (int32_t k = 0; k < w->particles->block_count * KINDS; ++k) {
        pli_transfer_begin(&w->transfer, (pli_particle_place){k / KINDS, 0}, k % KINDS, 0);
    }
}

static void destroy_world(world *w)
{
    pli_particles_destroy(w->particles);
    pli_paged_grid_destroy(w->grid);
    pli_context_destroy(w->context);
    free(w->nodes);
    free(w);
}

FIXTURE(world, make_world, destroy_world)

// ---- particles

// A particle that moves and is deformed by a few percent.
static pli_particle random_particle(const world *w, int32_t kind, uint64_t id, const double u[3])
{
    pli_random random = {.seed = 71, .stream = id};
    pli_particle p = {.id = (int32_t)id,
                      .memory = (float)pli_material_rest_history(&w->kinds[kind].material)};
    double F[9];
    zoo_deformation(id, 0.05, F);
    for (int k = 0; k < 3; ++k) p.position[k] = u[k];
    for (int k = 0; k < 3; ++k) p.v[k] = (float)pli_random_range(random, (uint64_t)k, -1, 1);
    for (int k = 0; k < 9; ++k) p.C[k] = (float)pli_random_range(random, (uint64_t)k + 3, -4, 4);
    for (int k = 0; k < 9; ++k) p.F[k] = (float)F[k];
    return p;
}

static void add_one(world *w, int32_t kind, uint64_t id, const double u[3])
{
    pli_particle p = random_particle(w, kind, id, u);
    OK(w->context, pli_particles_add(w->particles, kind, 1, &p));
}

// So many particles of every kind anywhere in the box of low to high, in cells.
static void add_random(world *w, const int32_t counts[KINDS], double low, double high)
{
    uint64_t id = 0;
    for (int32_t kind = 0; kind < KINDS; ++kind) {
        for (int32_t k = 0; k < counts[kind]; ++k, ++id) {
            pli_random random = {.seed = 72, .stream = id};
            double u[3];
            for (uint64_t a = 0; a < 3; ++a) u[a] = pli_random_range(random, a, low, high);
            add_one(w, kind, id, u);
        }
    }
    begin_world(w);
}

// Lists of 1 to 17, which is every number of idle lanes, and particles of all kinds at the lowest,
// inner and highest cells of blocks, on and just below nodes.
static void add_edges(world *w)
{
    const double least = 1.0 / PLI_PARTICLE_ONE;
    const double at[] = {0, 0.5, 3.999, 4 - least, 4, 7.25, 8 - least, 8, 11, 12 - least};
    enum { COUNT = sizeof at / sizeof *at };
    uint64_t id = 0;
    for (int i = 0; i < COUNT; ++i) {
        for (int j = 0; j < COUNT; j += 3) {
            for (int k = 0; k < COUNT; ++k, ++id) {
                const double u[3] = {at[i], at[(i + j) % COUNT],
                                     2 * at[k] - (k % 3 == 1 ? 0.5 : 0)};
                double inside[3] = {u[0], u[1], fmax(0, u[2])};
                add_one(w, (int32_t)(id % KINDS), id, inside);
            }
        }
    }
    begin_world(w);
}

typedef void (*visit_fn)(world *w, int32_t kind, pli_particle_chunk *chunk, int32_t lane,
                         const double x[3], void *user);

// Calls for every particle, x being where it is in m from the lowest node.
static void visit(world *w, visit_fn call, void *user)
{
    for (int32_t k = 0; k < w->particles->block_count * KINDS; ++k) {
        pli_particle_place place = {k / KINDS, 0};
        const pli_particle_list *list = pli_particles_list(w->particles, place, k % KINDS);
        int32_t chunk = list->first;
        for (int32_t i = 0; i < list->count; ++i) {
            pli_particle p;
            pli_particles_get(w->particles, place.block, chunk, i % LANES, &p);
            double x[3];
            for (int a = 0; a < 3; ++a) x[a] = w->transfer.dx * (p.position[a] + 0.5);
            call(w, k % KINDS, &w->particles->chunks[chunk], i % LANES, x, user);
            if (i % LANES == LANES - 1) chunk = w->particles->next[chunk];
        }
    }
}

static double mass_of(const world *w, int32_t kind)
{
    return w->kinds[kind].material.density * w->kinds[kind].volume;
}

// ---- nodes

static float *node_of(const world *w, const int32_t at[3])
{
    const int32_t block[3] = {at[0] / PLI_BLOCK_X, at[1] / PLI_BLOCK_Y, at[2] / PLI_BLOCK_Z};
    float *page = pli_paged_grid_page(w->grid, pli_paged_grid_code(w->grid, block));
    int32_t in_page = 32 * (at[0] % PLI_BLOCK_X) + 8 * (at[1] % PLI_BLOCK_Y) + at[2] % PLI_BLOCK_Z;
    return page + PLI_NODE_FLOATS * in_page;
}

static void coordinates_of(int32_t node, int32_t at[3])
{
    at[0] = node / (SIDE_X * SIDE_Z);
    at[1] = node / SIDE_Z % SIDE_X;
    at[2] = node % SIDE_Z;
}

static float *node_at(const world *w, int32_t node)
{
    int32_t at[3];
    coordinates_of(node, at);
    return node_of(w, at);
}

static void scatter_all(world *w, double dt)
{
    for (int32_t b = 0; b < w->particles->block_count; ++b) {
        pli_transfer_scatter(&w->transfer, (pli_particle_place){b, 0}, dt);
    }
}

static void accelerate_all(world *w, const double gravity[3], double dt)
{
    for (uint32_t code = 0; code < w->grid->code_count; ++code) {
        pli_transfer_accelerate(pli_paged_grid_page(w->grid, code), gravity, dt);
    }
}

static void gather_all(world *w, double dt)
{
    for (int32_t b = 0; b < w->particles->block_count; ++b) {
        pli_transfer_gather(&w->transfer, (pli_particle_place){b, 0}, dt);
    }
}

// Sets velocities of all nodes: v = a + A (x - origin), x in m.
static void set_affine(world *w, const double a[3], const double A[9])
{
    for (int32_t node = 0; node < NODES; ++node) {
        int32_t at[3];
        coordinates_of(node, at);
        float *to = node_at(w, node);
        const double x[3] = {w->transfer.dx * at[0], w->transfer.dx * at[1],
                             w->transfer.dx * at[2]};
        double v[3];
        pli_mat3_apply(A, x, v);
        to[0] = 1;
        for (int c = 0; c < 3; ++c) to[4 + c] = (float)(v[c] + a[c]);
    }
}

// Random velocities of all nodes, in both grids.
static void set_random(world *w)
{
    pli_random random = {.seed = 73};
    for (int32_t node = 0; node < NODES; ++node) {
        float *to = node_at(w, node);
        for (int c = 0; c < 3; ++c) {
            to[4 + c] = (float)pli_random_range(random, (uint64_t)(4 * node + c), -1, 1);
            w->nodes[node][c] = (double)to[4 + c];
        }
    }
}

// ---- sums

typedef struct sums {
    double mass;
    double momentum[3];
    double spin[3]; // angular momentum about the lowest node
    double speed;   // sum of m |v|
    double turn;    // sum of m |x| |v|
} sums;

static void sum_particle(world *w, int32_t kind, pli_particle_chunk *chunk, int32_t lane,
                         const double x[3], void *user)
{
    sums *s = user;
    double m = mass_of(w, kind), D = w->transfer.dx * w->transfer.dx / 4;
    double v[3], C[9], turn[3];
    for (int c = 0; c < 3; ++c) v[c] = (double)chunk->v[c][lane];
    for (int c = 0; c < 9; ++c) C[c] = (double)chunk->C[c][lane];
    const double affine[3] = {C[7] - C[5], C[2] - C[6], C[3] - C[1]};
    pli_vec3_cross(x, v, turn);
    s->mass += m;
    for (int c = 0; c < 3; ++c) s->momentum[c] += m * v[c];
    for (int c = 0; c < 3; ++c) s->spin[c] += m * (turn[c] + D * affine[c]);
    s->speed += m * pli_vec3_norm(v);
    s->turn += m * pli_vec3_norm(x) * pli_vec3_norm(v);
}

static sums sum_particles(world *w)
{
    sums s = {0};
    visit(w, sum_particle, &s);
    return s;
}

static sums sum_nodes(const world *w)
{
    sums s = {0};
    for (int32_t node = 0; node < NODES; ++node) {
        int32_t at[3];
        coordinates_of(node, at);
        const float *from = node_at(w, node);
        double x[3], p[3], turn[3];
        for (int c = 0; c < 3; ++c) x[c] = w->transfer.dx * at[c];
        for (int c = 0; c < 3; ++c) p[c] = (double)from[1 + c];
        pli_vec3_cross(x, p, turn);
        s.mass += (double)from[0];
        for (int c = 0; c < 3; ++c) s.momentum[c] += p[c];
        for (int c = 0; c < 3; ++c) s.spin[c] += turn[c];
    }
    return s;
}

static void expect_same_sums(const sums *got, const sums *want)
{
    // some 20 additions meet at a node, each rounding its sum once, in any direction; what is
    // larger than twenty roundings of all of it is no rounding
    NEAR(got->mass, want->mass, 20 * rounding, 0);
    for (int c = 0; c < 3; ++c) {
        NEAR(got->momentum[c], want->momentum[c], 0, 20 * rounding * want->speed);
        NEAR(got->spin[c], want->spin[c], 0, 20 * rounding * want->turn);
    }
}

// ---- weights

static void weights_sum_to_one_and_keep_linear_functions(void **state)
{
    world *w = *state;
    // one particle of mass 1, which scatters its weights
    w->kinds[0].material.density = 1;
    w->kinds[0].volume = 1;
    for (uint64_t trial = 0; trial < 60; ++trial) {
        pli_random random = {.seed = 74, .stream = trial};
        double u[3];
        for (uint64_t k = 0; k < 3; ++k) u[k] = pli_random_range(random, k, 0, 11);
        if (trial == 0) pli_vec3_set(0, 4, 8, u);
        pli_particles_destroy(w->particles);
        OK(w->context, pli_particles_create(w->context, w->grid, KINDS, 8, &w->particles));
        add_one(w, 0, trial, u);
        begin_world(w);
        memset(pli_paged_grid_page(w->grid, 0), 0,
               sizeof(float) * PLI_PAGE_FLOATS * w->grid->code_count);
        pli_transfer_scatter(&w->transfer, (pli_particle_place){0, 0}, 0);

        double sum = 0, mean[3] = {0}, moment[3] = {0};
        for (int32_t node = 0; node < NODES; ++node) {
            int32_t at[3];
            coordinates_of(node, at);
            double weight = (double)node_at(w, node)[0];
            AT_LEAST(weight, 0);
            sum += weight;
            for (int k = 0; k < 3; ++k) mean[k] += weight * at[k];
            for (int k = 0; k < 3; ++k) moment[k] += weight * pow(at[k] - u[k] - 0.5, 2);
        }
        // three factors of a weight are rounded three times each
        NEAR(sum, 1, 10 * rounding, 0);
        for (int k = 0; k < 3; ++k) {
            // the distance from the lowest node is float in [0.5, 1.5]
            NEAR(mean[k], u[k] + 0.5, 10 * rounding, 10 * rounding);
            // the moment that makes 4 / dx^2 the inverse
            NEAR(moment[k], 0.25, 20 * rounding, 0);
        }
    }
}

// ---- against the reference

static void expect_scatter(world *w, double dt)
{
    scatter_all(w, dt);
    double scale[4] = {0};
    for (int32_t b = 0; b < w->particles->block_count; ++b) {
        pli_transfer_scatter_reference(&w->transfer, (pli_particle_place){b, 0}, dt, w->nodes);
    }
    for (int32_t node = 0; node < NODES; ++node) {
        for (int c = 0; c < 4; ++c) scale[c] = fmax(scale[c], fabs(w->nodes[node][c]));
    }
    AT_LEAST(scale[0], 1e-3);
    for (int32_t node = 0; node < NODES; ++node) {
        const float *got = node_at(w, node);
        // momentum of a node is a sum over linear functions of its particles, which are larger than
        // the sum: a few dozen roundings of the largest one
        for (int c = 0; c < 4; ++c) {
            NEAR((double)got[c], w->nodes[node][c], 20 * rounding, 40 * rounding * scale[c]);
        }
    }
}

static void scatter_equals_the_reference(void **state)
{
    world *w = *state;
    add_random(w, (const int32_t[KINDS]){301, 150, 77}, 0, 11.5);
    expect_scatter(w, 1e-3);
}

static void scatter_equals_the_reference_at_edges(void **state)
{
    world *w = *state;
    add_edges(w);
    expect_scatter(w, 1e-3);
}

// What a particle is, in the order of its rows.
typedef struct snapshot {
    int32_t count;
    pli_particle_chunk chunks[512];
} snapshot;

static snapshot *take_snapshot(const world *w)
{
    snapshot *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->count = w->particles->chunk_count;
    assert_true(s->count <= 512);
    memcpy(s->chunks, w->particles->chunks, (size_t)s->count * sizeof *s->chunks);
    return s;
}

static void put_back(const world *w, const snapshot *s)
{
    memcpy(w->particles->chunks, s->chunks, (size_t)s->count * sizeof *s->chunks);
}

// The particle of the same place in a snapshot.
static const pli_particle_chunk *same_chunk(const world *w, const snapshot *s,
                                            const pli_particle_chunk *chunk)
{
    return &s->chunks[chunk - w->particles->chunks];
}

static void expect_same_particle(world *w, int32_t kind, pli_particle_chunk *chunk, int32_t lane,
                                 const double x[3], void *user)
{
    (void)x;
    const pli_particle_chunk *want = same_chunk(w, user, chunk);
    double stiffness = zoo_stiffness(&w->kinds[kind].material);
    // nodes have velocities up to 1, and C is 4 / dx times differences of these
    double affine = 4 / w->transfer.dx;
    for (int c = 0; c < 3; ++c) {
        // a step is float: it has up to 2^24 units, and is then rounded to one
        NEAR(chunk->u[c][lane], want->u[c][lane], 0, 4);
        NEAR((double)chunk->v[c][lane], (double)want->v[c][lane], 0, 10 * rounding);
    }
    for (int c = 0; c < 9; ++c) {
        NEAR((double)chunk->C[c][lane], (double)want->C[c][lane], 0, 20 * rounding * affine);
        NEAR((double)chunk->F[c][lane], (double)want->F[c][lane], 0, 20 * rounding);
    }
    // stress has the error of F, in the stiffest direction, and that of the law
    for (int c = 0; c < 6; ++c) {
        NEAR((double)chunk->tau[c][lane], (double)want->tau[c][lane], 0, 80 * rounding * stiffness);
    }
    NEAR((double)chunk->memory[lane], (double)want->memory[lane], 0, 20 * rounding);
    assert_int_equal(chunk->id[lane], want->id[lane]);
}

static void expect_gather(world *w, double dt)
{
    set_random(w);
    snapshot *before = take_snapshot(w);
    for (int32_t b = 0; b < w->particles->block_count; ++b) {
        pli_transfer_gather_reference(&w->transfer, (pli_particle_place){b, 0}, dt,
                                      (const double(*)[4])w->nodes);
    }
    snapshot *want = take_snapshot(w);
    put_back(w, before);
    gather_all(w, dt);
    visit(w, expect_same_particle, want);
    free(before);
    free(want);
}

static void gather_equals_the_reference(void **state)
{
    world *w = *state;
    add_random(w, (const int32_t[KINDS]){301, 150, 77}, 0, 11.5);
    expect_gather(w, 1e-3);
}

static void gather_equals_the_reference_at_edges(void **state)
{
    world *w = *state;
    add_edges(w);
    expect_gather(w, 1e-3);
}

// Steps are rounded to the nearest unit of the fixed point: nobody is slowed down by being cut off.
static void small_steps_are_rounded_not_cut_off(void **state)
{
    world *w = *state;
    add_one(w, 0, 1, (const double[3]){5, 5, 5});
    begin_world(w);
    pli_particle_chunk *chunk = &w->particles->chunks[0];
    static const struct {
        double units;
        int32_t want;
    } table[] = {{0.75, 1}, {-0.75, -1}, {0.25, 0}, {-0.25, 0}, {1000.625, 1001}, {-7.75, -8}};
    for (size_t k = 0; k < sizeof table / sizeof *table; ++k) {
        const double dt = 1e-3;
        double speed = table[k].units * w->transfer.dx / dt / PLI_PARTICLE_ONE;
        int32_t before = chunk->u[0][0];
        set_affine(w, (const double[3]){speed, 0, 0}, (const double[9]){0});
        gather_all(w, dt);
        assert_int_equal(chunk->u[0][0] - before, table[k].want);
    }
}

// ---- those that were moved and not settled

// They act from the edge of their block, with all their mass and momentum; who broke down does not.
static void particles_that_left_act_from_the_edge(void **state)
{
    world *w = *state;
    const double starts[][3] = {{4.01, 5, 9}, {7.99, 7.99, 9}, {5, 5, 15.99}, {5.5, 6, 12}};
    for (uint64_t k = 0; k < 4; ++k) add_one(w, 0, k, starts[k]);
    begin_world(w);
    pli_particle_chunk *chunk = &w->particles->chunks[0];
    chunk->u[0][0] = -PLI_PARTICLE_ONE / 4;
    chunk->u[0][1] = chunk->u[1][1] = 4 * PLI_PARTICLE_ONE + PLI_PARTICLE_ONE / 2;
    chunk->u[2][2] = 8 * PLI_PARTICLE_ONE;
    chunk->u[1][3] = PLI_PARTICLE_NOWHERE;
    chunk->v[1][3] = NAN;
    pli_particles_recount(w->particles, 0);
    assert_int_equal(w->particles->blocks[0].leaving[0], 4);
    const pli_particle_chunk before = *chunk;
    scatter_all(w, 0);
    assert_memory_equal(chunk, &before, sizeof before);
    double momentum[3] = {0};
    for (int lane = 0; lane < 3; ++lane) {
        for (int c = 0; c < 3; ++c) momentum[c] += mass_of(w, 0) * (double)chunk->v[c][lane];
    }
    sums got = sum_nodes(w);
    NEAR(got.mass, 3 * mass_of(w, 0), 20 * rounding, 0);
    for (int c = 0; c < 3; ++c) {
        // C of 4/s over a cell is as much as velocities are
        NEAR(got.momentum[c], momentum[c], 0, 40 * rounding * 3 * mass_of(w, 0));
    }
}

// ---- what is kept

static void mass_and_momentum_of_nodes_are_those_of_particles(void **state)
{
    world *w = *state;
    add_random(w, (const int32_t[KINDS]){200, 200, 200}, 0, 11.5);
    sums want = sum_particles(w);
    // with the impulse of stress, which adds nothing to either, tau being symmetric
    scatter_all(w, 1e-3);
    sums got = sum_nodes(w);
    // impulses dt (4 / dx) V |tau| at nodes, with stress of 1e4 Pa, cancel but for their rounding
    double impulses = 1e-3 * 4 / w->transfer.dx * 1e4 * (200 * 1e-5 + 200 * 1e-5 + 200 * 3e-5);
    want.speed += impulses;
    want.turn += impulses * w->transfer.dx * SIDE_Z;
    expect_same_sums(&got, &want);
}

static void scatter_and_gather_keep_momentum_and_angular_momentum(void **state)
{
    world *w = *state;
    add_random(w, (const int32_t[KINDS]){200, 200, 200}, 0, 11.5);
    sums want = sum_particles(w);
    // without stress; positions are as they were when no time passes
    scatter_all(w, 0);
    accelerate_all(w, (const double[3]){0, 0, 0}, 0);
    gather_all(w, 0);
    sums got = sum_particles(w);
    expect_same_sums(&got, &want);
    AT_LEAST(fabs(want.spin[0]), 1e-4 * want.turn);
}

typedef struct affine_field {
    double a[3];
    double A[9];
} affine_field;

static void expect_affine(world *w, int32_t kind, pli_particle_chunk *chunk, int32_t lane,
                          const double x[3], void *user)
{
    (void)kind;
    const affine_field *field = user;
    double v[3];
    pli_mat3_apply(field->A, x, v);
    for (int c = 0; c < 3; ++c) {
        // velocities of nodes are up to 10, and so are those of particles
        NEAR((double)chunk->v[c][lane], v[c] + field->a[c], 0, 10 * 10 * rounding);
        for (int k = 0; k < 3; ++k) {
            // 4 / dx times the difference of such
            NEAR((double)chunk->C[3 * c + k][lane], field->A[3 * c + k], 0,
                 10 * 10 * rounding * 4 / w->transfer.dx);
        }
    }
}

static void affine_fields_return_exactly(void **state)
{
    world *w = *state;
    add_edges(w);
    affine_field field = {{0.5, -1, 2}, {1, -2, 0.5, 3, 1, -1, -0.25, 2, -1}};
    set_affine(w, field.a, field.A);
    gather_all(w, 0);
    visit(w, expect_affine, &field);
    // and when particles have it, nodes get it: scatter and gather change nothing
    memset(pli_paged_grid_page(w->grid, 0), 0,
           sizeof(float) * PLI_PAGE_FLOATS * w->grid->code_count);
    scatter_all(w, 0);
    accelerate_all(w, (const double[3]){0, 0, 0}, 0);
    gather_all(w, 0);
    visit(w, expect_affine, &field);
}

// ---- force

// The elastic energy when nodes are displaced by so much (m): each F becomes
// (I + sum_i u_i (4 / dx^2) w_i d_i^T) F, by the moving least squares.
typedef struct energy_job {
    int32_t node; // that is displaced
    int axis;
    double by; // m
    double energy;
} energy_job;

static double spline(double x)
{
    x = fabs(x);
    if (x < 0.5) return 0.75 - x * x;
    return x < 1.5 ? 0.5 * (1.5 - x) * (1.5 - x) : 0;
}

static void add_energy(world *w, int32_t kind, pli_particle_chunk *chunk, int32_t lane,
                       const double x[3], void *user)
{
    energy_job *job = user;
    double dx = w->transfer.dx, weight = 1, d[3], G[9], F[9], moved[9];
    int32_t at[3];
    coordinates_of(job->node, at);
    for (int k = 0; k < 3; ++k) d[k] = dx * at[k] - x[k];
    for (int k = 0; k < 3; ++k) weight *= spline(d[k] / dx);
    pli_mat3_identity(G);
    for (int k = 0; k < 3; ++k) G[3 * job->axis + k] += job->by * 4 / (dx * dx) * weight * d[k];
    for (int k = 0; k < 9; ++k) F[k] = (double)chunk->F[k][lane];
    pli_mat3_multiply(G, F, moved);
    job->energy += w->kinds[kind].volume * material_energy(&w->kinds[kind].material, moved, 1);
}

static double energy_with(world *w, int32_t node, int axis, double by)
{
    energy_job job = {node, axis, by, 0};
    visit(w, add_energy, &job);
    return job.energy;
}

static void be_still(world *w, int32_t kind, pli_particle_chunk *chunk, int32_t lane,
                     const double x[3], void *user)
{
    (void)w, (void)kind, (void)x, (void)user;
    for (int c = 0; c < 3; ++c) chunk->v[c][lane] = 0;
    for (int c = 0; c < 9; ++c) chunk->C[c][lane] = 0;
}

// Slip 9: the force needs 4 / dx^2. Solids only, a fluid has no F to displace.
static void force_is_minus_the_derivative_of_energy(void **state)
{
    world *w = *state;
    w->kinds[1].material.viscosity = 0;
    add_random(w, (const int32_t[KINDS]){40, 40, 0}, 4.5, 8.5);
    visit(w, be_still, NULL);
    const double dt = 1e-3, by = 1e-6;
    scatter_all(w, dt);
    double largest = 0;
    for (int32_t node = 0; node < NODES; ++node) {
        for (int c = 0; c < 3; ++c) largest = fmax(largest, fabs((double)node_at(w, node)[1 + c]));
    }
    AT_LEAST(largest, 1e-6);
    int32_t seen = 0;
    for (int32_t node = 7; node < NODES; node += 13) {
        const float *got = node_at(w, node);
        if (got[0] == 0) continue;
        ++seen;
        for (int axis = 0; axis < 3; ++axis) {
            double slope =
                (energy_with(w, node, axis, by) - energy_with(w, node, axis, -by)) / (2 * by);
            // float stress of 1e4 Pa with cancelling parts: a hundred roundings of the largest
            NEAR((double)got[1 + axis], -dt * slope, 0, 200 * rounding * largest);
        }
    }
    AT_LEAST(seen, 5);
}

// ---- nodes

static void nodes_without_mass_stand_still_and_others_fall(void **state)
{
    world *w = *state;
    float *page = pli_paged_grid_page(w->grid, 0);
    float *node = page + PLI_NODE_FLOATS * 9;
    node[0] = 2, node[1] = 4, node[2] = -6, node[3] = 1;
    // momentum without mass can't be, and is no velocity when it is
    page[1] = 1;
    const double gravity[3] = {0, -8, 2};
    pli_transfer_accelerate(page, gravity, 0.5);
    for (int32_t k = 0; k < PLI_PAGE_NODES; ++k) {
        const float *v = page + PLI_NODE_FLOATS * k + 4;
        bool has_mass = k == 9;
        NEAR((double)v[0], has_mass ? 2 : 0, 0, 0);
        NEAR((double)v[1], has_mass ? -3 - 4 : 0, 0, 0);
        NEAR((double)v[2], has_mass ? 0.5 + 1 : 0, 0, 0);
    }
}

// ---- lanes that are nobody

static void spoil_idle_lanes(world *w)
{
    for (int32_t k = 0; k < w->particles->block_count * KINDS; ++k) {
        const pli_particle_list *list =
            pli_particles_list(w->particles, (pli_particle_place){k / KINDS, 0}, k % KINDS);
        if (list->count == 0) continue;
        pli_particle_chunk *chunk = &w->particles->chunks[list->last];
        for (int lane = (list->count - 1) % LANES + 1; lane < LANES; ++lane) {
            for (int c = 0; c < 3; ++c) chunk->u[c][lane] = lane % 2 ? INT32_MIN : INT32_MAX;
            for (int c = 0; c < 3; ++c) chunk->v[c][lane] = NAN;
            for (int c = 0; c < 9; ++c) chunk->C[c][lane] = lane % 2 ? NAN : -INFINITY;
            for (int c = 0; c < 9; ++c) chunk->F[c][lane] = lane % 3 ? NAN : INFINITY;
            for (int c = 0; c < 6; ++c) chunk->tau[c][lane] = NAN;
            chunk->memory[lane] = NAN;
        }
    }
}

static void expect_same_bits(world *w, int32_t kind, pli_particle_chunk *chunk, int32_t lane,
                             const double x[3], void *user)
{
    (void)kind, (void)x;
    const char *want = (const char *)same_chunk(w, user, chunk), *got = (const char *)chunk;
    for (size_t row = 0; row < sizeof *chunk / (LANES * sizeof(float)); ++row) {
        size_t at = sizeof(float) * (LANES * row + (size_t)lane);
        assert_memory_equal(got + at, want + at, sizeof(float));
    }
}

static void idle_lanes_have_no_effect_whatever_they_hold(void **state)
{
    world *w = *state;
    add_random(w, (const int32_t[KINDS]){101, 150, 77}, 0, 11.5);
    size_t bytes = sizeof(float) * PLI_PAGE_FLOATS * w->grid->code_count;
    float *pages = malloc(bytes);
    assert_non_null(pages);
    const double dt = 1e-3;
    snapshot *start = take_snapshot(w);
    snapshot *want = NULL;
    for (int trial = 0; trial < 2; ++trial) {
        put_back(w, start);
        memset(pli_paged_grid_page(w->grid, 0), 0, bytes);
        if (trial == 1) spoil_idle_lanes(w);
        begin_world(w);
        scatter_all(w, dt);
        accelerate_all(w, (const double[3]){0, -9.8, 0}, dt);
        gather_all(w, dt);
        if (trial == 0) {
            want = take_snapshot(w);
            memcpy(pages, pli_paged_grid_page(w->grid, 0), bytes);
        }
    }
    assert_memory_equal(pages, pli_paged_grid_page(w->grid, 0), bytes);
    visit(w, expect_same_bits, want);
    for (int32_t k = 0; k < w->particles->block_count * KINDS; ++k) {
        const pli_particle_list *list =
            pli_particles_list(w->particles, (pli_particle_place){k / KINDS, 0}, k % KINDS);
        assert_true(isfinite(list->sound2) && isfinite(list->speed2));
    }
    free(start);
    free(want);
    free(pages);
}

// ---- what is not finite

static pli_status settle_all(world *w)
{
    pli_particle_place places[BLOCKS * BLOCKS * BLOCKS];
    for (int32_t b = 0; b < w->particles->block_count; ++b) places[b] = (pli_particle_place){b, 0};
    return pli_particles_settle(w->particles, w->particles->block_count, places, NULL, NULL);
}

static void expect_finite(world *w, int32_t kind, pli_particle_chunk *chunk, int32_t lane,
                          const double x[3], void *user)
{
    (void)w, (void)kind, (void)x;
    if (chunk->id[lane] == *(const int32_t *)user) return;
    for (int c = 0; c < 3; ++c) assert_true(isfinite(chunk->v[c][lane]));
    for (int c = 0; c < 6; ++c) assert_true(isfinite(chunk->tau[c][lane]));
}

// A node that is not finite breaks the particles around it alone; settling names the first.
static void a_particle_that_breaks_is_named_and_others_are_as_they_were(void **state)
{
    (void)state;
    static const float wrongs[] = {NAN, INFINITY, 1e30f};
    for (int k = 0; k < 3; ++k) {
        world *w = make_world(1);
        add_one(w, 0, 41, (const double[3]){2.2, 2.2, 4.2});
        add_one(w, 0, 42, (const double[3]){3.2, 7.2, 9.2});
        add_one(w, 0, 43, (const double[3]){9.2, 6.2, 1.2});
        begin_world(w);
        set_random(w);
        node_of(w, (const int32_t[3]){4, 8, 10})[4] = wrongs[k];
        gather_all(w, 1e-3);
        int32_t id = 42;
        visit(w, expect_finite, &id);
        snapshot *before = take_snapshot(w);
        assert_int_equal(settle_all(w), PLI_ERROR_NUMERIC);
        char message[512];
        pli_context_message(w->context, message, sizeof message);
        assert_non_null(strstr(message, "particle 42"));
        visit(w, expect_same_bits, before);
        free(before);
        destroy_world(w);
    }
}

// A deformation that is not finite shows in the bound on the speed of sound, not on neighbours.
static void broken_deformation_makes_the_bound_infinite(void **state)
{
    world *w = *state;
    add_random(w, (const int32_t[KINDS]){24, 0, 0}, 4.5, 7.5);
    pli_particle_place place = {0, 0};
    pli_particle_list *list = pli_particles_list(w->particles, place, 0);
    pli_particle_chunk *chunk = &w->particles->chunks[list->first];
    int32_t id = chunk->id[3];
    chunk->F[4][3] = NAN;
    set_random(w);
    gather_all(w, 1e-3);
    assert_true(isinf(list->sound2));
    assert_true(isfinite(list->speed2));
    visit(w, expect_finite, &id);
}

// ---- bounds

static void raise_bound(world *w, int32_t kind, pli_particle_chunk *chunk, int32_t lane,
                        const double x[3], void *user)
{
    (void)w, (void)x;
    double *largest = user;
    double v[3];
    for (int c = 0; c < 3; ++c) v[c] = (double)chunk->v[c][lane];
    largest[kind] = fmax(largest[kind], pli_vec3_dot(v, v));
}

static void bounds_are_those_of_the_fastest_particle(void **state)
{
    world *w = *state;
    add_random(w, (const int32_t[KINDS]){37, 5, 19}, 4.5, 7.5);
    set_random(w);
    gather_all(w, 1e-4);
    double largest[KINDS] = {0};
    visit(w, raise_bound, largest);
    assert_int_equal(w->particles->block_count, 1);
    for (int32_t kind = 0; kind < KINDS; ++kind) {
        const pli_particle_list *list =
            pli_particles_list(w->particles, (pli_particle_place){0, 0}, kind);
        NEAR((double)list->speed2, largest[kind], 4 * rounding, 0);
        assert_true(list->sound2 > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH(world, weights_sum_to_one_and_keep_linear_functions, 1),
        TEST_WITH(world, scatter_equals_the_reference, 1),
        TEST_WITH(world, scatter_equals_the_reference_at_edges, 1),
        TEST_WITH(world, gather_equals_the_reference, 1),
        TEST_WITH(world, gather_equals_the_reference_at_edges, 1),
        TEST_WITH(world, small_steps_are_rounded_not_cut_off, 1),
        TEST_WITH(world, particles_that_left_act_from_the_edge, 1),
        TEST_WITH(world, mass_and_momentum_of_nodes_are_those_of_particles, 1),
        TEST_WITH(world, scatter_and_gather_keep_momentum_and_angular_momentum, 1),
        TEST_WITH(world, affine_fields_return_exactly, 1),
        TEST_WITH(world, force_is_minus_the_derivative_of_energy, 1),
        TEST_WITH(world, nodes_without_mass_stand_still_and_others_fall, 1),
        TEST_WITH(world, idle_lanes_have_no_effect_whatever_they_hold, 1),
        cmocka_unit_test(a_particle_that_breaks_is_named_and_others_are_as_they_were),
        TEST_WITH(world, broken_deformation_makes_the_bound_infinite, 1),
        TEST_WITH(world, bounds_are_those_of_the_fastest_particle, 1),
    };
    return cmocka_run_group_tests(tests, zoo_make, NULL);
}
