#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The gallery of the shipped scenes: docs/gallery.md and docs/gallery/*.png.

Runs a scene as far as the frame that shows what it is about, draws that frame, and writes the page
that has every picture with the commands that made it. Scenes without a picture are listed with
their commands all the same.

  tools/make_gallery.py [--program FILE] [--runs FOLDER] [--limit SECONDS] [SCENE]...

  --program   the program (build/pliant)
  --runs      where runs go; those that are there and reach far enough are used again (out/gallery)
  --limit     gives up a run after so many seconds of the clock; its picture stays as it was (40)
  SCENE       which pictures are made (all whose run is not marked as long); "none" writes the page
              alone

Exit 0: the page is written; 1: a run or a picture failed.
"""
import argparse
import json
import pathlib
import struct
import subprocess
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZE = "480x300"
LARGEST = 60_000  # bytes of a picture

# ---- the table

# scene: (frames to run, options of render). The last of the frames is drawn; 0 is the start. Many
# small balls make large files: their pictures are smaller.
# LONG marks what takes more than the limit on two cores.
LONG = "long"
SCENES = {
    "demo": (20, "--color von_mises"),
    "rubber/balls": (3, "--radius 1.2x"),
    "rubber/bust": (23, "--radius 1.3x"),
    "rubber/cantilever": (60, "--color von_mises --azimuth 15"),
    "rubber/creature": (22, "--azimuth 10"),
    "rubber/dragon": (0, ""),
    "rubber/map": (1, "--edges"),
    "rubber/octopus": (48, ""),
    "rubber/point": (1, "--edges"),
    "rubber/pulse": (14, "--color von_mises"),
    "rubber/random": (0, ""),
    "rubber/snap-through": (34, "--color von_mises"),
    "rubber/stretch": (10, "--color von_mises"),
    "rubber/stretched-box": (1, "--radius 1.3x --size 400x250"),
    "solids/graded": (48, "--color young --azimuth 20"),
    "solids/melting": (60, "--color von_mises"),
    "solids/memory-foam": (61, ""),
    "solids/muscle": (60, "--radius 1.1x"),
    "contact/arch": (24, "--azimuth 15"),
    "contact/ball-on-spike": (14, "--elevation 6"),
    "contact/basketball": (10, ""),
    "contact/bowl": (6, ""),
    "contact/box-wall": (9, ""),
    "contact/bullet": (3, "--azimuth 120"),
    "contact/card-house": (16, "--view docs/gallery/cards.json --elevation 10"),
    "contact/chain": (21, ""),
    "contact/cube-on-cube": (28, ""),
    "contact/drop": (12, "--color von_mises"),
    "contact/edge-drop": (18, "--color von_mises"),
    "contact/foam-roller": (6, ""),
    "contact/ground": (5, "--elevation 4"),
    "contact/hang": (3, "--color displacement"),
    "contact/hole": (8, "--elevation 28"),
    "contact/hollow-ball": (2, ""),
    "contact/hoop": (2, ""),
    "contact/koosh": (2, ""),
    "contact/lattice-ball": (44, ""),
    "contact/lattice-hoop": (7, ""),
    "contact/pachinko": (16, "--azimuth 10"),
    "contact/rods": (11, ""),
    "contact/roller": (15, ""),
    "contact/slit-square": (30, ""),
    "contact/spheres": (7, "--azimuth 0"),
    "contact/spikes": (7, ""),
    "contact/squeeze": (15, ""),
    "contact/stack": (5, ""),
    "contact/torus-drop": (20, ""),
    "contact/twist": (65, "--color von_mises"),
    "contact/two-cubes": (40, ""),
    "contact/two-squares": (1, ""),
    "cloth/ball-drop": (6, ""),
    "cloth/bunny": (30, ""),
    "cloth/large": (1, "", LONG),
    "cloth/newton": (5, ""),
    "cloth/projective": (20, ""),
    "cloth/sag": (60, "--color displacement"),
    "cloth/sphere": (16, ""),
    "shells/hanging-cloth": (10, ""),
    "shells/scroll": (3, ""),
    "shells/fold": (120, ""),
    "solids/balloon": (60, ""),
    "solids/cantilever": (12, "--color von_mises"),
    "solids/cook": (24, "--color von_mises"),
    "solids/gas-ball": (5, "--color displacement"),
    "solids/pneumatic-finger": (48, ""),
    "solids/water-bag": (22, ""),
    "mixed/armacat-soft": (1, "--radius 1.5x --size 400x250"),
    "mixed/armacat-stiff": (1, "--radius 1.5x --color material"),
    "mixed/bar": (8, "--radius 1.3x"),
    "mixed/chain": (6, "--radius 1.3x"),
    "mixed/combo": (2, "--radius 1.2x"),
    "mixed/h-shape": (14, "--color material --azimuth 15"),
    "mixed/jello": (0, ""),
    "mixed/layered-square": (30, "--color material --azimuth 15"),
    "mixed/shoe": (0, "--color material"),
    "mixed/storks": (1, "--radius 1.2x"),
    "mixed/stressball": (0, "--view docs/gallery/section.json"),
    "mixed/twist": (3, "--radius 1.3x"),
    "mixed/two-stressballs": (0, "--view docs/gallery/section.json", LONG),
    "metal/can": (24, "--color plastic --azimuth 5 --elevation 5"),
    "metal/paperclip": (96, "--color plastic"),
    "metal/cat-on-sheet": (3, "--radius 1.4x"),
    "metal/donut": (7, "--radius 1.3x"),
    "metal/plates": (5, "--radius 1.3x"),
    "metal/wheel": (2, "--radius 1.3x"),
    "snow/drop": (4, "--radius 1.6x --size 400x250"),
    "snow/pair": (1, "--radius 1.6x"),
    "snow/slope": (1, "--radius 1.2x"),
    "snow/wall": (2, "--radius 1.6x --size 400x250"),
    "sand/boards": (3, "--radius 1.3x"),
    "sand/dragon-massage": (4, "--radius 1.2x"),
    "fluid/dragon-bath": (6, "--radius 1.2x"),
    "goo/sauce": (16, "--radius 1.3x"),
}


# ---- runs and pictures

def name_of(scene):
    return scene.replace("/", "-")


def run_command(scene, frames):
    return ["pliant", "run", scene, "-o", f"out/{name_of(scene)}", "--frames", str(max(1, frames))]


def render_command(scene, frames, options):
    return ["pliant", "render", f"out/{name_of(scene)}", "-o", f"{name_of(scene)}.png", "--frame",
            str(frames), *with_size(options)]


def with_size(options):
    """The options as a list, with the size unless they have their own."""
    return ([] if "--size" in options else ["--size", SIZE]) + options.split()


def frames_of(folder):
    """How many frames a run has; -1: there is none."""
    try:
        return json.loads((folder / "run.json").read_text())["frames"]
    except (OSError, ValueError, KeyError):
        return -1


def make_run(arguments, scene, frames):
    folder = arguments.runs / name_of(scene)
    if frames_of(folder) >= frames:
        return folder
    command = [str(arguments.program), "run", scene, "-o", str(folder), "--frames",
               str(max(1, frames)), "--force", "--quiet", "--max-wall", f"{arguments.limit}s"]
    # a step that did not converge ends with 1, and may still be what a scene is about
    subprocess.run(command, check=False)
    return folder if frames_of(folder) >= frames else None


def make_picture(arguments, scene, folder, frames, options):
    target = ROOT / "docs" / "gallery" / f"{name_of(scene)}.png"
    target.parent.mkdir(exist_ok=True)
    command = [str(arguments.program), "render", str(folder), "-o", str(target), "--frame",
               str(frames), "--quiet", *with_size(options)]
    if subprocess.run(command, check=False, cwd=ROOT).returncode != 0:
        return False
    return target.stat().st_size <= LARGEST or shrink(target)


# ---- small files

def read_png(path):
    """Width and rows of bytes of an RGB picture with 8 bits, as pliant writes them."""
    data, packed, at = path.read_bytes(), b"", 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            packed += body
        at += 12 + size
    raw, pitch, rows = zlib.decompress(packed), 3 * width, []
    before = bytes(pitch)
    for y in range(height):
        line = raw[y * (pitch + 1):(y + 1) * (pitch + 1)]
        before = unfilter(line[0], line[1:], before)
        rows.append(before)
    return width, rows


def predict(kind, left, up, corner):
    """What a filter of PNG expects of a byte."""
    if kind < 4:
        return (0, left, up, (left + up) // 2)[kind]
    a, b, c = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    return left if a <= b and a <= c else up if b <= c else corner


def unfilter(kind, line, before):
    out = bytearray(line)
    for i in range(len(out)):
        left, corner = (out[i - 3], before[i - 3]) if i >= 3 else (0, 0)
        out[i] = (out[i] + predict(kind, left, before[i], corner)) & 255
    return bytes(out)


def write_png(path, width, rows):
    """Rows by the fourth filter, packed as small as zlib can."""
    raw, before = bytearray(), bytes(3 * width)
    for row in rows:
        raw.append(4)
        for i, value in enumerate(row):
            left, corner = (row[i - 3], before[i - 3]) if i >= 3 else (0, 0)
            raw.append((value - predict(4, left, before[i], corner)) & 255)
        before = row
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)),
             (b"IDAT", zlib.compress(bytes(raw), 9)), (b"IEND", b"")]
    chunks = (struct.pack(">I", len(body)) + kind + body
              + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


def shrink(path):
    """Rounds colours until the file is small enough; fine steps can't be told from the original."""
    width, rows = read_png(path)
    for step in (1, 2, 3, 4, 6, 8):
        table = bytes(min(255, (value + step // 2) // step * step) for value in range(256))
        write_png(path, width, [row.translate(table) for row in rows])
        if path.stat().st_size <= LARGEST:
            return True
    print(f"{path}: {path.stat().st_size} bytes; at most {LARGEST}", file=sys.stderr)
    return False


# ---- runs and pictures, together

def make(arguments, scene):
    frames, options = SCENES[scene][:2]
    folder = make_run(arguments, scene, frames)
    if folder is None:
        print(f"{scene}: frame {frames} was not reached in {arguments.limit} s", file=sys.stderr)
        return False
    return make_picture(arguments, scene, folder, frames, options)


# ---- the page

GROUPS = {
    "demo": "First of all",
    "rubber": "Rubber: elastic solids and particles",
    "contact": "Contact",
    "cloth": "Cloth",
    "shells": "Shells",
    "solids": "Loads and cavities",
    "mixed": "Soft and stiff, or of several kinds, together",
    "solids": "Solids with fibres, and whose numbers differ from place to place or with time",
    "metal": "Metal that yields",
    "snow": "Snow",
    "sand": "Sand and grains",
    "fluid": "Water",
    "goo": "Goo",
}


def group_of(scene):
    return scene.split("/")[0]


def list_scenes(arguments):
    """Names and descriptions of the shipped scenes."""
    lines = subprocess.run([str(arguments.program), "scenes"], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    return dict((line.split(None, 1) + [""])[:2] for line in lines if line.strip())


def entry(scene, about):
    frames, options = SCENES[scene][:2]
    picture = f"gallery/{name_of(scene)}.png"
    lines = [f"### {scene}", "", about, ""]
    if (ROOT / "docs" / picture).exists():
        lines += [f"![{scene}]({picture})", ""]
    lines += ["    " + " ".join(run_command(scene, frames)),
              "    " + " ".join(render_command(scene, frames, options)), ""]
    return lines


def page(scenes):
    lines = ["# Gallery", "",
             "Every scene that pliant ships, with the commands that make the run and the picture. "
             "`pliant scenes NAME` prints",
             "a scene to copy and change. Pictures and page are made by `tools/make_gallery.py`, "
             "from runs of less than a minute:",
             "of long scenes they show the beginning.", ""]
    for group, title in GROUPS.items():
        lines += [f"## {title}", ""]
        for scene, about in scenes.items():
            if group_of(scene) == group:
                lines += entry(scene, about)
    return "\n".join(lines).rstrip() + "\n"


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "pliant")
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "out" / "gallery")
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("scenes", nargs="*")
    arguments = parser.parse_args()
    arguments.program = arguments.program.resolve()
    arguments.runs = arguments.runs.resolve()
    return arguments


def main():
    arguments = read_arguments()
    scenes = list_scenes(arguments)
    missing = set(scenes) ^ set(SCENES)
    if missing:
        sys.exit(f"the table and `pliant scenes` differ in {', '.join(sorted(missing))}")
    wanted = [s for s in SCENES if s in arguments.scenes
              or (not arguments.scenes and LONG not in SCENES[s])]
    done = [make(arguments, scene) for scene in wanted]
    (ROOT / "docs" / "gallery.md").write_text(page(scenes))
    sys.exit(0 if all(done) else 1)


if __name__ == "__main__":
    main()
