// SPDX-License-Identifier: Apache-2.0
//
// Vertices of the plate come first: two layers of lines along x and z, sides + 2 cells to a spike.
// Then those of each spike above the plate, layer by layer.
#include "geometry/generate/spikes.h"

#include "base/memory.h"
#include "geometry/generate/disc_grid.h"
#include "geometry/generate/grid_mesh.h"

enum { PLATE_LAYERS = 2 };

// Where a cone meets the ball at its tip, and the numbers that index the mesh.
typedef struct frame {
    const pli_spikes_plan *plan;
    double touch[2];   // radius and height of the circle where cone and ball touch (m)
    double middle;     // height of the ball's middle (m)
    int32_t across;    // cells of a spike's square, with the border
    int32_t lines[2];  // lines of the plate along x and z
    int64_t plate;     // vertices of the plate
    int64_t per_spike; // vertices of a spike, without those on the plate
} frame;

static frame make_frame(const pli_spikes_plan *plan)
{
    double r = plan->tip_radius;
    double c = plan->height - r;
    double alpha = acos(r / hypot(plan->radius, c)) - atan2(c, plan->radius);
    int32_t across = plan->sides + 2;
    frame f = {.plan = plan,
               .touch = {r * cos(alpha), c + r * sin(alpha)},
               .middle = c,
               .across = across,
               .lines = {plan->columns * across + 1, plan->rows * across + 1}};
    f.plate = (int64_t)PLATE_LAYERS * f.lines[0] * f.lines[1];
    f.per_spike = (int64_t)plan->layers * (plan->sides + 1) * (plan->sides + 1);
    return f;
}

static int64_t spike_count(const pli_spikes_plan *plan)
{
    return (int64_t)plan->columns * plan->rows;
}

// ---- vertices

static int32_t plate_vertex(const frame *f, int32_t layer, int32_t i, int32_t j)
{
    return i + f->lines[0] * (j + f->lines[1] * layer);
}

// Vertex (i, j) of a spike's sides + 1 lines; layer 0 is on the plate.
static int32_t spike_vertex(const frame *f, int32_t spike, int32_t layer, int32_t i, int32_t j)
{
    const pli_spikes_plan *plan = f->plan;
    if (layer == 0) {
        return plate_vertex(f, PLATE_LAYERS - 1, spike % plan->columns * f->across + 1 + i,
                            spike / plan->columns * f->across + 1 + j);
    }
    int32_t lines = plan->sides + 1;
    int64_t own = i + lines * (j + (int64_t)lines * (layer - 1));
    return (int32_t)(f->plate + spike * f->per_spike + own);
}

// A line of a spike's square on the border of the square, from -1 to 1 times half the pitch.
static double border_coordinate(const frame *f, int32_t line)
{
    if (line == 0 || line == f->across)
        return line == 0 ? -0.5 * f->plan->pitch : 0.5 * f->plan->pitch;
    return sqrt(0.5) * f->plan->radius * (2.0 * (line - 1) / f->plan->sides - 1);
}

// A point of the plate within the square of a spike, from its middle.
static void square_point(const frame *f, int32_t i, int32_t j, double point[2])
{
    bool border = i == 0 || j == 0 || i == f->across || j == f->across;
    if (border) {
        point[0] = border_coordinate(f, i);
        point[1] = border_coordinate(f, j);
        return;
    }
    pli_disc_grid_point(f->plan->sides, i - 1, j - 1, point);
    point[0] *= f->plan->radius;
    point[1] *= f->plan->radius;
}

// The middle of spike `index` of `count` along an axis.
static double spike_middle(const pli_spikes_plan *plan, int32_t index, int32_t count)
{
    return (index - 0.5 * (count - 1)) * plan->pitch;
}

static void fill_plate(const frame *f, double *points)
{
    const pli_spikes_plan *plan = f->plan;
    for (int32_t j = 0; j < f->lines[1]; ++j) {
        for (int32_t i = 0; i < f->lines[0]; ++i) {
            // the last line is the far border of the last spike
            int32_t column = i / f->across < plan->columns ? i / f->across : plan->columns - 1;
            int32_t row = j / f->across < plan->rows ? j / f->across : plan->rows - 1;
            double at[2];
            square_point(f, i - column * f->across, j - row * f->across, at);
            at[0] += spike_middle(plan, column, plan->columns);
            at[1] += spike_middle(plan, row, plan->rows);
            for (int32_t layer = 0; layer < PLATE_LAYERS; ++layer) {
                double *point = points + 3 * (int64_t)plate_vertex(f, layer, i, j);
                pli_vec3_set(at[0], layer == 0 ? -plan->plate : 0, at[1], point);
            }
        }
    }
}

// A point of a spike from the foot of its axis; the top layer lies on the ball.
static void spike_point(const frame *f, int32_t layer, int32_t i, int32_t j, double point[3])
{
    const pli_spikes_plan *plan = f->plan;
    double disc[2];
    pli_disc_grid_point(plan->sides, i, j, disc);
    double ring = plan->radius * pow(f->touch[0] / plan->radius, (double)layer / plan->layers);
    double height = (plan->radius - ring) / (plan->radius - f->touch[0]) * f->touch[1];
    if (layer == plan->layers) {
        ring = f->touch[0];
        double from_axis = ring * hypot(disc[0], disc[1]);
        double r = plan->tip_radius;
        height = f->middle + sqrt(fmax(r * r - from_axis * from_axis, 0));
    }
    pli_vec3_set(ring * disc[0], height, ring * disc[1], point);
}

