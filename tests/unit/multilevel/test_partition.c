// SPDX-License-Identifier: Apache-2.0
//
// Partitions (Trusty et al. 2025): connected clusters around centres of their own, larger in stiff
// matter, that stay on their side of an interface.
#include "support/fault_sweep.h"
#include "support/same_bits.h"
#include "unit/multilevel/solids.h"

#include "geometry/mesh/union_find.h"
#include "linear/direct/cholesky.h"
#include "multilevel/partition.h"

// The cells of a grid for which `keeps` holds, of size 1, with a stiffness per element.
typedef struct body {
    pli_context *context;
    pli_tet_mesh *mesh;
    double *stiffness;
    pli_partition_def def;
    pli_partition *partition;
} body;

typedef bool (*keep_fn)(const double x[3]);
typedef double (*stiffness_fn)(const double x[3]);

static pli_tet_mesh *new_shape(pli_context *context, const int32_t cells[3], keep_fn keeps)
{
    pli_tet_mesh *grid = NULL;
    pli_tet_mesh *mesh = NULL;
    pli_grid_mesh_def def = {.bounds = {{0, 0, 0}, {cells[0], cells[1], cells[2]}},
                             .cells = {cells[0], cells[1], cells[2]},
                             .split = PLI_GRID_MESH_FIVE};
    OK(context, pli_grid_mesh_create(context, &def, &grid));
    int32_t kept = 0;
    for (int32_t k = 0; k < grid->tet_count; ++k) {
        double x[3];
        pli_tet_centroid(grid->points, grid->tets + 4 * k, x);
        if (keeps != NULL && !keeps(x)) continue;
        memmove(grid->tets + 4 * kept++, grid->tets + 4 * k, 4 * sizeof *grid->tets);
    }
    pli_tet_mesh_def all = {grid->vertex_count, grid->points, kept, grid->tets, NULL, false, NULL};
    OK(context, pli_tet_mesh_create(context, &all, NULL, &mesh));
    pli_tet_mesh_destroy(grid);
    return mesh;
}

static body make_body(pli_context *context, const int32_t cells[3], keep_fn keeps,
                      stiffness_fn stiffness)
{
    body b = {.context = context, .mesh = new_shape(context, cells, keeps)};
    b.stiffness = malloc((size_t)b.mesh->tet_count * sizeof *b.stiffness);
    assert_non_null(b.stiffness);
    for (int32_t k = 0; k < b.mesh->tet_count; ++k) {
        double x[3];
        pli_tet_centroid(b.mesh->points, b.mesh->tets + 4 * k, x);
        b.stiffness[k] = stiffness != NULL ? stiffness(x) : 1e5;
    }
    b.def = pli_partition_def_default();
    b.def.mesh =
        (pli_simplices){b.mesh->vertex_count, b.mesh->points, 4, b.mesh->tet_count, b.mesh->tets};
    b.def.stiffness = b.stiffness;
    return b;
}

static void part(body *b)
{
    pli_partition_destroy(b->partition);
    OK(b->context, pli_partition_create(b->context, &b->def, &b->partition));
}

static void clear_body(body *b)
{
    pli_partition_destroy(b->partition);
    pli_tet_mesh_destroy(b->mesh);
    free(b->stiffness);
}

// ---- what holds for every partition

// A face: its corners in order, and the element behind it.
typedef struct face {
    int32_t corners[3];
    int32_t element;
} face;

static int compare_faces(const void *a, const void *b)
{
    return memcmp(((const face *)a)->corners, ((const face *)b)->corners, 3 * sizeof(int32_t));
}

static face make_face(const pli_simplices *mesh, int32_t element, int left_out)
{
    face f = {{-1, -1, -1}, element};
    int count = 0;
    for (int c = 0; c < mesh->corner_count; ++c) {
        if (c == left_out) continue;
        int32_t corner = mesh->elements[mesh->corner_count * element + c];
        int place = count++;
        for (; place > 0 && f.corners[place - 1] > corner; --place) {
            f.corners[place] = f.corners[place - 1];
        }
        f.corners[place] = corner;
    }
    return f;
}

