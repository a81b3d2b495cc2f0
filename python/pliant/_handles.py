# SPDX-License-Identifier: Apache-2.0
"""Lifetimes: objects of the C library, the views into their memory, and the context they live in.

An object of the library is destroyed when the last Python object that needs it is gone: wrappers,
objects made from it, and every numpy array that looks into its memory. So no array ever dangles,
also after close().
"""
import contextlib
import ctypes
import logging
import signal
import threading
import weakref

import numpy as np

from . import errors
from ._library import lib
from ._structs import ContextDef, check_integer, text

log = logging.getLogger("pliant")

# error, warning, info, debug, trace
LOG_LEVELS = (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG, 5)

LogFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)
CancelFunction = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)

_lock = threading.RLock()
_thread_count = 0


def set_threads(count):
    """How many threads scenes made from now on may use; 0: as many as there are cores."""
    global _thread_count
    if count < 0:
        raise ValueError(f"{count} threads; 0 or more are possible")
    _thread_count = check_integer(count, (0, 2**31 - 1), "the number of threads")


class Resource:
    """One object of the library, counted: it is destroyed after all that were made from it.

    Reference counts of Python alone would not do: the collector of cycles finalizes in any order.
    """

    pointer = None

    def __init__(self, pointer, destroy, *parents, keep=None):
        self.pointer = pointer
        self._destroy = destroy
        self._parents = parents
        self._keep = keep  # what must live as long, such as callbacks
        self._uses = 1
        self._buffers = weakref.WeakSet()
        with _lock:
            for parent in parents:
                parent._uses += 1

    def _release(self, lock=_lock):  # a parameter: names of modules go when the interpreter ends
        with lock:
            self._uses -= 1
            if self._uses > 0:
                return
        self._destroy(self.pointer)
        self.pointer = None
        for parent in self._parents:
            parent._release()

    def __del__(self):
        if self.pointer is not None:
            self._release()

    def view(self, address, shape, dtype, writable):
        """An array over memory of this object, which keeps it alive."""
        dtype = np.dtype(dtype)
        if not address or 0 in shape:
            return np.zeros(shape, dtype)
        buffer = Buffer(self, address, shape, dtype, writable)
        self._buffers.add(buffer)
        return np.asarray(buffer)

    def has_views(self):
        """Whether any array still looks into the memory of this object."""
        return len(self._buffers) > 0


class Buffer:
    """What numpy asks for memory; the base of every view."""

    def __init__(self, resource, address, shape, dtype, writable):
        self.resource = resource
        self.__array_interface__ = {"version": 3, "data": (address, not writable),
                                    "shape": tuple(shape), "typestr": dtype.str}


class Context(Resource):
    """What a scene and all that is made from it share: log, threads, the text of failures."""

    def __init__(self):
        def hear(_, level, line):
            log.log(LOG_LEVELS[level], "%s", text(line))

        hears = LogFunction(hear)
        definition = ContextDef(log=ctypes.cast(hears, ctypes.c_void_p).value,
                                log_level=wanted_log_level(), thread_count=_thread_count)
        pointer = ctypes.c_void_p()
        status = lib.pli_context_create(ctypes.byref(definition), ctypes.byref(pointer))
        if status:
            raise errors.BY_STATUS[status](text(lib.pli_status_text(status)))
        super().__init__(pointer.value, lib.pli_context_destroy, keep=hears)

    def check(self, status):
        """Raises what a status stands for."""
        if status == 0:
            return
        message = ctypes.create_string_buffer(4096)
        origin = ctypes.create_string_buffer(256)
        lib.pli_context_message(self.pointer, message, len(message))
        lib.pli_context_origin(self.pointer, origin, len(origin))
        said = text(message.value) or text(lib.pli_status_text(status))
        raise errors.BY_STATUS[status](said, text(origin.value))

    def make(self, function, destroy, *arguments, parents=(), keep=None):
        """Calls a function whose last parameter receives an object, and owns that."""
        pointer = ctypes.c_void_p()
        self.check(function(*arguments, ctypes.byref(pointer)))
        return Resource(pointer.value, destroy, self, *parents, keep=keep)

    def text(self, function, *arguments):
        """Calls a function whose last parameter receives a text, and gives that back."""
        pointer = ctypes.c_void_p()
        self.check(function(*arguments, ctypes.byref(pointer)))
        try:
            return text(ctypes.string_at(pointer.value))
        finally:
            lib.pli_text_free(self.pointer, pointer.value)


def wanted_log_level():
    """The level of the library's log that the logger 'pliant' wants to hear."""
    level = log.getEffectiveLevel()
    return max((k for k, value in enumerate(LOG_LEVELS) if value >= level), default=0)


class Wrapper:
    """Base of public objects: they own a Resource until they are closed."""

    _resource = None

    @property
    def _pointer(self):
        if self._resource is None:
            raise errors.ClosedError(f"this {type(self).__name__} is closed")
        return self._resource.pointer

    def close(self):
        """Lets go of the library's object. Arrays that were taken from it stay readable."""
        self._resource = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


# ---- stopping

class Stopper:
    """The library's question whether to stop, answered by cancel() and by Ctrl-C."""

    def __init__(self):
        self.asked = False
        self.function = CancelFunction(lambda _: self.asked)
        self.address = ctypes.cast(self.function, ctypes.c_void_p).value

    @contextlib.contextmanager
    def guard(self):
        """Turns Ctrl-C during a call into a stop of the library, then into KeyboardInterrupt.

        Python runs signal handlers between its own instructions only, and inside a callback an
        exception would be lost. So the handler only notes the signal, and the callback passes it
        on.
        """
        self.interrupted = False

        def note(*_):
            self.interrupted = self.asked = True

        ours = (threading.current_thread() is threading.main_thread()
                and signal.getsignal(signal.SIGINT) is signal.default_int_handler)
        if ours:
            signal.signal(signal.SIGINT, note)
        try:
            yield
        except errors.InterruptedStep:
            self.asked = False
            if not self.interrupted:
                raise
        finally:
            if ours:
                signal.signal(signal.SIGINT, signal.default_int_handler)
        if self.interrupted:
            self.asked = False
            raise KeyboardInterrupt

    def check(self):
        """Raises when somebody has asked before a step begins, or at the end of the last one."""
        if self.asked:
            raise errors.InterruptedStep("the step was cancelled")
