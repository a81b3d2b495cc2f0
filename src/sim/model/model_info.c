// SPDX-License-Identifier: Apache-2.0
//
// What outsiders may ask of a model, and what a run of it will cost.
#include "math/vec3.h"
#include "sim/model/coarse_build.h"
#include "sim/model/collider_build.h"
#include "sim/model/matter_build.h"
#include "sim/model/model.h"
#include "sim/model/subspace_build.h"
#include "sim/scene/schema.h"
#include "sim/step/norm.h"
#include "sim/step/substeps.h"

pli_mesh_view pli_model_get_mesh(const pli_model *model)
{
    return (pli_mesh_view){.vertex_count = model->vertex_count,
                           .rest_positions = model->rest,
                           .masses = model->mass,
                           .tet_count = model->tet_count,
                           .tets = model->tets,
                           .triangle_count = model->triangle_count,
                           .triangles = model->triangles,
                           .mid_nodes = model->mid_nodes};
}

pli_body_info pli_model_get_body(const pli_model *model, int32_t body)
{
    const pli_model_body *from = &model->bodies[body];
    return (pli_body_info){.name = from->name,
                           .kind = from->kind,
                           .first_vertex = from->first_vertex,
                           .vertex_count = from->vertex_count,
                           .first_tet = from->first_tet,
                           .tet_count = from->tet_count,
                           .first_triangle = from->first_triangle,
                           .triangle_count = from->triangle_count,
                           .element =
                               from->kind == PLI_BODY_SOLID ? from->element : PLI_ELEMENT_LINEAR,
                           .source = from->source};
}

pli_kind_info pli_model_get_kind(const pli_model *model, int32_t kind)
{
    const pli_matter_kind *known = &model->matter->kinds[kind];
    return (pli_kind_info){.source = model->matter->sources[known->source].name,
                           .material = known->material,
                           .mass = known->mass,
                           .volume = known->matter.volume,
                           .is_fluid = pli_material_is_fluid(&known->matter.material)};
}

// One matrix for many iterations has a number for three coordinates, twice; without a matrix there
// may be a pattern to colour vertices by.
static int64_t bytes_of_block(const pli_solver_kind *kind)
{
    if (pli_solver_has(kind, PLI_TAKES_PARTS)) return 9 * 8 + 4;
    return pli_solver_has(kind, PLI_KEEPS_MATRIX) ? 2 * 8 + 4 : 4;
}

// A mesh of linear tetrahedra has about 14 neighbours a vertex and one of quadratic ones 27; in
// patches, a vertex is coupled with what its neighbours' patches reach.
static int64_t count_blocks(const pli_model *model)
{
    static const int64_t of_row[] = {[PLI_ELEMENT_AUTO] = 15,
                                     [PLI_ELEMENT_LINEAR] = 15,
                                     [PLI_ELEMENT_QUADRATIC] = 28,
                                     [PLI_ELEMENT_LOCKING_FREE] = 30};
    int64_t count = 0;
    for (int32_t k = 0; k < pli_model_things(model); ++k) {
        const pli_model_body *body = &model->bodies[k];
        count += of_row[body->element] * body->vertex_count;
    }
    return count;
}

// Bytes of the elastic terms.
static int64_t estimate_elements(const pli_model *model)
{
    static const int64_t linear = 4 * 4 * 3 + 16 * 4 + 10 * 8 + 8 * 8 + 3 * 8;
    static const int64_t quadratic = 3 * 10 * 4 + 100 * 4 + 4 * 28 * 8 + 4 * 8 * 8 + 8 * 4 * 5;
    int64_t sum = 0;
    for (int32_t k = 0; k < model->body_count; ++k) {
        const pli_model_body *body = &model->bodies[k];
        bool large = body->element == PLI_ELEMENT_QUADRATIC;
        sum += (large ? quadratic : linear) * body->tet_count;
    }
    return sum;
}

