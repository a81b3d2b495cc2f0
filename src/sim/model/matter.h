// SPDX-License-Identifier: Apache-2.0
//
// Particles in a model and in a state.
//
// Sources are what particles come from: bodies of the scene, then its emitters. Those of a source
// that are made of one material are of one kind; kinds stand in the order of sources. So a kind
// knows all that its particles have in common, and the particles of a state, which stand in the
// order of kinds, are together by sources.
//
// The state holds everything in double precision. Explicit steps work in single precision, with
// positions that are multiples of 2^-27 cells (mpm/explicit/particles.h); both survive the way
// through the state, which is finer. Nothing else of a step survives but what is here, so that a
// run that is resumed goes on with the same bits.
#ifndef PLI_SIM_MODEL_MATTER_H
#define PLI_SIM_MODEL_MATTER_H

#include "geometry/shapes/shape.h"
#include "mpm/grid/transfer.h"
#include "mpm/implicit/implicit_sizes.h"
#include "mpm/seed/emitter.h"
#include "pliant/sim.h"
#include "sim/body/motion.h"

// X(member, type, kind, columns, name in checkpoints): arrays [count][columns]
#define PLI_MATTER_ARRAYS(X)                                          \
    X(position, double, PLI_ARRAY_F64, 3, "particle_positions")       \
    X(velocity, double, PLI_ARRAY_F64, 3, "particle_velocities")      \
    X(affine, double, PLI_ARRAY_F64, 9, "particle_affine_velocities") \
    X(deformation, double, PLI_ARRAY_F64, 9, "particle_deformations") \
    X(memory, double, PLI_ARRAY_F64, 1, "particle_memories")          \
    X(kind, int32_t, PLI_ARRAY_I32, 1, "particle_kinds")              \
    X(id, int32_t, PLI_ARRAY_I32, 1, "particle_ids")

// X(member, type, kind, name in checkpoints): arrays [emitter_count]
#define PLI_MATTER_EMITTER_ARRAYS(X)                        \
    X(emitter_time, double, PLI_ARRAY_F64, "emitter_times") \
    X(emitter_total, int64_t, PLI_ARRAY_I64, "emitter_counts")

typedef struct pli_matter_state {
    pli_context *context;
    int64_t count; // particles, sorted by kind
    int64_t room;
    double *position;    // [room][3] (m)
    double *velocity;    // [room][3] (m/s)
    double *affine;      // [room][9] (1/s) row-major
    double *deformation; // [room][9] elastic, row-major
    double *memory;      // [room] of the material, see material/yield.h
    int32_t *kind;       // [room]
    int32_t *id;         // [room]
    int64_t next_id;
    int32_t emitter_count;
    double *emitter_time;   // [emitter_count] up to which everything was emitted (s)
    int64_t *emitter_total; // [emitter_count] particles so far
} pli_matter_state;

typedef struct pli_matter_source {
    char *name;
    double radius; // of a particle, as pictures show it (m)
    int32_t first_kind;
    int32_t kind_count;
} pli_matter_source;

typedef struct pli_matter_kind {
    int32_t source;
    int32_t material; // of the scene
    pli_mpm_kind matter;
    double mass; // of a particle (kg)
} pli_matter_kind;

typedef struct pli_matter_emitter {
    pli_emitter *emitter;
    int32_t kind;
    double velocity[3]; // in the frame of the emitter (m/s)
    pli_motion motion;  // of that frame
    double speed;       // that nothing that comes out exceeds (m/s)
    double spacing;     // from existing particles (m), closer ones are not emitted
    double begin;       // s
    double end;         // s; infinity: never
} pli_matter_emitter;

// The particles' part of a model.
typedef struct pli_matter {
    pli_context *context;
    double dx;         // edge of a cell (m)
    double origin[3];  // of the grid's lowest node (m)
    int32_t blocks[3]; // of the grid
    double room[2][3]; // corners of the box between the walls (m)
    pli_boundary_kind walls;
    double wall_friction; // Coulomb's coefficient
    int32_t source_count; // bodies, then emitters
    pli_matter_source *sources;
    int32_t kind_count;
    pli_matter_kind *kinds;
    int32_t emitter_count;
    pli_matter_emitter *emitters;
    pli_shape_set *shapes;    // of emitters
    pli_matter_state start;   // at time 0
    pli_implicit_sizes sizes; // of implicit steps, at time 0; zero: they are explicit
    int64_t volume_count;
    double *volumes; // [volume_count] at rest, by ids (m^3); NULL: all have that of their kinds
} pli_matter;

// The volume of a particle at rest (m^3).
static inline double pli_matter_volume(const pli_matter *matter, int32_t kind, int32_t id)
{
    bool own = matter->volumes != NULL && id < matter->volume_count;
    return own ? matter->volumes[id] : matter->kinds[kind].matter.volume;
}

// Rows for so many particles; what is in them stays for those that were there. Errors: memory
// (then nothing has changed).
PLI_CHECKED pli_status pli_matter_state_reserve(pli_matter_state *state, int64_t count);

// Errors: memory (then `to` is as it was).
PLI_CHECKED pli_status pli_matter_state_copy(const pli_matter_state *from, pli_matter_state *to);
void pli_matter_state_clear(pli_matter_state *state);

// Whether the kinds of a state's particles exist and ascend, which a state out of a file need not
// have. Errors: argument (the message names the row).
PLI_CHECKED pli_status pli_matter_check_kinds(const pli_matter *matter,
                                              const pli_matter_state *state);

uint64_t pli_matter_state_hash(const pli_matter_state *state, uint64_t hash);
int32_t pli_matter_state_array_count(void);
void pli_matter_state_get_array(pli_matter_state *state, int32_t index, pli_state_array *array);

#endif
