# SPDX-License-Identifier: Apache-2.0
"""Runs: a scene simulated into a folder, as the program does, and what such folders tell."""
import ctypes
import json
import os
import pathlib
import stat
from dataclasses import dataclass

from ._handles import Context, Stopper, Wrapper
from ._library import lib, one_blas_thread
from ._structs import (ExportReport, RunDef, RunProgressStruct, StepReportStruct,
                       at, plain, text)
from .scene import Scene
from .simulation import StepReport, make_report

ProgressFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(RunProgressStruct))


@dataclass(frozen=True)
class RunInfo:
    """How far a run is and how it ended: "running", "done", "limited", "interrupted", "failed",
    "broken", "unwritten". ``unconverged`` counts steps that ended without convergence,
    ``advice`` says what helps against most of those, and ``saved_step`` is that of the newest saved
    state, -1 without one."""
    outcome: str
    step: int
    first_step: int
    frame: int
    time: float
    seconds: float
    unconverged: int
    folder: str
    advice: str
    saved_step: int


@dataclass(frozen=True)
class Progress:
    """What a run says after every step."""
    frame: int
    frame_count: int
    step: int
    step_count: int
    time: float
    seconds: float
    seconds_left: float
    report: StepReport


class Run(Wrapper):
    """A run into a folder: frames, steps.jsonl, checkpoints, report.html, as `pliant run` writes.

        with pliant.Run(scene, "out/cube") as run:
            for info in run:                      # once a frame
                print(info.frame, info.time)

    ``resume`` goes on from the newest checkpoint of the folder, ``force`` replaces an earlier run.
    """

    def __init__(self, scene, folder, frames=0, steps=0, seconds=0.0, force=False, resume=False,
                 progress=None, command=None):
        if not isinstance(scene, Scene):
            scene = Scene(scene) if isinstance(scene, dict) else Scene.load(scene)
        self.scene = scene
        self._context = scene._context
        self._stopper = Stopper()
        self._failure = None
        self._more = True
        self._hears = ProgressFunction(self._make_listener(progress)) if progress else None
        definition = RunDef(
            scene=scene._pointer, folder=os.fsencode(folder), force=force, resume=resume,
            frames=frames, steps=steps, seconds=seconds,
            command=command.encode() if command else None,
            progress=ctypes.cast(self._hears, ctypes.c_void_p) if progress else None,
            cancel=self._stopper.address)
        with self._stopper.guard(), one_blas_thread:
            self._resource = self._context.make(
                lib.pli_run_create, lib.pli_run_destroy, ctypes.byref(definition),
                parents=(scene._resource,), keep=(self._stopper, self._hears, definition))

    def _make_listener(self, progress):
        def hear(_, pointer):
            try:
                struct = pointer.contents
                report = make_report(at(StepReportStruct, struct.report))
                progress(Progress(**plain(struct), report=report))
            except BaseException as failure:  # it must not get lost in C
                self._failure = failure
                self._stopper.asked = True
        return hear

    def advance(self):
        """Computes and writes the next frame; False when there is none left."""
        if not self._more:
            return False
        more = ctypes.c_bool()
        self._more = False  # failures end a run, too
        with self._stopper.guard(), one_blas_thread:
            status = lib.pli_run_advance(self._pointer, ctypes.byref(more))
            if self._stopper.asked and more.value:
                # the frame was done already: the next call saves the state and ends the run
                status = lib.pli_run_advance(self._pointer, ctypes.byref(more))
            failure, self._failure = self._failure, None
            if failure is not None:
                self._stopper.asked = False
                raise failure
            self._context.check(status)
        self._more = more.value
        return self._more

    def __iter__(self):
        while True:
            more = self.advance()
            yield self.info
            if not more:
                return

    def execute(self):
        """Computes all frames and returns the RunInfo. A limit (steps, seconds) is no failure."""
        while self.advance():
            pass
        return self.info

    def cancel(self):
        """From another thread: ends the run within an iteration; its state is saved."""
        self._stopper.asked = True

    @property
    def info(self):
        """How far it is: a RunInfo."""
        struct = lib.pli_run_get_info(self._pointer)
        values = plain(struct)
        values["outcome"] = text(lib.pli_run_outcome_name(struct.outcome))
        return RunInfo(**values)


def run(scene, folder, **options):
    """Simulates a scene into a folder and returns the RunInfo; options are those of Run."""
    with Run(scene, folder, **options) as made:
        return made.execute()


def open_at_once(path, flags):
    """Opens without waiting for whoever is at the other end."""
    return os.open(path, flags | os.O_NONBLOCK)


def read_steps(folder):
    """The steps of a run as a list of dicts, one a step: energies, iterations, times, ..."""
    path = pathlib.Path(folder) / "steps.jsonl"
    # a pipe would be waited for
    with open(path, encoding="utf-8", opener=open_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path} is not a regular file")
        return [with_current_names(json.loads(line)) for line in file if line.strip()]


def with_current_names(step):
    """A line of steps.jsonl by today's names; earlier versions wrote others."""
    matter, grid = step.pop("matter", None), step.pop("grid", None)
    if matter is not None:
        step["particles"], step["emitted"] = matter.pop("particles"), matter.pop("emitted")
        if matter:
            step["explicit"] = matter
    if grid is not None:
        grid["substeps"], grid["constrained"] = grid.pop("pieces"), grid.pop("held")
        step["implicit"] = grid
    return step


def export(folder, target, format, first=0, last=-1, every=1, fps=0.0):
    """Converts the frames of a run for other programs; returns the number of files.

    ``export_formats()`` has the formats: "ply", "obj+pc2", "glb", "usda", "vtkhdf".
    """
    context = Context()
    stopper = Stopper()
    definition = lib.pli_export_def_default()
    definition.folder, definition.target = os.fsencode(folder), os.fsencode(target)
    definition.format = format.encode()
    definition.first, definition.last, definition.every, definition.fps = first, last, every, fps
    definition.cancel = stopper.address
    report = ExportReport()
    with stopper.guard():
        context.check(lib.pli_export(context.pointer, ctypes.byref(definition),
                                     ctypes.byref(report)))
    return report.file_count
