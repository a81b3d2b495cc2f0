# SPDX-License-Identifier: Apache-2.0
"""The C library's public structs, as ctypes sees them.

Each line below is a type and the members that have it, in the order of the header. A test compares
every size and offset with those of a C compiler.
"""
import ctypes
import operator

from . import errors

TYPES = {
    "f64": ctypes.c_double, "i32": ctypes.c_int32, "i64": ctypes.c_int64, "u64": ctypes.c_uint64,
    "size": ctypes.c_size_t, "enum": ctypes.c_int, "uint": ctypes.c_uint, "bool": ctypes.c_bool,
    "str": ctypes.c_char_p, "ptr": ctypes.c_void_p, "status": ctypes.c_int, "void": None,
}

#: every struct by its name in C
STRUCTS = {}

# what integers of C hold; ctypes itself cuts larger ones without a word
RANGES = {"i32": (-2**31, 2**31 - 1), "enum": (-2**31, 2**31 - 1), "uint": (0, 2**32 - 1),
          "i64": (-2**63, 2**63 - 1), "u64": (0, 2**64 - 1), "size": (0, 2**64 - 1)}
RANGE_OF = {TYPES[name]: limits for name, limits in RANGES.items()}


def check_integer(value, limits, name="the number"):
    """The value as an int, if it is whole and C can hold it."""
    number = operator.index(value)
    if not limits[0] <= number <= limits[1]:
        raise errors.ArgumentError(f"{name} is {number}; from {limits[0]} to {limits[1]} are possible")
    return number


def make_parameter(kind, limits):
    """What ctypes asks for a parameter of a function: the kind, of what fits into it."""
    def from_param(value):
        return value if isinstance(value, kind) else kind(check_integer(value, limits))
    return type(f"Checked_{kind.__name__}", (), {"from_param": staticmethod(from_param)})


PARAMETERS = {name: make_parameter(TYPES[name], limits) for name, limits in RANGES.items()}


def parameter_of(name):
    """The type of a parameter that a word such as "i32" stands for, which refuses what C would cut."""
    return PARAMETERS.get(name) or type_of(name)


class Struct(ctypes.Structure):
    """A struct whose integers refuse what C would cut."""

    _limits = {}  # of the members that are integers

    def __setattr__(self, name, value):
        limits = self._limits.get(name)
        super().__setattr__(name, value if limits is None else check_integer(value, limits, name))


def type_of(name):
    """The ctypes type that a word such as "f64", "f64[3]" or "pli_energies" stands for."""
    base, _, count = name.partition("[")
    kind = STRUCTS[base] if base in STRUCTS else TYPES[base]
    return kind * int(count.rstrip("]")) if count else kind


def struct(name, *lines):
    """Makes a struct from lines of a type and its members, and remembers it by its name."""
    fields = []
    for line in lines:
        kind, *members = line.split()
        fields += [(member, type_of(kind)) for member in members]
    limits = {member: RANGE_OF[kind] for member, kind in fields if kind in RANGE_OF}
    STRUCTS[name] = type(name, (Struct,), {"_fields_": fields, "_limits": limits})
    return STRUCTS[name]


# ---- base.h

BuildInfo = struct("pli_build_info", "i32 version_number", "str text commit")

Allocator = struct("pli_allocator", "ptr allocate release user", "bool clears")
ContextDef = struct("pli_context_def", "pli_allocator allocator", "ptr log", "enum log_level",
                    "ptr log_user assert_hook assert_user", "i32 thread_count", "ptr laws",
                    "i32 law_count", "ptr shapes", "i32 shape_count")

# ---- schema.h

Field = struct("pli_field", "str key alias former", "enum kind", "uint flags", "size offset count_offset",
               "str fallback", "f64 min max", "str unit", "ptr choices schema variants", "str doc")
Schema = struct("pli_schema", "str name former doc", "size size", "str scalar_key", "i32 field_count",
                "ptr fields", "bool is_row", "str list_key")
Variant = struct("pli_variant", "i32 kind", "ptr data")
Items = struct("pli_items", "enum kind", "bool is_list", "i32 fixed count", "size stride",
               "ptr first")

# ---- scene.h

SceneInfo = struct("pli_scene_info", "str name source contact", "i32 warning_count", "ptr warnings")

# ---- sim.h, report.h

ContactInfo = struct("pli_contact_info", "str name method", "f64 stiffness friction",
                     "i32 triangle_count", "f64 deviation")
