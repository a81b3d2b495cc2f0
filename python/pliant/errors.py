# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as exceptions. Not converging is none of these: a step's report says so."""
import re


class Error(Exception):
    """Base of all failures that the library reports.

    ``str(error)`` is what is wrong and what would be right. ``file``, ``line`` and ``column`` say
    where in a scene, or are None; ``origin`` says where in the library, for bug reports.
    """

    def __init__(self, message, origin=""):
        super().__init__(message)
        self.message = message
        self.origin = origin
        found = re.match(r"(?P<file>[^\n]*?):(?P<line>\d+):(?P<column>\d+): ", message)
        self.file = found["file"] if found else None
        self.line = int(found["line"]) if found else None
        self.column = int(found["column"]) if found else None

    def __str__(self):
        return self.message


class OutOfMemoryError(Error, MemoryError):
    """There was no memory left; nothing has changed."""


class ArgumentError(Error, ValueError):
    """A value of the call is outside of its range."""


class SceneError(Error, ValueError):
    """The scene is wrong: unknown key, value out of range, missing part."""


class MeshError(Error, ValueError):
    """A mesh is wrong: broken file, zero volume, index past the end."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class UnsupportedError(Error, NotImplementedError):
    """A combination or format that this build does not offer."""


class NumericError(Error, ArithmeticError):
    """A factorisation or set-up computation broke down, or a run could not go on."""


class InterruptedStep(Error):
    """Somebody called cancel(); the state is as it was before the step."""


class ClosedError(Error, ValueError):
    """The object was closed and can't be used any more."""


# by pli_status; 0 is no error
BY_STATUS = (None, OutOfMemoryError, ArgumentError, SceneError, MeshError, FileError,
             UnsupportedError, NumericError, InterruptedStep)
