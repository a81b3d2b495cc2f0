# SPDX-License-Identifier: Apache-2.0
"""A checkpoint as h5py sees it."""
import os
import sys

from sample import SKIPPED, check, np, samples

try:
    import h5py
except ImportError as error:
    print("skipped:", error)
    sys.exit(SKIPPED)

ROWS = 20

with samples() as folder:
    path = folder + "/checkpoint/step_00000042.h5"
    with open(path, "rb") as raw:
        block = raw.read(512)
    lines = block.rstrip(b"\0").decode().splitlines()
    check(lines[:2] == ["pliant checkpoint", "format 1"], "block")
    check(lines[2] == f"bytes {os.path.getsize(path)}", "length in the block")

    with h5py.File(path, "r") as file:
        attributes = dict(file.attrs)
        check(attributes["format"] == 1, "format")
        check(attributes["step"] == 42 and attributes["time"] == 1.75, "step and time")
        check(attributes["scene_hash"] == b"0123456789abcdef", "scene hash")
        check(attributes["pliant"].decode().count(".") == 2, "version")
        check(attributes["array_count"] == 3, "number of arrays")
        check(file["scene"][()].decode() == "about: caf\u00e9\n", "scene")
        i = np.arange(3 * ROWS)
        check((file["state/x"][()] == (i / 7.0).reshape(-1, 3)).all(), "x, bit for bit")
        check((file["state/fem/v"][()] == -i.reshape(-1, 3)).all(), "v")
        check((file["state/id"][()] == (np.arange(ROWS) ** 2)[:, None]).all(), "id")
        check(file["state/x"].dtype == "<f8" and file["state/id"].dtype == "<i8", "types")
print("checkpoint: h5py agrees")