// The elements of every cluster hang together by faces: as many sets as clusters.
static void check_connected(const pli_simplices *mesh, const pli_partition *p)
{
    int32_t size = mesh->corner_count;
    int32_t face_count = size * mesh->element_count;
    face *faces = malloc((size_t)face_count * sizeof *faces);
    int32_t *parent = malloc((size_t)mesh->element_count * sizeof *parent);
    assert_true(faces != NULL && parent != NULL);
    for (int32_t k = 0; k < face_count; ++k) faces[k] = make_face(mesh, k / size, k % size);
    for (int32_t k = 0; k < mesh->element_count; ++k) parent[k] = k;
    qsort(faces, (size_t)face_count, sizeof *faces, compare_faces);
    for (int32_t k = 0; k < face_count; ++k) {
        for (int32_t j = k + 1; j < face_count && compare_faces(faces + k, faces + j) == 0; ++j) {
            int32_t one = faces[k].element;
            int32_t other = faces[j].element;
            if (p->element_part[one] != p->element_part[other]) continue;
            pli_union_join(parent, one, other);
        }
    }
    int32_t sets = 0;
    for (int32_t k = 0; k < mesh->element_count; ++k) sets += pli_union_root(parent, k) == k;
    assert_int_equal(sets, p->count);
    free(faces);
    free(parent);
}

// Every cluster has volume, and a centre at one of its elements that no other cluster has.
static void check_centers(const pli_simplices *mesh, const pli_partition *p)
{
    uint8_t *has_center = calloc((size_t)p->count, 1);
    uint8_t *is_center = calloc((size_t)mesh->vertex_count, 1);
    assert_true(has_center != NULL && is_center != NULL);
    for (int32_t k = 0; k < p->count; ++k) {
        assert_in_range(p->centers[k], 0, mesh->vertex_count - 1);
        assert_false(is_center[p->centers[k]]);
        is_center[p->centers[k]] = 1;
    }
    for (int32_t k = 0; k < mesh->corner_count * mesh->element_count; ++k) {
        int32_t cluster = p->element_part[k / mesh->corner_count];
        assert_in_range(cluster, 0, p->count - 1);
        has_center[cluster] |= mesh->elements[k] == p->centers[cluster];
    }
    for (int32_t k = 0; k < p->count; ++k) assert_true(has_center[k] && p->volume[k] > 0);
    free(has_center);
    free(is_center);
}

// The volumes are those of the elements, and vertices are with the cluster that surrounds them
// most.
static void check_shares(const pli_simplices *mesh, const pli_partition *p)
{
    double *share = calloc((size_t)mesh->vertex_count * (size_t)p->count, sizeof *share);
    double *volume = calloc((size_t)p->count, sizeof *volume);
    assert_true(share != NULL && volume != NULL);
    for (int32_t k = 0; k < mesh->element_count; ++k) {
        double gradients[4][3];
        double measure = pli_simplex_gradients(mesh, k, gradients);
        volume[p->element_part[k]] += measure;
        for (int c = 0; c < mesh->corner_count; ++c) {
            int64_t vertex = mesh->elements[mesh->corner_count * k + c];
            share[vertex * p->count + p->element_part[k]] += measure;
        }
    }
    for (int32_t k = 0; k < p->count; ++k) NEAR(p->volume[k], volume[k], 1e-12, 0);
    for (int64_t v = 0; v < mesh->vertex_count; ++v) {
        const double *own = share + v * p->count;
        int32_t owner = p->vertex_part[v];
        for (int32_t k = 0; k < p->count; ++k) {
            // rounding of sums in another order
            AT_MOST(own[k], owner < 0 ? 0 : own[owner] * (1 + 1e-12));
        }
    }
    free(share);
    free(volume);
}

