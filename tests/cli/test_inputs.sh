#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Input files as they should not be, row by row of tests/fault/INPUTS.md: keys, ranges, paths, escapes, sizes and
# encodings. What is refused ends with 2 or 3, in one line, at once.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
small_scene >good.yaml

# refuses CODE PATTERN ARGUMENT...: check ends with the code and says the pattern, in one line and within seconds
refuses() {
    expected=$1
    pattern=$2
    shift 2
    timeout 60 "$PLIANT" check "$@" >stdout 2>stderr </dev/null
    code=$?
    [ "$code" -eq "$expected" ] || fail "'check $*' ended with $code instead of $expected: $(head -c 300 stderr)"
    says stderr "$pattern"
    [ "$(wc -l <stderr)" -eq 1 ] || fail "'check $*' says more than one line"
}

# ---- unknown and misspelt keys name the nearest one
refuses 2 "unknown key 'frition'.*did you mean 'friction'" good.yaml --set contact.frition=0.5
sed 's/young/yuong/' good.yaml >misspelt.yaml
refuses 2 "^misspelt\.yaml:3:.*unknown key 'yuong'.*did you mean 'young'" misspelt.yaml

# ---- a key twice, a value of another type
printf 'time: {fps: 24}\ntime: {fps: 30}\n' >twice.yaml
refuses 2 "^twice\.yaml:2:1: .*the key 'time' is there twice" twice.yaml
refuses 2 "time\.fps: found 'fast', expected a number" good.yaml --set time.fps=fast
refuses 2 'bodies' good.yaml --set 'bodies=[1, 2]'
refuses 2 'materials\.soft\.young' good.yaml --set 'materials.soft.young=[1]'
refuses 2 'materials\.soft\.young' good.yaml --set 'materials.soft.young={a: 1}'

# ---- ranges are told
refuses 2 "poisson: found '0\.5'; allowed: greater than -1 and less than 0\.5" good.yaml --set materials.soft.poisson=0.5
refuses 2 'poisson.*allowed: greater than -1' good.yaml --set materials.soft.poisson=-1.2
for value in 0 -1; do
    refuses 2 'young.*allowed: greater than 0' good.yaml --set materials.soft.young=$value
    refuses 2 'density.*allowed: greater than 0' good.yaml --set materials.soft.density=$value
    refuses 2 'fps.*allowed: from' good.yaml --set time.fps=$value
    refuses 2 'steps_per_frame.*allowed: from 1' good.yaml --set time.steps_per_frame=$value
done
refuses 2 'friction.*allowed: from 0' good.yaml --set contact.friction=-0.5
refuses 2 'distance.*allowed: greater than 0' good.yaml --set contact.method=barrier --set contact.distance=0
refuses 2 'gravity: found 2 numbers, expected three' good.yaml --set 'gravity=[0, 1]'
for value in .nan nan .inf -.inf 1e999; do
    refuses 2 'young' good.yaml --set materials.soft.young=$value
    refuses 2 'gravity\[1\]' good.yaml --set "gravity=[0, $value, 0]"
done

# ---- paths that are no file to be read
mesh_scene() {
    printf 'materials: {m: {preset: rubber}}\nbodies: {a: {geometry: {file: "%s"}, material: m}}\n' "$1" >mesh.yaml
}
mkdir folder.msh
mkfifo pipe.msh
ln -s loop.msh loop.msh
cat >tet.msh <<'END'
$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1.5 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
1
1 4 2 0 1 1 2 3 4
$EndElements
END
mesh_scene tet.msh
call 0 check -q mesh.yaml
silent stderr
mesh_scene missing.msh
refuses 3 'mesh\.yaml:2:.*missing\.msh: cannot open: No such file' mesh.yaml
mesh_scene folder.msh
refuses 3 'folder\.msh: is a folder; a regular file is needed' mesh.yaml
mesh_scene pipe.msh
refuses 3 'pipe\.msh: is a pipe; a regular file is needed' mesh.yaml
mesh_scene loop.msh
refuses 3 'loop\.msh: .*symbolic links' mesh.yaml
mesh_scene /dev/zero
refuses 3 '/dev/zero: is a device; a regular file is needed' mesh.yaml --allow-outside
if [ "$(id -u)" -ne 0 ]; then
    cp tet.msh secret.msh
    chmod 0 secret.msh
    mesh_scene secret.msh
    refuses 3 'secret\.msh: cannot open: Permission denied' mesh.yaml
