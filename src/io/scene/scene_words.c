// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_words.h"

#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

// ---- words of others

// One meaning of several words in the structs of one name.
typedef struct foreign {
    const char *holder; // name of the struct's schema, or NULL: any
    const char *words;  // in small letters without separators, each between blanks
    const char *advice;
} foreign;

static const char step_advice[] =
    "a step lasts 1 / (fps x steps_per_frame) seconds; for steps of 0.01 s write time: {fps: 100}, "
    "or time: {fps: 25, steps_per_frame: 4}";
static const char span_advice[] = "what is simulated lasts frames / fps seconds; for 2 s write "
                                  "time: {fps: 24, frames: 48}";
static const char ground_advice[] =
    "solids that bodies cannot enter are colliders, such as colliders: {floor: {shape: {plane: "
    "{point: [0, 0, 0], normal: [0, 1, 0]}}}}";
static const char held_advice[] = "vertices are held by the section constraints, such as "
                                  "constraints: [{body: cube, where: all}]";
static const char mesh_advice[] =
    "meshes are read by geometry: {file: name.msh}; a closed surface is filled by geometry: {fill: "
    "{shape: {mesh: {path: name.obj}}, vertices: 2000}}";
static const char units_advice[] = "numbers are in SI units (m, kg, s, Pa) and angles in degrees, "
                                   "always; 'scale' of a body makes a mesh in mm one in m";
static const char folder_advice[] = "the folder of a run is chosen by pliant run -o DIR";
static const char thread_advice[] = "the command line takes it, as --threads N";

