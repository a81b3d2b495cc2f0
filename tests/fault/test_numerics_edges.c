// SPDX-License-Identifier: Apache-2.0
//
// Numerics at the edge: every kind of solver with steps that are far too long, matter that is far
// too soft, stiff, heavy or incompressible, and places far from the origin. A step either
// converges or says why it did not, or the scene is refused by a message; what is kept is finite
// in any case, and so are frames. Then bodies of one element, and of none.
//
// With the variable PLIANT_EDGES the program prints what happens.
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
    uint32_t traits;
} family;

enum {
    BARRIER = 1,  // nothing crosses or inverts
    SURE = 2,     // converges whatever the edge
    EXPLICIT = 4, // takes as many steps as its matter needs
    PARTICLE = 8  // of particles
};

#define MATERIALS(law)                                                                  \
    "materials:\n"                                                                      \
    "  heavy: {law: " law ", density: <density>, young: <young>, poisson: <poisson>}\n" \
    "  light: {law: " law ", density: <light>, young: <young>, poisson: <poisson>}\n"
#define TIME "time: {fps: <fps>, frames: 1}\n"
#define BAR                                                                                     \
    "bodies: {bar: {geometry: {grid: {size: [<0.4>, <0.2>, <0.2>], cells: [4, 2, 2]}},\n"       \
    "  material: heavy, position: [<+0>, <0.3>, 0],\n"                                          \
    "  regions: [{where: {half_space: {point: [<+0.05>, 0, 0], normal: [1, 0, 0]}}, material: " \
    "light}]}}\n"                                                                               \
    "constraints: [{where: {half_space: {point: [<+-0.199>, 0, 0], normal: [-1, 0, 0]}}}]\n"
// no mirror maps the stack onto itself: else a hard landing has two minima, and rounding picks one
#define STACK                                                                                 \
    "bodies:\n"                                                                               \
    "  lower: {geometry: {grid: {size: [<0.2>, <0.1>, <0.2>], cells: [2, 1, 2]}}, material: " \
    "light,\n"                                                                                \
    "    position: [<+0>, <0.06>, 0]}\n"                                                      \
    "  upper: {geometry: {grid: {size: [<0.1>, <0.1>, <0.1>], cells: [2, 2, 2]}}, material: " \
    "heavy,\n"                                                                                \
    "    position: [<+0.01>, <0.18>, <0.013>]}\n"                                             \
    "colliders: {ground: {shape: plane, friction: 0.5}}\n"                                    \
    "contact: {method: barrier, friction: 0.5}\n"
#define SHEETS                                                                                   \
    "bodies:\n"                                                                                  \
    "  sheet: {kind: shell, geometry: {sheet: {width: <0.4>, depth: <0.4>, columns: 6, rows: "   \
    "6}},\n"                                                                                     \
    "    material: light, thickness: <1e-3>, position: [<+0>, <0.3>, 0]}\n"                      \
    "  other: {kind: shell, geometry: {sheet: {width: <0.2>, depth: <0.2>, columns: 4, rows: "   \
    "4}},\n"                                                                                     \
    "    material: heavy, thickness: <1e-3>, position: [<+0.01>, <0.35>, <0.01>]}\n"             \
    "constraints: [{body: sheet, where: {half_space: {point: [<+-0.19>, 0, 0], normal: [-1, 0, " \
    "0]}}}]\n"
#define CLOTH                                                                                   \
    "contact: none\n"                                                                           \
    "bodies: {sheet: {kind: cloth, geometry: {sheet: {width: <0.4>, depth: <0.4>, columns: 8, " \
    "rows: 8}},\n"                                                                              \
    "  springs: {stretch: <spring>, bend: <spring>, area_density: <area>}, position: [<+0>, "   \
    "<0.3>, 0]}}\n"                                                                             \
    "constraints: [{where: {half_space: {point: [<+-0.19>, 0, 0], normal: [-1, 0, 0]}}}]\n"
