// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/magnitude.h"

#include "geometry/collision/bounds.h"
#include "math/vec3.h"
#include "sim/scene/quantity.h"
#include "sim/scene/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double longest_step = 10;       // s
static const double strongest_gravity = 500; // m/s^2, fifty times the Earth's
static const double densest = 3e4;           // kg/m^3, osmium has 22600
static const double fastest = 3000;          // m/s, three times a bullet
static const double fastest_spin = 1e6;      // deg/s, a turbine has 1e5
static const double thickest = 0.5;          // m
static const double thinnest = 1e-7;         // m, a soap film
static const double longest = 500;           // m
static const double shortest = 1e-5;         // m
static const double heaviest = 1e9;          // kg
static const double lightest = 1e-12;        // kg

// ---- words

enum { WORDS = 64 };

typedef struct scale {
    double of;
    const char *name;
} scale;

// "1 km": in the largest of the units that it has one of; ends with a unit of 0.
static void put_in_words(double value, const scale *scales, char text[WORDS])
{
    char number[PLI_QUANTITY_CAPACITY];
    char rounded[32];
    while (scales[1].of > 0 && value < 0.9995 * scales->of) ++scales;
    snprintf(rounded, sizeof rounded, "%.3g", value / scales->of);
    double shown = 0;
    bool is_read = pli_quantity_parse(rounded, &shown) == PLI_QUANTITY_OK;
    pli_quantity_format(is_read ? shown : 0, number);
    snprintf(text, WORDS, "%s %s", number, scales->name);
}

static const scale times[] = {
    {86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "s"}, {0, NULL}};
static const scale lengths[] = {{1e3, "km"},  {1, "m"},     {1e-3, "mm"},
                                {1e-6, "um"}, {1e-9, "nm"}, {0, NULL}};
static const scale masses[] = {{1e3, "t"},   {1, "kg"},     {1e-3, "g"}, {1e-6, "mg"},
                               {1e-9, "ug"}, {1e-12, "ng"}, {0, NULL}};
static const scale speeds[] = {{1e3, "km/s"}, {1, "m/s"}, {0, NULL}};

// ---- what the scene says

static double field_size(const pli_visit *visit)
{
    pli_items items = pli_field_get_items(visit->field, visit->holder);
    const double *values = items.first;
    if (items.count == 3) return pli_vec3_norm(values);
    return items.count > 0 ? fabs(values[0]) : 0;
}

static void warn_velocity(const pli_scene *scene, const pli_visit *visit)
{
    char words[WORDS];
    double speed = field_size(visit);
    if (!(speed > fastest)) return;
    put_in_words(speed, speeds, words);
    pli_scene_warn(scene, visit,
                   "%s is unusually fast (a bullet has 1 km/s); check the units, which are m/s",
                   words);
}

static void warn_spin(const pli_scene *scene, const pli_visit *visit)
{
    double spin = field_size(visit);
    if (!(spin > fastest_spin)) return;
    pli_scene_warn(scene, visit,
                   "%.3g turns per second are unusually fast; check the units, which are degrees "
                   "per second",
                   spin / 360);
}

static void warn_gravity(const pli_scene *scene, const pli_visit *visit)
{
    double gravity = field_size(visit);
    if (!(gravity > strongest_gravity)) return;
    pli_scene_warn(scene, visit,
                   "%.3g times the gravity of the Earth is unusual; check the units, which are "
                   "m/s^2",
                   gravity / 9.81);
}

static void warn_density(const pli_scene *scene, const pli_visit *visit)
{
    double density = field_size(visit);
    if (!(density > densest)) return;
    char number[PLI_QUANTITY_CAPACITY];
    pli_quantity_format(density, number);
    pli_scene_warn(scene, visit,
                   "%s kg/m^3 is denser than any metal; check the units (water has 1000, steel "
                   "7850)",
                   number);
}

static void warn_thickness(const pli_scene *scene, const pli_visit *visit)
{
    double thickness = field_size(visit);
    if (visit->schema != &pli_body_schema || thickness == 0) return;
    if (thickness <= thickest && thickness >= thinnest) return;
    char words[WORDS];
    put_in_words(thickness, lengths, words);
    pli_scene_warn(scene, visit,
                   "a shell of %s is unusually %s; check the units, which are m (cloth has 0.0005)",
                   words, thickness > thickest ? "thick" : "thin");
}

