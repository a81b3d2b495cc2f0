# SPDX-License-Identifier: Apache-2.0
# A thin layer over CMake (see CMakePresets.json): `make help` lists what there is.

PREFIX  ?= /usr/local
DESTDIR ?=
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
# further options for CMake, such as CMAKE_FLAGS=-DPLIANT_CHOLMOD=OFF
CMAKE_FLAGS ?=

# waiting threads sleep instead of spinning, and BLAS stays within the thread that called it
export OMP_WAIT_POLICY ?= passive
export OPENBLAS_NUM_THREADS ?= 1
TEST_THREADS = OMP_NUM_THREADS=2

CTEST = $(TEST_THREADS) ctest --output-on-failure --no-tests=error -j $(JOBS)

.PHONY: all build program run test fault fuzz bench format install package try-package clean help \
        build-dependencies test-dependencies test-slow test-sanitizers test-thorough test-clang coverage
.DEFAULT_GOAL = build

all: build

build: ## builds the library and the programs into build/
	@cmake --preset release $(CMAKE_FLAGS) || { \
	  echo "If packages are missing: tools/install_dependencies.sh build installs them." >&2; exit 1; }
	cmake --build --preset release -j $(JOBS)

program: ## builds only the program, build/pliant: less than half of everything
	@cmake --preset release $(CMAKE_FLAGS) || { \
	  echo "If packages are missing: tools/install_dependencies.sh build installs them." >&2; exit 1; }
	cmake --build --preset release -j $(JOBS) --target pliant_cli

build-dependencies:
	tools/install_dependencies.sh build

test-dependencies:
	tools/install_dependencies.sh test

run: build-dependencies ## installs what is missing, builds the program, and runs the demo into out/demo
	@$(MAKE) --no-print-directory program
	tools/run_demo.sh build/pliant out/demo

test: test-dependencies ## installs what is missing, builds, and runs the tests and checks: ten minutes at most
	@$(MAKE) --no-print-directory build
	$(CTEST) --test-dir build -LE slow
	@echo "All tests and checks passed. What takes longer: make test-slow test-sanitizers test-clang"

test-slow: build ## the tests of physics that take long
	$(CTEST) --test-dir build -L slow

test-sanitizers: ## unit tests and the program under address and undefined-behaviour sanitizers
	cmake --preset asan $(CMAKE_FLAGS)
	cmake --build --preset asan -j $(JOBS)
	$(CTEST) --test-dir build/asan -L sanitize

test-thorough: ## the unit tests that compute too much for every day, under the same sanitizers
	cmake --preset asan $(CMAKE_FLAGS)
	cmake --build --preset asan -j $(JOBS)
	$(CTEST) --test-dir build/asan -L thorough

test-clang: ## builds everything with clang, warnings as errors
	cmake --preset clang $(CMAKE_FLAGS)
	cmake --build --preset clang -j $(JOBS)

fault: test-dependencies ## the long fault tests: 200 kills, injected system calls, memory limits, soak, valgrind, TSan, thorough sanitizers
	tools/install_dependencies.sh fault
	@$(MAKE) --no-print-directory build
	cmake --preset valgrind $(CMAKE_FLAGS)
	cmake --build --preset valgrind -j $(JOBS) --target pliant_cli
	cmake --preset tsan $(CMAKE_FLAGS)
	cmake --build --preset tsan -j $(JOBS) --target pliant_cli \
	  $(patsubst tests/unit/serve/test_%.c,test.unit.serve.%,$(wildcard tests/unit/serve/test_*.c))
	$(CTEST) -j 1 --test-dir build -C Fault -L long
	@$(MAKE) --no-print-directory test-thorough

bench: build-dependencies ## reproduces the papers' tables, lite sizes; BENCH="s4-mesh kernels" picks
	@$(MAKE) --no-print-directory build
	@mkdir -p build/bench
	build/pliant-bench $(or $(BENCH),all) --json build/bench.json --folder build/bench
	tools/make_claims.py build/bench.json --output build/claims
	@echo "The figures are in build/bench.json, and as a page with plots in build/claims."

# what the fuzzers run for, each, and which of them: make fuzz SECONDS=600 FUZZ="scene mesh_obj"
SECONDS ?= 60
FUZZ    ?=
fuzz: ## lets fuzzers make up inputs for every reader; SECONDS=600 FUZZ="scene mesh_obj" picks
	tools/install_dependencies.sh fuzz
	cmake --preset release $(CMAKE_FLAGS) >/dev/null
	cmake --build --preset release -j $(JOBS) --target pliant_cli
	cmake --preset fuzz $(CMAKE_FLAGS)
	cmake --build --preset fuzz -j $(JOBS)
	build/pliant schema > build/fuzz/schema.json
	tools/run_fuzzers.py --seconds $(SECONDS) --schema build/fuzz/schema.json $(FUZZ)

coverage: test-dependencies ## line and branch coverage of src/ by the whole suite
	cmake --preset coverage $(CMAKE_FLAGS)
	cmake --build --preset coverage -j $(JOBS)
	$(CTEST) --test-dir build/coverage -E '^check'
	gcovr --root . --filter src/ --filter cli/ --print-summary --exclude-unreachable-branches \
	  --html-details build/coverage/index.html build/coverage
	@echo "Open build/coverage/index.html."

format: ## formats every C file with clang-format 14
	tools/check_format.sh --fix

install: build ## installs under PREFIX (/usr/local), staged below DESTDIR
	cmake -B build -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	cmake --build build -j $(JOBS)
	DESTDIR=$(DESTDIR) cmake --install build

package: build-dependencies ## makes a Debian package for x86-64-v3 processors in build/package
	cmake --preset package $(CMAKE_FLAGS)
	cmake --build --preset package -j $(JOBS)
	cd build/package && rm -f *.deb && cpack -G DEB

try-package: package ## installs that package into a clean Debian and uses it (root, debootstrap)
	tools/try_package.sh build/package/*.deb

clean: ## removes build/
	rm -rf build

help: ## shows this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | \
	  awk -F'|' '{ printf "%-24s %s\n", $$1, $$2 }'
