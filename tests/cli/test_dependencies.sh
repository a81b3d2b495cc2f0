#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The dependency installer asks apt for exactly what is missing, and for nothing when all is there;
# without rights it says what to type. apt and dpkg are stand-ins here.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"
installer=$PLIANT_SOURCE/tools/install_dependencies.sh

mkdir fake
for tool in sed tr grep cat env sh; do
    ln -s "$(command -v $tool)" "fake/$tool"
done
cat >fake/dpkg-query <<'END'
#!/bin/sh
cat installed
END
cat >fake/apt-get <<'END'
#!/bin/sh
echo "$DEBIAN_FRONTEND $*" >>calls
END
cat >fake/id <<'END'
#!/bin/sh
cat uid
END
chmod +x fake/*
install() {
    rm -f calls
    PATH=$folder/fake "$installer" "$@" >stdout 2>stderr
    code=$?
}

# ---- nothing is installed, root
: >installed
echo 0 >uid
install build
[ "$code" -eq 0 ] || fail "installing as root ended with $code"
says stdout 'installing with apt: build-essential cmake ninja-build'
says calls '^noninteractive -q update$'
says calls '^noninteractive install -y --no-install-recommends build-essential .* libpng-dev$'
grep -q cmocka calls && fail "the build group installs what only tests need"

# ---- all is there; one of them under another name, by Provides
# shellcheck disable=SC2013
"$installer" test --list >/dev/null
install test --list
while read -r package; do echo "ii |$package|"; done <stdout >installed.all
grep -v '^ii |pkgconf|' installed.all >installed
echo "ii |other|pkgconf (= 1.8), more" >>installed
install test
[ "$code" -eq 0 ] || fail "having everything ended with $code"
silent stdout
[ ! -e calls ] || fail "apt was called although nothing is missing"

# ---- one is missing; one was removed and only its settings are left
grep -v gmsh installed.all | sed 's/^ii |clang-14|/rc |clang-14|/' >installed
install test --list
[ "$(sort stdout | tr '\n' ' ')" = "clang-14 gmsh " ] || fail "missing are $(cat stdout)"
install test
says calls 'install -y --no-install-recommends gmsh clang-14$'

# ---- no rights: the exact command
echo 1000 >uid
install test </dev/null
[ "$code" -eq 1 ] || fail "installing without rights ended with $code"
says stderr 'apt-get update && apt-get install -y --no-install-recommends gmsh clang-14'
[ ! -e calls ] || fail "apt was called without rights"

# ---- apt fails
echo 0 >uid
printf '#!/bin/sh\nexit 100\n' >fake/apt-get
install test
[ "$code" -eq 1 ] || fail "a failing apt ended with $code"
says stderr 'apt failed'

# ---- not Debian
rm fake/dpkg-query
install test
[ "$code" -eq 0 ] || fail "another system ended with $code"
says stderr 'not Debian'
install nonsense
[ "$code" -eq 2 ] || fail "a usage error ended with $code"
finish
