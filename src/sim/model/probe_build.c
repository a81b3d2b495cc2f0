// SPDX-License-Identifier: Apache-2.0
#include "sim/model/probe_build.h"

#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "geometry/collision/distance.h"
#include "math/mat3.h"
#include "sim/body/motion.h"
#include "sim/scene/scene.h"

#include <stdio.h>
#include <string.h>

enum { NAME_CAPACITY = 128, PATH_CAPACITY = 160, USUAL_COUNT = 3 };

static const pli_probe_row rows[PLI_PROBE_OF_COUNT] = {
    [PLI_PROBE_POSITION] = {"position", "m", 3, false, false, true},
    [PLI_PROBE_DISPLACEMENT] = {"displacement", "m", 3, false, false, false},
    [PLI_PROBE_VELOCITY] = {"velocity", "m/s", 3, false, false, true},
    [PLI_PROBE_MOMENTUM] = {"momentum", "kg m/s", 3, false, true, true},
    [PLI_PROBE_MASS] = {"mass", "kg", 1, false, true, true},
    [PLI_PROBE_VOLUME] = {"volume", "m^3", 1, true, true, true},
    [PLI_PROBE_KINETIC] = {"kinetic_energy", "J", 1, false, true, true},
    [PLI_PROBE_ELASTIC] = {"elastic_energy", "J", 1, true, true, false},
    [PLI_PROBE_J] = {"J", "", 1, true, false, false},
    [PLI_PROBE_STRESS] = {"stress", "Pa", 6, true, false, false},
    [PLI_PROBE_PRINCIPAL] = {"stress_principal", "Pa", 3, true, false, false},
    [PLI_PROBE_VON_MISES] = {"von_mises", "Pa", 1, true, false, false},
    [PLI_PROBE_LOG_STRAIN] = {"log_strain", "", 6, true, false, false},
    [PLI_PROBE_GREEN_STRAIN] = {"green_strain", "", 6, true, false, false},
    [PLI_PROBE_DENSITY] = {"energy_density", "J/m^3", 1, true, false, false},
};

const pli_probe_row *pli_probe_row_get(pli_probe_of of)
{
    return &rows[of];
}

const char *pli_probe_component(int32_t components, int32_t index)
{
    static const char *const of_three[] = {".x", ".y", ".z"};
    static const char *const of_six[] = {".xx", ".yy", ".zz", ".xy", ".yz", ".xz"};
    return components == 6 ? of_six[index] : components == 3 ? of_three[index] : "";
}

pli_probe_value pli_probe_blank(const pli_model_probes *probes, int32_t index)
{
    const pli_model_quantity *quantity = &probes->quantities[index];
    pli_probe_value value = {quantity->name, quantity->unit, quantity->components, {0}};
    for (int k = 0; k < 6; ++k) value.values[k] = NAN;
    return value;
}

pli_probe_value pli_model_get_probe(const pli_model *model, int32_t index)
{
    bool is_there = index >= 0 && index < pli_probe_count(model);
    return is_there ? pli_probe_blank(model->probes, index) : (pli_probe_value){0};
}

// what exists only while the list is being made
typedef struct building {
    pli_model *model;
    pli_model_probes *probes;
    const pli_scene *scene;
    const pli_scene_def *def;
    const pli_building *all;
    bool of_particles;
    int32_t *place_of; // [def->probe_count] of a probe; -1: it has none
    uint8_t *mask;     // [vertices or cells of the model]
    double *amount;    // the same
} building;

static pli_status refuse(const building *b, int32_t probe, const char *key, const char *text)
{
    char path[PATH_CAPACITY];
    const pli_probe_def *def = &b->def->probes[probe];
    snprintf(path, sizeof path, "probes.%s.%s", def->name, key);
    pli_visit at = {.path = path, .holder = def, .member = def};
    return pli_scene_fail(b->scene, PLI_ERROR_SCENE, &at, "%s", text);
}

// ---- quantities

static pli_status add_quantity(building *b, const char *owner, const char *what,
                               pli_model_quantity quantity)
{
    pli_model_probes *probes = b->probes;
    char name[NAME_CAPACITY + 32];
    snprintf(name, sizeof name, "%s%s%s", owner, what[0] != '\0' ? "." : "", what);
    quantity.name = pli_string_copy(b->model->context, name);
    if (quantity.name == NULL) return PLI_ERROR_MEMORY;
    probes->quantities[probes->quantity_count++] = quantity;
    return PLI_OK;
}

