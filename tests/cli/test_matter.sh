#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs of particles: what is told, what is written, going on, and how they fail.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

cat >pour.yaml <<'END'
about: Water is poured over a ball.
domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1]}
materials:
  rubber: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}
  water: {preset: water}
bodies:
  ball:
    geometry: {particles: {shape: {sphere: {center: [0.4, 0.3, 0.5], radius: 0.12}}}}
    material: rubber
emitters:
  tap:
    shape: {box: {center: [0.6, 0.8, 0.5], size: [0.2, 0.05, 0.2]}}
    material: water
    velocity: [0, -1, 0]
colliders: {floor: {shape: {plane: {point: [0, 0.1, 0]}}, boundary: slip, friction: 0.3}}
time: {frames: 4, fps: 48}
END

# ---- check: what there is of particles, and nothing of meshes
call 0 check pour.yaml
says stdout '^# particles   464 at the start$'
says stdout '^# kinds       2$'
says stdout '^#   ball of rubber: 464 of 0\.01563 kg, 1\.563e-05 m\^3$'
says stdout '^#   tap of water: 0 of '
says stdout '^# emitters    1$'
says stdout '^#   tap: water at \(0, -1, 0\) m/s, from 0 s on$'
says stdout '^# cell        0\.05 m$'
says stdout '^# domain      \(0, 0, 0\) to \(1, 1, 1\) m, 20 x 20 x 20 cells$'
says stdout '^#   floor: slip, friction 0\.3$'
says stdout '^# solver      regional, in shorter steps, as stability wants them$'
grep -nE '^# (vertices|tetrahedra|unknowns|contact)|tolerance of' stdout && fail "check speaks of meshes"
grep -niE '\bnan\b|\binf\b' stdout && fail "check shows numbers that are none"
cp stdout again.yaml
call 0 check again.yaml -q
call 0 check pour.yaml --solver explicit --set solver.steps.tick=1e-4
says stdout '^# solver      explicit, in ticks of 0\.0001 s$'
call 0 check pour.yaml --json
python3 - <<'END' || fail "the JSON of check"
import json
data = json.load(open("stdout"))
assert data["particles"] == 464 and data["cell"] == 0.05 and data["emitters"] == ["tap"], data
assert [kind["source"] for kind in data["kinds"]] == ["ball", "tap"], data
assert data["domain"]["max"] == [1, 1, 1], data
assert not {"vertices", "tolerance", "unknowns"} & set(data), data
END

# ---- run: progress, lines, record, page
call 0 run pour.yaml -n -o dry
says stderr 'in 4 steps by regional, 464 particles, into dry'
call 0 run pour.yaml -o whole
says stderr '^frame 1/4, t 0\.02083 s, [0-9]+ particles, [0-9]+ sweeps, steps [0-9.e-]+( to [0-9.e-]+)? s, [0-9.e-]+ s'
grep -E 'iteration|residual|nan' stderr && fail "progress speaks of iterations"
python3 - <<'END' || fail "the files of a run of particles"
import json
steps = [json.loads(line) for line in open("whole/steps.jsonl")]
assert len(steps) == 4
for step in steps:
    matter = step["explicit"]
    assert not {"iterations", "residual", "tolerance", "vertices"} & set(step), step
    assert step["emitted"] > 0 and matter["sweeps"] > 0, matter
    # every block update is in the histogram, at a power of two of the tick
    assert sum(matter["steps"].values()) == matter["block_updates"], matter
    for seconds in matter["steps"]:
        ticks = float(seconds) / matter["tick"]
        assert ticks == 2 ** round(ticks).bit_length() / 2, (seconds, matter["tick"])
run = json.load(open("whole/run.json"))
assert run["particles"] == steps[-1]["particles"], run
assert run["particles"] == 464 + run["emitted"] and run["cell"] == 0.05, run
page = open("whole/report.html").read()
assert "Lengths of steps" in page and "<span>Particles</span>" in page
assert "Vertices" not in page
END
call 0 check --frames whole
says stdout '^5 frames, 0 intersections'
says stderr 'of particles only the coordinates were tested'

# ---- stopping and going on gives the same bits as going through, whatever is emitted
call 0 run pour.yaml -o parts --steps 2 -q
call 0 run pour.yaml -o parts --resume -q
for frame in 1 2 3 4; do
    for part in ball tap; do
        cmp "whole/frames/${part}_0000$frame.vtp" "parts/frames/${part}_0000$frame.vtp" ||
            fail "frame $frame of $part differs after resuming"
    done