fi

# ---- paths lead nowhere but below the scene's folder, unless that is allowed
mkdir -p inner
cp tet.msh inner/
for path in ../tet.msh ../../etc/passwd /etc/passwd inner/../../tet.msh; do
    printf 'materials: {m: {preset: rubber}}\nbodies: {a: {geometry: {file: %s}, material: m}}\n' "$path" >inner/out.yaml
    refuses 2 'lies outside the folder' inner/out.yaml
done
ln -s ../tet.msh inner/link.msh
printf 'materials: {m: {preset: rubber}}\nbodies: {a: {geometry: {file: link.msh}, material: m}}\n' >inner/out.yaml
refuses 2 'outside' inner/out.yaml
call 0 check -q inner/out.yaml --allow-outside
# nor by the other files of a mesh that lies in several
printf '4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n' >inner/two.node
printf '1 4 0\n0 0 1 2 3\n' >two.ele
ln -s ../two.ele inner/two.ele
printf 'materials: {m: {preset: rubber}}\nbodies: {a: {geometry: {file: two.node}, material: m}}\n' >inner/out.yaml
refuses 2 'two\.ele: .*outside' inner/out.yaml
call 0 check -q inner/out.yaml --allow-outside
printf 'include: ../good.yaml\n' >inner/out.yaml
refuses 2 'lies outside the folder' inner/out.yaml
call 0 check -q inner/out.yaml --allow-outside
# a zero byte neither ends a path nor hides what follows it
printf 'materials: {m: {preset: rubber}}\nbodies: {a: {geometry: {file: "tet.msh\\0.txt"}, material: m}}\n' >zero.yaml
refuses 2 'zero\.yaml:2:' zero.yaml
printf 'about: a\0b\n' >zero.yaml
refuses 2 'zero\.yaml:1:' zero.yaml

# ---- a huge file is refused before it is read, in little memory
truncate -s 5G huge.msh 2>/dev/null && {
    mesh_scene huge.msh
    if [ "$PLIANT_INSTRUMENTED" = 0 ]; then
        (ulimit -v 4000000 && refuses 3 'huge\.msh: has 5368709120 bytes; at most' mesh.yaml && exit "$failures") ||
            failures=$((failures + 1))
    else
        refuses 3 'huge\.msh: has 5368709120 bytes; at most' mesh.yaml
    fi
    truncate -s 1G huge.yaml
    refuses 3 'huge\.yaml: has 1073741824 bytes; at most' huge.yaml
}
rm -f huge.msh huge.yaml

# ---- line ends, byte-order marks and decimal commas change nothing
"$PLIANT" check good.yaml >expected 2>stderr || fail "good.yaml"
mkdir crlf bom
sed 's/$/\r/' good.yaml >crlf/good.yaml
{ printf '\357\273\277' && cat good.yaml; } >bom/good.yaml
for variant in crlf bom; do
    call 0 check $variant/good.yaml
    cmp -s stdout expected || fail "$variant changes what a scene means"
done
if [ -d "$PLIANT_BUILD/locale/de_DE.UTF-8" ]; then
    LOCPATH=$PLIANT_BUILD/locale LC_ALL=de_DE.UTF-8 "$PLIANT" check good.yaml >stdout 2>stderr
    cmp -s stdout expected || fail "a decimal comma changes what a scene means"
fi
mesh_scene tet.msh
"$PLIANT" check mesh.yaml >expected 2>stderr || fail "mesh.yaml"
sed 's/$/\r/' tet.msh >other.msh && mv other.msh tet.msh
call 0 check mesh.yaml
cmp -s stdout expected || fail "CRLF changes a mesh"
finish
