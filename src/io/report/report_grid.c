// SPDX-License-Identifier: Apache-2.0
#include "io/report/report_grid.h"

#include <math.h>

void pli_report_grid_add(pli_report_grid *grid, const pli_step_report *step)
{
    const pli_grid_report *from = &step->grid;
    if (from->substeps == 0) return;
    grid->shortest = grid->step_count == 0 ? from->shortest : fmin(grid->shortest, from->shortest);
    grid->longest = fmax(grid->longest, from->longest);
    ++grid->step_count;
#define X(member, type, key) grid->member += from->member;
    PLI_GRID_COUNTS(X)
#undef X
    if (from->nodes > grid->most_nodes) grid->most_nodes = from->nodes;
    grid->last = *from;
}

int32_t pli_report_grid_levels(const pli_grid_report *grid)
{
    return grid->level_count < PLI_REPORT_LEVELS ? grid->level_count : PLI_REPORT_LEVELS;
}

// ---- lines of steps.jsonl

// A number of things that fits into so many bytes, as far as doubles count.
static int64_t read_count(const pli_json *line, const pli_json_node *group, const char *key,
                          size_t bytes)
{
    double value = pli_json_number(line, group, key, 0);
    double most = bytes == sizeof(int32_t) ? INT32_MAX : 9007199254740992.0;
    return value >= 0 && value <= most ? (int64_t)value : 0;
}

static void read_levels(const pli_json *line, const pli_json_node *group, pli_grid_report *grid)
{
    const pli_json_node *level = pli_json_child(line, pli_json_get(line, group, "levels"));
    for (; level != NULL && grid->level_count < PLI_REPORT_LEVELS;
         level = pli_json_next(line, level)) {
        int32_t k = grid->level_count++;
        grid->level_nodes[k] = (int32_t)read_count(line, level, "nodes", sizeof(int32_t));
        grid->level_blocks[k] = read_count(line, level, "blocks", sizeof(int64_t));
        grid->level_bytes[k] = read_count(line, level, "bytes", sizeof(int64_t));
    }
}

pli_grid_report pli_report_grid_read(const pli_json *line)
{
    // an earlier version's group "grid" says "pieces" and "held"
    const pli_json_node *group = pli_json_get(line, &line->nodes[0], "implicit");
    bool is_former = group == NULL;
    if (is_former) group = pli_json_get(line, &line->nodes[0], "grid");
    const char *constrained = is_former ? "held" : "constrained";
    pli_grid_report grid = {
        .shortest = pli_json_number(line, group, "shortest", 0),
        .longest = pli_json_number(line, group, "longest", 0),
        .nodes = (int32_t)read_count(line, group, "nodes", sizeof grid.nodes),
        .constrained = (int32_t)read_count(line, group, constrained, sizeof grid.constrained),
        .bytes = read_count(line, group, "bytes", sizeof grid.bytes)};
#define X(member, type, key) grid.member = (type)read_count(line, group, key, sizeof(type));
    PLI_GRID_COUNTS(X)
#undef X
    if (is_former) grid.substeps = (int32_t)read_count(line, group, "pieces", sizeof grid.substeps);
    read_levels(line, group, &grid);
    return grid;
}