static void check_partition(const pli_simplices *mesh, const pli_partition *p)
{
    assert_int_equal(p->element_count, mesh->element_count);
    assert_int_equal(p->vertex_count, mesh->vertex_count);
    check_connected(mesh, p);
    check_centers(mesh, p);
    check_shares(mesh, p);
    AT_LEAST(p->hop_radius, 1);
    AT_LEAST(p->cost, 0);
}

// No cluster has elements on both sides of a ratio of stiffness.
static void check_conforming(const body *b, double ratio)
{
    for (int32_t cluster = 0; cluster < b->partition->count; ++cluster) {
        double low = INFINITY;
        double high = 0;
        for (int32_t k = 0; k < b->mesh->tet_count; ++k) {
            if (b->partition->element_part[k] != cluster) continue;
            low = fmin(low, b->stiffness[k]);
            high = fmax(high, b->stiffness[k]);
        }
        AT_MOST(high, ratio * low);
    }
}

// Clusters that are stiffer than a limit in most of their volume, and their mean volume.
static int32_t count_stiff(const body *b, double limit, bool stiffer, double *mean_volume)
{
    int32_t count = 0;
    *mean_volume = 0;
    for (int32_t cluster = 0; cluster < b->partition->count; ++cluster) {
        double stiff = 0;
        for (int32_t k = 0; k < b->mesh->tet_count; ++k) {
            if (b->partition->element_part[k] != cluster || b->stiffness[k] <= limit) continue;
            stiff += pli_tet_volume_at(b->mesh->points, b->mesh->tets + 4 * k);
        }
        if ((stiff > 0.5 * b->partition->volume[cluster]) != stiffer) continue;
        ++count;
        *mean_volume += b->partition->volume[cluster];
    }
    *mean_volume /= count > 0 ? count : 1;
    return count;
}

// ---- matter of one kind

static void box_has_even_clusters(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    body b = make_body(context, (int32_t[3]){14, 10, 8}, NULL, NULL);
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        b.def.seed = seed;
        b.def.count = 15 + 7 * (int32_t)seed;
        part(&b);
        const pli_partition *p = b.partition;
        assert_int_equal(p->count, b.def.count);
        AT_LEAST(p->pruned, 1);
        check_partition(&b.def.mesh, p);
        // the ratio of the definition, and so that the largest do not run away either
        double mean = 14 * 10 * 8 / (double)p->count;
        int32_t below = 0;
        for (int32_t k = 0; k < p->count; ++k) {
            AT_MOST(p->volume[k], 2.5 * mean);
            int32_t smaller = 0;
            for (int32_t j = 0; j < p->count; ++j) smaller += p->volume[j] < p->volume[k];
            if (smaller != p->count / 2) continue;
            for (int32_t j = 0; j < p->count; ++j) below += 1.75 * p->volume[j] < p->volume[k];
        }
        assert_int_equal(below, 0);
    }
    clear_body(&b);
}

static void more_rounds_never_cost_more(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    body b = make_body(context, (int32_t[3]){12, 8, 8}, NULL, NULL);
    b.def.count = 20;
    b.def.oversampling = 1;
    b.def.prune_ratio = 0;
    double first = 0;
    double last = INFINITY;
    for (b.def.max_rounds = 1; b.def.max_rounds <= 12; ++b.def.max_rounds) {
        part(&b);
        assert_int_equal(b.partition->count, 20);
        assert_int_equal(b.partition->pruned, 0);
        AT_MOST(b.partition->rounds, b.def.max_rounds);
        AT_MOST(b.partition->cost, last);
        last = b.partition->cost;
        if (b.def.max_rounds == 1) first = last;
    }
    // and Lloyd's algorithm does gain over the first centres
    AT_MOST(last, 0.9 * first);
    clear_body(&b);
}

