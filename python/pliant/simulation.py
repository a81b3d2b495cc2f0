# SPDX-License-Identifier: Apache-2.0
"""Simulating: Scene -> Model -> State -> [Solver: step, step, ...], and Simulation over all."""
import contextlib
import ctypes
import operator
import os
import threading
import warnings
from dataclasses import dataclass
from typing import NamedTuple, Optional

import numpy as np

from . import errors
from ._handles import Stopper, Wrapper
from ._library import lib, one_blas_thread
from ._structs import (CavityReportStruct, ContactPairStruct, FrameStruct, IterationReport,
                       SolverHooks, StateArray, StepReportStruct, at, check_integer, plain, text)
from .frames import Frame, copy_array, surface
from .scene import Scene

ARRAY_TYPES = (np.float64, np.int64, np.int32)  # pli_array_kind
NONFINITE = -3  # pli_stop
INDICES = (-2**31, 2**31 - 1)

MonitorFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(IterationReport))


# ---- reports

class Energies(NamedTuple):
    """Energies of a state (J); attachment includes grips, load is the work of the scene's loads,
    negative, cavity that of gas and liquid. Work of a state's own forces is in none of them."""
    kinetic: float
    elastic: float
    gravity: float
    attachment: float
    contact: float
    load: float
    cavity: float
    total: float


class Cavity(NamedTuple):
    """The volume (m^3) that a closed surface encloses, and the pressure in it beyond that outside (Pa)."""
    volume: float
    pressure: float


def former(name, now):
    """A property by the name that it had before."""
    def warn():
        warnings.warn(f"'{name}' is called '{now}' now", FutureWarning, stacklevel=3)

    def get(self):
        warn()
        return getattr(self, now)

    def put(self, value):
        warn()
        setattr(self, now, value)

    return property(get, put, doc=f"What ``{now}`` was called before.")


@dataclass(frozen=True)
class StepReport:
    """What a step did. ``converged`` and ``stop`` ("gradient", "iterations", ...) say how it ended.

    ``accepted`` is False when the step was rejected because numbers were not finite; the state then
    is as it was, and ``culprit`` says what was not. ``explicit`` and ``implicit`` are dicts of
    figures of steps of particles, ``levels`` of the solver subspace, each None for other solvers;
    ``phases`` are seconds by name.
    """
    step: int
    time: float
    dt: float
    solver: str
    stop: str
    converged: bool
    accepted: bool
    iterations: int
    linear_iterations: int
    energy_evaluations: int
    residual: float
    tolerance: float
    energy: Energies
    momentum: np.ndarray
    angular_momentum: np.ndarray
    min_J: float
    inverted: int
    vertices: int
    collides: bool
    contacts: int
    min_gap: float
    max_depth: float
    friction_work: float
    barrier_distance: float
    barrier_stiffness: float
    pairs: tuple
    explicit: Optional[dict]
    implicit: Optional[dict]
    levels: Optional[dict]
    phases: dict
    seconds: float
    culprit: Optional[str]
    cavities: dict

    matter = former("matter", "explicit")
    grid = former("grid", "implicit")


# members that are taken over as they are
SAME = [name for name in StepReport.__annotations__ if name not in (
    "solver", "stop", "converged", "accepted", "energy", "momentum", "angular_momentum", "pairs",
    "explicit", "implicit", "levels", "phases", "culprit", "cavities")]


def read_cavities(struct):
    """The cavities of a report by name."""
    found = [at(CavityReportStruct, struct.cavities, k) for k in range(struct.cavity_count)]
    return {text(one.name): Cavity(one.volume, one.pressure) for one in found}


def make_report(struct):
    """A report of plain Python values."""
    values = {name: getattr(struct, name) for name in SAME}
    values.update(
        solver=text(struct.solver), culprit=text(struct.culprit), stop=text(lib.pli_stop_name(struct.stop)),
        converged=struct.stop > 0, accepted=struct.stop != NONFINITE,
        energy=Energies(**plain(struct.energy)), momentum=np.array(struct.momentum),
        angular_momentum=np.array(struct.angular_momentum),
        pairs=tuple(plain(at(ContactPairStruct, struct.pairs, k))
                    for k in range(struct.pair_count)),
        explicit=plain(struct.matter) if struct.matter.ticks else None,
        implicit=plain(struct.grid) if struct.grid.substeps else None,
        levels=plain(struct.levels) if struct.levels.directions else None,
        cavities=read_cavities(struct),
        phases={text(struct.phase_name[k]): struct.phase_seconds[k]
                for k in range(struct.phase_count)})
    return StepReport(**values)


