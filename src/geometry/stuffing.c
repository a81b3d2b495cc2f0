// SPDX-License-Identifier: Apache-2.0
#include "geometry/stuffing.h"

#include "base/memory.h"
#include "geometry/stuffing_clean.h"

// pieces below this part of the volume are crumbs
static const double crumb_part = 1e-3;
// a count within the first is good, within the second it will do; in between, every run that
// missed makes the next more modest
static const double count_good = 0.03;
static const double count_enough = 0.1;
static const double count_step = 0.01;
// the same for the volume
static const double volume_good = 2e-3;
static const double volume_step = 2e-3;

enum { SEARCH_RUNS = 10, MATCH_RUNS = 8, TURNS = 4, VOLUME_RESOLUTION = 64, COARSE_DIVISOR = 16 };

// What a run at one spacing makes.
typedef struct stuffing_run {
    double h;
    double offset; // in units of h
    pli_soup soup;
    int32_t dropped_count;
} stuffing_run;

static double soup_volume(int32_t tet_count, const int32_t *tets, const double *points)
{
    double sum = 0;
    for (int32_t t = 0; t < tet_count; ++t) {
        sum += pli_soup_tet_volume(points, tets + 4 * (int64_t)t);
    }
    return sum;
}

// ---- one run

// Replaces the content of run by the mesh at its spacing and offset.
static pli_status run_stuffing(pli_context *context, const pli_shape *shape, stuffing_run *run)
{
    pli_lattice lattice;
    pli_soup_clear(&run->soup);
    PLI_TRY(pli_lattice_init(context, shape, run->h, run->offset * run->h, &lattice));
    pli_status status = pli_soup_init(&lattice, &run->soup);
    pli_lattice_clear(&lattice);
    if (status == PLI_OK) status = pli_soup_remove_pinches(&run->soup);
    if (status == PLI_OK) {
        status = pli_soup_remove_crumbs(&run->soup, crumb_part, &run->dropped_count);
    }
    if (status == PLI_OK) status = pli_soup_sort(&run->soup);
    return status;
}

// ---- wanted number of points

// The h > 0 at which a / h^3 + b / h^2 = count, by Newton in 1/h from above.
static double model_spacing(double a, double b, double count)
{
    // with b < 0 the curve falls before it rises: start beyond its lowest point
    double u = fmax(cbrt(count / a), 2 * fabs(b) / a) + cbrt(count / a);
    for (int round = 0; round < 60; ++round) {
        double f = (a * u + b) * u * u - count;
        double slope = (3 * a * u + 2 * b) * u;
        double next = u - f / slope;
        if (!(fabs(next - u) > 1e-12 * u)) break;
        u = next;
    }
    return 1 / u;
}

// Runs until the number of points is good. The lattice has 2 points per cube, so a = 2 volume; b,
// which counts the surface, is refitted after every run.
static pli_status search_spacing(pli_context *context, const pli_shape *shape, int32_t wanted,
                                 double volume, stuffing_run *run)
{
    double a = 2 * volume;
    double b = 0;
    double best_h = 0;
    double best_error = INFINITY;
    bool coarse = wanted > 1000 * COARSE_DIVISOR;
    for (int round = 0; round < SEARCH_RUNS; ++round) {
        double target = coarse && round == 0 ? (double)wanted / COARSE_DIVISOR : wanted;
        run->h = model_spacing(a, b, target);
        PLI_TRY(run_stuffing(context, shape, run));
        double count = run->soup.point_count;
        double error = fabs(count - wanted) / wanted;
        if (error < best_error) {
            best_error = error;
            best_h = run->h;
        }
        if (best_error <= count_good + count_step * round) break;

        // an empty mesh says only that h is too large; after some rounds halve the correction, as
        // the number may jump where it should be met
        double fit = count > 0 ? (count - a / (run->h * run->h * run->h)) * run->h * run->h : b;
        if (count == 0) a *= 0.5;
        b = round < 5 ? fit : 0.5 * (b + fit);
    }
    if (best_error > count_enough) {
        PLI_LOG(context, PLI_LOG_WARNING,
                "stuffing: no lattice found with %d points, the nearest is off by %.0f %%", wanted,
                100 * best_error);
    }
    if (run->h == best_h) return PLI_OK;
    run->h = best_h;
    return run_stuffing(context, shape, run);
}

// ---- volume

// Moves the surface until the mesh has the shape's volume: secants on the offset, kept between the
// offsets that are known to give too little and too much.
static pli_status match_volume(pli_context *context, const pli_shape *shape, double wanted,
                               stuffing_run *run)
{
    double low = -0.5;
    double high = 0.5;
    double last_offset = run->offset;
    double last = soup_volume(run->soup.tet_count, run->soup.tets, run->soup.points);
    double slope = 0;
    for (int round = 0; round < MATCH_RUNS; ++round) {
        double good = volume_good + volume_step * round;
        if (fabs(last - wanted) <= good * wanted) break;
        if (last < wanted) low = fmax(low, last_offset);
        if (last > wanted) high = fmin(high, last_offset);
        double next = slope > 0 ? last_offset + (wanted - last) / slope
                                : last_offset + copysign(0.03, wanted - last);
        run->offset = next > low && next < high ? next : 0.5 * (low + high);
        PLI_TRY(run_stuffing(context, shape, run));
        double volume = soup_volume(run->soup.tet_count, run->soup.tets, run->soup.points);
        slope = (volume - last) / (run->offset - last_offset);
        last_offset = run->offset;
        last = volume;
    }
    return PLI_OK;
}

