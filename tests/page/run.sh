#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs a test of the page: run.sh unit, or run.sh FILE.mjs; run.sh packages only has the packages of
# the lock file fetched, from npm's registry, if they are not there. Skipped (77) where Node, Chromium or the
# packages are missing, unless CI=true: then it fails.
set -eu
viewer=${PLIANT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}/viewer

# not_here WHY
not_here() {
    echo "page: $1"
    [ "${CI:-}" = true ] && exit 1
    exit 77
}

command -v node >/dev/null 2>&1 || not_here "skipped, there is no Node (Debian: nodejs)"
# what drives the browser needs a newer Node than Debian 12 has
alone=no
case "$1" in unit | packages) alone=yes ;; esac
if [ $alone = no ] && [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 20 ]; then
    echo "page: skipped, Node 20 or later is needed"
    exit 77
fi
[ $alone = yes ] || command -v "${PLIANT_CHROMIUM:-chromium}" >/dev/null 2>&1 ||
    not_here "skipped, there is no Chromium (Debian: chromium)"

# the packages of the lock file: what was installed is asked first
if [ ! -e "$viewer/node_modules/.package-lock.json" ] ||
    [ "$viewer/package-lock.json" -nt "$viewer/node_modules/.package-lock.json" ]; then
    command -v npm >/dev/null 2>&1 || not_here "skipped, there is no npm (Debian: npm)"
    log=$(mktemp)
    if ! (cd "$viewer" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=0 --fetch-timeout=20000) >"$log" 2>&1; then
        tail -n 5 "$log"
        rm -f "$log"
        not_here "skipped, npm could not fetch the packages (no network?)"
    fi
    rm -f "$log"
fi

[ "$1" != packages ] || exit 0
if [ "$1" = unit ]; then
    cd "$viewer"
    node_modules/.bin/tsc --noEmit
    exec npm test --silent
fi
exec node --test "$1"
