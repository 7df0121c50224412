# Evener's developer interface. 'make' alone lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
ARGS ?=

.PHONY: help setup setup-bench build run test test-fast check format format-check tidy asan tsan fuzz \
        bench bench-balance bench-proxy bench-board bench-sim lab-check simulate coverage clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what is missing (Debian packages)
	@tools/setup.sh

setup-bench: ## The same with the peers for the benchmarks
	@tools/setup.sh bench

build/build.ninja: CMakePresets.json | setup
	@cmake --preset release > build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
	@rm -f build-configure.log

build: setup build/build.ninja ## Set up what is missing; release build: build/evener
	@ninja -C build -j $(JOBS) evener

run: build ## Set up, build, evener demo (ARGS="--for 10 --policy p2c")
	@build/evener demo $(ARGS)

test: setup build/build.ninja ## Set up, build, every test; ends with ctest's summary
	@ninja -C build -j $(JOBS)
	@ctest --test-dir build --output-on-failure -j $(JOBS) $(ARGS)

format: setup ## Format the sources in place
	@git ls-files '*.h' '*.cc' '*.c' | xargs -r clang-format-19 -i

format-check: setup
	@git ls-files '*.h' '*.cc' '*.c' | xargs -r clang-format-19 --dry-run -Werror

tidy: setup ## Layers, size ratchets, banned calls
	@python3 tools/tidy.py

asan: setup ## Every test under ASan and UBSan
	@tools/sanitize.sh asan

tsan: setup ## Every test under TSan (epoll engine)
	@tools/sanitize.sh tsan

fuzz: setup ## Fuzz smoke: each target for FUZZ_SECONDS (default 20)
	@tools/fuzz_smoke.sh

lab-check: build ## The theory's quick experiments: expected, got, verdict
	@build/evener lab check $(ARGS)

simulate: build ## The whole proxy on a simulated network: two minutes of seeds
	@tools/simulate.sh

coverage: setup ## What of proxy/, upstream/ and http/ the simulation reaches
	@tools/coverage.sh $(ARGS)

check: format-check tidy test simulate asan tsan lab-check fuzz ## What CI runs
	@echo "check: all green"

bench: bench-balance bench-proxy ## All benchmarks, with the peers

bench-balance: setup build/build.ninja ## Pick and finish in ns per policy, the peers' rules beside
	@ninja -C build -j $(JOBS) bench_balance
	@mkdir -p build/bench
	@build/bench_balance --benchmark_repetitions=7 --benchmark_min_time=0.03 \
	  --benchmark_enable_random_interleaving=true --benchmark_display_aggregates_only=true \
	  --benchmark_out=build/bench/balance.json --benchmark_out_format=json $(ARGS)
	@python3 bench/peers/table.py build/bench/balance.json

bench-proxy: setup-bench build ## CPU per request beside nginx and HAProxy
	@ninja -C build -j $(JOBS) sat_load
	@python3 bench/proxy/bench_proxy.py --evener build/evener --json build/bench/proxy.json $(ARGS)

bench-board: setup build/build.ninja ## How workers should see each other's load (ADR 0005)
	@ninja -C build -j $(JOBS) board_study
	@build/board_study --json build/bench/board.json $(ARGS)

bench-sim: setup build/build.ninja ## The simulator's speed and memory, SimPy beside it
	@ninja -C build -j $(JOBS) bench_sim bench_fleet
	@build/bench_sim $(ARGS)
	@build/bench_fleet $(ARGS)
	@python3 bench/sim/compare.py build/bench_sim

clean: ## Remove every build folder
	@rm -rf build build-*
