// SPDX-License-Identifier: Apache-2.0
#include "io/report/report_matter.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

// ---- the histogram

// Where a length stands or would stand.
static int32_t find_span(const pli_report_matter *matter, double seconds)
{
    int32_t at = 0;
    // lengths that differ by rounding are the same
    while (at < matter->span_count && matter->spans[at].seconds < seconds * (1 - 1e-9)) ++at;
    return at;
}

static void add_updates(pli_report_matter *matter, double seconds, int64_t updates)
{
    int32_t at = find_span(matter, seconds);
    bool is_known = at < matter->span_count && matter->spans[at].seconds <= seconds * (1 + 1e-9);
    if (!is_known && matter->span_count < PLI_REPORT_SPANS) {
        size_t behind = (size_t)(matter->span_count - at);
        memmove(&matter->spans[at + 1], &matter->spans[at], behind * sizeof matter->spans[0]);
        matter->spans[at] = (pli_report_span){seconds, 0};
        ++matter->span_count;
    }
    // more lengths than any run has: the next one takes it
    if (at == PLI_REPORT_SPANS) --at;
    matter->spans[at].updates += updates;
}

// Particles that the step before left or that came since, and that are gone.
static void note_loss(pli_report_matter *matter, const pli_step_report *step)
{
    int64_t expected = matter->particles + step->matter.emitted;
    if (matter->step_count == 0 || step->matter.particles >= expected) return;
    matter->lost += expected - step->matter.particles;
    pli_report_steps_add(&matter->losing, step->step);
}

void pli_report_matter_add(pli_report_matter *matter, const pli_step_report *step)
{
    const pli_matter_report *from = &step->matter;
    if (!pli_report_has_matter(step)) return;
    note_loss(matter, step);
    if (from->retries > 0 || step->grid.retries > 0) {
        pli_report_steps_add(&matter->retried, step->step);
    }
    ++matter->step_count;
    matter->particles = from->particles;
    matter->emitted += from->emitted;
    matter->sweeps += from->sweeps;
    matter->block_updates += from->block_updates;
    matter->particle_updates += from->particle_updates;
    matter->buffer_updates += from->buffer_updates;
    matter->retries += from->retries;
    matter->schedule_seconds += from->schedule_seconds;
    for (int k = 0; k < PLI_REPORT_STEPS; ++k) {
        if (from->steps[k] > 0) add_updates(matter, ldexp(from->tick, k), from->steps[k]);
    }
}

void pli_report_matter_range(const pli_matter_report *matter, double *shortest, double *longest)
{
    *shortest = *longest = 0;
    for (int k = 0; k < PLI_REPORT_STEPS; ++k) {
        if (matter->steps[k] == 0) continue;
        *longest = ldexp(matter->tick, k);
        if (*shortest == 0) *shortest = *longest;
    }
}

// ---- lines of steps.jsonl

// A number of things, as far as doubles count.
static int64_t whole(double value)
{
    return value >= 0 && value <= 9007199254740992.0 ? (int64_t)value : 0;
}

static int64_t read_count(const pli_json *line, const pli_json_node *group, const char *key)
{
    return whole(pli_json_number(line, group, key, 0));
}

static void read_histogram(const pli_json *line, const pli_json_node *group,
                           pli_matter_report *matter)
{
    const pli_json_node *span = pli_json_child(line, pli_json_get(line, group, "steps"));
    for (; span != NULL; span = pli_json_next(line, span)) {
        double seconds = 0;
        if (span->key == NULL || span->kind != PLI_JSON_NUMBER || !(matter->tick > 0)) continue;
        if (!pli_number_from_bytes(span->key, (int64_t)strlen(span->key), &seconds)) continue;
        double level = round(log2(seconds / matter->tick));
        if (level >= 0 && level < PLI_REPORT_STEPS) {
            matter->steps[(int)level] = whole(span->number);
        }
    }
}

pli_matter_report pli_report_matter_read(const pli_json *line)
{
    // an earlier version's group "matter" has the particles, too
    const pli_json_node *former = pli_json_get(line, &line->nodes[0], "matter");
    const pli_json_node *counts = former != NULL ? former : &line->nodes[0];
    const pli_json_node *group =
        former != NULL ? former : pli_json_get(line, &line->nodes[0], "explicit");
    pli_matter_report matter = {.particles = read_count(line, counts, "particles"),
                                .emitted = read_count(line, counts, "emitted"),
                                .tick = pli_json_number(line, group, "tick", 0),
                                .ticks = read_count(line, group, "ticks"),
                                .sweeps = read_count(line, group, "sweeps"),
                                .block_updates = read_count(line, group, "block_updates"),
                                .particle_updates = read_count(line, group, "particle_updates"),
                                .buffer_updates = read_count(line, group, "buffer_updates"),
                                .retries = (int32_t)read_count(line, group, "retries"),
                                .schedule_seconds =
                                    pli_json_number(line, group, "schedule_seconds", 0)};
    read_histogram(line, group, &matter);
    return matter;
}