ModelInfo = struct(
    "pli_model_info", "i32 body_count vertex_count tet_count",
    "i64 unknown_count block_count memory_estimate", "f64 dt size mass", "str solver",
    "f64 tolerance", "str tolerance_unit",
    "i32 fixed_iterations collider_count triangle_count spring_count level_count",
    "i32[8] level_nodes", "i64 level_memory", "i32 handle_count cubature_count polish_iterations",
    "i64 subspace_memory particle_count", "f64 cell", "i32 emitter_count",
    "f64[3] domain_min domain_max", "f64 cfl", "i64 node_count", "f64 substeps",
    "i64 max_substeps", "i32 kind_count", "pli_contact_info contact",
    "i32 painted_count", "ptr painted", "i32 load_count cavity_count")
MeshView = struct("pli_mesh_view", "i32 vertex_count", "ptr rest_positions masses", "i32 tet_count",
                  "ptr tets", "i32 triangle_count", "ptr triangles mid_nodes")
BodyInfo = struct("pli_body_info", "str name", "enum kind", "i32 first_vertex vertex_count first_tet",
                  "i32 tet_count first_triangle triangle_count", "enum element", "i32 source")
LoadInfo = struct("pli_load_info", "str kind", "f64[3] force", "i32 vertex_count triangle_count")
CavityInfo = struct("pli_cavity_info", "str name content", "f64 volume", "i32 triangle_count")
KindInfo = struct("pli_kind_info", "str source", "i32 material", "f64 mass volume",
                  "bool is_fluid")
StateArray = struct("pli_state_array", "str name", "enum kind", "i64 rows", "i32 columns",
                    "ptr data", "bool of_particles optional")
ParticleView = struct("pli_particle_view", "i64 count",
                      "ptr positions velocities affine deformation history kinds ids")
StateView = struct("pli_state_view", "i64 step", "f64 time", "i32 vertex_count",
                   "ptr positions velocities grip_stiffnesses grip_targets forces",
                   "pli_particle_view particles")
EnergiesStruct = struct("pli_energies", "f64 kinetic elastic gravity attachment contact total "
                        "load cavity")
CavityReportStruct = struct("pli_cavity_report", "str name", "f64 volume pressure")
ContactPairStruct = struct("pli_contact_pair", "str first second", "i32 contacts", "f64 min_gap",
                           "f64[3] normal_force friction_force")
ProbeValueStruct = struct("pli_probe_value", "str name unit", "i32 components", "f64[6] values")
LevelCounts = struct("pli_level_counts", "i32 directions refreshes",
                     "i64 affine_iterations subspace_iterations polish_iterations",
                     "f64 largest_step")
MatterReport = struct("pli_matter_report", "i64 particles emitted", "f64 tick",
                      "i64 ticks sweeps block_updates particle_updates buffer_updates",
                      "i64[24] steps", "i32 retries", "f64 schedule_seconds")
GridReport = struct(
    "pli_grid_report", "i32 substeps retries", "f64 shortest longest",
    "i32 unconverged nodes constrained rounds matrices", "i64 solves cycles coarsest_iterations",
    "i32 capped dropped_pairs", "i64 position_steps repeated_positions", "i32 level_count",
    "i32[8] level_nodes", "i64[8] level_blocks level_bytes", "i64 bytes")
StepReportStruct = struct(
    "pli_step_report", "i64 step", "f64 time dt", "str solver", "enum stop", "i32 iterations",
    "i64 linear_iterations", "i32 energy_evaluations", "pli_level_counts levels",
    "f64 residual tolerance", "pli_energies energy", "f64[3] momentum angular_momentum",
    "f64 min_J", "i32 inverted vertices", "bool collides", "i32 contacts",
    "f64 min_gap max_depth friction_work barrier_distance barrier_stiffness", "i32 pair_count",
    "ptr pairs", "pli_matter_report matter", "pli_grid_report grid", "i32 phase_count",
    "str[24] phase_name", "f64[24] phase_seconds", "f64 seconds", "str culprit",
    "i32 cavity_count", "ptr cavities", "i32 probe_count", "ptr probes",
    "i32 pieces cuts", "bool snapped")
IterationReport = struct(
    "pli_iteration_report", "i64 step", "i32 iteration", "f64 residual gradient energy alpha",
    "i32 linear_iterations energy_evaluations direction", "f64 seconds", "i32 substep")
ModesDef = struct("pli_modes_def", "i32 count", "ptr cancel cancel_user")
ModesReport = struct("pli_modes_report", "i32 count rigid unstable", "f64 residual", "i64 unknowns")
Vibration = struct("pli_vibration", "f64 frequency omega2", "bool rigid unstable", "f64[3] share",
                   "ptr shape")
