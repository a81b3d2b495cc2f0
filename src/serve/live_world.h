// SPDX-License-Identifier: Apache-2.0
//
// Scene, model, state and solver of a live simulation, compiled together from one text, and
// exchanged together when a setting changes; what the state holds is carried over.
#ifndef PLI_SERVE_LIVE_WORLD_H
#define PLI_SERVE_LIVE_WORLD_H

#include "pliant/io.h"

typedef struct pli_live_world {
    pli_context *context;
    pli_scene *scene;
    pli_model *model;
    pli_state *state;
    pli_solver *solver;
} pli_live_world;

// What a world is made from.
typedef struct pli_live_recipe {
    const char *source;      // the scene as YAML, with every default
    const char *name;        // of the scene
    const char *const *sets; // [set_count] "PATH=VALUE", on top of it
    int32_t set_count;
    pli_cancel_fn cancel; // asked while the model is made; NULL: nobody
    void *cancel_user;
} pli_live_recipe;

// Errors: scene, mesh, unsupported, memory, interrupted. After a failure there is nothing to clear.
PLI_CHECKED pli_status pli_live_world_init(pli_live_world *world, pli_context *context,
                                           const pli_live_recipe *recipe);
void pli_live_world_clear(pli_live_world *world);

// Rebuilds the world from another recipe and carries the state over. Errors: as init, and
// unsupported (the state does not fit); the world then is as it was.
PLI_CHECKED pli_status pli_live_world_change(pli_live_world *world, const pli_live_recipe *recipe);

// Back to time zero. Errors: memory; the world then is as it was.
PLI_CHECKED pli_status pli_live_world_restart(pli_live_world *world);

// The number of a body by its name; -1: there is none, or it has no vertices.
int32_t pli_live_world_find_body(const pli_live_world *world, const char *name);

// How a hand takes hold of a body.
typedef struct pli_live_reach {
    double radius;    // m
    double stiffness; // of all its springs together (N/m)
} pli_live_reach;

// radius 0: a fifteenth of the body's diagonal. The stiffness carries the body's weight within a
// fiftieth of its diagonal, keeps up with the elasticity of the matter in hand, and accelerates
// that matter by a good part of the way within a step; strength scales it, and a pin is ten times
// as strong.
pli_live_reach pli_live_world_reach(const pli_live_world *world, int32_t body, double radius,
                                    double strength, bool pin);

#endif