static void components_have_their_own_clusters(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    solid s = make_solids(context, 5, 4, 3, 3);
    pli_partition_def def = pli_partition_def_default();
    def.mesh =
        (pli_simplices){s.mesh->vertex_count, s.mesh->points, 4, s.mesh->tet_count, s.mesh->tets};
    // fewer than components, then more
    for (def.count = 2; def.count <= 18; def.count += 16) {
        pli_partition *p = NULL;
        OK(context, pli_partition_create(context, &def, &p));
        assert_int_equal(p->count, def.count == 2 ? 5 : 18);
        check_partition(&def.mesh, p);
        pli_partition_destroy(p);
    }
    clear_solids(&s);
}

static void thin_slab_is_parted(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    body b = make_body(context, (int32_t[3]){30, 20, 1}, NULL, NULL);
    part(&b);
    assert_int_equal(b.partition->count, pli_partition_choose_count(b.mesh->vertex_count));
    check_partition(&b.def.mesh, b.partition);
    clear_body(&b);
}

static void surfaces_are_parted_even_where_three_sheets_meet(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    // three rectangles that share an edge, N x N cells each; the third is of other matter
    enum { N = 12, SIDE = N + 1 };
    static double points[3 * SIDE * SIDE][3];
    static int32_t triangles[6 * N * N][3];
    static double stiffness[6 * N * N];
    for (int32_t k = 0; k < 3 * SIDE * SIDE; ++k) {
        int32_t sheet = k / (SIDE * SIDE);
        int32_t i = k % SIDE;
        double angle = 2.1 * sheet;
        pli_vec3_set(i * cos(angle), i * sin(angle), k / SIDE % SIDE, points[k]);
    }
    for (int32_t k = 0; k < 3 * N * N; ++k) {
        int32_t sheet = k / (N * N);
        int32_t quad[4];
        for (int c = 0; c < 4; ++c) {
            int32_t i = k % N + (c == 1 || c == 2);
            int32_t j = k / N % N + (c >= 2);
            // the common edge has the vertices of the first sheet
            quad[c] = i + SIDE * j + (i > 0 ? sheet * SIDE * SIDE : 0);
        }
        for (int c = 0; c < 3; ++c) {
            triangles[2 * k][c] = quad[c];
            triangles[2 * k + 1][c] = quad[(c + 2) % 4];
        }
        stiffness[2 * k] = stiffness[2 * k + 1] = sheet == 1 ? 1e7 : 1e5;
    }
    pli_context *context = *state;
    pli_partition_def def = pli_partition_def_default();
    def.mesh = (pli_simplices){3 * SIDE * SIDE, points[0], 3, 6 * N * N, triangles[0]};
    def.stiffness = stiffness;
    def.count = 14;
    pli_partition *p = NULL;
    OK(context, pli_partition_create(context, &def, &p));
    assert_int_equal(p->count, 14);
    check_connected(&def.mesh, p);
    check_centers(&def.mesh, p);
    check_shares(&def.mesh, p);
    // vertices of the copies of the edge have no elements
    assert_int_equal(p->vertex_part[SIDE * SIDE], -1);
    for (int32_t k = 0; k < 6 * N * N; ++k) {
        for (int32_t j = 0; j < 6 * N * N; ++j) {
            if (p->element_part[k] == p->element_part[j]) NEAR(stiffness[k], stiffness[j], 0, 0);
        }
    }
    pli_partition_destroy(p);
}

static void small_meshes_have_few_clusters(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    body b = make_body(context, (int32_t[3]){2, 1, 1}, NULL, NULL);
    // 12 vertices and 10 elements
    b.def.count = 50;
    part(&b);
    check_partition(&b.def.mesh, b.partition);
    AT_LEAST(b.partition->count, 4);
    AT_MOST(b.partition->count, 10);

    // a single tetrahedron
    b.def.mesh.element_count = 1;
    part(&b);
    assert_int_equal(b.partition->count, 1);
    NEAR(b.partition->hop_radius, 1, 0, 0);
    check_centers(&b.def.mesh, b.partition);
    clear_body(&b);
}

