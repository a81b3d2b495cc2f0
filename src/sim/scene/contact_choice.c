// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/contact_choice.h"

#include "sim/body/body_copy.h"
#include "sim/body/body_piece.h"
#include "sim/scene/scene.h"
#include "sim/step/solver_table.h"

#include <stdarg.h>
#include <stdio.h>

PLI_PRINTF(2, 3) static void say(pli_contact_choice *choice, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(choice->reason, sizeof choice->reason, format, arguments);
    va_end(arguments);
}

// ---- what asks for contact

static int64_t count_bodies(const pli_scene_def *def)
{
    int64_t count = 0;
    for (int32_t k = 0; k < def->body_count; ++k) {
        count += pli_body_copy_count(&def->bodies[k]) * pli_body_piece_count(&def->bodies[k]);
    }
    return count;
}

// The first body that is a sheet; NULL: there is none.
static const pli_body_def *find_sheet(const pli_scene_def *def)
{
    for (int32_t k = 0; k < def->body_count; ++k) {
        int32_t kind = def->bodies[k].kind;
        if (kind == PLI_BODY_CLOTH || kind == PLI_BODY_SHELL) return &def->bodies[k];
    }
    return NULL;
}

// Whether anything can touch anything, and what.
static bool asks_for_contact(const pli_scene_def *def, pli_contact_choice *choice)
{
    int64_t bodies = count_bodies(def);
    const pli_body_def *sheet = find_sheet(def);
    if (sheet != NULL) {
        say(choice, "%.80s is a %s", sheet->name,
            sheet->kind == PLI_BODY_CLOTH ? "cloth" : "shell");
    } else if (bodies > 1) {
        say(choice, "there are %lld bodies", (long long)bodies);
    } else {
        say(choice, "there is a single body");
    }
    return sheet != NULL || bodies > 1;
}

// ---- what is not for barriers

// Whether barriers miss something in the solver; one that is not known is told of by its own rule.
static bool find_solver_lack(const pli_scene_def *def, const pli_solver_kind *kind,
                             pli_contact_choice *choice)
{
    if (kind == NULL) return false;
    bool searches = pli_solver_parts_choose(kind, &def->solver, 0).search != PLI_SEARCH_NONE;
    bool takes_barriers = pli_solver_has(kind, PLI_TAKES_BARRIERS);
    if (takes_barriers && searches) return false;
    if (takes_barriers) {
        say(choice, "solver.line_search is none, and barriers need a line search");
    } else {
        say(choice, "solver %s does not take barriers", kind->info.name);
    }
    return true;
}

static bool find_collider_lack(const pli_scene_def *def, pli_contact_choice *choice)
{
    for (int32_t k = 0; k < def->collider_count; ++k) {
        int32_t method = def->colliders[k].method;
        if (method != PLI_COLLIDER_CONSTRAINT && method != PLI_COLLIDER_POSTPROCESS) continue;
        say(choice, "collider %.80s has method: %s, which barriers do not take",
            def->colliders[k].name,
            method == PLI_COLLIDER_CONSTRAINT ? "constraint" : "postprocess");
        return true;
    }
    return false;
}

static bool is_tangled(const pli_body_def *body)
{
    if (body->start.kind == PLI_START_RANDOM || body->start.kind == PLI_START_COLLAPSED) {
        return true;
    }
    if (body->start.kind != PLI_START_STRETCHED || body->start.data == NULL) return false;
    const double *scale = ((const pli_start_stretched_def *)body->start.data)->scale;
    return !(scale[0] * scale[1] * scale[2] > 0);
}

static bool find_tangled(const pli_scene_def *def, pli_contact_choice *choice)
{
    for (int32_t k = 0; k < def->body_count; ++k) {
        if (!is_tangled(&def->bodies[k])) continue;
        say(choice, "%.80s starts tangled or inverted, which barriers do not take",
            def->bodies[k].name);
        return true;
    }
    return false;
}

// Whether penalties can take the place of barriers.
static bool takes_penalty(const pli_scene_def *def, const pli_solver_kind *kind)
{
    for (int32_t k = 0; k < def->body_count; ++k) {
        if (def->bodies[k].kind != PLI_BODY_SOLID || is_tangled(&def->bodies[k])) return false;
    }
    return kind == NULL || pli_solver_has(kind, PLI_TAKES_COUPLINGS);
}

// ---- the choice

void pli_contact_choose(const pli_scene_def *def, pli_contact_choice *choice)
{
    *choice = (pli_contact_choice){.method = PLI_CONTACT_NONE};
    if (pli_scene_has_particles(def) || !asks_for_contact(def, choice)) return;
    choice->method = PLI_CONTACT_BARRIER;

    // the solver as it would be with barriers
    pli_scene_def with = *def;
    with.contact.method = PLI_CONTACT_BARRIER;
    const pli_solver_kind *kind = pli_solver_kind_choose(&with);
    bool lacks = find_solver_lack(def, kind, choice) || find_collider_lack(def, choice) ||
                 find_tangled(def, choice);
    if (!lacks) return;
    choice->method = takes_penalty(def, kind) ? PLI_CONTACT_PENALTY : PLI_CONTACT_NONE;
    choice->gives_up = choice->method == PLI_CONTACT_NONE;
}