// what a struct of one kind takes comes before what any takes
static const foreign foreign_keys[] = {
    {"time", " steps nsteps numsteps stepcount ", span_advice},
    {"time", " substeps numsubsteps substepsperframe ", "write steps_per_frame"},
    {"time", " numframes nframes framecount ", "write frames"},
    {"time", " framerate framespersecond rate hz ", "write fps"},
    {"time", " scheme method stepper ", "write integrator"},

    {"material", " youngsmodulus youngmodulus elasticmodulus modulus stiffness e youngs ",
     "write young (Pa)"},
    {"material", " poissonratio poissonsratio poissons v nu ", "write poisson"},
    {"material", " massdensity rho0 mass ", "write density (kg/m^3)"},
    {"material", " shearmodulus g lamemu ", "write mu (Pa), together with lambda"},
    {"material", " lamelambda lambdalame firstlame lame ", "write lambda (Pa), together with mu"},
    {"material", " bulkmodulus k bulk ",
     "write young and poisson, or mu and lambda: K = young / (3 (1 - 2 poisson)) = lambda + 2/3 "
     "mu"},
    {"material", " model constitutivemodel materialmodel type constitutivelaw energy ",
     "write law; 'pliant materials' lists them"},
    {"material", " damping dampingratio viscousdamping ",
     "write drag (1/s), which damps all motion, or rayleigh (s), which damps deformation only"},
    {"material", " yieldstress yieldstrength plasticity plastic ",
     "write yield: {von-mises: {...}} for particles and tetrahedra"},
    {"material", " friction frictioncoefficient coefficientoffriction cof ",
     "friction is a matter of contacts: contact: {friction: 0.3}, or friction of a collider"},

    {"body", " mesh file path filename meshfile model obj surface source ", mesh_advice},
    {"body", " type ", "write kind: solid, shell, cloth or obstacle"},
    {"body", " mass weight ",
     "the mass follows from the volume and from density (kg/m^3) of the material"},
    {"body", " fixed static pinned anchored pin fix dirichlet held isstatic kinematic ",
     "vertices are held by the section constraints, such as constraints: [{body: cube, where: "
     "all}]; a body that only follows a script is kind: obstacle"},
    {"body", " rigid isrigid ",
     "bodies deform; a stiff material (young: 1e9) is nearly rigid, and kind: obstacle follows a "
     "script"},
    {"body", " initialvelocity linearvelocity v0 vel speed ", "write velocity (m/s)"},
    {"body", " initialangularvelocity omega spin angvel ", "write angular_velocity (deg/s)"},
    {"body", " translate translation offset location origin pos center centre transform ",
     "write position (m)"},
    {"body", " rotation rotate orientation euler quaternion rot ",
     "write axis and angle (degrees), such as axis: [0, 1, 0], angle: 90"},
    {"body", " size dimensions ", "the size is a key of most geometries; scale changes any"},
    {"body", " count number instances array ", "write copies: {count: [2, 1, 1], ...}"},
    {"body", " youngsmodulus youngmodulus poissonratio e nu rho ",
     "it belongs to a material: materials: {soft: {density: 1000, young: 1e5, poisson: 0.4}}, and "
     "here material: soft"},

    {"scene", " objects object models meshes entities actors geometries solids body ",
     "write bodies: {cube: {geometry: ..., material: ...}}"},
    {"scene", " cloth shells shell softbodies rigidbodies ",
     "write bodies: {sheet: {kind: shell, ...}}"},
    {"scene", " mesh file ", mesh_advice},
    {"scene",
     " floor ground plane walls wall obstacles obstacle boundaries collider collision "
     "groundplane collisions planes ",
     ground_advice},
    {"scene", " boundaryconditions bc bcs dirichlet fixed pins pinned supports boundary fix ",
     held_advice},
    {"scene", " forces force load neumann pressure externalforces traction ",
     "write loads: [{body: bar, where: ..., force: [0, -10, 0]}], or with traction, pressure, "
     "point_force or acceleration"},
    {"scene", " cavity volumes balloon gas air ",
     "write cavities: {air: {body: ball, content: {gas: {pressure: 1e4}}}}"},
    {"scene", " g gravitationalacceleration acceleration ",
     "write gravity (m/s^2), such as gravity: [0, -9.81, 0]"},
    {"scene", " particles mpm ",
     "particles are a geometry: bodies: {water: {geometry: {particles: {shape: ...}}, material: "
     "water}}"},
    {"scene", " name title description comment ", "write about"},
    {"scene", " simulation settings config parameters ",
     "the keys of time and solver say how to simulate"},
    {"scene", " randomseed ", "write seed"},
    {"scene", " dampen damping ",
     "damping belongs to a material: drag damps all motion, rayleigh deformation only"},

    {"collider", " mu frictioncoefficient coefficientoffriction cof mus ", "write friction"},
    {"collider", " type geometry kind ", "write shape: {plane: {...}}, or another shape"},
    {"collider", " position velocity axis angle rotation ",
     "the place is part of shape; motion: {segments: [{duration: 1, velocity: [0, -1, 0]}]} moves "
     "it"},
    {"collider", " point normal y height ",
     "write shape: {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}"},
    {"contact", " mu frictioncoefficient coefficientoffriction cof mus ", "write friction"},
    {"contact", " dhat thickness barrierdistance offset gap ", "write distance (m)"},
    {"contact", " kappa barrierstiffness penaltystiffness k ", "write stiffness"},
    {"contact", " epsv epsilonv ", "write friction_speed (m/s)"},
    {"contact", " type model algorithm enabled ", "write method: none, penalty or barrier"},
    {"contact", " selfcollision selfcontact selfcollisions ", "write self: true or false"},
    {"constraint", " nodes vertex verts points selection region ",
     "write where, such as where: {vertices: [0, 1]} or where: {sphere: {center: [0, 0, 0], "
     "radius: 0.1}}"},
    {"constraint", " dof dofs directions components axis ", "write axes, such as axes: xy"},
    {"constraint", " velocity displacement value position ",
     "write motion: {segments: [{duration: 1, velocity: [0, 1, 0]}]}"},
    {"constraint", " type ",
     "a constraint holds vertices or moves them by its motion; springs are the section "
     "attachments"},
    {"attachment", " k springstiffness springconstant ", "write stiffness (N/m)"},

    {"box", " center centre size position ",
     "write min and max, the corners, as in box: {min: [0, 0, 0], max: [1, 1, 1]}"},
    {"box", " min max ", "write center and size, as in box: {center: [0, 0, 0], size: [1, 1, 1]}"},
    {"grid", " resolution divisions subdivisions n nx ", "write cells: [10, 10, 10]"},

    {"solver", " type method solver ", "write name; 'pliant solvers' lists them"},
    {"solver", " maxiter maxiters iterations maxit niter iter ", "write max_iterations"},
    {"solver", " tol eps epsilon abstol reltol rtol atol ", "write tolerance"},
    {"solver", " preconditioning precond ", "write preconditioner"},
    {"output", " dir folder path directory file filename ", folder_advice},
    {"output", " format ", "frames are VTK files; 'pliant export' makes others of them afterwards"},
    {"output", " interval frequency ", "write every"},

    {NULL, " dt timestep stepsize timestepsize deltat deltatime stepsizes ", step_advice},
    {NULL, " duration endtime totaltime tend tmax simulationtime simtime finaltime ", span_advice},
    {NULL, " units unit lengthunit densityunit densityunits unitsystem ", units_advice},
    {NULL, " outputdir outputfolder outputdirectory outdir ", folder_advice},
    {NULL, " threads numthreads nthreads ", thread_advice},
};

