#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The version that pliant/base.h defines is that of the program, the man page, the packages and the
# papers about it.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

part() {
    sed -n "s/^#define PLI_VERSION_$1 \([0-9]\{1,\}\)\$/\1/p" "$PLIANT_SOURCE/include/pliant/base.h"
}
version=$(part MAJOR).$(part MINOR).$(part PATCH)
exactly=$(echo "$version" | sed 's/\./\\./g')
echo "$version" | grep -qE '^[0-9]+\.[0-9]+\.[0-9]+$' || fail "base.h defines the version '$version'"

call 0 --version
says stdout "^pliant $exactly\$"
if [ -e "$PLIANT_SOURCE/.git" ] && command -v git >/dev/null 2>&1; then
    says stdout '^commit [0-9a-f]{12}$'
fi
call 0 help --man
says stdout "\"pliant $exactly\""
says "$PLIANT_BUILD/pliant.pc" "^Version: $exactly\$"
says "$PLIANT_SOURCE/CHANGELOG.md" "^## $exactly( |\$)"

# what the citation format asks for, https://citation-file-format.github.io
citation=$PLIANT_SOURCE/CITATION.cff
says "$citation" "^version: $exactly\$"
for key in cff-version message title authors type license abstract; do
    says "$citation" "^$key:"
done
finish
