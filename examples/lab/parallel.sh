#!/usr/bin/env bash
# A scoreboard in PARTS parts, as many at a time as there are cores, merged at the end.
# Uses GNU parallel where there is one, else xargs.
set -euo pipefail
parts=${PARTS:-8}
evener=${EVENER:-evener}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
run="$evener lab scoreboard $* --jobs 1 --shard {}/$parts --out $dir/part-{}.json"
if command -v parallel >/dev/null; then
  seq "$parts" | parallel --will-cite "$run"
else
  seq "$parts" | xargs -P "$(nproc)" -I{} sh -c "$run"
fi
"$evener" lab merge "$dir"/part-*.json
