#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every public header has to compile alone, as C17 and as C++17, without a warning.
# CC and CXX choose the compilers.
set -eu
cd "$(dirname "$0")/.."

strict="-Iinclude -Wall -Wextra -Wpedantic -Werror -fsyntax-only"
failed=0
for header in include/pliant/*.h; do
    # shellcheck disable=SC2086 # a list of options
    printf '#include "%s"\n' "${header#include/}" | ${CC:-cc} -std=c17 $strict -x c - || {
        echo "check_headers: $header does not compile alone as C17" >&2
        failed=1
    }
    # shellcheck disable=SC2086
    printf '#include "%s"\n' "${header#include/}" | ${CXX:-c++} -std=c++17 $strict -x c++ - || {
        echo "check_headers: $header does not compile alone as C++17" >&2
        failed=1
    }
done
exit $failed
