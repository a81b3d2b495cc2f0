// SPDX-License-Identifier: Apache-2.0
//
// Rules of what is measured: probes, and the names of reactions.
#include "sim/model/probe_build.h"
#include "sim/scene/scene_rules.h"
#include "sim/scene/schema.h"

#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

// How many of the ways to say what is meant a probe has.
static int32_t count_kinds(const pli_probe_def *probe)
{
    return (probe->vertex >= 0) + (probe->at_count > 0) + (probe->where.kind >= 0) +
           (probe->distance_count > 0) + (probe->contact_count > 0);
}

static const pli_probe_row *find_row(const char *name)
{
    for (int32_t k = 0; k < PLI_PROBE_OF_COUNT; ++k) {
        const pli_probe_row *row = pli_probe_row_get((pli_probe_of)k);
        if (strcmp(row->name, name) == 0) return row;
    }
    return NULL;
}

static pli_status refuse_unknown(const pli_rules *r, const pli_visit *visit, int32_t index)
{
    const pli_probe_def *probe = visit->holder;
    char found[PLI_EXCERPT_CAPACITY];
    pli_suggest suggest;
    pli_suggest_init(&suggest, pli_excerpt(probe->of[index], found));
    for (int32_t k = 0; k < PLI_PROBE_OF_COUNT; ++k) {
        const pli_probe_row *row = pli_probe_row_get((pli_probe_of)k);
        if (!r->has_particles || row->of_particles) pli_suggest_add(&suggest, row->name);
    }
    return pli_rules_refuse(r, visit, "of", &probe->of,
                            "found '%s', which is not measured; allowed are %s", found,
                            pli_suggest_text(&suggest));
}

static pli_status check_of(const pli_rules *r, const pli_visit *visit)
{
    const pli_probe_def *probe = visit->holder;
    bool is_single = probe->vertex >= 0 || probe->at_count > 0;
    for (int32_t k = 0; k < probe->of_count; ++k) {
        const pli_probe_row *row = find_row(probe->of[k]);
        if (row == NULL || (r->has_particles && !row->of_particles)) {
            return refuse_unknown(r, visit, k);
        }
        for (int32_t i = 0; i < k; ++i) {
            if (strcmp(probe->of[i], probe->of[k]) != 0) continue;
            return pli_rules_refuse(r, visit, "of", &probe->of, "names '%s' twice", row->name);
        }
        if (!is_single || !row->is_extensive) continue;
        return pli_rules_refuse(r, visit, "of", &probe->of,
                                "found '%s', which a single place has none of; give 'where', or "
                                "the body alone",
                                row->name);
    }
    return PLI_OK;
}

static bool has_place(const pli_probe_def *probe)
{
    return probe->distance_count == 0 && probe->contact_count == 0;
}

static pli_status check_distance(const pli_rules *r, const pli_visit *visit)
{
    const pli_probe_def *probe = visit->holder;
    if (probe->distance_count != 2) {
        return pli_rules_refuse(r, visit, "distance", &probe->distance,
                                "found %d names; a distance is between two probes",
                                (int)probe->distance_count);
    }
    for (int k = 0; k < 2; ++k) {
        char found[PLI_EXCERPT_CAPACITY];
        pli_suggest suggest;
        pli_suggest_init(&suggest, pli_excerpt(probe->distance[k], found));
        bool known = false;
        for (int32_t i = 0; i < r->def->probe_count; ++i) {
            const pli_probe_def *other = &r->def->probes[i];
            if (!has_place(other)) continue;
            known = known || strcmp(other->name, probe->distance[k]) == 0;
            pli_suggest_add(&suggest, other->name);
        }
        if (known) continue;
        return pli_rules_refuse(r, visit, "distance", &probe->distance,
                                "found '%s', which is no probe with a position; there are %s",
                                found, pli_suggest_text(&suggest));
    }
    return PLI_OK;
}

static pli_status check_probe_contact(const pli_rules *r, const pli_visit *visit)
{
    const pli_probe_def *probe = visit->holder;
    if (probe->contact_count != 2) {
        return pli_rules_refuse(r, visit, "contact", &probe->contact,
                                "found %d names; contact is of two", (int)probe->contact_count);
    }
    for (int k = 0; k < 2; ++k) {
        PLI_TRY(pli_rules_check_reference(r, visit, "contact", &probe->contact[k], &r->bodies,
                                          &r->colliders));
    }
    if (r->def->contact.method == PLI_CONTACT_BARRIER) return PLI_OK;
    return pli_rules_refuse(r, visit, "contact", &probe->contact,
                            "needs contact.method: barrier, which alone tells pairs apart; forces "
                            "of colliders are measured in any case");
}