// Force and moment of something that pushes.
static pli_status add_resultant(building *b, const char *owner, pli_quantity_kind kind,
                                int32_t source, int32_t other)
{
    pli_model_quantity quantity = {.unit = "N",
                                   .components = 3,
                                   .kind = kind,
                                   .source = source,
                                   .other = other,
                                   .of = PLI_PART_FORCE};
    PLI_TRY(add_quantity(b, owner, "force", quantity));
    quantity.unit = "N m";
    quantity.of = PLI_PART_MOMENT;
    return add_quantity(b, owner, "moment", quantity);
}

// "support", or "constraint-0" when the scene has no name for it.
static const char *name_of(const char *given, const char *kind, int32_t index,
                           char buffer[NAME_CAPACITY])
{
    if (given[0] != '\0') return given;
    snprintf(buffer, NAME_CAPACITY, "%s-%d", kind, (int)index);
    return buffer;
}

static pli_status add_reactions(building *b)
{
    const pli_model *model = b->model;
    const pli_scene_def *def = b->def;
    char buffer[NAME_CAPACITY];
    for (int32_t k = 0; k < def->constraint_count; ++k) {
        const char *name = name_of(def->constraints[k].name, "constraint", k, buffer);
        PLI_TRY(add_resultant(b, name, PLI_QUANTITY_CONSTRAINT, k, 0));
        if (!pli_motion_moves(&model->constraints[k].motion)) continue;
        pli_model_quantity travel = {.unit = "m",
                                     .components = 3,
                                     .kind = PLI_QUANTITY_CONSTRAINT,
                                     .source = k,
                                     .of = PLI_PART_TRAVEL};
        PLI_TRY(add_quantity(b, name, "displacement", travel));
    }
    // behind those of the scene there is one for each obstacle
    int32_t constraint = def->constraint_count;
    for (int32_t k = 0; k < model->body_count; ++k) {
        if (model->bodies[k].kind != PLI_BODY_OBSTACLE) continue;
        PLI_TRY(add_resultant(b, model->bodies[k].name, PLI_QUANTITY_CONSTRAINT, constraint++, 0));
    }
    for (int32_t k = 0; k < def->attachment_count; ++k) {
        const char *name = name_of(def->attachments[k].name, "attachment", k, buffer);
        PLI_TRY(add_resultant(b, name, PLI_QUANTITY_ATTACHMENT, k, 0));
    }
    for (int32_t k = 0; k < model->collider_count; ++k) {
        PLI_TRY(add_resultant(b, model->colliders[k].name, PLI_QUANTITY_COLLIDER, k, 0));
    }
    b->probes->wants_reactions = b->probes->quantity_count > 0;
    return PLI_OK;
}

// ---- places

static bool is_of_body(const building *b, const pli_probe_def *def, int32_t body)
{
    return def->body[0] == '\0' || strcmp(def->body, pli_building_body(b->all, body)->name) == 0;
}

static pli_status allocate_place(building *b, int32_t vertices, int32_t cells,
                                 pli_model_place *place)
{
    pli_context *context = b->model->context;
    PLI_TRY(PLI_MAKE(context, place->vertices, vertices, "probes"));
    PLI_TRY(PLI_MAKE(context, place->vertex_weights, vertices, "probes"));
    PLI_TRY(PLI_MAKE(context, place->cells, cells, "probes"));
    return PLI_MAKE(context, place->cell_weights, cells, "probes");
}

// Corners of a cell, and how many there are.
static const int32_t *cell_corners(const pli_model *model, int64_t cell, int32_t *count)
{
    *count = cell < model->tet_count ? 4 : 3;
    return cell < model->tet_count ? model->tets + 4 * cell
                                   : model->triangles + 3 * (cell - model->tet_count);
}

static double cell_volume(const pli_model *model, int64_t cell)
{
    int32_t count;
    const int32_t *c = cell_corners(model, cell, &count);
    double e[3][3], normal[3];
    for (int k = 1; k < count; ++k) {
        pli_vec3_subtract(model->rest + 3 * (int64_t)c[k], model->rest + 3 * (int64_t)c[0],
                          e[k - 1]);
    }
    pli_vec3_cross(e[0], e[1], normal);
    if (count == 4) return fabs(pli_vec3_dot(normal, e[2])) / 6;
    return 0.5 * pli_vec3_norm(normal) * model->thickness[cell - model->tet_count];
}