SolverHooks = struct("pli_solver_hooks", "ptr iteration iteration_user cancel cancel_user residual",
                     "ptr residual_user")
SolverInfo = struct("pli_solver_info", "str name doc source takes", "str[8] unused")
FrameField = struct("pli_frame_field", "str name unit", "enum place", "i32 components",
                    "ptr values", "bool whole")
FramePart = struct("pli_frame_part", "str name", "enum kind", "i32 point_count", "ptr points",
                   "i32 cell_count", "ptr cells", "i32 field_count", "ptr fields", "enum role",
                   "f64 radius", "bool is_barrier")
FrameStruct = struct("pli_frame", "i32 index", "i64 step", "f64 time", "i32 part_count",
                     "ptr parts")

# ---- extend.h

MaterialInput = struct("pli_material_input", "str key unit", "f64 fallback min max",
                       "bool exclusive", "str doc", "i32 components", "f64[3] direction")
MaterialOps = struct("pli_material_ops", "str name doc", "uint flags", "i32 input_count",
                     "ptr inputs", "i32 param_count",
                     "ptr derive evaluate sound_speed principal lanes check")
MaterialPreset = struct("pli_material_preset", "str name law", "f64 density young poisson yield",
                        "f64[2] density_range young_range poisson_range yield_range",
                        "str doc yield_kind", "f64 bulk exponent", "i32 number_count", "ptr numbers")

# ---- io.h

LoadDef = struct("pli_load_def", "ptr sets", "i32 set_count", "bool allow_outside", "ptr cancel",
                 "ptr cancel_user")
YamlDef = struct("pli_yaml_def", "bool comments absolute_paths")
FrameWriterDef = struct("pli_frame_writer_def", "str folder", "i32 keep", "bool compress",
                        "ptr fields", "i32 field_count")
SeriesInfo = struct("pli_series_info", "i32 index", "f64 time", "i32 part_count")
RunProgressStruct = struct("pli_run_progress", "i32 frame frame_count", "i64 step step_count",
                           "f64 time seconds seconds_left", "ptr report")
RunDef = struct("pli_run_def", "ptr scene", "str folder", "bool force resume", "i32 frames",
                "i64 steps", "f64 seconds", "str command",
                "ptr progress progress_user cancel cancel_user", "f64 checkpoint_seconds",
                "ptr prepare prepare_user")
RunInfoStruct = struct("pli_run_info", "enum outcome", "i64 step first_step", "i32 frame",
                       "f64 time seconds", "i64 unconverged", "str folder advice",
                       "i64 saved_step", "ptr model state")
ExportFormat = struct("pli_export_format", "str name doc")
ExportDef = struct("pli_export_def", "str folder target format", "i32 first last every max_targets",
                   "f64 fps", "ptr progress progress_user cancel cancel_user")
ExportReport = struct("pli_export_report", "i32 file_count frame_count frames_found")
CameraDef = struct("pli_camera_def", "bool automatic", "f64 azimuth elevation",
                   "f64[3] position target up", "f64 fov orbit")
SectionDef = struct("pli_section_def", "bool cuts", "f64[3] normal", "f64 offset")
PictureDef = struct(
    "pli_picture_def", "i32 width height samples occlusion_rays shadow_rays", "bool lit",
    "str field", "i32 component", "bool automatic_range", "f64[2] range", "enum colormap",
    "bool edges", "f64 edge_width particle_radius", "bool ground automatic_ground",
    "f64 ground_height", "enum background", "pli_camera_def camera", "bool legend time_stamp",
    "enum colliders", "f64 particle_scale", "i32 hidden_count", "ptr hidden",
    "pli_section_def section")


# ---- reading them

def text(value):
    """A C text as str; None stays None."""
    return None if value is None else value.decode("utf-8", "replace")


def at(kind, address, index=0):
    """The struct of an array at an address; it is a view, not a copy."""
    return kind.from_address(address + index * ctypes.sizeof(kind))


def plain(value):
    """Members of a struct as a dict of numbers, texts, lists and dicts, without pointers."""
    if isinstance(value, bytes):
        return text(value)
    if isinstance(value, ctypes.Array):
        return [plain(item) for item in value]
    if isinstance(value, ctypes.Structure):
        return {name: plain(getattr(value, name)) for name, kind in value._fields_
                if kind is not ctypes.c_void_p}
    return value
