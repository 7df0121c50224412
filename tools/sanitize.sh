#!/usr/bin/env bash
# Builds the tests with a sanitizer and runs them: tools/sanitize.sh asan|tsan [ctest arguments]
set -euo pipefail
cd "$(dirname "$0")/.."
kind=$1
shift
[ -f "build-$kind/build.ninja" ] || cmake --preset "$kind" > "build-$kind.log" 2>&1 || {
  cat "build-$kind.log"
  exit 1
}
rm -f "build-$kind.log"
ninja -C "build-$kind"
# TSan does not know the ordering that the kernel gives through io_uring's rings: epoll only.
filter=()
[ "$kind" = tsan ] && filter=(-E 'uring')
ASAN_OPTIONS=detect_leaks=1 ctest --test-dir "build-$kind" --output-on-failure -j "$(nproc)" \
  "${filter[@]}" "$@"