static int64_t cell_count(const pli_model *model)
{
    return (int64_t)model->tet_count + model->shell_triangle_count;
}

// Divides by the sum; weights that are all zero become equal.
static void normalize(int32_t count, double *weights)
{
    double sum = 0;
    for (int32_t k = 0; k < count; ++k) sum += weights[k];
    for (int32_t k = 0; k < count; ++k) {
        weights[k] = sum > 0 ? weights[k] / sum : 1.0 / (double)count;
    }
}

// A place out of marked vertices, b->amount, and marked cells, b->mask.
static pli_status gather_place(building *b, pli_model_place *place)
{
    const pli_model *model = b->model;
    int64_t cells = cell_count(model);
    int32_t vertex_count = 0, marked = 0;
    for (int32_t k = 0; k < model->vertex_count; ++k) vertex_count += b->amount[k] > 0;
    for (int64_t k = 0; k < cells; ++k) marked += b->mask[k];
    PLI_TRY(allocate_place(b, vertex_count, marked, place));
    for (int32_t k = 0; k < model->vertex_count; ++k) {
        if (!(b->amount[k] > 0)) continue;
        place->vertices[place->vertex_count] = k;
        place->vertex_weights[place->vertex_count++] = model->mass[k];
    }
    for (int64_t k = 0; k < cells; ++k) {
        if (!b->mask[k]) continue;
        place->cells[place->cell_count] = (int32_t)k;
        place->cell_weights[place->cell_count++] = cell_volume(model, k);
    }
    normalize(place->vertex_count, place->vertex_weights);
    normalize(place->cell_count, place->cell_weights);
    return PLI_OK;
}

static void clear_marks(building *b)
{
    memset(b->mask, 0, (size_t)cell_count(b->model));
    memset(b->amount, 0, (size_t)b->model->vertex_count * sizeof *b->amount);
}

// Marks the cells that have a marked vertex.
static void mark_touched_cells(building *b)
{
    for (int64_t cell = 0; cell < cell_count(b->model); ++cell) {
        int32_t count;
        const int32_t *corners = cell_corners(b->model, cell, &count);
        for (int32_t k = 0; k < count; ++k) b->mask[cell] |= b->amount[corners[k]] > 0;
    }
}

static pli_status place_vertex(building *b, int32_t probe, pli_model_place *place)
{
    const pli_probe_def *def = &b->def->probes[probe];
    int32_t left = def->vertex;
    clear_marks(b);
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        const pli_model_body *body = &b->model->bodies[k];
        if (!is_of_body(b, def, k)) continue;
        if (left >= 0 && left < body->vertex_count) b->amount[body->first_vertex + left] = 1;
        left -= body->vertex_count;
    }
    if (left >= 0) {
        char text[96];
        snprintf(text, sizeof text, "found %d; there are vertices 0 to %d", (int)def->vertex,
                 (int)(def->vertex - left - 1));
        return refuse(b, probe, "vertex", text);
    }
    mark_touched_cells(b);
    return gather_place(b, place);
}

// Weights of the corners for the point of a tetrahedron that is nearest to p, and its distance
// squared.
static double nearest_in_tet(const double *rest, const int32_t *corners, const double p[3],
                             double weights[4])
{
    double D[9], inverse[9], q[3], inside[3];
    const double *origin = rest + 3 * (int64_t)corners[0];
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            D[3 * i + j] = rest[3 * (int64_t)corners[j + 1] + i] - origin[i];
        }
    }
    pli_mat3_inverse(D, inverse);
    pli_vec3_subtract(p, origin, q);
    pli_mat3_apply(inverse, q, inside);
    weights[0] = 1 - inside[0] - inside[1] - inside[2];
    for (int k = 0; k < 3; ++k) weights[k + 1] = inside[k];
    if (weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0 && weights[3] >= 0) return 0;
    double best = INFINITY;
    for (int face = 0; face < 4; ++face) {
        double found[3], distance2;
        const double *corner[3];
        for (int k = 0; k < 3; ++k) corner[k] = rest + 3 * (int64_t)corners[(face + 1 + k) % 4];
        pli_closest_point_triangle(p, corner[0], corner[1], corner[2], found, &distance2);
        if (!(distance2 < best)) continue;
        best = distance2;
        weights[face] = 0;
        for (int k = 0; k < 3; ++k) weights[(face + 1 + k) % 4] = found[k];
    }
    return best;
}

