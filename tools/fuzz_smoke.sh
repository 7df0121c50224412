#!/usr/bin/env bash
# Builds the fuzz targets and runs each for FUZZ_SECONDS (default 20) from its committed corpus.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-20}
[ -f build-fuzz/build.ninja ] || cmake --preset fuzz > build-fuzz.log 2>&1 || {
  cat build-fuzz.log
  exit 1
}
rm -f build-fuzz.log
ninja -C build-fuzz fuzzers
for target in build-fuzz/*_fuzz; do
  name=$(basename "$target")
  corpus=fuzz/corpus/${name%_fuzz}
  scratch=$(mktemp -d)
  echo "fuzz: $name for $seconds s"
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build-fuzz/$name-" "$scratch" "$corpus" > "build-fuzz/$name.log" 2>&1 || {
    tail -40 "build-fuzz/$name.log"
    echo "fuzz: $name failed; the input is beside build-fuzz/$name.log"
    exit 1
  }
  grep -E 'number_of_executed_units' "build-fuzz/$name.log" || true
  rm -rf "$scratch"
done
