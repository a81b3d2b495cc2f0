# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# For tests of the program by shell: a folder of their own, and claims about a call. Environment:
# PLIANT is the program, PLIANT_SOURCE and PLIANT_BUILD are the trees (see tests/cmake/checks.cmake).
set -u

folder=$(mktemp -d "${TMPDIR:-/tmp}/pliant_test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
cd "$folder" || exit 1
# what the program keeps for its user
export XDG_CACHE_HOME="$folder/.cache"
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# call CODE ARGUMENT...: runs the program, expects the exit code, leaves its output in the files stdout and stderr
call() {
    expected=$1
    shift
    "$PLIANT" "$@" >stdout 2>stderr </dev/null
    code=$?
    if [ "$code" -ne "$expected" ]; then
        fail "'pliant $*' ended with $code instead of $expected"
        sed 's/^/    /' stdout stderr | head -20
    fi
}

# says FILE PATTERN: stdout or stderr of the last call, or another file, contains an extended regular expression
says() {
    grep -qE -- "$2" "$1" || {
        fail "$1 does not say '$2':"
        sed 's/^/    /' "$1" | head -10
    }
}

# silent FILE: stdout or stderr of the last call is empty
silent() {
    [ ! -s "$1" ] || {
        fail "$1 is not empty:"
        sed 's/^/    /' "$1" | head -10
    }
}

skip() {
    echo "skipped: $*"
    exit 77
}

finish() {
    [ "$failures" -eq 0 ] || echo "$failures claims failed"
    [ "$failures" -eq 0 ]
    exit $?
}

# a scene that takes a moment: a soft cube that falls
small_scene() {
    cat <<'END'
about: A soft cube falls.
materials:
  soft: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}
bodies:
  cube:
    geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}}
    material: soft
time: {fps: 24, frames: 3}
END
}