static double nearest_in_triangle(const double *rest, const int32_t *corners, const double p[3],
                                  double weights[4])
{
    double distance2;
    pli_closest_point_triangle(p, rest + 3 * (int64_t)corners[0], rest + 3 * (int64_t)corners[1],
                               rest + 3 * (int64_t)corners[2], weights, &distance2);
    weights[3] = 0;
    return distance2;
}

// The tetrahedron that a cell is, or is a part of.
static int64_t tet_of(const pli_model *model, int64_t cell)
{
    return model->tet_of_cell != NULL ? model->tet_of_cell[cell] : cell;
}

static pli_status place_point(building *b, int32_t probe, pli_model_place *place)
{
    const pli_probe_def *def = &b->def->probes[probe];
    const pli_model *model = b->model;
    double best = INFINITY, nearest[4] = {0, 0, 0, 0};
    int64_t found = -1;
    int32_t count = 0;
    const int32_t *corners = NULL;
    for (int32_t k = 0; k < model->body_count; ++k) {
        const pli_model_body *body = &model->bodies[k];
        bool is_solid = body->kind == PLI_BODY_SOLID;
        int64_t first = is_solid ? body->first_cell : body->first_triangle;
        int64_t end = first + (is_solid ? body->cell_count : body->triangle_count);
        for (int64_t cell = first; cell < end && is_of_body(b, def, k); ++cell) {
            double weights[4];
            const int32_t *own = is_solid ? model->cells + 4 * cell : model->triangles + 3 * cell;
            double distance2 = (is_solid ? nearest_in_tet : nearest_in_triangle)(model->rest, own,
                                                                                 def->at, weights);
            if (!(distance2 < best)) continue;
            best = distance2;
            corners = own;
            count = is_solid ? 4 : 3;
            found = is_solid ? tet_of(model, cell) : model->tet_count + cell;
            memcpy(nearest, weights, sizeof nearest);
        }
    }
    if (found < 0) return refuse(b, probe, "at", "there is no body to be measured");
    // of triangles that springs join there is no stress
    bool has_cell = found < cell_count(model);
    PLI_TRY(allocate_place(b, count, has_cell, place));
    place->vertex_count = count;
    memcpy(place->vertices, corners, (size_t)count * sizeof *corners);
    memcpy(place->vertex_weights, nearest, (size_t)count * sizeof *nearest);
    if (!has_cell) return PLI_OK;
    place->cell_count = 1;
    place->cells[0] = (int32_t)found;
    place->cell_weights[0] = 1;
    return PLI_OK;
}

// Marks vertices and cells of a body that a selection has. Returns how many vertices there are.
static int32_t mark_body(building *b, int32_t index, const pli_variant *where, uint8_t *marks)
{
    const pli_model_body *body = &b->model->bodies[index];
    pli_selection_source source = pli_building_selection(b->all, index);
    int32_t found = pli_selection_mark_vertices(where, &source, marks);
    for (int32_t k = 0; k < body->vertex_count; ++k) {
        b->amount[body->first_vertex + k] = marks[k] ? 1 : 0;
    }
    bool is_solid = body->kind == PLI_BODY_SOLID;
    if (!is_solid && body->kind != PLI_BODY_SHELL) return found;
    int64_t first =
        is_solid ? body->first_tet : (int64_t)b->model->tet_count + body->first_triangle;
    pli_selection_mark_cells(where, &source, b->mask + first);
    return found;
}

static pli_status place_selection(building *b, int32_t probe, pli_model_place *place)
{
    static const pli_variant all = {PLI_SELECT_ALL, NULL};
    const pli_probe_def *def = &b->def->probes[probe];
    const pli_variant *where = def->where.kind >= 0 ? &def->where : &all;
    int64_t most = 1;
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        const pli_model_body *body = &b->model->bodies[k];
        if (most < body->vertex_count) most = body->vertex_count;
    }
    uint8_t *marks = PLI_NEW(b->model->context, uint8_t, most, "probes");
    if (marks == NULL) return PLI_ERROR_MEMORY;
    clear_marks(b);
    int32_t found = 0;
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        if (is_of_body(b, def, k)) found += mark_body(b, k, where, marks);
    }
    pli_release(b->model->context, marks);
    if (found == 0) return refuse(b, probe, "where", "selects no vertex");
    bool has_cells = false;
    for (int64_t k = 0; k < cell_count(b->model); ++k) has_cells |= b->mask[k] != 0;
    if (!has_cells) mark_touched_cells(b);
    return gather_place(b, place);
}

