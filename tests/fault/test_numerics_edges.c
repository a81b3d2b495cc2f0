// SPDX-License-Identifier: Apache-2.0
//
// Numerics at the edge: every kind of solver with steps that are far too long, matter that is far
// too soft, stiff, heavy or incompressible, and places far from the origin. A step either
// converges or says why it did not, or the scene is refused by a message; what is kept is finite
// in any case, and so are frames.
//
// With the name of a solver's scene as its argument the program prints what happens there.
#include "barrier.h"

// ---- scenes

// Numbers of a scene; lengths in its text are multiples of scale, and positions along x are
// shifted by offset.
typedef struct edge {
    const char *name;
    double dt;      // s
    double young;   // Pa
    double poisson; // -
    double density; // of what is heavy (kg/m^3); the rest has 1000 / ratio
    double ratio;
    double scale;  // of lengths
    double offset; // m
} edge;

static const edge usual = {"usual", 0.02, 1e5, 0.3, 1000, 1, 1, 0};

typedef struct family {
    const char *name;
    const char *text; // with <0.1>: a length, <+0.1>: a place along x, and names of numbers in <>
    bool is_barrier;
    bool is_explicit;
} family;

#define MATERIALS(law)                                                                            \
    "materials:\n"                                                                                \
    "  heavy: {law: " law ", density: <density>, young: <young>, poisson: <poisson>}\n"           \
    "  light: {law: " law ", density: <light>, young: <young>, poisson: <poisson>}\n"
#define TIME "time: {fps: <fps>, frames: 1}\n"
#define BAR                                                                                       \
    "bodies: {bar: {geometry: {grid: {size: [<0.4>, <0.2>, <0.2>], cells: [4, 2, 2]}},\n"         \
    "  material: heavy, position: [<+0>, <0.3>, 0],\n"                                            \
    "  regions: [{where: {half_space: {point: [<+0.05>, 0, 0], normal: [1, 0, 0]}}, material: "   \
    "light}]}}\n"                                                                                 \
    "constraints: [{where: {half_space: {point: [<+-0.199>, 0, 0], normal: [-1, 0, 0]}}}]\n"
#define STACK                                                                                     \
    "bodies:\n"                                                                                   \
    "  lower: {geometry: {grid: {size: [<0.2>, <0.1>, <0.2>], cells: [2, 1, 2]}}, material: "     \
    "light,\n"                                                                                    \
    "    position: [<+0>, <0.06>, 0]}\n"                                                          \
    "  upper: {geometry: {grid: {size: [<0.1>, <0.1>, <0.1>], cells: [2, 2, 2]}}, material: "     \
    "heavy,\n"                                                                                    \
    "    position: [<+0.01>, <0.18>, <0.01>]}\n"                                                  \
    "colliders: {ground: {shape: plane, friction: 0.5}}\n"                                        \
    "contact: {method: barrier, friction: 0.5}\n"
#define SHEETS                                                                                    \
    "bodies:\n"                                                                                   \
    "  sheet: {kind: shell, geometry: {sheet: {width: <0.4>, depth: <0.4>, columns: 6, rows: "    \
    "6}},\n"                                                                                      \
    "    material: light, thickness: <1e-3>, position: [<+0>, <0.3>, 0]}\n"                       \
    "  other: {kind: shell, geometry: {sheet: {width: <0.2>, depth: <0.2>, columns: 4, rows: "    \
    "4}},\n"                                                                                      \
    "    material: heavy, thickness: <1e-3>, position: [<+0.01>, <0.35>, <0.01>]}\n"              \
    "constraints: [{body: sheet, where: {half_space: {point: [<+-0.19>, 0, 0], normal: [-1, 0, "  \
    "0]}}}]\n"
