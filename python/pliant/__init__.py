# SPDX-License-Identifier: Apache-2.0
"""pliant: simulation of matter that deforms, from Python.

    import pliant

    sim = pliant.Simulation("rubber/stretch")        # a shipped scene, a file, a dict or a Scene
    for report in sim.frames(24):
        print(sim.time, report.energy.total)

Scene, Model, State and Solver are the four objects of the library; Simulation holds one of each.
Arrays are numpy views into the library's memory. Failures are exceptions under pliant.Error; the
library's log goes to the logger "pliant". docs/guide/python.md tells the rest.

The library uses threads of OpenMP: after it has computed in a process, a forked child must not use
it. multiprocessing must use the method "spawn".
"""
from . import errors
from ._handles import set_threads
from ._library import PATH as library_path
from ._library import VERSION as __version__
from .catalog import (build_info, export_formats, materials, presets, schema, solvers, version)
from .errors import (ArgumentError, ClosedError, Error, FileError, InterruptedStep, MeshError,
                     NumericError, OutOfMemoryError, SceneError, UnsupportedError)
from .frames import Frame, FrameWriter, Part, Series, picture, surface, write_png
from .modes import Mode, modes
from .runs import Progress, Run, RunInfo, export, read_steps, run
from .scene import Mesh, Scene, scenes
from .simulation import (Body, Energies, Kind, Model, Particles, Probes, Simulation, Solver, State,
                         StepReport)

__all__ = [
    "ArgumentError", "Body", "ClosedError", "Energies", "Error", "FileError", "Frame",
    "FrameWriter", "InterruptedStep", "Kind", "Mesh", "MeshError", "Mode", "Model", "NumericError",
    "OutOfMemoryError", "Part", "Particles", "Probes", "Progress", "Run", "RunInfo", "Scene",
    "SceneError",
    "Series", "Simulation", "Solver", "State", "StepReport", "UnsupportedError", "__version__",
    "build_info", "errors", "export", "export_formats", "library_path", "materials", "modes", "picture",
    "presets", "read_steps", "run", "scenes", "schema", "set_threads", "solvers", "surface",
    "version", "write_png",
]
