# SPDX-License-Identifier: Apache-2.0
"""What there is to choose from: solvers, material laws, presets, export formats, keys of scenes."""
import ctypes
import json
from dataclasses import dataclass

from ._handles import Context
from ._library import lib
from ._structs import (BuildInfo, ExportFormat, MaterialInput, MaterialOps, MaterialPreset,
                       SolverInfo, at, plain, text)


@dataclass(frozen=True)
class SolverEntry:
    """A solver that scenes can name; ``takes`` is "meshes", "particles" or "both"."""
    name: str
    doc: str
    source: str
    takes: str


@dataclass(frozen=True)
class LawInput:
    """A number, or a direction of three components, that a law takes."""
    key: str
    unit: str
    fallback: object
    min: float
    max: float
    doc: str
    components: int = 0


@dataclass(frozen=True)
class LawEntry:
    """A material law that scenes can name."""
    name: str
    doc: str
    inputs: tuple


@dataclass(frozen=True)
class PresetEntry:
    """A named starting point for a material, with typical round numbers (SI units)."""
    name: str
    law: str
    density: float
    young: float
    poisson: float
    doc: str


def solvers():
    """All solvers, as a list of SolverEntry."""
    result, info = [], SolverInfo()
    while lib.pli_solver_info_get(len(result), ctypes.byref(info)):
        values = plain(info)
        result.append(SolverEntry(**{key: values[key] for key in SolverEntry.__annotations__}))
    return result


def rows_of(function, kind):
    """The structs that a function has by number, up to the last of them."""
    index = 0
    while address := function(index):
        yield at(kind, address)
        index += 1


def read_input(value):
    row = plain(value)
    del row["exclusive"]
    direction = row.pop("direction")
    if row["components"]:
        row["fallback"] = tuple(direction)
    return LawInput(**row)


def materials():
    """All material laws, as a list of LawEntry."""
    result = []
    for law in rows_of(lib.pli_material_get, MaterialOps):
        inputs = [read_input(at(MaterialInput, law.inputs, i)) for i in range(law.input_count)]
        result.append(LawEntry(text(law.name), text(law.doc), tuple(inputs)))
    return result


def presets():
    """All presets of materials, as a list of PresetEntry."""
    result = []
    for row in rows_of(lib.pli_material_preset_get, MaterialPreset):
        preset = plain(row)
        result.append(PresetEntry(**{key: preset[key] for key in PresetEntry.__annotations__}))
    return result


def export_formats():
    """Names of the formats that export() knows, with what they are."""
    rows = map(plain, rows_of(lib.pli_export_format_get, ExportFormat))
    return {row["name"]: row["doc"] for row in rows}


def schema():
    """All keys of scenes, as JSON Schema: units, defaults, ranges and what they mean."""
    context = Context()
    return json.loads(context.text(lib.pli_schema_to_json, context.pointer))


def version():
    """The version of the library: "0.2.0"."""
    return text(lib.pli_version())


def build_info():
    """One line on compiler, instruction set and optional parts of the library."""
    return text(at(BuildInfo, lib.pli_build_get()).text)
