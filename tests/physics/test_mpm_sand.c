// SPDX-License-Identifier: Apache-2.0
#include "mpm_world.h"
static const double origin[3] = {0, 0, 0};
typedef struct deposit { double *r; int n; double top; double prof[400]; double cell; } deposit;
static void add(void *user, const mpm_world *w, const mpm_sample *s)
{
    deposit *d = user;
    d->r[d->n++] = hypot(s->x[0], s->x[1]);
    (void)w;
    int b = (int)(d->r[d->n-1] / d->cell); if (b < 400) d->prof[b] = fmax(d->prof[b], s->x[2]);
}
static int cmp(const void *a, const void *b) { double x = *(const double*)a, y = *(const double*)b; return (x > y) - (x < y); }
static void collapse(double a, int cells, double phi, double E, bool corr, double nu)
{
    double r = 0.1, dx = r / cells, g = 9.81, h = a * r;
    double reach = a < 1.7 ? 1 + 1.24 * a : 1 + 1.6 * sqrt(a);
    int span = (int)(cells * (reach * 1.35));
    mpm_world *w = mpm_world_make(dx, span, span, (int)(cells * a) + 3);
    pli_mpm_material sand = mpm_solid(PLI_MPM_HENCKY, 1600, E, nu);
    sand.yield = PLI_MPM_DRUCKER_PRAGER; sand.friction_angle = phi * M_PI / 180; sand.volume_correction = corr;
    double c = sqrt((sand.lambda + 2 * sand.mu) / 1600), dt = 0.4 * dx / c;
    int32_t kind = mpm_world_kind(w, &sand);
    w->def.gravity[2] = -g;
    w->walls.walls[4].hold = getenv("MU") ? PLI_GRID_SEPARATE : PLI_GRID_STICKY; w->walls.walls[4].friction = getenv("MU") ? atof(getenv("MU")) : 0;
    mpm_world_build(w, dt);
    const pli_shape *s = NULL;
    OK(w->context, pli_shape_cylinder(w->shapes, (double[3]){0,0,-0.0}, (double[3]){0,0,h}, r, &s));
    const pli_shape *both[2] = {s, mpm_box(w, origin, (double[3]){r, r, h})};
    OK(w->context, pli_shape_intersection(w->shapes, 2, both, 0, &s));
    int n = mpm_world_seed(w, kind, s, NULL);
    double T = sqrt(h / g);
    for (int k = 1; k <= 5; ++k) {
        mpm_world_run(w, (int64_t)(T * 1 / dt));
        deposit d = {.r = malloc((size_t)n * 8), .cell = dx};
        mpm_world_visit(w, add, &d);
        mpm_totals t = mpm_world_measure(w);
        qsort(d.r, (size_t)n, 8, cmp);
        printf("a %g phi %g cells %d n %d t %.1f T: r99 %.3f r999 %.3f max %.3f want %.3f top %.3f (%.3f) want %.3f speed %g\n", a, phi, cells, n, k*1., d.r[(int)(n*.99)]/r-1, d.r[(int)(n*.999)]/r-1, d.r[n-1]/r-1, reach-1, (d.prof[0]+dx/4)/r, (t.high[2]+dx/4)/r, a < 1 ? a : .88*pow(a,1./6), t.kinetic);
        if (k == 5) { for (int b = 0; b < span; b += 2) printf("%.2f ", d.prof[b] / dx); printf("\n"); }
        free(d.r);
    }
    mpm_world_destroy(w);
}
int main(int argc, char **argv)
{
    if (argc > 1) { collapse(atof(argv[1]), atoi(argv[2]), atof(argv[3]), atof(argv[4]), argc > 5 && atoi(argv[5]), .3); return 0; }
    collapse(1, 12, 30, 1e5, false, .3);
    collapse(2, 12, 30, 1e5, false, .3);
    return 0;
}
