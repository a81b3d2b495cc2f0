#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A scene that is wrong ends with 2 and `file:line:column: what is wrong, and what would be right` as
# the only thing said; what cannot be read ends with 3.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
small_scene >good.yaml

# wrong NAME CHANGE POSITION PATTERN: check and run refuse the scene changed by sed
wrong() {
    sed "$2" good.yaml >"$1.yaml"
    cmp -s good.yaml "$1.yaml" && fail "the change for $1 changes nothing"
    for command in check run; do
        call 2 $command "$1.yaml"
        silent stdout
        says stderr "^$1\.yaml:$3: .*$4"
        # a run begins with the contact that it has
        [ "$(grep -vc '^contact: ' stderr)" -eq 1 ] || fail "$command says more than one line about $1"
    done
    [ ! -e out/ ] || [ ! -d "out/$1" ] || fail "a refused scene left a folder"
}

call 0 check good.yaml
wrong key 's/^time:/tmie:/' '8:1' 'time'
wrong nested 's/fps: 24/fsp: 24/' '8:[0-9]+' 'fps'
wrong type 's/fps: 24/fps: fast/' '8:[0-9]+' 'fps'
wrong range 's/poisson: 0.3/poisson: 0.7/' '3:[0-9]+' '0\.5'
wrong infinite 's/young: 1e4/young: .inf/' '3:[0-9]+' 'young'
wrong reference 's/material: soft/material: sotf/' '7:[0-9]+' 'soft'
wrong twice 's/^about:.*/about: one\nabout: two/' '2:1' 'about'
wrong grid '$a colliders: {a: {shape: {sampled: {shape: {sphere: 1}}}, method: constraint}}' '9:65' 'penalty'
wrong overlap '$a colliders: {floor: {shape: {plane: {point: [0, 5, 0]}}}}' '9:13' 'floor: 27 vertices of body'
wrong syntax 's/\[1, 1, 1\]/[1, 1, 1/' '[0-9]+:[0-9]+' '.'

# ---- --set: the same checks, and the place is the option
call 0 check good.yaml --set time.fps=60 --set materials.soft.young=1e5
says stdout 'fps: 60'
call 2 check good.yaml --set time.fsp=60
says stderr 'fsp.*fps'
call 2 check good.yaml --set time.fps=fast
says stderr 'fps'
call 2 check good.yaml --set materials.soft.poisson=0.7
says stderr '0\.5'
call 2 check good.yaml --set time.fps
says stderr 'time\.fps'
call 2 check good.yaml --set bodies.nobody.material=soft
says stderr 'nobody'
call 2 check good.yaml --set time.frames=-1
call 0 check good.yaml --set time.frames=5 --frames 7
says stdout 'frames: 7'
call 0 check good.yaml --seed 42
says stdout 'seed: 42'

# ---- standard input
"$PLIANT" check - <good.yaml >stdout 2>stderr || fail "a scene from standard input"
says stdout '^# vertices +27$'
sed 's/^time:/tmie:/' good.yaml | "$PLIANT" check - >stdout 2>stderr
says stderr '^stdin:8:1: '
if "$PLIANT" check - >stdout 2>stderr <&-; then fail "a closed standard input was accepted"; fi

# ---- what check prints is the scene again, and what it costs
call 0 check good.yaml
says stdout '^# vertices +27$'
says stdout '^# tetrahedra +(40|48)$'
says stdout '^# memory +[0-9.]+ [kMG]?B'
says stdout '^# solver +[a-z]'
says stdout '^# colliders +0$'
says stdout '^# contact +none$'
cp stdout resolved.yaml
call 0 check resolved.yaml
# but for who chose the contact
grep -v '^#   ' stdout >again.yaml
grep -v '^#   ' resolved.yaml >once.yaml
cmp -s again.yaml once.yaml || fail "checking what check printed prints something else"
call 0 check good.yaml --json
python3 -c "import json; data = json.load(open('stdout')); assert data['vertices'] == 27" || fail "JSON"
call 0 check good.yaml -q
silent stdout

# ---- colliders and contact, with what was chosen for them
sed '$a colliders: {floor: {shape: {plane: {point: [0, -5, 0]}}, friction: 0.5}}\ncontact: penalty' good.yaml >floor.yaml
call 0 check floor.yaml
says stdout '^# colliders +1$'
says stdout '^#   floor: constraint, friction 0\.5$'
says stdout '^# contact +penalty of 1e\+05 N/m\^2, friction 0$'
call 0 check floor.yaml --json
python3 -c "import json; data = json.load(open('stdout')); assert data['colliders'][0]['method'] == 'constraint'; \
assert data['contact']['stiffness'] == 1e5" || fail "JSON of colliders"

# ---- a slip in the units is warned of by check, at the start of a run, and in its report
sed 's/size: *\[[^]]*\]/size: [1000, 1000, 1000]/' good.yaml >large.yaml
printf 'gravity: [0, -9810, 0]\n' >>large.yaml
call 0 check large.yaml
says stderr '^warning: large\.yaml:[0-9]+:[0-9]+: bodies\.[a-z]+\.geometry: it is 1 km across'
says stderr '^warning: large\.yaml:[0-9]+:[0-9]+: gravity: .* times the gravity of the Earth'
call 0 run large.yaml -o large --frames 0
says stderr '^warning: large\.yaml:[0-9]+:[0-9]+: bodies\.[a-z]+\.geometry: it is 1 km across'
says large/report.html 'it is 1 km across'
says large/report.html 'times the gravity of the Earth'
says large/run.json '"logged".*times the gravity of the Earth'

# ---- a step that would take hours ends within seconds, with words and the state
particles() {
    cat <<END
materials: {m: $1}
domain: {cell: 0.1, min: [-1, -1, -1], max: [1, 1, 1]}
bodies: {b: {geometry: {particles: {shape: {sphere: 0.2}}}, material: m, velocity: $2}}
solver: $3
END
}
particles snow '[0, 1e4, 0]' hot >implicit.yaml
particles water '[0, 1e6, 0]' explicit >explicit.yaml
for name in implicit explicit; do
    call 2 check $name.yaml
    says stderr "^$name\.yaml:3:[0-9]+: bodies\.b\.velocity: a step of .* would take .* substeps"
    call 2 run $name.yaml -o $name
    [ ! -e $name ] || fail "a refused scene left a folder"
done
particles '{law: fixed-corotated, density: 1e-3, young: 1e12, poisson: 0.3}' '[0, 0, 0]' explicit >stiff.yaml
call 1 run stiff.yaml -o stiff
says stderr 'so stiff or light .*solver\.max_substeps.*the state of step 0 is saved in stiff'

# ---- files that cannot be read
call 3 check good.yaml --log-file /nonexistent/folder/log
says stderr '/nonexistent/folder/log'
mkfifo pipe.yaml
timeout 20 "$PLIANT" check pipe.yaml >stdout 2>stderr
code=$?
[ "$code" -eq 2 ] || [ "$code" -eq 3 ] || fail "a FIFO as scene ended with $code"
if [ "$(id -u)" -ne 0 ]; then
    cp good.yaml secret.yaml
    chmod 0 secret.yaml
    call 3 check secret.yaml
    says stderr 'secret\.yaml'
fi

# yielding inside of a solve wants a potential, and says where there is none
call 0 check metal/can --set solver.plasticity=implicit
says stderr 'solver\.plasticity: material tin yields after each step all the same: von-mises with law neo-hookean'
call 0 check metal/can --set solver.plasticity=implicit --set materials.tin.law=hencky
grep -q 'all the same' stderr && fail "a warning where there is a potential"
finish