#define PARTICLES                                                                            \
    "domain: {cell: <0.05>, min: [<+-0.5>, 0, <-0.5>], max: [<+0.5>, <1>, <0.5>]}\n"         \
    "bodies:\n"                                                                              \
    "  a: {geometry: {particles: {shape: {box: {size: [<0.2>, <0.1>, <0.2>]}}}}, material: " \
    "light,\n"                                                                               \
    "    position: [<+0>, <0.05>, 0]}\n"                                                     \
    "  b: {geometry: {particles: {shape: {box: {size: [<0.1>, <0.1>, <0.1>]}}}}, material: " \
    "heavy,\n"                                                                               \
    "    position: [<+0>, <0.2>, 0]}\n"

static const family families[] = {
    {"newton", MATERIALS("fixed-corotated") BAR "solver: newton\n" TIME, SURE},
    {"newton-cholesky",
     MATERIALS("neo-hookean") BAR "solver: {name: newton, linear: cholesky}\n" TIME, SURE},
    {"pn-pcg", MATERIALS("stable-neo-hookean") BAR "solver: pn-pcg\n" TIME, SURE},
    {"newton-multigrid", MATERIALS("fixed-corotated") BAR "solver: newton-multigrid\n" TIME, SURE},
    {"lbfgs", MATERIALS("fixed-corotated") BAR "solver: lbfgs\n" TIME, SURE},
    {"vbd", MATERIALS("fixed-corotated") BAR "solver: vbd\n" TIME, 0},
    {"pd-direct", MATERIALS("fixed-corotated") BAR "solver: pd-direct\n" TIME, 0},
    {"shells", MATERIALS("stable-neo-hookean") SHEETS "contact: none\nsolver: newton\n" TIME, SURE},
    {"shells-barrier",
     MATERIALS("neo-hookean") SHEETS "contact: {method: barrier}\nsolver: ipc-llt\n" TIME, BARRIER},
    {"cloth", CLOTH "solver: pd-multigrid\n" TIME, 0},
    {"cloth-newton", CLOTH "solver: newton\n" TIME, SURE},
    {"ipc-llt", MATERIALS("neo-hookean") STACK "solver: ipc-llt\n" TIME, BARRIER},
    {"ipc-pcg", MATERIALS("neo-hookean") STACK "solver: ipc-pcg\n" TIME, BARRIER},
    {"subspace",
     MATERIALS("neo-hookean") STACK "solver: {name: subspace, subspace: {handles: 4}}\n" TIME,
     BARRIER},
    {"regional", MATERIALS("fixed-corotated") PARTICLES "solver: regional\n" TIME,
     PARTICLE | EXPLICIT | SURE},
    {"explicit", MATERIALS("neo-hookean") PARTICLES "solver: explicit\n" TIME,
     PARTICLE | EXPLICIT | SURE},
    {"hot", MATERIALS("fixed-corotated") PARTICLES "solver: hot\n" TIME, PARTICLE | SURE},
    {"pn-pcg-mf", MATERIALS("fixed-corotated") PARTICLES "solver: pn-pcg-mf\n" TIME,
     PARTICLE | SURE},
    {"semi-implicit", MATERIALS("fixed-corotated") PARTICLES "solver: semi-implicit\n" TIME,
     PARTICLE | SURE},
    {"admm", MATERIALS("fixed-corotated") PARTICLES "solver: admm\n" TIME, PARTICLE | SURE},
};
enum { FAMILIES = sizeof families / sizeof *families };