static void counts_suit_the_mesh(void **state)
{
    (void)state;
    static const int32_t want[][2] = {{0, 1},        {7, 1},        {40, 5},         {64, 8},
                                      {700, 8},      {2000, 8},     {17000, 68},     {50000, 200},
                                      {100000, 400}, {300000, 400}, {INT32_MAX, 400}};
    for (size_t k = 0; k < sizeof want / sizeof *want; ++k) {
        assert_int_equal(pli_partition_choose_count(want[k][0]), want[k][1]);
    }
}

// ---- several kinds of matter

static bool is_in_h(const double x[3])
{
    return x[0] < 4 || x[0] > 16 || (x[1] > 6 && x[1] < 10);
}

static double stiff_inside(const double x[3])
{
    return x[0] > 4 && x[0] < 16 ? 1e7 : 1e5;
}

static void clusters_of_an_h_keep_to_their_matter(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    body b = make_body(context, (int32_t[3]){20, 16, 4}, is_in_h, stiff_inside);
    b.def.count = 24;
    part(&b);
    assert_int_equal(b.partition->count, 24);
    check_partition(&b.def.mesh, b.partition);
    check_conforming(&b, 1);
    double stiff_volume = 0;
    double soft_volume = 0;
    int32_t stiff = count_stiff(&b, 1e6, true, &stiff_volume);
    AT_LEAST(stiff, 1);
    count_stiff(&b, 1e6, false, &soft_volume);
    // cells of an ideal k-means would differ by 100^0.6, about 16; the bar is less than that
    AT_LEAST(stiff_volume, 4 * soft_volume);
    clear_body(&b);
}

// A soft layer between firm ones, which clusters of those cross in a few steps.
static double firm_outside(const double x[3])
{
    return x[2] > 4 && x[2] < 6 ? 1e5 : 8e5;
}

// Volume of the minor matter in clusters of both.
static double measure_straddling(const body *b)
{
    double sum = 0;
    for (int32_t cluster = 0; cluster < b->partition->count; ++cluster) {
        double share[2] = {0};
        for (int32_t k = 0; k < b->mesh->tet_count; ++k) {
            if (b->partition->element_part[k] != cluster) continue;
            share[b->stiffness[k] > 2e5] +=
                pli_tet_volume_at(b->mesh->points, b->mesh->tets + 4 * k);
        }
        sum += fmin(share[0], share[1]);
    }
    return sum;
}

static void jump_gives_soft_matter_more_clusters(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    body b = make_body(context, (int32_t[3]){12, 8, 10}, NULL, firm_outside);
    b.def.count = 24;
    b.def.conform = 0;
    // one partition depends on where its seeds fall; five tell
    int32_t soft[2] = {0};
    double straddling[2] = {0};
    for (int k = 0; k < 10; ++k) {
        b.def.jump = k % 2 == 0 ? 0 : 0.1;
        b.def.seed = (uint64_t)(1 + k / 2);
        double mean = 0;
        part(&b);
        check_partition(&b.def.mesh, b.partition);
        soft[k % 2] += count_stiff(&b, 2e5, false, &mean);
        straddling[k % 2] += measure_straddling(&b);
    }
    AT_LEAST(soft[1], 2 * soft[0]);
    AT_MOST(straddling[1], 0.8 * straddling[0]);
    clear_body(&b);
}

static double checkers(const double x[3])
{
    int sum = (int)(x[0] / 3) + (int)(x[1] / 3) + (int)(x[2] / 3);
    return sum % 2 == 0 ? 1e5 : 1e9;
}

static void checkerboard_is_never_straddled(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    body b = make_body(context, (int32_t[3]){12, 9, 6}, NULL, checkers);
    // 24 cubes: the count grows to them, then some have several clusters
    for (b.def.count = 10; b.def.count <= 60; b.def.count += 50) {
        part(&b);
        assert_int_equal(b.partition->count, b.def.count == 10 ? 24 : 60);
        check_partition(&b.def.mesh, b.partition);
        check_conforming(&b, 1);
    }
    clear_body(&b);
}

static double layers(const double x[3])
{
    return (int)x[0] % 2 == 0 ? 1e5 : 1e7;
}