static void fill_spike(const frame *f, int32_t spike, double *points)
{
    const pli_spikes_plan *plan = f->plan;
    double x = spike_middle(plan, spike % plan->columns, plan->columns);
    double z = spike_middle(plan, spike / plan->columns, plan->rows);
    for (int32_t layer = 1; layer <= plan->layers; ++layer) {
        for (int32_t j = 0; j <= plan->sides; ++j) {
            for (int32_t i = 0; i <= plan->sides; ++i) {
                double *point = points + 3 * (int64_t)spike_vertex(f, spike, layer, i, j);
                spike_point(f, layer, i, j, point);
                point[0] += x;
                point[2] += z;
            }
        }
    }
}

// ---- cells

// The corner of a cell next to the axis of its spike: cell (i, j) of count x count.
static int32_t inner_corner(int32_t i, int32_t j, int32_t count)
{
    return (pli_disc_grid_is_lower(count, i) ? 1 : 0) | (pli_disc_grid_is_lower(count, j) ? 4 : 0);
}

// Cuts the cells of the plate into tets [][4] and returns where the next ones go.
static int32_t *cut_plate(const frame *f, int32_t *tets)
{
    for (int32_t j = 0; j < f->lines[1] - 1; ++j) {
        for (int32_t i = 0; i < f->lines[0] - 1; ++i, tets += 24) {
            int32_t corners[8];
            for (int c = 0; c < 8; ++c) {
                corners[c] = plate_vertex(f, c >> 1 & 1, i + (c & 1), j + (c >> 2));
            }
            int32_t origin = inner_corner(i % f->across, j % f->across, f->across);
            pli_grid_mesh_cut_cell(corners, origin, tets);
        }
    }
    return tets;
}

static int32_t *cut_spike(const frame *f, int32_t spike, int32_t *tets)
{
    int32_t sides = f->plan->sides;
    for (int32_t layer = 0; layer < f->plan->layers; ++layer) {
        for (int32_t cell = 0; cell < sides * sides; ++cell, tets += 24) {
            int32_t i = cell % sides;
            int32_t j = cell / sides;
            int32_t corners[8];
            for (int c = 0; c < 8; ++c) {
                corners[c] =
                    spike_vertex(f, spike, layer + (c >> 1 & 1), i + (c & 1), j + (c >> 2));
            }
            pli_grid_mesh_cut_cell(corners, inner_corner(i, j, sides), tets);
        }
    }
    return tets;
}

static int64_t cell_count(const frame *f)
{
    int64_t plate = (int64_t)(f->lines[0] - 1) * (f->lines[1] - 1);
    return plate +
           spike_count(f->plan) * f->plan->layers * (int64_t)f->plan->sides * f->plan->sides;
}

// ---- making it

static pli_status check_counts(pli_context *context, const pli_spikes_plan *plan)
{
    static const double most = 1e7;
    if (plan->columns < 1 || plan->rows < 1 || plan->layers < 1) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "spikes have at least 1 column, row and layer, not %d, %d and %d",
                        (int)plan->columns, (int)plan->rows, (int)plan->layers);
    }
    if (plan->sides < 2 || plan->sides % 2 != 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "sides of a spike are %d; there must be an even number of them",
                        (int)plan->sides);
    }
    double cells = (double)plan->columns * plan->rows * (plan->sides + 2.0) * (plan->sides + 2.0) *
                   (plan->layers + 1.0);
    if (cells <= most) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%.0f cells are too many; allowed are %.0f", cells,
                    most);
}

pli_status pli_spikes_check(pli_context *context, const pli_spikes_plan *plan)
{
    PLI_TRY(check_counts(context, plan));
    const double lengths[5] = {plan->pitch, plan->height, plan->radius, plan->tip_radius,
                               plan->plate};
    static const char *const names[5] = {"pitch", "height", "radius", "tip_radius", "plate"};
    for (int k = 0; k < 5; ++k) {
        if (lengths[k] > 0 && isfinite(lengths[k])) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%s of spikes is %g, must be positive",
                        names[k], lengths[k]);
    }
    if (!(plan->radius < 0.5 * plan->pitch)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "radius of a spike is %g, must be less than half the pitch, %g",
                        plan->radius, 0.5 * plan->pitch);
    }
    if (!(plan->tip_radius < plan->radius) || !(plan->tip_radius < 0.5 * plan->height)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "tip_radius of a spike is %g, must be less than its radius, %g, and half "
                        "its height, %g",
                        plan->tip_radius, plan->radius, 0.5 * plan->height);
    }
    return PLI_OK;
}

pli_status pli_spikes_create(pli_context *context, const pli_spikes_plan *plan, pli_tet_mesh **mesh)
{
    *mesh = NULL;
    PLI_TRY(pli_spikes_check(context, plan));
    frame f = make_frame(plan);
    int32_t spikes = (int32_t)spike_count(plan);
    pli_tet_mesh_def arrays = {.vertex_count = (int32_t)(f.plate + spikes * f.per_spike),
                               .tet_count = (int32_t)(6 * cell_count(&f))};
    double *points = PLI_NEW(context, double, 3 * (int64_t)arrays.vertex_count, "spike points");
    int32_t *tets = PLI_NEW(context, int32_t, 4 * (int64_t)arrays.tet_count, "spike tets");
    pli_status status = PLI_ERROR_MEMORY;
    if (points != NULL && tets != NULL) {
        fill_plate(&f, points);
        int32_t *next = cut_plate(&f, tets);
        for (int32_t spike = 0; spike < spikes; ++spike) {
            fill_spike(&f, spike, points);
            next = cut_spike(&f, spike, next);
        }
        arrays.points = points;
        arrays.tets = tets;
        status = pli_tet_mesh_create(context, &arrays, NULL, mesh);
    }
    PLI_RELEASE(context, tets, points);
    return status;
}