#define CLOTH                                                                                     \
    "bodies: {sheet: {kind: cloth, geometry: {sheet: {width: <0.4>, depth: <0.4>, columns: 8, "   \
    "rows: 8}},\n"                                                                                \
    "  springs: {stretch: <young>, bend: <young>, area_density: <density>}, position: [<+0>, "    \
    "<0.3>, 0]}}\n"                                                                               \
    "constraints: [{where: {half_space: {point: [<+-0.19>, 0, 0], normal: [-1, 0, 0]}}}]\n"
#define PARTICLES                                                                                 \
    "domain: {cell: <0.05>, min: [<+-0.5>, 0, <-0.5>], max: [<+0.5>, <1>, <0.5>]}\n"              \
    "bodies:\n"                                                                                   \
    "  a: {geometry: {particles: {shape: {box: {size: [<0.2>, <0.1>, <0.2>]}}}}, material: "      \
    "light,\n"                                                                                    \
    "    position: [<+0>, <0.05>, 0]}\n"                                                          \
    "  b: {geometry: {particles: {shape: {box: {size: [<0.1>, <0.1>, <0.1>]}}}}, material: "      \
    "heavy,\n"                                                                                    \
    "    position: [<+0>, <0.2>, 0]}\n"

static const family families[] = {
    {"newton", MATERIALS("fixed-corotated") BAR "solver: newton\n" TIME, false, false},
    {"newton-cholesky",
     MATERIALS("neo-hookean") BAR "solver: {name: newton, linear: cholesky}\n" TIME, false, false},
    {"pn-pcg", MATERIALS("stable-neo-hookean") BAR "solver: pn-pcg\n" TIME, false, false},
    {"newton-multigrid", MATERIALS("fixed-corotated") BAR "solver: newton-multigrid\n" TIME, false,
     false},
    {"lbfgs", MATERIALS("fixed-corotated") BAR "solver: lbfgs\n" TIME, false, false},
    {"vbd", MATERIALS("fixed-corotated") BAR "solver: vbd\n" TIME, false, false},
    {"pd-direct", MATERIALS("fixed-corotated") BAR "solver: pd-direct\n" TIME, false, false},
    {"shells", MATERIALS("stable-neo-hookean") SHEETS "solver: newton\n" TIME, false, false},
    {"shells-barrier",
     MATERIALS("neo-hookean") SHEETS "contact: {method: barrier}\nsolver: ipc-llt\n" TIME, true,
     false},
    {"cloth", CLOTH "solver: pd-multigrid\n" TIME, false, false},
    {"cloth-newton", CLOTH "solver: newton\n" TIME, false, false},
    {"ipc-llt", MATERIALS("neo-hookean") STACK "solver: ipc-llt\n" TIME, true, false},
    {"ipc-pcg", MATERIALS("neo-hookean") STACK "solver: ipc-pcg\n" TIME, true, false},
    {"subspace",
     MATERIALS("neo-hookean") STACK "solver: {name: subspace, subspace: {handles: 4}}\n" TIME, true,
     false},
    {"regional", MATERIALS("fixed-corotated") PARTICLES "solver: regional\n" TIME, false, true},
    {"explicit", MATERIALS("neo-hookean") PARTICLES "solver: explicit\n" TIME, false, true},
    {"hot", MATERIALS("fixed-corotated") PARTICLES "solver: hot\n" TIME, false, false},
    {"pn-pcg-mf", MATERIALS("fixed-corotated") PARTICLES "solver: pn-pcg-mf\n" TIME, false, false},
    {"semi-implicit", MATERIALS("fixed-corotated") PARTICLES "solver: semi-implicit\n" TIME, false,
     false},
    {"admm", MATERIALS("fixed-corotated") PARTICLES "solver: admm\n" TIME, false, false},
};
enum { FAMILIES = sizeof families / sizeof *families };

// The number that a name or a length in <> stands for.
static double number_of(const edge *e, const char *token)
{
    static const char *const names[] = {"young", "poisson", "density", "light", "fps"};
    const double values[] = {e->young, e->poisson, e->density, e->density / e->ratio, 1 / e->dt};
    for (int k = 0; k < 5; ++k) {
        if (strncmp(token, names[k], strlen(names[k])) == 0) return values[k];
    }
    bool is_place = token[0] == '+';
    return e->scale * atof(token + is_place) + (is_place ? e->offset : 0);
}