# ---- model

class Kind(NamedTuple):
    """Particles of one body or emitter that have the same material."""
    source: str
    material: int
    mass: float
    volume: float
    is_fluid: bool


class Load(NamedTuple):
    """A load of the scene at the factor 1: all of its force (N), and how many vertices or triangles it acts on."""
    kind: str
    force: np.ndarray
    vertex_count: int
    triangle_count: int


class BodyRange(NamedTuple):
    """The vertices of a body in the arrays of a state."""
    name: str
    first: int
    count: int

    @property
    def slice(self):
        return slice(self.first, self.first + self.count)


class Model(Wrapper):
    """A scene that was compiled: constant, and may be shared by states, solvers and threads.

    All figures of pli_model_info are attributes: vertex_count, tet_count, particle_count, dt, mass,
    solver, tolerance, memory_estimate, ... Arrays are read-only views.
    """

    def __init__(self, scene):
        self.scene = scene
        self._context = scene._context
        with one_blas_thread:
            self._resource = self._context.make(lib.pli_model_create, lib.pli_model_destroy,
                                                self._context.pointer, scene._pointer, None)
        info = lib.pli_model_get_info(self._pointer)
        self.info = plain(info)
        self.bodies = tuple(self._read_range(k) for k in range(info.body_count))
        self.kinds = tuple(self._read_kind(k) for k in range(info.kind_count))
        self.loads = tuple(self._read_load(k) for k in range(info.load_count))
        time = scene.get("time")
        self.steps_per_frame = time["steps_per_frame"]
        self.frame_count = time["frames"]
        self._has_history = time["integrator"] == "bdf2"
        # the scene as it was, for checkpoints: set() makes others of it
        self._scene_resource = scene._resource

    def _read_range(self, body):
        info = lib.pli_model_get_body(self._pointer, body)
        return BodyRange(text(info.name), info.first_vertex, info.vertex_count)

    def _read_kind(self, kind):
        return Kind(**plain(lib.pli_model_get_kind(self._pointer, kind)))

    def _read_load(self, load):
        info = lib.pli_model_get_load(self._pointer, load)
        return Load(text(info.kind), np.array(info.force), info.vertex_count, info.triangle_count)

    def __getattr__(self, name):
        info = self.__dict__.get("info", {})
        if name in info:
            return info[name]
        raise AttributeError(f"a Model has no {name!r}")

    def __dir__(self):
        return sorted([*super().__dir__(), *self.info])

    def _view(self, member, rows, columns, dtype):
        shape = (rows, columns) if columns else (rows,)
        mesh = lib.pli_model_get_mesh(self._pointer)
        return self._resource.view(getattr(mesh, member), shape, dtype, False)

    @property
    def has_particles(self):
        """Whether this is a model of particles; otherwise it is one of meshes."""
        return self.info["cell"] > 0

    @property
    def rest_positions(self):
        """[vertex_count][3] (m)."""
        return self._view("rest_positions", self.vertex_count, 3, np.float64)

    @property
    def masses(self):
        """[vertex_count] (kg)."""
        return self._view("masses", self.vertex_count, 0, np.float64)

    @property
    def tets(self):
        """[tet_count][4] vertices of tetrahedra."""
        return self._view("tets", self.tet_count, 4, np.int32)

    @property
    def triangles(self):
        """[triangle_count][3] vertices of shells, cloth and obstacles."""
        return self._view("triangles", self.triangle_count, 3, np.int32)


# ---- state

def array_property(name, doc):
    """A property over an array of a state: reading gives a view, assigning copies into it."""
    def get(self):
        return self._array(name)

    def put(self, value):
        self._assign(name, slice(None), value)

    return property(get, put, doc=doc)


