// SPDX-License-Identifier: Apache-2.0
//
// Which contact a scene has that does not say so.
//
// Bodies that pass through each other are nearly never meant. So a scene of meshes with more than
// one body, pieces and copies counted, or with cloth or shells, has barriers. Where something that
// the scene does say is not for barriers (a solver without a matrix for every iteration, colliders
// that displace vertices, bodies that start tangled), the choice falls on what is left:
//
//     penalties   if all bodies are solids and the solver takes them: newton-plain, lbfgs, any
//                 without a line search
//     none        otherwise, with a warning that says why
//
// A single solid, and particles, have none. The choice is made when a scene is validated, before
// its rules are applied: from there on the scene has a method like one that was stated.
#ifndef PLI_SIM_SCENE_CONTACT_CHOICE_H
#define PLI_SIM_SCENE_CONTACT_CHOICE_H

#include "pliant/scene.h"

enum { PLI_CONTACT_REASON = 256 };

typedef struct pli_contact_choice {
    pli_contact_method method;
    bool gives_up;                   // bodies pass through each other although they should not
    char reason[PLI_CONTACT_REASON]; // "there are 2 bodies"
} pli_contact_choice;

// Chooses for a scene whose values are each right by themselves.
void pli_contact_choose(const pli_scene_def *def, pli_contact_choice *choice);

#endif