static void write_scene(const family *f, const edge *e, char *text, size_t room)
{
    size_t length = 0;
    for (const char *at = f->text; *at != '\0';) {
        assert_true(length + 32 < room);
        if (*at != '<') {
            text[length++] = *at++;
            continue;
        }
        length += (size_t)snprintf(text + length, room - length, "%.17g", number_of(e, at + 1));
        at = strchr(at, '>') + 1;
    }
    text[length] = '\0';
}

// ---- what must hold whatever happens

static void expect_finite_state(pli_state *state)
{
    for (int32_t k = 0; k < pli_state_array_count(state); ++k) {
        pli_state_array array;
        pli_state_get_array(state, k, &array);
        if (array.kind != PLI_ARRAY_F64) continue;
        const double *values = array.data;
        for (int64_t i = 0; i < array.rows * array.columns; ++i) {
            if (isfinite(values[i])) continue;
            fail_msg("array %s has %g at %lld", array.name, values[i], (long long)i);
        }
    }
}

static void expect_finite_values(const char *part, const char *name, const double *values,
                                 int64_t count)
{
    for (int64_t k = 0; k < count; ++k) {
        if (!isfinite(values[k])) fail_msg("%s of %s has %g", name, part, values[k]);
    }
}

static void expect_finite_frame(pli_context *context, pli_solver *solver, const pli_state *state)
{
    pli_frame frame;
    OK(context, pli_solver_frame(solver, state, &frame));
    for (int32_t k = 0; k < frame.part_count; ++k) {
        const pli_frame_part *part = &frame.parts[k];
        expect_finite_values(part->name, "points", part->points, 3 * (int64_t)part->point_count);
        for (int32_t i = 0; i < part->field_count; ++i) {
            const pli_frame_field *field = &part->fields[i];
            int64_t rows = field->place == PLI_PLACE_POINT ? part->point_count : part->cell_count;
            expect_finite_values(part->name, field->name, field->values, rows * field->components);
        }
    }
}

// A step that did not converge tells by how much.
static void expect_honest_report(const pli_step_report *report)
{
    assert_true(report->stop != 0);
    if (report->stop == PLI_STOP_GRADIENT) AT_MOST(report->residual, report->tolerance);
    if (report->stop == PLI_STOP_ITERATIONS) assert_true(report->residual > report->tolerance);
    if (report->stop != PLI_STOP_NONFINITE) assert_true(isfinite(report->energy.total));
}

typedef struct outcome {
    pli_status status;
    const char *refused_by; // NULL: it was stepped
    pli_stop stop;
    int converged, unconverged; // steps
    int iterations;
    char message[1024];
} outcome;

static void tell_outcome(const family *f, const edge *e, const outcome *o)
{
    printf("%-18s %-18s %s: %d steps converged, %d not (last %s), %d iterations%s%s\n", f->name,
           e->name, o->refused_by != NULL ? o->refused_by : "stepped", o->converged,
           o->unconverged, pli_stop_name(o->stop), o->iterations, o->message[0] ? ": " : "",
           o->message);
}

// Surfaces are apart and nothing is inside out, where there are tetrahedra.
static void expect_clear(const simulation *s, const pli_step_report *report)
{
    pli_step_report same = *report;
    if (s->info.tet_count == 0) same.min_J = 1;
    expect_apart(s, &same);
}