class State(Wrapper):
    """Positions, velocities and all else that a checkpoint holds; nothing else changes a result.

    Arrays are writable views into the library's memory: what you write is what the next step sees.
    Those of meshes stay the same arrays for the state's whole life. Those of particles are of the
    moment: the next step leaves them as they are and goes on elsewhere, so take them again.
    """

    def __init__(self, model):
        self.model = model
        self._context = model._context
        self._busy = threading.Lock()
        self._resource = self._create()
        self._index = {}
        while (array := self._describe(len(self._index))) is not None:
            self._index[text(array.name)] = len(self._index)
        self._views = {}
        self._seen = None

    def _create(self):
        return self._context.make(lib.pli_state_create, lib.pli_state_destroy,
                                  self.model._pointer, parents=(self.model._resource,))

    # ---- arrays

    def _describe(self, index):
        array = StateArray()
        found = lib.pli_state_get_array(self._pointer, index, ctypes.byref(array))
        return array if found else None

    def close(self):
        """Lets go of the library's object. Arrays that were taken from it stay readable."""
        self._views = {}
        super().close()

    def _array(self, name):
        self._pointer  # raises when closed
        if name in self._views:
            return self._views[name]
        array = self._describe(self._index[name])
        shape = (array.rows, array.columns) if array.columns > 1 else (array.rows,)
        writable = name not in ("particle_kinds", "particle_ids")
        view = self._resource.view(array.data, shape, ARRAY_TYPES[array.kind], writable)
        if not array.of_particles:
            self._views[name] = view
        return view

    def _assign(self, name, rows, value):
        part = self._array(name)[rows]
        value = np.broadcast_to(np.asarray(value, part.dtype), part.shape)
        if not np.isfinite(value).all():
            raise errors.ArgumentError(f"{name} must be finite")
        part[...] = value
        if name in ("positions", "velocities"):
            self._array("history")[0] = 0  # what happened before no longer leads here

    def arrays(self):
        """Everything in the state, as views by the names that checkpoints use."""
        return {name: self._array(name) for name in self._index}

    positions = array_property("positions", "[vertex_count][3] (m)")
    velocities = array_property("velocities", "[vertex_count][3] (m/s)")
    forces = array_property("forces", """[vertex_count][3] (N): forces from outside, beside gravity.

        They last until they are changed: ``state.forces = 0`` ends them.""")
    grip_targets = property(lambda self: self._array("grip_targets"),
                            doc="[vertex_count][3] (m), see grip()")
    grip_stiffnesses = property(lambda self: self._array("grip_stiffnesses"),
                                doc="[vertex_count] (N/m), 0 where nothing grips, see grip()")
    contact_forces = property(lambda self: self._array("contact_forces"),
                              doc="[vertex_count][3] of the last step, without friction (N)")

    # ---- time, grips, copies

    @property
    def step_count(self):
        """Steps taken so far."""
        return lib.pli_state_get(self._pointer).step

    @property
    def time(self):
        """Simulated time (s)."""
        return lib.pli_state_get(self._pointer).time

    @property
    def hash(self):
        """64-bit hash of everything in the state."""
        return lib.pli_state_hash(self._pointer)

    def grip(self, vertex, target, stiffness):
        """Pulls a vertex to a place by a spring (N/m), until it is moved or released."""
        place = np.asarray(target, np.float64)
        if place.shape != (3,) or not np.isfinite(place).all() or not np.isfinite(stiffness):
            raise errors.ArgumentError(f"a grip needs three finite coordinates and a finite "
                                       f"stiffness, not {target!r} and {stiffness!r}")
        target = (ctypes.c_double * 3)(*place)
        vertex = check_integer(vertex, INDICES, "the vertex")
        self._context.check(lib.pli_state_set_grip(self._pointer, vertex, stiffness, target))

    def release(self, vertex=None):
        """Lets go of a vertex, or of all."""
        if vertex is None:
            lib.pli_state_clear_grips(self._pointer)
        else:
            vertex = check_integer(vertex, INDICES, "the vertex")
            self._context.check(lib.pli_state_set_grip(self._pointer, vertex, 0, None))

    @property
    def particles(self):
        """The particles, or None in a model of meshes."""
        return Particles(self) if self.model.has_particles else None

    def copy(self):
        """Another state of the same model that equals this one."""
        made = State(self.model)
        made.copy_from(self)
        return made

    def copy_from(self, other):
        """Makes this state equal to another one of the same model."""
        if other.model._resource is not self.model._resource:
            raise errors.ArgumentError("states of different models can't be copied to each other")
        with self._use():
            self._leave_views()
            self._context.check(lib.pli_state_copy(other._pointer, self._pointer))
            self._remember()

    def save(self, folder):
        """Writes a checkpoint into a folder, which keeps the two newest."""
        with self._use():
            self._notice()
            self._context.check(lib.pli_checkpoint_save(
                self.model._scene_resource.pointer, self.model._pointer, self._pointer,
                os.fsencode(folder)))

    def load(self, folder):
        """Goes back to the newest checkpoint of a folder."""
        with self._use():
            self._leave_views()
            self._context.check(lib.pli_checkpoint_load(
                self.model._scene_resource.pointer, self.model._pointer, os.fsencode(folder),
                self._pointer))
            self._remember()

    # ---- keeping promises

    @contextlib.contextmanager
    def _use(self):
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("this State is being used by another thread")
        try:
            yield
        finally:
            self._busy.release()

    def _leave_views(self):
        """Goes on in new memory when arrays of particles look into the old one, which may move."""
        if self.model.has_particles and self._resource.has_views():
            before = self._resource
            self._views = {}
            self._resource = self._create()
            self._context.check(lib.pli_state_copy(before.pointer, self._resource.pointer))

    def _remember(self):
        """Notes positions and velocities, to see later whether somebody has written to them.

        Only integrators that look at earlier steps need it: what was before no longer fits then.
        """
        if self.model._has_history and not self.model.has_particles:
            self._seen = (self.positions.copy(), self.velocities.copy())

    def _notice(self):
        if self._seen is None:
            return
        if not (np.array_equal(self._seen[0], self.positions)
                and np.array_equal(self._seen[1], self.velocities)):
            self._array("history")[0] = 0

    def __repr__(self):
        return f"<pliant.State after {self.step_count} steps, {self.time:g} s>"