static void thin_layers_share_their_vertices_but_not_their_centers(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    body b = make_body(context, (int32_t[3]){6, 2, 1}, NULL, layers);
    // layers of 10 elements with 6 vertices on either side, 42 in all: more clusters than that are
    // too many
    static const int32_t counts[] = {1, 13, 25, 50};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        b.def.count = counts[k];
        part(&b);
        AT_LEAST(b.partition->count, 6);
        AT_MOST(b.partition->count, 42);
        check_partition(&b.def.mesh, b.partition);
        check_conforming(&b, 1);
    }
    clear_body(&b);
}

static void more_loose_elements_than_vertices_are_refused(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    // all quadruples of 8 points whose numbers cancel bit by bit: 14, and no two share a face
    double points[8][3];
    int32_t tets[14][4];
    int32_t count = 0;
    for (int k = 0; k < 24; ++k) {
        points[k / 3][k % 3] = pli_random_uniform((pli_random){3, 0}, (uint64_t)k);
    }
    for (int32_t k = 0; k < 512; ++k) {
        int32_t tet[4] = {k / 64, k / 8 % 8, k % 8, k / 64 ^ k / 8 % 8 ^ k % 8};
        if (!(tet[0] < tet[1] && tet[1] < tet[2] && tet[2] < tet[3])) continue;
        memcpy(tets[count++], tet, sizeof tet);
    }
    assert_int_equal(count, 14);
    pli_context *context = *state;
    pli_partition_def def = pli_partition_def_default();
    def.mesh = (pli_simplices){8, points[0], 4, count, tets[0]};
    pli_partition *p = NULL;
    assert_int_equal(pli_partition_create(context, &def, &p), PLI_ERROR_MESH);
    assert_null(p);

    // eight of them have a vertex each
    def.mesh.element_count = 8;
    OK(context, pli_partition_create(context, &def, &p));
    assert_int_equal(p->count, 8);
    check_centers(&def.mesh, p);
    pli_partition_destroy(p);
}

static double specks(const double x[3])
{
    // a cell of five elements is less than a piece
    bool is_speck = (int)x[0] == 3 && (int)x[1] == 3 && (int)x[2] == 3;
    return is_speck ? 1e9 : 1e5;
}

static void specks_join_what_is_around_them(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    body b = make_body(context, (int32_t[3]){6, 6, 6}, NULL, specks);
    b.def.count = 1;
    part(&b);
    assert_int_equal(b.partition->count, 1);
    NEAR(b.partition->volume[0], 216, 1e-12, 0);
    clear_body(&b);
}

static double gradual(const double x[3])
{
    return 1e5 * exp(x[0] * log(1000.0) / 24);
}

static void clusters_grow_with_gradual_stiffness(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    body b = make_body(context, (int32_t[3]){24, 6, 6}, NULL, gradual);
    b.def.count = 20;
    part(&b);
    assert_int_equal(b.partition->count, 20);
    check_partition(&b.def.mesh, b.partition);
    double soft = 0;
    double stiff = 0;
    count_stiff(&b, 1e5 * sqrt(1000.0), false, &soft);
    count_stiff(&b, 1e5 * sqrt(1000.0), true, &stiff);
    AT_LEAST(stiff, 2 * soft);
    clear_body(&b);
}

// ---- the rules of the house

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    if (!pli_cholesky_is_available()) skip();
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        body b = make_body(context, (int32_t[3]){12, 9, 6}, NULL, checkers);
        b.def.count = 40;
        part(&b);
        const pli_partition *p = b.partition;
        size_t count = (size_t)p->count, elements = (size_t)p->element_count;
        size_t vertices = (size_t)p->vertex_count;
        same_bits_keep(&bits, p->element_part, elements * sizeof *p->element_part);
        same_bits_keep(&bits, p->vertex_part, vertices * sizeof *p->vertex_part);
        same_bits_keep(&bits, p->centers, count * sizeof *p->centers);
        same_bits_keep(&bits, p->volume, count * sizeof *p->volume);
        same_bits_keep_double(&bits, p->cost);
        clear_body(&b);
        pli_context_destroy(context);
    }
}

