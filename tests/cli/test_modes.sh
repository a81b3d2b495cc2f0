#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# `pliant modes`: the table, modes.json, the series, states under load, and what is refused.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
"$PLIANT" --version | grep -q 'ARPACK on' || skip "built without ARPACK"

cat >bar.yaml <<'END'
materials: {m: {law: neo-hookean, young: 1e6, poisson: 0.3, density: 1000}}
bodies: {bar: {material: m, geometry: {grid: {size: [1, 0.2, 0.2], cells: [10, 2, 2]}}}}
constraints: [{where: {half_space: {point: [-0.499, 0, 0], normal: [-1, 0, 0]}}}]
time: {fps: 1, frames: 2}
END

call 0 modes bar.yaml -n 3
says stdout '^# mode  frequency'
[ "$(wc -l <stdout)" -eq 4 ] || fail "not three modes in the table"
call 0 modes bar.yaml -n 2 --json
says stdout '"state": "rest"'
[ "$(grep -c '"frequency"' stdout)" -eq 2 ] || fail "not two modes in JSON"
rest=$(grep -m1 '"frequency"' stdout)

call 0 modes bar.yaml -n 2 --state loaded --at 2 --json
says stdout '"state": "loaded"'
says stdout '"time": 2'
[ "$(grep -m1 '"frequency"' stdout)" != "$rest" ] || fail "the load changes nothing"

call 0 modes bar.yaml -n 2 -o played
says stderr 'pliant view played'
[ "$(find played/frames -name 'bar_*' | wc -l)" -eq 40 ] || fail "not forty frames"
says played/modes.json '"first_frame": 20'
call 0 export played --format ply --last 1

call 0 run bar.yaml -o run -q
call 0 modes bar.yaml -n 1 --resume run --json
says stdout '"time": 2'

call 2 modes bar.yaml --resume run --at 1
says stderr 'give one of them'
call 2 modes bar.yaml -n 1000000
says stderr 'from 1 to 1000'
finish
