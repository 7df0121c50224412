#!/usr/bin/env bash
# The whole proxy on the simulated network: one minute of seeds from 1 on, one of fresh ones. SIMULATE_MINUTES
# changes how long each takes. The first seed and every seed that fails are printed.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${SIMULATE_MINUTES:-1}
build/evener lab proxy --seed 1 --minutes "$minutes"
build/evener lab proxy --minutes "$minutes"