static const foreign foreign_choices[] = {
    {"method", " ipc logbarrier ", "contact that never intersects is 'barrier'"},
    {"method", " off false no ", "write none"},
    {"method", " on true yes auto ",
     "write barrier, or penalty for solids that only press a little"},
    {"kind", " rigid static kinematic ",
     "'obstacle' follows a script; a stiff material is nearly rigid"},
    {"kind", " soft volume tet tetrahedral deformable softbody volumetric ", "write solid"},
    {"kind", " surface membrane plate ", "write shell"},
    {"mode", " static quasistatic steady ", "write quasi-static"},
    {"integrator", " euler backwardeuler be implicit ", "write implicit-euler"},
};

// A word in small letters, without what separates its parts.
static void normalise(const char *word, char *text, size_t capacity)
{
    size_t length = 0;
    for (; *word != '\0' && length + 1 < capacity; ++word) {
        char c = *word;
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        if (c != '_' && c != '-' && c != ' ' && c != '\'') text[length++] = c;
    }
    text[length] = '\0';
}

static const char *find_advice(const foreign *list, size_t count, const char *holder,
                               const char *word)
{
    char plain[PLI_EXCERPT_CAPACITY];
    char wanted[PLI_EXCERPT_CAPACITY + 2];
    normalise(word, plain, sizeof plain);
    if (plain[0] == '\0') return NULL;
    snprintf(wanted, sizeof wanted, " %s ", plain);
    for (size_t k = 0; k < count; ++k) {
        if (list[k].holder != NULL && strcmp(list[k].holder, holder) != 0) continue;
        if (strstr(list[k].words, wanted) != NULL) return list[k].advice;
    }
    return NULL;
}

// ---- words in the wrong place

enum { PATH_CAPACITY = 96, LIST_CAPACITY = 160, SHOWN = 3, DEEPEST_OWN = 3, DEEPEST = 2 };

// The places at one depth below a struct where a key stands.
typedef struct search {
    const char *key;
    bool passes_variants; // they are left out
    int32_t found;
    int32_t length;
    char list[LIST_CAPACITY]; // "contact, colliders.NAME"
} search;

static void search_schema(search *s, const pli_schema *schema, const char *path, int32_t depth);

static void search_variants(search *s, const pli_field *field, const char *path, int32_t depth)
{
    for (int32_t k = 0; field->variants[k] != NULL; ++k) {
        char inner[PATH_CAPACITY];
        int count = snprintf(inner, sizeof inner, "%s.%s", path, field->variants[k]->name);
        if (count < PATH_CAPACITY) search_schema(s, field->variants[k], inner, depth);
    }
}

// Shapes and geometries have too many keys for their words to mean something anywhere else.
static void search_field(search *s, const pli_field *field, const char *path, int32_t depth)
{
    char inner[PATH_CAPACITY];
    const char *items = field->kind == PLI_FIELD_NAMED  ? ".NAME"
                        : field->kind == PLI_FIELD_LIST ? "[]"
                                                        : "";
    int count = snprintf(inner, sizeof inner, "%s%s%s%s", path, path[0] != '\0' ? "." : "",
                         field->key, items);
    if (count >= PATH_CAPACITY) return;
    if (field->schema != NULL) search_schema(s, field->schema, inner, depth - 1);
    if (field->variants != NULL && !s->passes_variants) {
        search_variants(s, field, inner, depth - 1);
    }
}

static void add_place(search *s, const char *path)
{
    if (++s->found > SHOWN) return;
    int room = LIST_CAPACITY - s->length;
    int count = snprintf(s->list + s->length, (size_t)room, "%s%s", s->found > 1 ? ", " : "", path);
    if (count < room) s->length += count;
    s->list[s->length] = '\0';
}

