#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A run writes its folder, does not touch another's, goes on bit for bit, and says how far it is.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
small_scene >cube.yaml

# ---- the folder
call 0 run cube.yaml
silent stdout
says stderr '^frame 1/3, t 0\.04'
says stderr '^frame 3/3, '
[ "$(grep -c '^frame ' stderr)" -eq 3 ] || fail "not one line per frame"
for file in scene.yaml steps.jsonl series.pvd run.json report.html checkpoint frames; do
    [ -e "out/cube/$file" ] || fail "out/cube/$file is missing"
done
[ "$(wc -l <out/cube/steps.jsonl)" -eq 3 ] || fail "not one line per step"
[ "$(find out/cube/frames -name '*_0000[0-3].vt[up]' | wc -l)" -eq 4 ] || fail "not four frames"
[ -z "$(find out/cube -name '*tmp*' -o -name '*draft*')" ] || fail "temporary files are left"
call 0 check out/cube/scene.yaml -q

# ---- another's work is not overwritten
cksum out/cube/steps.jsonl >before
call 3 run cube.yaml
says stderr 'out/cube'
says stderr '--force'
says stderr '--resume'
cksum out/cube/steps.jsonl | cmp -s - before || fail "a refused run changed the folder"
call 0 run cube.yaml --force --frames 1
[ "$(wc -l <out/cube/steps.jsonl)" -eq 1 ] || fail "--force did not start over"

# ---- stopping and going on gives the same bits as going through
call 0 run cube.yaml -o whole --frames 4 -q
silent stderr
call 0 run cube.yaml -o parts --frames 4 --steps 2 -q
[ "$(wc -l <parts/steps.jsonl)" -eq 2 ] || fail "--steps 2 made $(wc -l <parts/steps.jsonl) steps"
call 0 run cube.yaml -o parts --frames 4 --resume -q
for frame in 1 2 3 4; do
    cmp whole/frames/cube_0000$frame.vtu parts/frames/cube_0000$frame.vtu ||
        fail "frame $frame differs after resuming"
done
call 0 run cube.yaml -o parts --frames 4 --resume
says stderr 'nothing|already|complete|done'

# ---- threads do not matter
call 0 run cube.yaml -o one -j1 -q
call 0 run cube.yaml -o four -j4 -q
cmp one/frames/cube_00003.vtu four/frames/cube_00003.vtu || fail "threads change the result"

# ---- a dry run writes nothing and says what would be
call 0 run cube.yaml -n -o dry
says stderr 'would simulate 0\.125 s in 3 steps .* into dry'
[ ! -e dry ] || fail "a dry run made a folder"
call 0 run cube.yaml --dry-run -o dry --steps 2 --json -q
silent stderr
says stdout '"outcome": *"dry run"'
says stdout '"steps": *2'
call 3 run cube.yaml -n -o whole
says stderr 'whole: holds a run already'
says stderr '--force'
call 0 run cube.yaml -n -o whole --force
[ -e whole/run.json ] || fail "a dry run with --force removed a run"
call 2 run cube.yaml -n -o dry --set 'materials.soft.young=-1'

# ---- the end by its time: the first frame at or after it
call 0 run cube.yaml -o timed -q --end-time 0.125
[ "$(wc -l <timed/steps.jsonl)" -eq 3 ] || fail "0.125 s at 24 frames a second is not 3 frames"
call 0 check cube.yaml --end-time 0.126s
says stdout '^ *frames: 4'
call 2 run cube.yaml --end-time 1 --frames 3
says stderr 'only one of them'
call 2 run cube.yaml --end-time 0
call 2 run cube.yaml --end-time 9999999d
says stderr 'at most 100000000'

# ---- checkpoints by frames or by time
call 0 run cube.yaml -o rare -q --checkpoint-every 3
says rare/scene.yaml 'checkpoint_every: 3'
call 0 run cube.yaml -o often -q --checkpoint-every 0.000001s --set time.steps_per_frame=4
for step in 11 12; do
    [ "$(find often/checkpoint -name "step_*$step.h5" | wc -l)" -eq 1 ] ||
        fail "a checkpoint by time was not written after step $step"
done
call 2 run cube.yaml --checkpoint-every 0
says stderr "--checkpoint-every does not take '0'; it takes a number of frames such as 50, or a time"
call 2 run cube.yaml --checkpoint-every 2.5

# ---- what is told
call 0 run cube.yaml -o told --json
python3 - <<'END' || fail "the JSON summary"
import json
data = json.load(open("stdout"))
assert data["frames"] == 3 and data["steps"] == 3 and data["folder"] == "told", data
END
call 0 run cube.yaml -o logged -q --log-file log --log-level debug
silent stderr
[ -s log ] || fail "the log file is empty"
call 0 run demo -o shipped --frames 0 -q
[ -f shipped/series.pvd ] || fail "a shipped scene did not run"
"$PLIANT" run - -o piped -q <cube.yaml || fail "a scene from standard input did not run"

# ---- a folder that cannot be written
: >file
call 3 run cube.yaml -o file/below
says stderr '^pliant: file'
# the program meets a limit on file sizes as a full disk, not as a killing signal
(
    ulimit -f 8
    "$PLIANT" run cube.yaml -o limited --set 'bodies.cube.geometry={grid: {cells: [12, 12, 12]}}' \
        >stdout 2>stderr
)
code=$?
[ "$code" -eq 3 ] || fail "a limit on file sizes ended with $code"
says stderr 'limited'

# ---- not a terminal: no control characters; a terminal that is not smart: neither
call 0 run cube.yaml -o plain
grep -q "$(printf '\033')" stderr && fail "control characters without a terminal"
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    TERM=xterm script -qec "$PLIANT run cube.yaml -o smart" /dev/null >terminal </dev/null
    grep -qE "$(printf '\r')(first step|frame)" terminal || fail "no line that updates on a terminal"
    TERM=dumb script -qec "$PLIANT run cube.yaml -o dumb" /dev/null >terminal </dev/null
    grep -q "$(printf '\033')" terminal && fail "control characters on a dumb terminal"
    NO_COLOR=1 TERM=xterm script -qec "$PLIANT run nothing-here" /dev/null >terminal </dev/null
    grep -q "$(printf '\033')\[1" terminal && fail "colours although NO_COLOR is set"
fi
finish