// The number that a name or a length in <> stands for.
static double number_of(const edge *e, const char *token)
{
    static const char *const names[] = {"young", "poisson", "density", "light",
                                        "fps",   "spring",  "area"};
    const double values[] = {e->young,  e->poisson,      e->density,       e->density / e->ratio,
                             1 / e->dt, 1e-3 * e->young, 1e-3 * e->density};
    for (int k = 0; k < 7; ++k) {
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
    pli_state_array array;
    for (int32_t k = 0; pli_state_get_array(state, k, &array); ++k) {
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
    const char *refused_by; // NULL: it was stepped
    pli_stop stop;          // of the last step
    int converged, unconverged;
    int iterations;
    char message[1024];
} outcome;

static void tell_outcome(const char *scene, const char *where, const outcome *o)
{
    if (getenv("PLIANT_EDGES") == NULL) return;
    printf("%-18s %-18s %s: %d converged, %d not, last %s, %d iterations %s\n", scene, where,
           o->refused_by != NULL ? o->refused_by : "stepped", o->converged, o->unconverged,
           pli_stop_name(o->stop), o->iterations, o->message);
}

// Surfaces are apart and nothing is inside out, where there are tetrahedra.
static void expect_clear(const simulation *s, const pli_step_report *report)
{
    pli_step_report same = *report;
    if (s->info.tet_count == 0) same.min_J = 1;
    expect_apart(s, &same);
}

static void take_steps(simulation *s, uint32_t traits, int steps, outcome *o)
{
    for (int k = 0; k < steps; ++k) {
        pli_step_report report;
        int64_t before = pli_state_get(s->state).step;
        pli_status status = pli_solver_step(s->solver, s->state, &report);
        expect_finite_state(s->state);
        if (status != PLI_OK) {
            // what fails says so and changes nothing
            o->refused_by = "step";
            assert_int_equal(pli_state_get(s->state).step, before);
            break;
        }
        expect_honest_report(&report);
        expect_finite_frame(s->context, s->solver, s->state);
        if (traits & BARRIER) expect_clear(s, &report);
        o->stop = report.stop;
        o->iterations += report.iterations;
        o->converged += report.stop > 0;
        o->unconverged += report.stop < 0;
    }
}

// Makes what a scene describes, as far as that goes, and steps it.
static outcome run_scene(pli_context *context, pli_scene *scene, uint32_t traits, int steps)
{
    outcome o = {.stop = PLI_STOP_GRADIENT, .refused_by = "scene"};
    simulation s = {.context = context, .scene = scene};
    if (scene != NULL) {
        bool is_made = pli_model_create(s.context, s.scene, NULL, &s.model) == PLI_OK;
        o.refused_by = is_made ? NULL : "model";
    }
    if (o.refused_by == NULL) {
        OK(s.context, pli_state_create(s.model, &s.state));
        OK(s.context, pli_solver_create(s.model, &s.solver));
        s.info = pli_model_get_info(s.model);
        take_steps(&s, traits, steps, &o);
    }
    if (o.refused_by != NULL) {
        pli_context_message(s.context, o.message, sizeof o.message);
        assert_true(o.message[0] != '\0');
    }
    simulation_clear(&s);
    return o;
}

static outcome run_text(const char *yaml, uint32_t traits, int steps)
{
    pli_context *context = make_context(1);
    pli_scene *scene = NULL;
    bool is_read =
        pli_scene_parse(context, yaml, (int64_t)strlen(yaml), "test", NULL, &scene) == PLI_OK;
    return run_scene(context, is_read ? scene : NULL, traits, steps);
}

static outcome run_edge(const family *f, const edge *e)
{
    char yaml[8192];
    write_scene(f, e, yaml, sizeof yaml);
    outcome o = run_text(yaml, f->traits, e->dt < 100 ? 3 : 1);
    tell_outcome(f->name, e->name, &o);
    return o;
}

// ---- edges

// All steps were taken, and converged where the solver is sure to.
static void expect_taken(const family *f, const edge *e)
{
    outcome o = run_edge(f, e);
    if (o.refused_by != NULL) fail_msg("%s, %s: refused: %s", f->name, e->name, o.message);
    assert_int_equal(o.converged + o.unconverged, e->dt < 100 ? 3 : 1);
    // what falls for 1000 s is 5e6 m away, where coordinates round by 1e-9 m
    bool is_far = e->dt > 100 && o.stop == PLI_STOP_ROUNDING;
    if ((f->traits & SURE) && o.unconverged > 0 && !is_far) {
        fail_msg("%s, %s: %d steps did not converge", f->name, e->name, o.unconverged);
    }
}

// A second a step, and seventeen minutes; the latter as explicit steps with PLIANT_LONG only, as
// they take as many as they need. Barriers may end the first of these with a line search
// that finds no more decrease: what is left of a fall of 5000 km is beyond rounding.
static void steps_of_any_length_converge_or_say_why_not(void **state)
{
    (void)state;
    static const double lengths[] = {1e-5, 1e-3, 0.02, 1, 1e3};
    for (int k = 0; k < FAMILIES * 5; ++k) {
        const family *f = &families[k / 5];
        edge e = usual;
        char name[32];
        snprintf(name, sizeof name, "dt %g", lengths[k % 5]);
        e.name = name;
        e.dt = lengths[k % 5];
        // explicit steps are as short as matter needs: soft matter needs fewer
        if (f->traits & EXPLICIT) e.young = e.dt > 100 ? 10 : 1e3;
        bool is_long = (f->traits & EXPLICIT) && e.dt > 100;
        if (is_long && getenv("PLIANT_LONG") == NULL) continue;
        expect_taken(f, &e);
    }
}

static void matter_of_any_stiffness_converges_or_says_why_not(void **state)
{
    (void)state;
    static const double moduli[] = {1e2, 1e5, 1e9, 1e12};
    for (int k = 0; k < FAMILIES * 4; ++k) {
        const family *f = &families[k / 4];
        edge e = usual;
        char name[32];
        snprintf(name, sizeof name, "young %g", moduli[k % 4]);
        e.name = name;
        e.young = moduli[k % 4];
        if ((f->traits & EXPLICIT) && e.young > 1e6) e.dt = 1e-4;
        expect_taken(f, &e);
    }
}

static void nearly_incompressible_matter_converges_or_says_why_not(void **state)
{
    (void)state;
    for (int k = 0; k < FAMILIES; ++k) {
        edge e = usual;
        e.name = "poisson 0.4999";
        e.poisson = 0.4999;
        if (families[k].traits & EXPLICIT) e.young = 1e3;
        expect_taken(&families[k], &e);
    }
}

static void densities_far_apart_converge_or_say_why_not(void **state)
{
    (void)state;
    static const double ratios[] = {1e4, 1e-4};
    for (int k = 0; k < FAMILIES * 2; ++k) {
        const family *f = &families[k / 2];
        edge e = usual;
        char name[32];
        snprintf(name, sizeof name, "ratio %g", ratios[k % 2]);
        e.name = name;
        e.ratio = ratios[k % 2];
        if (f->traits & EXPLICIT) {
            e.young = 1e3;
            e.dt = 1e-3;
        }
        expect_taken(f, &e);
    }
}

// ---- far from the origin

// A million metres away, with edges of decimetres and, for meshes, of a millimetre. Edges of a
// micrometre, or cells of half a millimetre, are refused with what would be right.
static void places_far_from_the_origin_work_or_are_refused(void **state)
{
    (void)state;
    for (int k = 0; k < FAMILIES; ++k) {
        const family *f = &families[k];
        edge e = usual;
        e.name = "far";
        e.offset = 1e6;
        if (f->traits & EXPLICIT) e.young = 1e3;
        expect_taken(f, &e);

        e.name = "far, millimetres";
        e.scale = 1e-2;
        outcome small = run_edge(f, &e);
        e.name = "far, micrometres";
        e.scale = 1e-5;
        outcome tiny = run_edge(f, &e);
        assert_string_equal(tiny.refused_by, "model");
        bool is_grid = f->traits & PARTICLE;
        assert_non_null(strstr(tiny.message, is_grid ? "2^30 cells" : "move the scene to within"));
        if (is_grid) {
            assert_string_equal(small.refused_by, "model");
        } else {
            assert_null(small.refused_by);
            assert_int_equal(small.converged + small.unconverged, 3);
        }
    }
}

// Positions of a family's bodies after three steps, less where they are (m).
static int32_t move_there(const family *f, const edge *e, double *moved)
{
    char yaml[8192];
    write_scene(f, e, yaml, sizeof yaml);
    simulation s;
    simulation_init(&s, yaml, 1);
    for (int k = 0; k < 3; ++k) {
        pli_step_report report;
        OK(s.context, pli_solver_step(s.solver, s.state, &report));
    }
    const double *x = pli_state_get(s.state).positions;
    for (int32_t k = 0; k < 3 * s.info.vertex_count; ++k) {
        moved[k] = x[k] - (k % 3 == 0 ? e->offset : 0);
    }
    int32_t count = 3 * s.info.vertex_count;
    simulation_clear(&s);
    return count;
}

// Edges of a millimetre move as at the origin, but for what their positions are rounded by there,
// 1.2e-10 m, over three steps of a body that is three cells long.
static void millimetres_move_far_away_as_at_the_origin(void **state)
{
    (void)state;
    static double here[1024], there[1024];
    static const char *const names[] = {"newton-cholesky", "ipc-llt"};
    for (int k = 0; k < FAMILIES; ++k) {
        const family *f = &families[k];
        if (strcmp(f->name, names[0]) != 0 && strcmp(f->name, names[1]) != 0) continue;
        edge e = usual;
        e.scale = 1e-2;
        int32_t count = move_there(f, &e, here);
        e.offset = 1e6;
        assert_int_equal(move_there(f, &e, there), count);
        double most = 0;
        for (int32_t i = 0; i < count; ++i) most = fmax(most, fabs(here[i] - there[i]));
        if (getenv("PLIANT_EDGES") != NULL) printf("%s: %g m apart\n", f->name, most);
        // barriers end with Newton steps below 3.6e-6 m/s, which is 2.2e-7 m in all
        AT_MOST(most, (f->traits & BARRIER) ? 2.2e-7 : 1e-9);
    }
}

// ---- one of everything, and none

static const double corners[4 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

// Steps the scene with a mesh as the geometry of its only body.
static outcome run_mesh(const char *yaml, const pli_mesh_data *mesh, uint32_t traits)
{
    pli_context *context = make_context(1);
    pli_scene *text = NULL, *scene = NULL;
    OK(context, pli_scene_parse(context, yaml, (int64_t)strlen(yaml), "test", NULL, &text));
    pli_scene_def def = *pli_scene_get(text);
    pli_file_def file = {.path = "", .mesh = mesh};
    pli_body_def body = def.bodies[0];
    body.geometry = (pli_variant){PLI_GEOMETRY_FILE, &file};
    def.bodies = &body;
    bool is_made = pli_scene_create(context, &def, &scene) == PLI_OK;
    pli_scene_destroy(text);
    return run_scene(context, is_made ? scene : NULL, traits, 20);
}

static void expect_all_converged(const char *what, const char *solver, const outcome *o)
{
    tell_outcome(what, solver, o);
    if (o->refused_by != NULL || o->converged != 20) {
        fail_msg("%s, %s: %d steps converged: %s", what, solver, o->converged, o->message);
    }
}

#define ONE(kind)                                                                       \
    "materials: {m: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n" \
    "bodies: {one: {" kind "position: [0, 0.2, 0], geometry: {grid: {}}}}\n"            \
    "colliders: {ground: {shape: plane}}\n"                                             \
    "%ssolver: %s\n"                                                                    \
    "time: {fps: 50, frames: 1}\n"

static void one_tetrahedron_falls_and_rests(void **state)
{
    (void)state;
    static const char *const solvers[] = {"newton",       "{name: newton, linear: cholesky}",
                                          "pn-pcg",       "newton-multigrid",
                                          "pn-mgpcg",     "lbfgs",
                                          "vbd",          "pd-direct",
                                          "pd-multigrid", "ipc-llt",
                                          "ipc-pcg",      "subspace"};
    static const int32_t tet[4] = {0, 1, 2, 3};
    pli_mesh_data mesh = {.point_count = 4, .points = corners, .tet_count = 1, .tets = tet};
    for (int k = 0; k < 12; ++k) {
        char yaml[1024];
        bool barrier = k >= 9;
        snprintf(yaml, sizeof yaml, ONE("material: m, "),
                 barrier ? "contact: {method: barrier}\n" : "contact: none\n", solvers[k]);
        outcome o = run_mesh(yaml, &mesh, barrier ? BARRIER : 0);
        expect_all_converged("one tetrahedron", solvers[k], &o);
    }
}

static void one_triangle_falls_and_rests(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        const char *solver;
        bool barrier;
    } cases[] = {{ONE("kind: shell, thickness: 1e-3, material: m, "), "newton", false},
                 {ONE("kind: shell, thickness: 1e-3, material: m, "), "ipc-llt", true},
                 {ONE("kind: shell, thickness: 1e-3, material: m, "), "newton-multigrid", false},
                 {ONE("kind: cloth, "), "newton", false},
                 {ONE("kind: cloth, "), "pd-direct", false},
                 {ONE("kind: cloth, "), "pd-multigrid", false},
                 {ONE("kind: cloth, "), "vbd", false}};
    static const int32_t triangle[3] = {0, 2, 1};
    pli_mesh_data mesh = {
        .point_count = 3, .points = corners, .triangle_count = 1, .triangles = triangle};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char yaml[1024];
        snprintf(yaml, sizeof yaml, cases[k].yaml,
                 cases[k].barrier ? "contact: {method: barrier}\n" : "contact: none\n",
                 cases[k].solver);
        outcome o = run_mesh(yaml, &mesh, cases[k].barrier ? BARRIER : 0);
        expect_all_converged("one triangle", cases[k].solver, &o);
    }
}

// A sphere around one place of the lattice of 2 x 2 x 2 a cell, or between them.
static void one_particle_falls_and_rests_and_none_is_refused(void **state)
{
    (void)state;
    static const char *const solvers[] = {"regional",  "explicit", "hot",           "pn-pcg",
                                          "pn-pcg-mf", "admm",     "semi-implicit", "newton"};
    for (int k = 0; k < 2 * 8; ++k) {
        char yaml[1024];
        double center = k < 8 ? 0.5125 : 0.5;
        snprintf(yaml, sizeof yaml,
                 "materials: {m: {law: fixed-corotated, density: 1000, young: 1e4, poisson: "
                 "0.3}}\n"
                 "domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1]}\n"
                 "bodies: {b: {geometry: {particles: {pattern: lattice, shape: {sphere: {center: "
                 "[%g, %g, %g], radius: 1e-3}}}}, material: m, velocity: [0, -2, 0]}}\n"
                 "solver: %s\n"
                 "time: {fps: 50, frames: 1}\n",
                 center, center, center, solvers[k % 8]);
        outcome o = run_text(yaml, 0, 20);
        if (k < 8) {
            // ADMM may take more iterations than it has for a particle that the floor stops
            o.converged += strcmp(solvers[k], "admm") == 0 ? o.unconverged : 0;
            expect_all_converged("one particle", solvers[k], &o);
        } else {
            assert_string_equal(o.refused_by, "model");
            assert_non_null(strstr(o.message, "the shape holds no particle"));
        }
    }
}

static void bodies_of_nothing_are_refused(void **state)
{
    (void)state;
    char yaml[1024];
    snprintf(yaml, sizeof yaml, ONE("material: m, "), "", "newton");
    pli_mesh_data none = {0}, loose = {.point_count = 4, .points = corners};
    assert_non_null(run_mesh(yaml, &none, 0).refused_by);
    assert_non_null(run_mesh(yaml, &loose, 0).refused_by);
    assert_string_equal(run_text("bodies: {}\n", 0, 1).refused_by, "scene");
    assert_string_equal(run_text("gravity: [0, 0, 0]\n", 0, 1).refused_by, "scene");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_any_length_converge_or_say_why_not),
        cmocka_unit_test(matter_of_any_stiffness_converges_or_says_why_not),
        cmocka_unit_test(nearly_incompressible_matter_converges_or_says_why_not),
        cmocka_unit_test(densities_far_apart_converge_or_say_why_not),
        cmocka_unit_test(places_far_from_the_origin_work_or_are_refused),
        cmocka_unit_test(millimetres_move_far_away_as_at_the_origin),
        cmocka_unit_test(one_tetrahedron_falls_and_rests),
        cmocka_unit_test(one_triangle_falls_and_rests),
        cmocka_unit_test(one_particle_falls_and_rests_and_none_is_refused),
        cmocka_unit_test(bodies_of_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