static pli_status note_progress(void *user, double fraction)
{
    double *last = user;
    AT_LEAST(fraction, *last);
    AT_MOST(fraction, 1);
    *last = fraction;
    return PLI_OK;
}

static void progress_ends_at_one(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    body b = make_body(context, (int32_t[3]){5, 4, 4}, NULL, NULL);
    double last = 0;
    b.def.progress = note_progress;
    b.def.user = &last;
    part(&b);
    NEAR(last, 1, 0, 0);
    clear_body(&b);
}

static void refuse(const body *b, const pli_partition_def *def)
{
    pli_partition *p = b->partition;
    assert_int_equal(pli_partition_create(b->context, def, &p), PLI_ERROR_ARGUMENT);
    assert_null(p);
}

static void wrong_input_is_refused(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    body b = make_body(context, (int32_t[3]){2, 2, 2}, NULL, NULL);
    enum { WRONG = 8 };
    pli_partition_def def[WRONG];
    for (int k = 0; k < WRONG; ++k) def[k] = b.def;
    def[0].count = -1;
    def[1].oversampling = 0.5;
    def[2].jump = -1;
    def[3].conform = 0.5;
    def[4].prune_ratio = 1;
    def[5].max_rounds = 0;
    def[6].prune_period = 0;
    def[7].mesh.element_count = 0;
    for (int k = 0; k < WRONG; ++k) refuse(&b, &def[k]);
    b.stiffness[3] = NAN;
    refuse(&b, &b.def);
    b.stiffness[3] = 1;
    b.mesh->tets[5] = b.mesh->vertex_count;
    pli_partition *p = NULL;
    assert_int_not_equal(pli_partition_create(context, &b.def, &p), PLI_OK);
    assert_null(p);
    pli_partition_destroy(NULL);
    clear_body(&b);
}

static double two_kinds(const double x[3])
{
    return x[0] < 1 ? 1e5 : x[0] < 2 ? 3e5 : 1e8;
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    if (!pli_cholesky_is_available()) skip();
    pli_context *plain = make_context(1);
    body b = make_body(plain, (int32_t[3]){4, 2, 1}, NULL, two_kinds);
    b.def.max_rounds = 3;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_partition *partition = NULL;
        sweep.status = pli_partition_create(sweep.context, &b.def, &partition);
        assert_int_equal(partition == NULL, sweep.status != PLI_OK);
        pli_partition_destroy(partition);
    }
    clear_body(&b);
    pli_context_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(box_has_even_clusters, 2),
        TEST_IN_CONTEXT(more_rounds_never_cost_more, 2),
        TEST_IN_CONTEXT(components_have_their_own_clusters, 2),
        TEST_IN_CONTEXT(thin_slab_is_parted, 2),
        TEST_IN_CONTEXT(surfaces_are_parted_even_where_three_sheets_meet, 1),
        TEST_IN_CONTEXT(small_meshes_have_few_clusters, 1),
        cmocka_unit_test(counts_suit_the_mesh),
        TEST_IN_CONTEXT(clusters_of_an_h_keep_to_their_matter, 2),
        TEST_IN_CONTEXT(jump_gives_soft_matter_more_clusters, 2),
        TEST_IN_CONTEXT(checkerboard_is_never_straddled, 2),
        TEST_IN_CONTEXT(thin_layers_share_their_vertices_but_not_their_centers, 1),
        TEST_IN_CONTEXT(more_loose_elements_than_vertices_are_refused, 1),
        TEST_IN_CONTEXT(specks_join_what_is_around_them, 1),
        TEST_IN_CONTEXT(clusters_grow_with_gradual_stiffness, 2),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        TEST_IN_CONTEXT(progress_ends_at_one, 1),
        TEST_IN_CONTEXT(wrong_input_is_refused, 1),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