// Adds the structs `depth` levels below this one that have the key.
static void search_schema(search *s, const pli_schema *schema, const char *path, int32_t depth)
{
    if (depth == 0) {
        if (path[0] != '\0' && pli_schema_find(schema, s->key) != NULL) add_place(s, path);
        return;
    }
    for (int32_t k = 0; k < schema->field_count; ++k) {
        search_field(s, &schema->fields[k], path, depth);
    }
}

// Where the key stands nearest below a struct, at most so deep; false when nowhere.
static bool search_below(search *s, const pli_schema *schema, int32_t deepest)
{
    for (int32_t depth = 1; depth <= deepest && s->found == 0; ++depth) {
        search_schema(s, schema, "", depth);
    }
    return s->found > 0;
}

static bool search_elsewhere(search *s)
{
    s->passes_variants = true;
    return search_below(s, pli_scene_schema(), DEEPEST);
}

// A struct's variant field one of whose variants has this name.
static const pli_field *find_variant_field(const pli_schema *schema, const char *name)
{
    for (int32_t k = 0; k < schema->field_count; ++k) {
        const pli_field *field = &schema->fields[k];
        for (int32_t i = 0; field->variants != NULL && field->variants[i] != NULL; ++i) {
            if (strcmp(field->variants[i]->name, name) == 0) return field;
        }
    }
    return NULL;
}

static bool is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

// ---- messages

const char *pli_word_of_key(const pli_schema *schema, const char *key, char text[PLI_WORD_CAPACITY])
{
    char found[PLI_EXCERPT_CAPACITY];
    text[0] = '\0';
    const char *advice =
        find_advice(foreign_keys, sizeof foreign_keys / sizeof *foreign_keys, schema->name, key);
    const pli_field *variants = find_variant_field(schema, key);
    search s = {.key = key};
    if (advice != NULL) {
        snprintf(text, PLI_WORD_CAPACITY, ": %s", advice);
    } else if (variants != NULL) {
        snprintf(text, PLI_WORD_CAPACITY, ": it goes into '%s', as in %s: {%s: ...}", variants->key,
                 variants->key, pli_excerpt(key, found));
    } else if (is_number(key)) {
        snprintf(text, PLI_WORD_CAPACITY,
                 ": a comma ends a value, so write decimals with a point, 0.5");
    } else if (search_below(&s, schema, DEEPEST_OWN) || search_elsewhere(&s)) {
        snprintf(text, PLI_WORD_CAPACITY, ": it is a key of %s%s", s.list,
                 s.found > SHOWN ? " and others" : "");
    }
    return text;
}

// A text that looks like the name of a file: "bunny.obj".
static bool is_file_name(const char *text)
{
    const char *dot = strrchr(text, '.');
    return dot != NULL && dot != text && dot[1] != '\0' && dot[strcspn(dot, "/{[ ")] == '\0';
}

const char *pli_word_of_variant(const pli_field *field, const char *name,
                                char text[PLI_WORD_CAPACITY])
{
    char found[PLI_EXCERPT_CAPACITY];
    text[0] = '\0';
    bool reads_files = false;
    for (int32_t k = 0; field->variants[k] != NULL; ++k) {
        const pli_schema *variant = field->variants[k];
        reads_files = reads_files || strcmp(variant->name, "file") == 0;
        const pli_field *inner = find_variant_field(variant, name);
        if (inner == NULL || text[0] != '\0') continue;
        snprintf(text, PLI_WORD_CAPACITY, ": it goes into '%s', as in %s: {%s: {%s: {%s: ...}}}",
                 variant->name, field->key, variant->name, inner->key, pli_excerpt(name, found));
    }
    if (text[0] != '\0') return text;
    if (reads_files && (is_file_name(name) || strcmp(name, "mesh") == 0)) {
        snprintf(text, PLI_WORD_CAPACITY, ": %s", mesh_advice);
    }
    return text;
}

const char *pli_word_of_choice(const pli_field *field, const char *choice,
                               char text[PLI_WORD_CAPACITY])
{
    text[0] = '\0';
    const char *advice = find_advice(
        foreign_choices, sizeof foreign_choices / sizeof *foreign_choices, field->key, choice);
    if (advice != NULL) snprintf(text, PLI_WORD_CAPACITY, "; %s", advice);
    return text;
}