// What is not in the matrix is arrays per
// vertex and per tetrahedron.
static int64_t estimate_memory(const pli_model *model, int64_t block_count)
{
    const pli_solver_kind *kind = model->solver_kind;
    const int64_t per_block = bytes_of_block(kind);
    bool pairs = pli_solver_has(kind, PLI_KEEPS_PAIRS);
    const int64_t per_vertex = 60 * 8 + (pairs ? 2 * 3 * 8 * (model->solver_def.window + 1) : 0);
    // a triangle has one and a half hinges
    const int64_t per_triangle = 3 * 4 + 9 * 4 + 10 * 8 + 3 * (20 * 4 + 2 * 8) / 2;
    // in the model, in the term, twice in its rows, and its slots
    const int64_t per_spring = 2 * (2 * 4 + 2 * 8) + 2 * (2 * 4 + 2 * 8) + 4 * 4 + 8;
    // of a plate: twelve vertices, slots, shares, stiffness, angles; its matrix has two rings more
    const int64_t per_plate = 12 * 4 + 144 * 4 + (27 + 9 + 9) * 8 + 12 * per_block;
    int64_t plates = 0;
    for (int32_t k = 0; k < model->shell_triangle_count; ++k) plates += model->is_plate[k];
    // stress and branches in the state, factor and added stress in the term
    const int64_t per_point = (6 + 6 * model->branch_count + 7) * 8;
    int64_t points = model->branches != NULL ? model->first_point[model->tet_count] : 0;
    return per_block * block_count + per_plate * plates + per_point * points +
           per_vertex * model->vertex_count + estimate_elements(model) +
           per_triangle * model->triangle_count + per_spring * model->spring_count +
           pli_coarse_memory(model) + pli_reduction_memory(model);
}

static void get_matter_info(const pli_model *model, pli_model_info *info)
{
    const pli_matter *matter = model->matter;
    const pli_grid_method *method = model->solver_kind->grid;
    info->memory_estimate = pli_matter_memory(model);
    info->particle_count = matter->start.count;
    info->kind_count = matter->kind_count;
    info->cell = matter->dx;
    info->emitter_count = matter->emitter_count;
    pli_vec3_copy(matter->room[0], info->domain_min);
    pli_vec3_copy(matter->room[1], info->domain_max);
    info->substeps = pli_substeps_at_start(model);
    info->max_substeps = pli_substeps_limit(model);
    if (method == NULL) return;
    info->cfl = model->solver_def.grid.cfl;
    info->node_count = matter->sizes.nodes;
    if (method->linear) info->fixed_iterations = 1;
}

pli_model_info pli_model_get_info(const pli_model *model)
{
    int64_t held = 0;
    for (int32_t k = 0; k < model->constraint_count; ++k) {
        int32_t axes = model->constraints[k].axes;
        held += (int64_t)model->constraints[k].vertex_count *
                ((axes & 1) + ((axes >> 1) & 1) + ((axes >> 2) & 1));
    }
    int64_t block_count = count_blocks(model);
    pli_model_info info = {.body_count = model->body_count,
                           .vertex_count = model->vertex_count,
                           .tet_count = model->tet_count,
                           .unknown_count = 3 * (int64_t)model->vertex_count - held,
                           .block_count = block_count,
                           .memory_estimate = estimate_memory(model, block_count),
                           .dt = model->dt,
                           .size = model->size,
                           .mass = model->total_mass,
                           .solver = model->solver_kind->info.name,
                           .tolerance = model->tolerance,
                           .tolerance_unit = pli_norm_unit(model),
                           .fixed_iterations = model->solver_def.fixed_iterations,
                           .collider_count = model->collider_count,
                           .triangle_count = model->triangle_count,
                           .spring_count = model->spring_count,
                           .contact = pli_collider_get_contact(model),
                           .painted_count = model->painted_count,
                           .painted = model->painted,
                           .load_count = model->load_count,
                           .cavity_count = model->cavity_count};
    if (model->matter != NULL) get_matter_info(model, &info);
    pli_reduction_get_info(model, &info);
    if (model->hierarchy == NULL) return info;
    info.level_count = model->hierarchy->level_count;
    info.level_memory = pli_coarse_memory(model);
    for (int32_t k = 0; k < info.level_count; ++k) {
        info.level_nodes[k] = model->hierarchy->transfers[info.level_count - 1 - k].coarse_count;
    }
    return info;
}
