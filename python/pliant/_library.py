# SPDX-License-Identifier: Apache-2.0
"""Finding, loading and declaring the shared library."""
import contextlib
import ctypes
import os
import pathlib
import threading

import numpy  # noqa: F401  before the library: threads of its BLAS are set by what is loaded first

from . import _structs

#: of this module; the library must agree in the first two numbers
VERSION = "0.2.0"

NAME = "libpliant.so"
SONAME = "libpliant.so.0.2"

# result, name and parameters of every function that is used, in the order of the headers
FUNCTIONS = """
status pli_context_create ptr ptr
void pli_context_destroy ptr
void pli_context_message ptr ptr size
void pli_context_origin ptr ptr size
i32 pli_context_thread_count ptr
str pli_status_text enum
str pli_version
ptr pli_build_get
pli_items pli_field_get_items ptr ptr
bool pli_field_is_absent ptr ptr
ptr pli_scene_schema
void pli_scene_destroy ptr
ptr pli_scene_get ptr
pli_scene_info pli_scene_get_info ptr
u64 pli_scene_hash ptr
status pli_model_create ptr ptr ptr ptr
void pli_model_destroy ptr
pli_model_info pli_model_get_info ptr
pli_mesh_view pli_model_get_mesh ptr
pli_body_info pli_model_get_body ptr i32
pli_kind_info pli_model_get_kind ptr i32
pli_load_info pli_model_get_load ptr i32
pli_cavity_info pli_model_get_cavity ptr i32
status pli_state_create ptr ptr
void pli_state_destroy ptr
status pli_state_copy ptr ptr
pli_state_view pli_state_get ptr
status pli_state_set ptr ptr ptr
status pli_state_set_grip ptr i32 f64 ptr
void pli_state_clear_grips ptr
status pli_state_set_forces ptr ptr
u64 pli_state_hash ptr
bool pli_state_get_array ptr i32 ptr
str pli_stop_name enum
status pli_solver_create ptr ptr
void pli_solver_destroy ptr
void pli_solver_set_hooks ptr ptr
void pli_solver_set_measuring ptr bool
status pli_solver_step ptr ptr ptr
status pli_solver_measure ptr ptr ptr
bool pli_solver_info_get i32 ptr
status pli_solver_frame ptr ptr ptr
ptr pli_material_get i32
ptr pli_material_preset_get i32
void pli_text_free ptr ptr
status pli_scene_parse ptr str i64 str ptr ptr
status pli_scene_to_yaml ptr ptr ptr
status pli_schema_to_json ptr ptr
status pli_frame_writer_create ptr ptr ptr
void pli_frame_writer_destroy ptr
status pli_frame_writer_add ptr ptr
status pli_series_create ptr str ptr
void pli_series_destroy ptr
status pli_series_update ptr
i32 pli_series_count ptr
pli_series_info pli_series_get_info ptr i32
status pli_series_load ptr i32 ptr
void pli_frame_destroy ptr
status pli_checkpoint_save ptr ptr ptr str
status pli_checkpoint_load ptr ptr str ptr
status pli_run_create ptr ptr
void pli_run_destroy ptr
status pli_run_advance ptr ptr
pli_run_info pli_run_get_info ptr
str pli_run_outcome_name enum
ptr pli_export_format_get i32
pli_export_def pli_export_def_default
status pli_export ptr ptr ptr
pli_frame_writer_def pli_frame_writer_def_default
pli_picture_def pli_picture_def_default
status pli_picture_create ptr ptr ptr
void pli_picture_destroy ptr
status pli_picture_draw ptr ptr ptr
status pli_picture_write_png ptr str i32 i32 ptr
"""

HERE = pathlib.Path(__file__).resolve().parent


def installed_path(name):
    """A path that the installation noted beside the module (library, scenes), or None."""
    try:
        from . import _installed
    except ImportError:
        return None
    return (HERE / getattr(_installed, name)).resolve()


def source_root():
    """The root of the source tree when the module is used from there, or None."""
    root = HERE.parent.parent
    return root if (root / "include" / "pliant" / "base.h").is_file() else None


def candidates():
    """Where the library may be, and why, in the order of trying."""
    named = os.environ.get("PLIANT_LIBRARY")
    if named:
        yield named, "PLIANT_LIBRARY"
        return
    if installed_path("LIBRARY"):
        yield str(installed_path("LIBRARY")), "beside the installed module"
    if source_root():
        yield str(source_root() / "build" / NAME), "the build folder of the source tree"
    yield SONAME, "the system's loader"


@contextlib.contextmanager
def quiet_waiting():
    """Lets threads of OpenMP sleep while they wait, unless the user has decided.

    The run-time reads this once, when it is loaded. Spinning threads are slow on busy machines.
    """
    wanted = {name: value for name, value in
              (("OMP_WAIT_POLICY", "passive"), ("OPENBLAS_NUM_THREADS", "1"))
              if name not in os.environ}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name in wanted:
            del os.environ[name]


def open_library():
    """The loaded library, or an ImportError that says what was tried."""
    tried = []
    with quiet_waiting():
        for path, why in candidates():
            if os.sep in path and not os.path.exists(path):
                tried.append(f"{path} ({why}): there is no such file")
                continue
            try:
                return ctypes.CDLL(path), path
            except OSError as error:
                tried.append(f"{path} ({why}): {error}")
    raise ImportError("libpliant.so was not found; build it with 'make', install it with 'make "
                      "install', or name it in PLIANT_LIBRARY. Tried:\n  " + "\n  ".join(tried))


def declare(library, path):
    """Gives every function its types."""
    for line in FUNCTIONS.strip().split("\n"):
        result, name, *parameters = line.split()
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{path} has no {name}: it is not the library of pliant {VERSION}") \
                from None
        function.restype = _structs.type_of(result)
        function.argtypes = [_structs.parameter_of(kind) for kind in parameters]


def check_version(found, path):
    """Refuses a library of another version: structs may have changed."""
    if found.split(".")[:2] != VERSION.split(".")[:2]:
        raise ImportError(f"{path} is pliant {found}, but the Python module is {VERSION}; "
                          f"install both from the same sources")


def load():
    """Finds, loads, checks and declares the library."""
    library, path = open_library()
    try:
        library.pli_version.restype = ctypes.c_char_p
    except AttributeError:
        raise ImportError(f"{path} has no pli_version: it is not pliant's library") from None
    check_version(library.pli_version().decode(), path)
    declare(library, path)
    return library, path


lib, PATH = load()


class OneBlasThread:
    """Keeps the BLAS that numpy and the library share at one thread during a call.

    On small blocks its threads cost more than they bring, and results would depend on their number.
    """

    def __init__(self):
        self.set = getattr(lib, "openblas_set_num_threads", None)
        self.get = getattr(lib, "openblas_get_num_threads", None)
        self.depth = 0  # calls that are going on, from all threads
        self.before = 1
        self.lock = threading.Lock()

    def __enter__(self):
        if self.set is None:
            return
        with self.lock:
            if self.depth == 0:
                self.before = self.get()
                self.set(1)
            self.depth += 1

    def __exit__(self, *_):
        if self.set is None:
            return
        with self.lock:
            self.depth -= 1
            if self.depth == 0:
                self.set(self.before)


one_blas_thread = OneBlasThread()
