# SPDX-License-Identifier: Apache-2.0
"""Natural vibrations: frequencies and shapes of the lowest modes."""
import ctypes
from dataclasses import dataclass

import numpy as np

from ._handles import Stopper
from ._library import lib, one_blas_thread
from ._structs import ModesDef
from .scene import Scene
from .simulation import Model


@dataclass(frozen=True)
class Mode:
    """A natural vibration.

    ``frequency`` (Hz) is 0 for a mode that is ``rigid`` (nothing resists it) or ``unstable``
    (``omega2`` is negative: deviations grow). ``share`` is the share of the mass that takes part
    along x, y and z, ``shape`` the displacements [vertex_count][3], of length 1 in the product of
    the masses.
    """
    frequency: float
    omega2: float
    rigid: bool
    unstable: bool
    share: np.ndarray
    shape: np.ndarray


def modes(scene, count=10, state=None):
    """The lowest modes, lowest first, of a Model, a Simulation or a scene as Simulation takes it.

    ``state`` is a State at rest under its loads, whose stress counts; without it modes are those of
    the rest shape.
    """
    model = getattr(scene, "model", scene)
    if not isinstance(model, Model):
        is_made = isinstance(scene, Scene)
        is_dict = isinstance(scene, dict)
        model = Model(scene if is_made else Scene(scene) if is_dict else Scene.load(scene))
    stopper = Stopper()
    definition = ModesDef(count=count, cancel=stopper.address)
    with one_blas_thread, stopper.guard():
        resource = model._context.make(lib.pli_modes_compute, lib.pli_modes_destroy, model._pointer,
                                       state._pointer if state is not None else None,
                                       ctypes.byref(definition), parents=(model._resource,))
    found = []
    for index in range(lib.pli_modes_get_report(resource.pointer).count):
        mode = lib.pli_modes_get(resource.pointer, index)
        shape = resource.view(mode.shape, (model.vertex_count, 3), float, False)
        found.append(Mode(mode.frequency, mode.omega2, mode.rigid, mode.unstable,
                          np.array(mode.share), shape))
    return found