// The step is what two keys make of it; the rate is blamed.
static void warn_step(const pli_scene *scene, const pli_visit *visit)
{
    const pli_time_def *time = &pli_scene_get(scene)->time;
    double step = 1 / (time->fps * time->steps_per_frame);
    if (visit->holder != time || time->mode == PLI_MODE_QUASI_STATIC) return;
    if (!(step > longest_step)) return;
    char words[WORDS];
    put_in_words(step, times, words);
    pli_scene_warn(scene, visit,
                   "a step lasts %s, which is unusually long: it is 1 / (fps x steps_per_frame) "
                   "seconds, and 24 frames per second are usual",
                   words);
}

static pli_status check_field(void *user, const pli_visit *visit)
{
    static const struct {
        const char *key;
        const char *unit;
        void (*warn)(const pli_scene *scene, const pli_visit *visit);
    } known[] = {
        {"velocity", "m/s", warn_velocity},  {"angular_velocity", "deg/s", warn_spin},
        {"spin", "deg/s", warn_spin},        {"gravity", "m/s^2", warn_gravity},
        {"density", "kg/m^3", warn_density}, {"thickness", "m", warn_thickness},
        {"fps", "1/s", warn_step},
    };
    const pli_field *field = visit->field;
    if (field == NULL || field->unit == NULL) return PLI_OK;
    for (int32_t k = 0; k < PLI_COUNT_OF(known); ++k) {
        if (strcmp(field->unit, known[k].unit) != 0) continue;
        if (strcmp(field->key, known[k].key) == 0) known[k].warn(user, visit);
    }
    return PLI_OK;
}

pli_status pli_magnitude_check_scene(pli_scene *scene)
{
    return pli_schema_walk(pli_scene_context(scene), pli_scene_schema(), pli_scene_get(scene),
                           check_field, scene);
}

// ---- what follows

static void warn_extent(const pli_scene *scene, const pli_visit *at, double extent)
{
    if (!(extent > longest) && !(extent < shortest && extent > 0)) return;
    char words[WORDS];
    put_in_words(extent, lengths, words);
    pli_scene_warn(
        scene, at,
        "it is %s across, which is unusually %s; check the units, which are m (a mesh in "
        "mm takes scale: [0.001, 0.001, 0.001])",
        words, extent > longest ? "large" : "small");
}

static void warn_mass(const pli_scene *scene, const pli_visit *at, double mass)
{
    if (!(mass > heaviest) && !(mass < lightest && mass > 0)) return;
    char words[WORDS];
    put_in_words(mass, masses, words);
    pli_scene_warn(scene, at,
                   "it has a mass of %s, which is unusually %s; check the units of lengths (m) and "
                   "densities (kg/m^3)",
                   words, mass > heaviest ? "heavy" : "light");
}

// Copies and pieces of a body are judged by the first of them.
static void check_body(const pli_model *model, const pli_scene *scene, const pli_model_body *body)
{
    char path[PLI_PATH_CAPACITY];
    const pli_body_def *def = &pli_scene_get(scene)->bodies[body->source];
    snprintf(path, sizeof path, "bodies.%s.geometry", def->name);
    pli_visit at = {.path = path, .holder = def, .member = &def->geometry};
    pli_bounds box =
        pli_bounds_of_points(body->vertex_count, model->rest + 3 * (int64_t)body->first_vertex);
    double mass = 0;
    for (int32_t k = 0; k < body->vertex_count; ++k) mass += model->mass[body->first_vertex + k];
    double longest_side = 0;
    for (int axis = 0; axis < 3; ++axis) {
        longest_side = fmax(longest_side, box.max[axis] - box.min[axis]);
    }
    warn_extent(scene, &at, longest_side);
    // obstacles have none, whatever it says
    if (body->kind != PLI_BODY_OBSTACLE) warn_mass(scene, &at, mass);
}

void pli_magnitude_check_bodies(const pli_model *model, const pli_scene *scene)
{
    const pli_scene_def *def = pli_scene_get(scene);
    for (int32_t k = 0; k < model->body_count; ++k) {
        const pli_model_body *body = &model->bodies[k];
        if (body->copy == 0 && body->piece == 0) check_body(model, scene, body);
    }
    if (model->matter == NULL) return;
    pli_visit at = {.path = "bodies", .holder = def, .member = &def->bodies};
    warn_extent(scene, &at, model->size / sqrt(3));
    warn_mass(scene, &at, model->total_mass);
}