def particle_property(name, doc):
    """A property over an array of particles, as array_property."""
    def get(self):
        return self._state._array(name)

    def put(self, value):
        self._state._assign(name, slice(None), value)

    return property(get, put, doc=doc)


class Particles:
    """The particles of a state, in an order that may change with every step (see ``ids``).

    ``positions`` [n][3] (m), ``velocities`` [n][3] (m/s), ``affine`` [n][9] (1/s) and
    ``deformation`` [n][9] are writable views, ``history`` [n] is the history variable of what yields or flows; ``kinds``
    [n] count in ``model.kinds``, ``ids`` [n] are the same throughout a run. Take arrays again after
    a step: those of before keep showing what was then.
    """

    def __init__(self, state):
        self._state = state

    positions = particle_property("particle_positions", "[n][3] (m)")
    velocities = particle_property("particle_velocities", "[n][3] (m/s)")
    affine = particle_property("particle_affine_velocities",
                               "[n][9] gradient of the velocity around it (1/s), row by row")
    deformation = particle_property("particle_deformations",
                                    "[n][9] elastic deformation gradient, row by row")
    history = particle_property("particle_memories", "[n] history variable of what yields or flows")

    memory = former("memory", "history")
    kinds = property(lambda self: self._state._array("particle_kinds"),
                     doc="[n] which of model.kinds, read-only")
    ids = property(lambda self: self._state._array("particle_ids"),
                   doc="[n] all different, and the same throughout a run, read-only")

    def __len__(self):
        return len(self.ids)

    @property
    def masses(self):
        """[n] (kg), a copy."""
        return np.array([kind.mass for kind in self._state.model.kinds])[self.kinds]

    @property
    def J(self):
        """[n] volumes over those at rest, a copy: determinants of ``deformation``, and of fluids,
        whose deformation is forgotten, what ``history`` keeps."""
        fluid = np.array([kind.is_fluid for kind in self._state.model.kinds])[self.kinds]
        J = np.linalg.det(self.deformation.reshape(-1, 3, 3))
        J[fluid] = np.exp(self.history[fluid])
        return J

    def of(self, source):
        """Where the particles of a body or emitter are: booleans [n] to index arrays with."""
        wanted = [k for k, kind in enumerate(self._state.model.kinds) if kind.source == source]
        if not wanted:
            known = ", ".join(sorted({kind.source for kind in self._state.model.kinds}))
            raise KeyError(f"no particles come from {source!r}; there are {known}")
        return np.isin(self.kinds, wanted)


# ---- solver