// Volume and, when a number is wanted, number in turns: what moves one of them a little disturbs
// the other less.
static pli_status search_both(pli_context *context, const pli_shape *shape, int32_t wanted,
                              stuffing_run *run)
{
    double volume;
    PLI_TRY(pli_shape_volume(context, shape, 0.2 * run->h, &volume));
    for (int turn = 0; turn < TURNS && run->soup.tet_count > 0; ++turn) {
        PLI_TRY(match_volume(context, shape, volume, run));
        double error = fabs((double)run->soup.point_count - wanted) / fmax(wanted, 1);
        if (wanted == 0 || error <= 0.7 * count_enough || turn + 1 == TURNS) break;
        PLI_TRY(search_spacing(context, shape, wanted, volume, run));
    }
    return PLI_OK;
}

// ---- all of it

static pli_status check_def(pli_context *context, const pli_shape *shape,
                            const pli_stuffing_def *def)
{
    double low[3];
    double high[3];
    pli_shape_bounds(shape, low, high);
    if (!pli_shape_is_bounded(shape) && low[0] < high[0] && low[1] < high[1] && low[2] < high[2]) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the shape has no end, so it can not be filled with tetrahedra: intersect "
                        "it with a box");
    }
    if (!(low[0] < high[0] && low[1] < high[1] && low[2] < high[2])) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the shape is empty, so it can not be filled with tetrahedra");
    }
    if (!(def->spacing >= 0 && isfinite(def->spacing))) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the lattice spacing is %g, must be positive, or 0 to find it",
                        def->spacing);
    }
    if (def->spacing == 0 && def->point_count < 8) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "%d points are wanted, needs at least 8, or a lattice spacing",
                        def->point_count);
    }
    return PLI_OK;
}

// Volume by a grid of fixed resolution, only to start the search.
static pli_status rough_volume(pli_context *context, const pli_shape *shape, double *volume)
{
    double low[3];
    double high[3];
    pli_shape_bounds(shape, low, high);
    double longest = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    PLI_TRY(pli_shape_volume(context, shape, longest / VOLUME_RESOLUTION, volume));
    if (*volume > 0) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "no inside was found in the shape, so it can not be filled with tetrahedra");
}

static pli_status run_def(pli_context *context, const pli_shape *shape, const pli_stuffing_def *def,
                          stuffing_run *run)
{
    double volume;
    if (def->spacing > 0) {
        run->h = def->spacing;
        PLI_TRY(run_stuffing(context, shape, run));
    } else {
        PLI_TRY(rough_volume(context, shape, &volume));
        PLI_TRY(search_spacing(context, shape, def->point_count, volume, run));
    }
    if (run->soup.tet_count > 0 && def->matches_volume) {
        int32_t wanted = def->spacing > 0 ? 0 : def->point_count;
        PLI_TRY(search_both(context, shape, wanted, run));
    }
    if (run->soup.tet_count == 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "no lattice point lies inside the shape at spacing %g: use a smaller one",
                        run->h);
    }
    if (run->dropped_count > 0) {
        PLI_LOG(context, PLI_LOG_WARNING,
                "stuffing: %d separate pieces with less than %g %% of the volume were dropped",
                run->dropped_count, 100 * crumb_part);
    }
    return PLI_OK;
}

// Hands the arrays over, cut to their size.
static void stuffing_take(pli_stuffing *stuffing, stuffing_run *run)
{
    pli_context *context = stuffing->context;
    pli_soup *soup = &run->soup;
    double *points = pli_reallocate(context, soup->points, 3 * (int64_t)soup->point_count,
                                    sizeof(double), "points");
    if (points != NULL) soup->points = points;
    int32_t *tets = pli_reallocate(context, soup->tets, 4 * (int64_t)soup->tet_count,
                                   sizeof(int32_t), "tetrahedra");
    if (tets != NULL) soup->tets = tets;
    stuffing->point_count = soup->point_count;
    stuffing->points = soup->points;
    stuffing->tet_count = soup->tet_count;
    stuffing->tets = soup->tets;
    stuffing->spacing = run->h;
    stuffing->dropped_count = run->dropped_count;
    soup->points = NULL;
    soup->tets = NULL;
}

pli_status pli_stuffing_create(pli_context *context, const pli_shape *shape,
                               const pli_stuffing_def *def, pli_stuffing **stuffing)
{
    *stuffing = NULL;
    PLI_TRY(check_def(context, shape, def));
    pli_stuffing *made = PLI_NEW(context, pli_stuffing, 1, "stuffing");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    stuffing_run run = {.soup = {.context = context}};
    pli_status status = run_def(context, shape, def, &run);
    if (status == PLI_OK) {
        stuffing_take(made, &run);
        *stuffing = made;
    } else {
        pli_stuffing_destroy(made);
    }
    pli_soup_clear(&run.soup);
    return status;
}

void pli_stuffing_destroy(pli_stuffing *stuffing)
{
    if (stuffing == NULL) return;
    pli_release(stuffing->context, stuffing->points);
    pli_release(stuffing->context, stuffing->tets);
    pli_release(stuffing->context, stuffing);
}

double pli_stuffing_volume(const pli_stuffing *stuffing)
{
    return soup_volume(stuffing->tet_count, stuffing->tets, stuffing->points);
}
