// SPDX-License-Identifier: Apache-2.0
#include "sim/body/body_size.h"

#include "base/context.h"
#include "base/machine.h"
#include "sim/body/body_copy.h"
#include "sim/scene/plan_defs.h"
#include "sim/scene/scene.h"

#include <math.h>
#include <stdio.h>

// Bytes per vertex of a solid and of a surface that the leanest solvers take, measured by what
// 'pliant check' tells and rounded down.
static const double solid_bytes = 1000;
static const double surface_bytes = 500;

// Bytes of a particle in a state: two vectors, two matrices, three numbers.
static const double particle_bytes = 200;

// A body-centred lattice has two vertices in a cube of its spacing.
static double lattice_vertices(double volume, double spacing)
{
    return 2 * volume / (spacing * spacing * spacing);
}

// Number of vertices of one copy, as far as the description tells; 0: it does not.
static double count_vertices(const pli_body_def *body)
{
    switch ((pli_geometry_kind)body->geometry.kind) {
    case PLI_GEOMETRY_GRID: {
        const pli_grid_def *grid = body->geometry.data;
        return (grid->cells[0] + 1.0) * (grid->cells[1] + 1.0) * (grid->cells[2] + 1.0);
    }
    case PLI_GEOMETRY_FILL: {
        const pli_fill_def *fill = body->geometry.data;
        return fill->spacing > 0 ? 0 : fill->vertices;
    }
    case PLI_GEOMETRY_SHEET: {
        const pli_sheet_def *sheet = body->geometry.data;
        return (sheet->columns + 1.0) * (sheet->rows + 1.0);
    }
    case PLI_GEOMETRY_SCROLL: {
        const pli_scroll_def *scroll = body->geometry.data;
        return (scroll->columns + 1.0) * (scroll->rows + 1.0);
    }
    default: return 0;
    }
}

static double bytes_of_vertex(const pli_body_def *body)
{
    return body->kind == PLI_BODY_SOLID ? solid_bytes : surface_bytes;
}

pli_status pli_body_check_sizes(const pli_scene *scene)
{
    const pli_scene_def *def = pli_scene_get(scene);
    double machine = (double)pli_machine_memory();
    double total = 0;
    for (int32_t k = 0; k < def->body_count; ++k) {
        const pli_body_def *body = &def->bodies[k];
        double copies = (double)pli_body_copy_count(body);
        double vertices = copies * count_vertices(body);
        total += vertices * bytes_of_vertex(body);
        if (total <= machine) continue;
        char path[128];
        snprintf(path, sizeof path, "bodies.%.100s.geometry", body->name);
        pli_visit at = {.path = path, .holder = body, .member = &body->geometry};
        return pli_scene_fail(scene, PLI_ERROR_SCENE, &at,
                              "its %.3g vertices, with those of bodies before, take %.3g "
                              "GB of memory at least; there are %.3g GB, enough for %.2g vertices "
                              "in all with the leanest solver, and for a third of that with newton",
                              vertices, 1e-9 * total, 1e-9 * machine,
                              machine / bytes_of_vertex(body));
    }
    return PLI_OK;
}

pli_status pli_body_check_lattice(pli_context *context, double volume, double spacing)
{
    double machine = (double)pli_machine_memory();
    double vertices = lattice_vertices(volume, spacing);
    if (vertices * solid_bytes <= machine) return PLI_OK;
    return PLI_FAIL(
        context, PLI_ERROR_SCENE,
        "spacing %g m makes about %.3g vertices, which take %.3g GB of memory at least; "
        "there are %.3g GB, enough for a spacing of %.2g m with the leanest solver",
        spacing, vertices, 1e-9 * vertices * solid_bytes, 1e-9 * machine,
        cbrt(lattice_vertices(volume, 1) * solid_bytes / machine));
}

pli_status pli_body_check_particles(pli_context *context, double volume, int32_t per_cell,
                                    double cell)
{
    double machine = (double)pli_machine_memory();
    double particles = volume / (cell * cell * cell) * per_cell;
    if (particles * particle_bytes <= machine) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_SCENE,
                    "about %.3g particles, %d in a cell of %g m, take %.3g GB of memory at least; "
                    "there are %.3g GB, enough for a domain.cell of %.2g m",
                    particles, per_cell, cell, 1e-9 * particles * particle_bytes, 1e-9 * machine,
                    cbrt(volume * per_cell * particle_bytes / machine));
}

void pli_body_warn_memory(pli_context *context, int64_t bytes)
{
    int64_t machine = pli_machine_memory();
    if (bytes <= machine) return;
    PLI_LOG(context, PLI_LOG_WARNING,
            "the simulation takes about %.3g GB of memory, and there are %.3g GB: fewer vertices "
            "or particles, or a leaner solver such as lbfgs, are needed",
            1e-9 * (double)bytes, 1e-9 * (double)machine);
}