static pli_status check_probe(const pli_rules *r, const pli_visit *visit)
{
    const pli_probe_def *probe = visit->holder;
    if (count_kinds(probe) > 1) {
        return pli_rules_refuse(r, visit, "", probe,
                                "must be one thing: a vertex, at, where, a distance or a contact");
    }
    if (probe->at_count > 0) {
        PLI_TRY(pli_rules_check_point(r, visit, "at", &probe->at, probe->at_count));
    }
    if (r->has_particles && count_kinds(probe) > (probe->distance_count > 0)) {
        return pli_rules_refuse(r, visit, "", probe,
                                "is of particles, which come and go; give a body or an emitter "
                                "alone");
    }
    if (probe->body[0] != '\0') {
        PLI_TRY(pli_rules_check_reference(r, visit, "body", &probe->body, &r->bodies,
                                          r->has_particles ? &r->emitters : NULL));
    }
    if (!has_place(probe) && probe->of_count > 0) {
        return pli_rules_refuse(r, visit, "of", &probe->of,
                                "is for a vertex, a place or a selection; distance and contact "
                                "say what they are of");
    }
    PLI_TRY(check_of(r, visit));
    if (probe->distance_count > 0) return check_distance(r, visit);
    return probe->contact_count > 0 ? check_probe_contact(r, visit) : PLI_OK;
}

// ---- names

// Names of what is measured, each of which may be there once.
static pli_status add_name(const pli_rules *r, pli_names *names, const char *path,
                           const char *const *name)
{
    if ((*name)[0] == '\0') return PLI_OK;
    int32_t before = names->count;
    int32_t index = 0;
    pli_visit at = {.path = path, .member = name};
    if (!pli_scene_is_name(*name)) {
        char found[PLI_EXCERPT_CAPACITY];
        return pli_scene_fail(r->scene, PLI_ERROR_SCENE, &at,
                              "found the name '%s'; allowed are 1 to 64 letters, digits, '-' and "
                              "'_'",
                              pli_excerpt(*name, found));
    }
    PLI_TRY(pli_names_add(names, *name, &index));
    if (index == before) return PLI_OK;
    return pli_scene_fail(r->scene, PLI_ERROR_SCENE, &at,
                          "'%s' is the name of something else that is measured", *name);
}

static pli_status collect_names(const pli_rules *r, pli_names *names)
{
    const pli_scene_def *def = r->def;
    char path[PLI_PATH_CAPACITY];
    for (int32_t k = 0; k < def->collider_count; ++k) {
        PLI_TRY(add_name(r, names, "colliders", &def->colliders[k].name));
    }
    for (int32_t k = 0; k < def->body_count; ++k) {
        bool is_obstacle = def->bodies[k].kind == PLI_BODY_OBSTACLE;
        if (is_obstacle) PLI_TRY(add_name(r, names, "bodies", &def->bodies[k].name));
    }
    for (int32_t k = 0; k < def->constraint_count; ++k) {
        snprintf(path, sizeof path, "constraints[%d].name", (int)k);
        PLI_TRY(add_name(r, names, path, &def->constraints[k].name));
    }
    for (int32_t k = 0; k < def->attachment_count; ++k) {
        snprintf(path, sizeof path, "attachments[%d].name", (int)k);
        PLI_TRY(add_name(r, names, path, &def->attachments[k].name));
    }
    for (int32_t k = 0; k < def->probe_count; ++k) {
        snprintf(path, sizeof path, "probes.%s", def->probes[k].name);
        PLI_TRY(add_name(r, names, path, &def->probes[k].name));
    }
    return PLI_OK;
}

static pli_status check_names(const pli_rules *r)
{
    bool named = r->def->probe_count > 0;
    for (int32_t k = 0; k < r->def->constraint_count; ++k) {
        named = named || r->def->constraints[k].name[0] != '\0';
    }
    for (int32_t k = 0; k < r->def->attachment_count; ++k) {
        named = named || r->def->attachments[k].name[0] != '\0';
    }
    // whoever names nothing may call an obstacle and a collider alike
    if (!named) return PLI_OK;
    pli_names names;
    pli_names_init(&names, pli_scene_context(r->scene));
    pli_status status = collect_names(r, &names);
    pli_names_clear(&names);
    return status;
}

pli_status pli_rules_check_probes(const pli_rules *r, const pli_visit *visit)
{
    if (visit->holder == r->def) return check_names(r);
    return visit->schema == &pli_probe_schema ? check_probe(r, visit) : PLI_OK;
}
