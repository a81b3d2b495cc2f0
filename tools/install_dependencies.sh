#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the Debian packages that pliant is built or tested with, and only those that are missing.
#
#   tools/install_dependencies.sh [build|test|fault|fuzz] [--list]
#
#   build    what `make` needs (default)
#   test     that, and what `make test` needs
#   fault    that, and what `make fault` needs
#   fuzz     what `make` and `make fuzz` need
#   --list   prints the missing packages, one a line, and installs nothing
#
# Does nothing, quickly, when all is there. Needs Debian 12, Ubuntu 22.04 or later, and root or sudo.
set -eu

# compiler and build
build_packages="build-essential cmake ninja-build pkgconf"
# scenes, checkpoints, compressed frames
build_packages="$build_packages libyaml-dev libhdf5-dev zlib1g-dev"
# HTTP and WebSocket of the page
build_packages="$build_packages libwebsockets-dev"
# sparse Cholesky and its BLAS, orderings
build_packages="$build_packages libsuitesparse-dev libmetis-dev libopenblas-openmp-dev"
# eigenvalues
build_packages="$build_packages libarpack2-dev"
# pictures
build_packages="$build_packages libembree-dev libpng-dev"

# test runner, and independent readers of what we write
test_packages="libcmocka-dev python3 python3-numpy python3-vtk9 python3-h5py python3-meshio gmsh"
# exact arithmetic of oracles
test_packages="$test_packages libgmp-dev"
# second compiler, formatter of the pinned version, coverage
test_packages="$test_packages clang-14 libomp-14-dev libclang-rt-14-dev clang-format-14 gcovr"
# completions are tried in their shells
test_packages="$test_packages bash zsh fish"
# the page in a browser (the page itself is committed as it is built)
test_packages="$test_packages nodejs npm chromium"

# injected failures, checked memory, older processors
fault_packages="strace valgrind qemu-user"

# fuzzers; without OpenMP, since only one version's headers of it can be installed at a time
fuzz_packages="python3 clang-16 libclang-rt-16-dev libfuzzer-16-dev llvm-16"

usage() {
    echo "usage: tools/install_dependencies.sh [build|test|fault|fuzz] [--list]" >&2
    exit 2
}

group=build
list_only=no
for argument in "$@"; do
    case "$argument" in
    build | test | fault | fuzz) group=$argument ;;
    --list) list_only=yes ;;
    *) usage ;;
    esac
done

wanted=$build_packages
case "$group" in
test) wanted="$wanted $test_packages" ;;
fault) wanted="$wanted $test_packages $fault_packages" ;;
fuzz) wanted="$wanted $fuzz_packages" ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    echo "install_dependencies: this is not Debian or Ubuntu: nothing is installed." >&2
    echo "  Install the equivalents of these packages by hand: $wanted" >&2
    # what cannot be checked here is checked by CMake
    exit 0
fi

# which of the wanted packages are not installed, by name or as what another package provides
missing_of() {
    installed=$(dpkg-query -W -f '${db:Status-Abbrev}|${Package}|${Provides}\n' 2>/dev/null |
        sed -n 's/^ii *|//p' | tr '|,' '\n' | sed 's/^ *//; s/ .*//')
    for package in "$@"; do
        printf '%s\n' "$installed" | grep -qxF -- "$package" || printf '%s\n' "$package"
    done
}

# shellcheck disable=SC2086 # a list of words
missing=$(missing_of $wanted)
if [ "$list_only" = yes ]; then
    [ -z "$missing" ] || printf '%s\n' "$missing"
    exit 0
fi
[ -n "$missing" ] || exit 0

# shellcheck disable=SC2086,SC2116 # newlines to spaces
missing=$(echo $missing)
command="apt-get install -y --no-install-recommends $missing"

if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    # asks for the password on a terminal only
    as_root="sudo"
else
    echo "install_dependencies: packages are missing, and installing them needs root. Type:" >&2
    echo "  apt-get update && $command" >&2
    exit 1
fi

echo "install_dependencies: installing with apt: $missing"
fail() {
    echo "install_dependencies: apt failed. Look at its messages above; to try by hand, type:" >&2
    echo "  $as_root apt-get update && $as_root $command" >&2
    exit 1
}
# shellcheck disable=SC2086 # empty or sudo
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update || fail
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive $command || fail