// The body or the emitter that a probe of particles averages over.
static pli_status place_particles(building *b, int32_t probe, pli_model_place *place)
{
    const pli_probe_def *def = &b->def->probes[probe];
    const pli_matter *matter = b->model->matter;
    place->source = -1;
    if (def->body[0] == '\0') return PLI_OK;
    for (int32_t k = 0; k < matter->source_count; ++k) {
        if (strcmp(matter->sources[k].name, def->body) == 0) place->source = k;
    }
    return PLI_OK;
}

static pli_status build_place(building *b, int32_t probe)
{
    const pli_probe_def *def = &b->def->probes[probe];
    b->place_of[probe] = b->probes->place_count;
    pli_model_place *place = &b->probes->places[b->probes->place_count++];
    if (b->of_particles) return place_particles(b, probe, place);
    if (def->vertex >= 0) return place_vertex(b, probe, place);
    if (def->at_count == 3) return place_point(b, probe, place);
    return place_selection(b, probe, place);
}

// ---- probes

static bool has_place(const pli_probe_def *def)
{
    return def->distance_count == 0 && def->contact_count == 0;
}

static pli_status add_of_place(building *b, int32_t probe)
{
    static const char *const usual[USUAL_COUNT] = {"position", "displacement", "velocity"};
    const pli_probe_def *def = &b->def->probes[probe];
    bool given = def->of_count > 0;
    for (int32_t k = 0; k < (given ? def->of_count : USUAL_COUNT); ++k) {
        const char *name = given ? def->of[k] : usual[k];
        int32_t of = 0;
        while (of < PLI_PROBE_OF_COUNT && strcmp(rows[of].name, name) != 0) ++of;
        if (of == PLI_PROBE_OF_COUNT) continue; // refused by a rule
        if (!given && b->of_particles && !rows[of].of_particles) continue;
        bool of_cells = !b->of_particles && rows[of].of_cells;
        if (of_cells && b->probes->places[b->place_of[probe]].cell_count == 0) {
            return refuse(b, probe, "of", "there are no elements to measure stress in");
        }
        b->probes->wants_cells |= of_cells;
        PLI_TRY(add_quantity(b, def->name, name,
                             (pli_model_quantity){.unit = rows[of].unit,
                                                  .components = rows[of].components,
                                                  .kind = PLI_QUANTITY_PLACE,
                                                  .source = b->place_of[probe],
                                                  .of = of}));
    }
    return PLI_OK;
}

static int32_t find_probe(const building *b, const char *name)
{
    for (int32_t k = 0; k < b->def->probe_count; ++k) {
        if (strcmp(b->def->probes[k].name, name) == 0) return k;
    }
    return -1;
}

// A body of the scene, or -1 - collider.
static int32_t find_part(const building *b, const char *name)
{
    for (int32_t k = 0; k < b->def->body_count; ++k) {
        if (strcmp(b->def->bodies[k].name, name) == 0) return k;
    }
    for (int32_t k = 0; k < b->def->collider_count; ++k) {
        if (strcmp(b->def->colliders[k].name, name) == 0) return -1 - k;
    }
    return 0;
}

static pli_status add_probe(building *b, int32_t probe)
{
    const pli_probe_def *def = &b->def->probes[probe];
    if (has_place(def)) return add_of_place(b, probe);
    if (def->contact_count == 2) {
        return add_resultant(b, def->name, PLI_QUANTITY_CONTACT, find_part(b, def->contact[0]),
                             find_part(b, def->contact[1]));
    }
    return add_quantity(
        b, def->name, "",
        (pli_model_quantity){.unit = "m",
                             .components = 1,
                             .kind = PLI_QUANTITY_DISTANCE,
                             .source = b->place_of[find_probe(b, def->distance[0])],
                             .other = b->place_of[find_probe(b, def->distance[1])]});
}

// ---- plots

// Whether a text is the name of a quantity with one of its components.
static bool is_number(const pli_model_probes *probes, const char *text)
{
    for (int32_t k = 0; k < probes->quantity_count; ++k) {
        const pli_model_quantity *quantity = &probes->quantities[k];
        size_t length = strlen(quantity->name);
        if (strncmp(quantity->name, text, length) != 0) continue;
        for (int32_t i = 0; i < quantity->components; ++i) {
            if (strcmp(text + length, pli_probe_component(quantity->components, i)) == 0) {
                return true;
            }
        }
    }
    return strcmp(text, "time") == 0;
}

