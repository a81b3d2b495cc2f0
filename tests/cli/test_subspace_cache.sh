#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The solver subspace all the way: its size in check, its preparation once and then out of the cache with the same bits,
# damaged caches, folders without one, and its fields in frames and pictures.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
"$PLIANT" --version | grep -q 'CHOLMOD on' || skip "built without CHOLMOD"
cat >bar.yaml <<'END_OF_SCENE'
about: A soft bar sags from one end.
materials:
  soft: {law: stable-neo-hookean, density: 1000, young: 1e5, poisson: 0.4}
bodies:
  bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [10, 3, 3]}}, material: soft}
constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]
time: {fps: 30, frames: 3}
solver: {name: subspace, subspace: {handles: 5, polish: 15}}
END_OF_SCENE

# same_frames DIR DIR: the last frames are equal, byte by byte
same_frames() {
    cmp -s "$1/frames/bar_00003.vtu" "$2/frames/bar_00003.vtu" || fail "$1 and $2 end differently"
}

# ---- what it will cost
call 0 check bar.yaml
says stdout '^# subspace +5 handles, cubature of [1-9][0-9]* of 450 tetrahedra, polish of 15 iterations, [0-9.]+ [kM]B$'
says stderr '^preparing subspace$'
call 0 check bar.yaml --json
says stdout '"handles": 5'
says stdout '"polish": 15'
call 0 check bar.yaml --solver newton
grep -q '^# subspace' stdout && fail "newton has no handles"

# ---- the first run prepares, in plain lines: one at the beginning, one at the end
call 0 run bar.yaml -o run
[ "$(grep -cE '^(preparing|prepared) subspace' stderr)" -eq 2 ] || fail "not two lines about preparing"
says stderr '^subspace: 5 handles .*, [0-9.e-]+ s$'
grep -q 'from the cache' stderr && fail "the first run had a cache"
says run/steps.jsonl '"levels":\{"directions":[1-9][0-9]*,"refreshes":[1-9][0-9]*,"affine":0,"subspace":[1-9]'
[ "$(find run/cache -name '*.bin' | wc -l)" -eq 1 ] || fail "not one file in the cache"
cp -r run first

# ---- the second does not, and gives the same bits; neither does one that goes on
call 0 run bar.yaml -o run --force
says stderr '^subspace: 5 handles .*, from the cache, [0-9.e-]+ s$'
grep -q 'preparing' stderr && fail "a cached subspace was prepared"
same_frames first run
call 0 run bar.yaml -o half --frames 1 -q
silent stderr
call 0 run bar.yaml -o half --resume
says stderr 'from the cache'
same_frames first half

# ---- other matter has other handles
call 0 run bar.yaml -o run --force --set materials.soft.young=2e5
says stderr '^preparing subspace$'
[ "$(find run/cache -name '*.bin' | wc -l)" -eq 2 ] || fail "other matter has the same key"

# ---- a damaged file is told, ignored and replaced
for file in first/cache/*.bin; do
    head -c 300 "$file" >cut && cp cut "$file"
done
call 0 run bar.yaml -o first --force
says stderr 'warning: the cache of the run cannot be read: first/cache/[0-9a-f]+\.\.\. is damaged, or was not written by this user'
says stderr '^preparing subspace$'
same_frames first half
call 0 run bar.yaml -o first --force
says stderr 'from the cache'

# ---- nor is one that somebody else wrote: another user's secret, or the file of another scene under this one's name
XDG_CACHE_HOME="$folder/other" "$PLIANT" run bar.yaml -o first --force >stdout 2>stderr || fail "another user's run"
says stderr 'warning: the cache of the run cannot be read: .* was not written by this user'
call 0 run bar.yaml -o first --force
says stderr 'was not written by this user'
name=$(basename first/cache/*.bin)
for file in run/cache/*.bin; do
    [ "$(basename "$file")" = "$name" ] || cp "$file" "first/cache/$name"
done
call 0 run bar.yaml -o first --force
says stderr 'preparing subspace'
same_frames first half

# ---- a cache that cannot be written is no reason to fail
echo x >blocked
XDG_CACHE_HOME="$folder/blocked" "$PLIANT" run bar.yaml -o no_secret >stdout 2>stderr || fail "no place for a secret"
says stderr 'warning: the cache of the run cannot be written: .*blocked'
[ ! -e no_secret/cache ] || [ -z "$(ls no_secret/cache)" ] || fail "a cache without a secret"
same_frames no_secret half

# ---- a terminal shows one line that updates
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    TERM=xterm script -qec "$PLIANT check bar.yaml" /dev/null >terminal </dev/null
    says terminal 'preparing subspace: clusters 0 %'
    grep -q '^prepared' terminal && fail "a terminal has plain lines"
fi

# ---- fields
for field in handle handle_weight partition cubature; do
    says half/frames/bar_00003.vtu "Name=\"$field\""
done
grep -q 'Name="weight"' half/frames/bar_00003.vtu && fail "a handle is shown that nobody asked for"
call 0 run bar.yaml -o shown -q --frames 0 --set output.handle=2 --set 'output.fields=[weight]'
says shown/frames/bar_00000.vtu 'Name="weight"'
grep -q 'Name="handle"' shown/frames/bar_00000.vtu && fail "output.fields does not choose"
call 2 check bar.yaml --set output.handle=5
says stderr 'output.handle: found 5, but the handles of this scene are 0 to 4'
call 0 run bar.yaml -o plain -q --frames 0 --solver newton
grep -qE 'Name="(handle|partition|cubature)' plain/frames/bar_00000.vtu && fail "newton has handles"

if "$PLIANT" --version | grep -q 'pictures on'; then
    call 0 render half -o partition.png --color partition --size 64x40 -q
    call 0 render half -o cubature.png --color cubature --size 64x40 -q
    cmp -s partition.png cubature.png && fail "partition and cubature look the same"
fi
finish