class Solver(Wrapper):
    """Steps states of a model. Scratch and caches only: dropping one never changes a result."""

    def __init__(self, model):
        self.model = model
        self._context = model._context
        self._stopper = Stopper()
        self._failure = None
        self._monitor = None
        self._busy = threading.Lock()
        with one_blas_thread:
            self._resource = self._context.make(
                lib.pli_solver_create, lib.pli_solver_destroy, model._pointer,
                parents=(model._resource,), keep=self._stopper)
        self._set_hooks()

    def step(self, state):
        """Advances a state by one step of ``model.dt`` and reports.

        Not converging is no exception: look at ``report.converged``. Ctrl-C ends the step within an
        iteration, raises KeyboardInterrupt and leaves the state before or after the whole step.
        """
        self._check(state)
        struct = StepReportStruct()
        with self._use(), state._use(), self._stopper.guard(), one_blas_thread:
            self._stopper.check()
            state._leave_views()
            state._notice()
            status = lib.pli_solver_step(self._pointer, state._pointer, ctypes.byref(struct))
            state._remember()
            self._raise_failure()
            self._context.check(status)
            return make_report(struct)

    def measure(self, state):
        """Energies, momenta and smallest J of a state, without advancing it, as a StepReport."""
        self._check(state)
        struct = StepReportStruct()
        with self._use(), state._use():
            self._context.check(lib.pli_solver_measure(self._pointer, state._pointer,
                                                       ctypes.byref(struct)))
            return make_report(struct)

    def frame(self, state):
        """The state as something to look at: a Frame with bodies, fields and colliders, copied."""
        return Frame(self._frame(state), copy_array)

    def _frame(self, state):
        """The library's frame, which lives until the next call."""
        self._check(state)
        struct = FrameStruct()
        with self._use(), state._use():
            self._context.check(lib.pli_solver_frame(self._pointer, state._pointer,
                                                     ctypes.byref(struct)))
        return struct

    def cancel(self):
        """From another thread: ends the step that is being computed, or else the next one.

        step() then raises InterruptedStep, and the state is as it was.
        """
        self._stopper.asked = True

    def set_measuring(self, measuring):
        """Whether steps measure energies for their reports; without, they are a little faster."""
        lib.pli_solver_set_measuring(self._pointer, measuring)

    def set_monitor(self, function):
        """Calls function(dict) at every iteration of a step; None ends that.

        What the function raises ends the step and comes out of step().
        """
        def hear(_, report):
            try:
                function(plain(report.contents))
            except BaseException as failure:  # it must not get lost in C
                self._failure = failure
                self._stopper.asked = True

        self._monitor = MonitorFunction(hear) if function else None
        self._resource._keep = (self._stopper, self._monitor)
        self._set_hooks()

    def _set_hooks(self):
        hooks = SolverHooks(cancel=self._stopper.address)
        if self._monitor:
            hooks.iteration = ctypes.cast(self._monitor, ctypes.c_void_p)
        lib.pli_solver_set_hooks(self._pointer, ctypes.byref(hooks))

    def _raise_failure(self):
        failure, self._failure = self._failure, None
        if failure is not None:
            self._stopper.asked = False
            raise failure

    def _check(self, state):
        if state.model._resource is not self.model._resource:
            raise errors.ArgumentError("the state belongs to another model than the solver")

    @contextlib.contextmanager
    def _use(self):
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("this Solver is being used by another thread")
        try:
            yield
        finally:
            self._busy.release()


# ---- all in one

def body_property(name, doc):
    """The rows of a body in an array of the state."""
    def get(self):
        return getattr(self._simulation.state, name)[self._range.slice]

    def put(self, value):
        self._simulation.state._assign(name, self._range.slice, value)

    return property(get, put, doc=doc)


class Body:
    """A body of a simulation: its part of the arrays. Vertices count from 0 within the body."""

    def __init__(self, simulation, body_range):
        self._simulation = simulation
        self._range = body_range
        self.name = body_range.name
        self.vertex_count = body_range.count

    positions = body_property("positions", "[vertex_count][3] (m), a writable view")
    velocities = body_property("velocities", "[vertex_count][3] (m/s), a writable view")
    forces = body_property("forces", "[vertex_count][3] from outside (N), a writable view")
    contact_forces = property(
        lambda self: self._simulation.state.contact_forces[self._range.slice],
        doc="[vertex_count][3] of the last step (N)")

    @property
    def rest_positions(self):
        """[vertex_count][3] (m), read-only."""
        return self._simulation.model.rest_positions[self._range.slice]

    @property
    def masses(self):
        """[vertex_count] (kg), read-only."""
        return self._simulation.model.masses[self._range.slice]

    def _cells(self, cells):
        first, count = self._range.first, self._range.count
        inside = (cells[:, 0] >= first) & (cells[:, 0] < first + count) if len(cells) else []
        return cells[inside] - np.int32(first)

    @property
    def tets(self):
        """[n][4] vertices of its tetrahedra; none for shells and cloth."""
        return self._cells(self._simulation.model.tets)

    @property
    def triangles(self):
        """[n][3] vertices of its surface: its triangles, or those around its tetrahedra."""
        tets = self.tets
        return surface(tets) if len(tets) else self._cells(self._simulation.model.triangles)

    @property
    def center(self):
        """Centre of mass (m)."""
        masses = self.masses
        return masses @ self.positions / masses.sum()

    @property
    def fields(self):
        """What a frame says of the body: arrays by name ("von_mises", "J", ...), copied."""
        return self._simulation.frame().parts[self.name].fields

    def grip(self, vertex, target, stiffness):
        """Pulls a vertex to a place by a spring (N/m), until it is moved or released."""
        self._simulation.state.grip(self._global(vertex), target, stiffness)

    def release(self, vertex=None):
        """Lets go of a vertex, or of all of this body."""
        for k in range(self.vertex_count) if vertex is None else (vertex,):
            self._simulation.state.release(self._global(k))

    def _global(self, vertex):
        vertex = operator.index(vertex)
        if not -self.vertex_count <= vertex < self.vertex_count:
            raise IndexError(f"vertex {vertex} of {self.vertex_count} of body {self.name!r}")
        return self._range.first + vertex % self.vertex_count

    def __repr__(self):
        return f"<pliant.Body {self.name!r}: {self.vertex_count} vertices>"


