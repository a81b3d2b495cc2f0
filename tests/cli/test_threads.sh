#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Threads sleep while they wait: the program starts itself once more with OMP_WAIT_POLICY=passive when
# nothing is set, and leaves alone what is set.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
small_scene >cube.yaml

# the OpenMP library shows its settings whenever it is loaded
unset OMP_WAIT_POLICY OPENBLAS_NUM_THREADS
OMP_DISPLAY_ENV=true "$PLIANT" check cube.yaml -q 2>stderr || fail "check"
grep -q 'OMP_WAIT_POLICY' stderr || skip "this OpenMP library does not show its settings"
[ "$(grep -c 'OMP_WAIT_POLICY' stderr)" -eq 2 ] || fail "the program was not started exactly once more"
grep 'OMP_WAIT_POLICY' stderr | tail -1 | grep -q PASSIVE || fail "threads do not sleep"
OMP_WAIT_POLICY=active OMP_DISPLAY_ENV=true "$PLIANT" check cube.yaml -q 2>stderr
[ "$(grep -c 'OMP_WAIT_POLICY' stderr)" -eq 1 ] || fail "a setting of the user's was not left alone"
# commands that compute nothing do not need it
OMP_DISPLAY_ENV=true "$PLIANT" help >/dev/null 2>stderr
[ "$(grep -c 'OMP_WAIT_POLICY' stderr)" -eq 1 ] || fail "help started the program twice"
finish