static pli_status check_axis(const building *b, int32_t plot, const char *key, const char *text)
{
    if (is_number(b->probes, text)) return PLI_OK;
    char path[PATH_CAPACITY];
    char found[PLI_EXCERPT_CAPACITY];
    snprintf(path, sizeof path, "output.plots[%d].%s", (int)plot, key);
    pli_suggest suggest;
    pli_suggest_init(&suggest, pli_excerpt(text, found));
    pli_suggest_add(&suggest, "time");
    for (int32_t k = 0; k < b->probes->quantity_count; ++k) {
        pli_suggest_add(&suggest, b->probes->quantities[k].name);
    }
    const pli_plot_def *def = &b->def->output.plots[plot];
    pli_visit at = {.path = path, .holder = def, .member = key[0] == 'x' ? &def->x : &def->y};
    return pli_scene_fail(b->scene, PLI_ERROR_SCENE, &at,
                          "found '%s', which is not measured; measured are, with .x, .y or .z "
                          "behind those of a direction, %s",
                          found, pli_suggest_text(&suggest));
}

static pli_status check_plots(const building *b)
{
    for (int32_t k = 0; k < b->def->output.plot_count; ++k) {
        PLI_TRY(check_axis(b, k, "x", b->def->output.plots[k].x));
        PLI_TRY(check_axis(b, k, "y", b->def->output.plots[k].y));
    }
    return PLI_OK;
}

// ---- everything

static int64_t most_quantities(const building *b)
{
    int64_t most = 3 * (int64_t)b->def->constraint_count + 2 * (int64_t)b->def->attachment_count +
                   2 * (int64_t)b->model->collider_count + 2 * (int64_t)b->model->body_count;
    for (int32_t k = 0; k < b->def->probe_count; ++k) {
        most += b->def->probes[k].of_count + USUAL_COUNT;
    }
    return most;
}

static pli_status allocate(building *b)
{
    pli_context *context = b->model->context;
    int64_t largest = cell_count(b->model);
    if (largest < b->model->vertex_count) largest = b->model->vertex_count;
    PLI_TRY(PLI_MAKE(context, b->model->probes, 1, "probes"));
    b->probes = b->model->probes;
    PLI_TRY(PLI_MAKE(context, b->probes->quantities, most_quantities(b), "probes"));
    PLI_TRY(PLI_MAKE(context, b->probes->places, b->def->probe_count, "probes"));
    PLI_TRY(PLI_MAKE(context, b->place_of, b->def->probe_count, "probes"));
    PLI_TRY(PLI_MAKE(context, b->mask, largest, "probes"));
    return PLI_MAKE(context, b->amount, largest, "probes");
}

static pli_status build(building *b)
{
    PLI_TRY(allocate(b));
    for (int32_t k = 0; k < b->def->probe_count; ++k) {
        b->place_of[k] = -1;
        if (has_place(&b->def->probes[k])) PLI_TRY(build_place(b, k));
    }
    bool wanted = b->def->output.reactions && !b->of_particles;
    if (wanted) PLI_TRY(add_reactions(b));
    for (int32_t k = 0; k < b->def->probe_count; ++k) PLI_TRY(add_probe(b, k));
    return check_plots(b);
}

pli_status pli_probe_build(const pli_building *all)
{
    building b = {.model = all->model,
                  .scene = all->scene,
                  .def = all->def,
                  .all = all,
                  .of_particles = all->model->matter != NULL};
    pli_status status = build(&b);
    PLI_RELEASE(all->context, b.amount, b.mask, b.place_of);
    return status;
}

void pli_probe_clear(pli_model *model)
{
    pli_model_probes *probes = model->probes;
    pli_context *context = model->context;
    if (probes == NULL) return;
    for (int32_t k = 0; k < probes->quantity_count; ++k) {
        pli_release(context, probes->quantities[k].name);
    }
    for (int32_t k = 0; k < probes->place_count; ++k) {
        pli_model_place *place = &probes->places[k];
        PLI_RELEASE(context, place->vertices, place->vertex_weights, place->cells,
                    place->cell_weights);
    }
    PLI_RELEASE(context, probes->places, probes->quantities, probes);
    model->probes = NULL;
}
