// SPDX-License-Identifier: Apache-2.0
//
// A house of cards: storeys of cards that lean against each other in pairs, with boards between.
//
// Storey s of n (from 0) has n - s pairs, side by side. On their tops lie n - s - 1 boards, each
// from one top to the next, and every pair of the storey above stands on one of them:
//
//              /\                 a leaning card turned by `lean` reaches
//             /  \                    X = (thickness cos + height sin) / 2
//         ============                Y = (thickness sin + height cos) / 2
//           /\    /\              from its middle to the sides and up and down
//          /  \  /  \   y = gap
//
// Tops of a pair, feet of neighbours, ends of boards, cards and boards, cards and the ground y = 0:
// whatever faces each other does so at the distance `gap`. Pairs stand 4 X + 2 gap apart, so feet
// come to stand right above the tops that bear them. Boards have the thickness of cards and are as
// long as the pairs are apart; the first and the last of a storey reach over the tops they lie on,
// so that both cards of the outer pairs bear.
//
// Feet slide apart unless the friction is more than tan(lean), more or less: 20 degrees stand at
// 0.5. The house is symmetric about x = 0 and z = 0. Cards are counted storey by storey, in each
// the leaning ones from -x to +x and then the boards.
//
// Threads: plain functions.
#ifndef PLI_GEOMETRY_GENERATE_CARD_HOUSE_H
#define PLI_GEOMETRY_GENERATE_CARD_HOUSE_H

#include "geometry/mesh/tet_mesh.h"

enum { PLI_CARD_HOUSE_STOREYS = 100 };

typedef struct pli_card_house_plan {
    int32_t storeys;  // 1 .. PLI_CARD_HOUSE_STOREYS
    double height;    // of a card, along its slope (m)
    double width;     // of a card, along z (m)
    double thickness; // of a card (m)
    double lean;      // from the vertical (radians), more than 0 and less than a right angle
    double gap;       // m, may be 0
    int32_t cells[3]; // of a card across its thickness, along its height and along z
} pli_card_house_plan;

// n (n + 1) leaning cards and n (n - 1) / 2 boards.
int32_t pli_card_house_count(int32_t storeys);

// Where a card is: a box that is turned about the z axis.
typedef struct pli_card_place {
    double size[3];   // thickness, height, width (m)
    double center[3]; // m
    double angle;     // of rotation about z (radians); a board is turned by a right angle
} pli_card_place;

// Card number `card` of pli_card_house_count.
pli_card_place pli_card_house_place(const pli_card_house_plan *plan, int32_t card);

// Whether cards can be made. Errors: argument.
pli_status pli_card_house_check(pli_context *context, const pli_card_house_plan *plan);

// One card as a mesh, each cell cut into six. Errors: those of pli_card_house_check, memory.
pli_status pli_card_house_create(pli_context *context, const pli_card_house_plan *plan,
                                 int32_t card, pli_tet_mesh **mesh);

#endif