done
cmp whole/checkpoint/step_00000004.h5 parts/checkpoint/step_00000004.h5 ||
    fail "the state differs after resuming"
call 0 run pour.yaml -o one -j1 -q
cmp one/checkpoint/step_00000004.h5 whole/checkpoint/step_00000004.h5 ||
    fail "threads change the result"
call 2 run pour.yaml -o parts --resume --set solver.steps.tick=1e-4
says stderr 'belongs to another scene'

# ---- a step that is too long for what comes: named, and the state before it is kept
break_it() {
    call 1 run pour.yaml -o broken --set solver.steps.tick=1e-3 --set emitters.tap.begin=0.05 \
        --set 'emitters.tap.velocity=[0, -300, 0]' "$@"
}
break_it
says stderr '^frame 2/4, '
says stderr 'particle [0-9]+ (went|left)'
says stderr 'the state of step 2 is saved in broken/checkpoint'
grep -q '^frame 3' stderr && fail "a broken step was counted"
says broken/run.json '"status": "failed"'
says broken/run.json '"message": "particle [0-9]+ '
says broken/report.html 'Do not trust this run'
[ "$(wc -l <broken/steps.jsonl)" -eq 2 ] || fail "a broken step has a line"
cksum broken/checkpoint/step_00000002.h5 >before
break_it --resume
says stderr 'the state of step 2 is saved in broken/checkpoint'
cksum broken/checkpoint/step_00000002.h5 | cmp -s - before || fail "resuming changed the state"
# a velocity that no step is short enough for is refused before there is a folder, or fails where it
# is asked for all the same
call 2 run pour.yaml -o fast --set 'bodies.ball.velocity=[1e8, 0, 0]'
says stderr 'would take .* substeps'
[ ! -e fast ] || fail "a refused scene left a folder"
call 1 run pour.yaml -o fast --set 'bodies.ball.velocity=[1e8, 0, 0]' --set solver.max_substeps=1e9
says stderr 'particle [0-9]+ |no(t even|ne) .*short enough'
says stderr 'the state of step 0 is saved in fast/checkpoint'

# ---- memory is as check says, to a fifth; sanitizers need much more
if [ "${PLIANT_INSTRUMENTED:-0}" != 1 ]; then
    cat >large.yaml <<'END'
domain: {cell: 0.02, min: [0, 0, 0], max: [1, 1, 1]}
materials: {sand: {preset: sand}}
bodies:
  bed:
    geometry: {particles: {shape: {box: {center: [0.5, 0.1, 0.5], size: [1, 0.2, 1]}}}}
    material: sand
time: {frames: 1, fps: 1000}
END
    call 0 check large.yaml --json
    mv stdout large.json
    call 0 run large.yaml -o large -q
    python3 - <<'END' || fail "the memory of a run of 200000 particles"
import json
said, took = json.load(open("large.json"))["memory"], json.load(open("large/run.json"))["peak_memory"]
assert 0.8 < said / took < 1.2, (said, took)
END
fi

# ---- pictures
"$PLIANT" --version | grep -q 'pictures on' || finish
for field in velocity step J material status plastic; do
    call 0 render whole -o "$field.png" --size 96x64 --color "$field" -q
    [ -s "$field.png" ] || fail "no picture of $field"
done
call 0 render whole -o plain.png --size 96x64 -q
call 0 render whole -o one.png --size 96x64 --radius 1x -q
cmp plain.png one.png || fail "a factor of 1 changes a picture"
call 0 render whole -o large.png --size 96x64 --radius 2x -q
call 0 render whole -o metres.png --size 96x64 --radius 0.0125 -q
cmp plain.png metres.png || fail "cells of 5 cm with 8 particles are not drawn with 1.25 cm"
call 0 render whole -o thick.png --size 96x64 --radius 0.025 -q
cmp large.png thick.png || fail "twice 1.25 cm is not 2.5 cm"
cmp -s plain.png large.png && fail "a radius changes nothing"
for wrong in 0 -1 -2x x 2xx 1e400; do
    call 2 render whole -o none.png --radius "$wrong"
    says stderr "--radius does not take '$wrong'; it takes metres such as 0.01, or a factor such as 1.5x"
done
finish