static void take_steps(simulation *s, const family *f, int steps, outcome *o)
{
    for (int k = 0; k < steps && o->status == PLI_OK; ++k) {
        pli_step_report report;
        int64_t before = pli_state_step(s->state);
        o->status = pli_solver_step(s->solver, s->state, &report);
        expect_finite_state(s->state);
        if (o->status != PLI_OK) {
            // what fails changes nothing
            o->refused_by = "step";
            assert_int_equal(pli_state_step(s->state), before);
            break;
        }
        expect_honest_report(&report);
        expect_finite_frame(s->context, s->solver, s->state);
        if (f->is_barrier) expect_clear(s, &report);
        o->stop = report.stop;
        if (getenv("PLIANT_EDGES") != NULL) printf("   %s %d residual %g of %g\n", pli_stop_name(report.stop), report.iterations, report.residual, report.tolerance);
        o->iterations += report.iterations;
        o->converged += report.stop > 0;
        o->unconverged += report.stop < 0;
    }
}

static outcome run_scene(const family *f, const edge *e, const char *yaml, int steps)
{
    outcome o = {.stop = PLI_STOP_GRADIENT};
    simulation s = {.context = make_context(1)};
    o.refused_by = "scene";
    o.status =
        pli_scene_parse(s.context, yaml, (int64_t)strlen(yaml), "test", NULL, &s.scene);
    if (o.status == PLI_OK) o.refused_by = "model";
    if (o.status == PLI_OK) o.status = pli_model_create(s.context, s.scene, &s.model);
    if (o.status == PLI_OK) o.refused_by = NULL;
    if (o.status == PLI_OK) {
        OK(s.context, pli_state_create(s.model, &s.state));
        OK(s.context, pli_solver_create(s.model, &s.solver));
        pli_model_get_info(s.model, &s.info);
        take_steps(&s, f, steps, &o);
    }
    if (o.status != PLI_OK) {
        pli_context_message(s.context, o.message, sizeof o.message);
        assert_true(o.message[0] != '\0');
    }
    simulation_clear(&s);
    if (getenv("PLIANT_EDGES") != NULL) tell_outcome(f, e, &o);
    return o;
}

static outcome run_edge(const family *f, const edge *e, int steps)
{
    char yaml[8192];
    write_scene(f, e, yaml, sizeof yaml);
    return run_scene(f, e, yaml, steps);
}

static void probe(void **state)
{
    (void)state;
    const char *only = getenv("PLIANT_FAMILY");
    const char *which = getenv("PLIANT_EDGE");
    edge edges[] = {usual, usual, usual, usual, usual, usual, usual, usual, usual, usual, usual, usual, usual, usual, usual, usual};
    int n = 1;
    edges[n].name = "dt 1"; edges[n++].dt = 1;
    edges[n].name = "dt 1e3"; edges[n++].dt = 1e3;
    edges[n].name = "dt 1e-5"; edges[n++].dt = 1e-5;
    edges[n].name = "E 1e2"; edges[n++].young = 1e2;
    edges[n].name = "E 1e9"; edges[n++].young = 1e9;
    edges[n].name = "E 1e12"; edges[n++].young = 1e12;
    edges[n].name = "nu 0.4999"; edges[n++].poisson = 0.4999;
    edges[n].name = "ratio 1e4"; edges[n++].ratio = 1e4;
    edges[n].name = "ratio 1e-4"; edges[n++].ratio = 1e-4;
    edges[n].name = "far 1e6"; edges[n++].offset = 1e6;
    edges[n].name = "far, small"; edges[n].offset = 1e6; edges[n++].scale = 1e-2;
    edges[n].name = "far, tiny"; edges[n].offset = 1e6; edges[n++].scale = 1e-5;
    edges[n].name = "far 1e9"; edges[n++].offset = 1e9;
    edges[n].name = "far 1e12"; edges[n++].offset = 1e12;
    edges[n].name = "far 1e14"; edges[n++].offset = 1e14;
    for (int k = 0; k < FAMILIES; ++k) {
        if (only != NULL && strcmp(only, families[k].name) != 0) continue;
        for (int i = 0; i < n; ++i) {
            if (which != NULL && strcmp(which, edges[i].name) != 0) continue;
            run_edge(&families[k], &edges[i], 3);
            fflush(stdout);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
