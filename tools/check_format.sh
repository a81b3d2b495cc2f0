#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Says which C files are not formatted as .clang-format asks; --fix formats them instead. Always
# version 14: other versions break lines differently.
set -eu
cd "$(dirname "$0")/.."

formatter=
for candidate in clang-format-14 clang-format; do
    if command -v "$candidate" >/dev/null 2>&1 && "$candidate" --version | grep -q 'version 14\.'; then
        formatter=$candidate
        break
    fi
done
if [ -z "$formatter" ]; then
    echo "check_format: clang-format 14 was not found (Debian: clang-format-14)" >&2
    exit 1
fi

files() {
    for folder in include src cli bench tests examples; do
        [ ! -d "$folder" ] || find "$folder" -type f \( -name '*.[ch]' -o -name '*.inl' \) -print0
    done
}

if [ "${1:-}" = --fix ]; then
    files | xargs -0 -r "$formatter" -i
    exit 0
fi
if ! files | xargs -0 -r "$formatter" --dry-run --Werror; then
    echo "check_format: some files are not formatted: run 'make format'" >&2
    exit 1
fi
