#!/usr/bin/env bash
# Line and branch coverage of proxy/, upstream/ and http/ from the whole-proxy simulation alone.
#
#     tools/coverage.sh [SEEDS]      default 200, from seed 1 on
#
# Also writes build-coverage/missed.txt: the lines that no seed reached.
set -euo pipefail
cd "$(dirname "$0")/.."
seeds=${1:-200}
cmake --preset coverage > build-coverage.log 2>&1 || {
  cat build-coverage.log
  exit 1
}
rm -f build-coverage.log
ninja -C build-coverage evener
LLVM_PROFILE_FILE=build-coverage/seeds.profraw build-coverage/evener lab proxy --seed 1 --seeds "$seeds"
llvm-profdata-19 merge -o build-coverage/seeds.profdata build-coverage/seeds.profraw
show() {
  llvm-cov-19 "$@" build-coverage/evener -instr-profile=build-coverage/seeds.profdata src/proxy src/upstream src/http
}
show report -show-functions=false -show-instantiation-summary=false
show show -show-line-counts-or-regions=false -use-color=false 2> /dev/null |
  awk '/^.*\/src\/.*:$/ { file = $0 } /^ +[0-9]+\| +0\|/ { print file $0 }' > build-coverage/missed.txt
echo "lines not reached: $(wc -l < build-coverage/missed.txt), in build-coverage/missed.txt"
