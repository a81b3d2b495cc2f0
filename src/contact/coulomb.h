// SPDX-License-Identifier: Apache-2.0
//
// Coulomb's friction on the velocity of a point after a step (Gast et al. 2015, section 5.1): the
// tangential velocity relative to what is touched is scaled by
//     max(1 - mu j / (m |v_t|), 0),   j = h f_n the normal impulse (N s),
// so that friction brakes by at most mu j and never turns a point around. Relative to what is
// touched it only ever takes kinetic energy.
#ifndef PLI_CONTACT_COULOMB_H
#define PLI_CONTACT_COULOMB_H

#include "contact/collider.h"

typedef struct pli_coulomb {
    double normal[3];   // unit
    double velocity[3]; // of what is touched (m/s)
    double friction;    // mu
    double impulse;     // j >= 0 (N s)
    double mass;        // of the point (kg)
    uint8_t held;       // bits 1, 2, 4: this component of the velocity stays
} pli_coulomb;

// Brakes v; returns the change of kinetic energy as seen by what is touched (J), at most 0.
static inline double pli_coulomb_apply(const pli_coulomb *contact, double v[3])
{
    double n[3], t[3];
    pli_vec3_copy(contact->normal, n);
    pli_vec3_subtract(v, contact->velocity, t);
    pli_collision_clear_held(contact->held, n);
    pli_collision_clear_held(contact->held, t);

    // t: what is left of the relative velocity in the free directions of the tangent plane
    double n2 = pli_vec3_norm2(n);
    if (n2 > 0) pli_vec3_add_scaled(t, -pli_vec3_dot(n, t) / n2, n, t);
    double speed = pli_vec3_norm(t);
    double cap = contact->friction * contact->impulse;
    if (!(speed > 0 && cap > 0)) return 0;

    double momentum = contact->mass * speed;
    double scale = cap < momentum ? 1 - cap / momentum : 0;
    pli_vec3_add_scaled(v, scale - 1, t, v);
    return 0.5 * contact->mass * (scale * scale - 1) * speed * speed;
}

// The same, and the impulse that it took (N s).
static inline double pli_coulomb_brake(const pli_coulomb *contact, double v[3], double impulse[3])
{
    double before[3];
    pli_vec3_copy(v, before);
    double change = pli_coulomb_apply(contact, v);
    pli_vec3_subtract(v, before, impulse);
    pli_vec3_scale(contact->mass, impulse, impulse);
    return change;
}

#endif
