#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Lists have one line per thing, the name first; every name has a page; JSON says the same as text.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

json() {
    python3 -c "import json; data = json.load(open('stdout')); $1" || fail "JSON of the last call: $1"
}

for list in scenes solvers materials; do
    call 0 "$list"
    silent stderr
    [ -s stdout ] || fail "pliant $list lists nothing"
    cut -d' ' -f1 stdout >names
    [ -z "$(sort names | uniq -d)" ] || fail "pliant $list lists a name twice"
    mkdir "$list"
    cp names "$list/names"
    "$PLIANT" "$list" --json >"$list/list.json"
    number=0
    while read -r name; do
        call 0 "$list" "$name"
        [ -s stdout ] || fail "pliant $list $name says nothing"
        "$PLIANT" "$list" "$name" --json >"$list/page_$number.json"
        number=$((number + 1))
    done <names
done
python3 - <<'END' || fail "JSON of the lists and pages"
import json
for kind in ("scenes", "solvers", "materials"):
    names = open(f"{kind}/names").read().split()
    assert [one["name"] for one in json.load(open(f"{kind}/list.json"))] == names
    for number, name in enumerate(names):
        page = json.load(open(f"{kind}/page_{number}.json"))
        assert page["name"] == name
        assert kind == "scenes" or all(one["doc"] for one in page["parameters"])
END

# ---- solvers and materials: parameters with units, defaults and ranges
call 0 solvers newton
says stdout '^  tolerance +number'
says stdout 'default'
call 0 materials rubber
says stdout '^  young +number \(Pa\)'

# ---- scenes: the very text of the files, and each can be read
(cd "$PLIANT_SOURCE/scenes" && find . -name '*.yaml' | sed 's/^\.\///; s/\.yaml$//' | sort) >files
call 0 scenes
cut -d' ' -f1 stdout | sort >names
cmp -s names files || fail "the listed scenes are not the files in scenes/"
grep 'cannot be read' stdout && fail "a shipped scene cannot be read"
while read -r name; do
    call 0 scenes "$name"
    cmp -s stdout "$PLIANT_SOURCE/scenes/$name.yaml" || fail "the text of $name is not its file"
done <names

# ---- benchmarks, a program of their own
if [ -x "$(dirname "$PLIANT")/pliant-bench" ]; then
    call 0 bench
    says stdout '^kernels +'
    call 2 bench no-such-benchmark
else
    call 3 bench
    says stderr 'pliant-bench is not beside this program'
fi
call 2 bench --size huge
says stderr 'it takes lite, paper'

# ---- schema and doctor
call 0 schema
json "assert 'properties' in data or '\$ref' in data or 'definitions' in data"
call 0 schema --format markdown
says stdout '^#'
call 0 schema --format paths
says stdout '^time\.fps$'
call 0 doctor
says stdout '^threads +[0-9]'
says stdout '^OMP_WAIT_POLICY '
call 0 doctor --json
json "assert data['version'] and isinstance(data['suggestions'], list)"
json "assert data['problems'] == []"
json "assert all(data[key] for key in ('commit', 'build', 'memory', 'BLAS', 'folder', 'browser'))"
[ -z "$(ls -A . | grep doctor)" ] || fail "the doctor left a file behind"
BROWSER=my-browser "$PLIANT" doctor | grep -qE '^browser +my-browser$' || fail "BROWSER is not shown"
TMPDIR=/no/such/folder call 3 doctor
says stdout '^! Nothing can be written to /no/such/folder: No such file'
TMPDIR=/no/such/folder call 3 doctor --json
json "assert len(data['problems']) == 1"
OMP_NUM_THREADS=3 "$PLIANT" doctor | grep -qE '^threads +3$' || fail "OMP_NUM_THREADS is not respected"
finish