class Simulation:
    """A scene, its model, one state and one solver, for the usual loop.

        sim = pliant.Simulation("rubber/stretch")     # a Scene, a dict, a file or a shipped scene
        for report in sim.frames(24):
            print(sim.time, sim.bodies["cube"].center, report.energy.total)
    """

    def __init__(self, scene):
        if isinstance(scene, dict):
            scene = Scene(scene)
        elif not isinstance(scene, Scene):
            scene = Scene.load(scene)
        self.scene = scene
        self.model = Model(scene)
        self.state = State(self.model)
        self.solver = Solver(self.model)
        self.bodies = {body.name: Body(self, body) for body in self.model.bodies}

    # ---- stepping

    def step(self):
        """Advances by one step of ``dt`` and reports: see Solver.step."""
        return self.solver.step(self.state)

    def frames(self, count=None):
        """Advances frame by frame, and yields the report of each frame's last step.

        A frame is ``steps_per_frame`` steps of the scene; without a count, there are as many frames
        as the scene says.
        """
        for _ in range(self.model.frame_count if count is None else count):
            for _ in range(self.model.steps_per_frame):
                report = self.step()
            yield report

    def run(self, seconds):
        """Advances by so much simulated time, rounded up to whole steps; returns the last report.
        """
        report = None
        end = self.time + seconds - 1e-9 * self.dt
        while self.time < end:
            report = self.step()
        return report

    def measure(self):
        """Energies, momenta and smallest J of the state, as a StepReport."""
        return self.solver.measure(self.state)

    def frame(self):
        """The state as something to look at: see Solver.frame."""
        return self.solver.frame(self.state)

    def cancel(self):
        """From another thread: ends the step that is being computed."""
        self.solver.cancel()

    def reset(self):
        """Goes back to time zero."""
        self.state.copy_from(State(self.model))

    # ---- the state

    time = property(lambda self: self.state.time, doc="Simulated time (s)")
    step_count = property(lambda self: self.state.step_count, doc="Steps taken so far")
    dt = property(lambda self: self.model.dt, doc="Length of a step (s)")
    particles = property(lambda self: self.state.particles, doc="Particles, or None")

    positions = property(lambda self: self.state.positions,
                         lambda self, value: setattr(self.state, "positions", value),
                         doc="[vertex_count][3] of all bodies (m), a writable view")
    velocities = property(lambda self: self.state.velocities,
                          lambda self, value: setattr(self.state, "velocities", value),
                          doc="[vertex_count][3] of all bodies (m/s), a writable view")
    forces = property(lambda self: self.state.forces,
                      lambda self, value: setattr(self.state, "forces", value),
                      doc="[vertex_count][3] from outside (N), a writable view")

    def save(self, folder):
        """Writes a checkpoint into a folder, which keeps the two newest."""
        self.state.save(folder)

    def load(self, folder):
        """Goes back to the newest checkpoint of a folder."""
        self.state.load(folder)

    def close(self):
        """Lets go of everything. Arrays that were taken from it stay readable."""
        for part in (self.solver, self.state, self.model, self.scene):
            part.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        what = f"{self.model.particle_count} particles" if self.model.has_particles \
            else f"{self.model.vertex_count} vertices"
        return f"<pliant.Simulation {self.scene.name!r}: {what}, {self.time:g} s>"
