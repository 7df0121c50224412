#!/usr/bin/env bash
# One part of a scoreboard per task. Submit, then merge when all are done:
#   sbatch slurm.sh && evener lab merge part-*.json --details
#SBATCH --job-name=evener-lab
#SBATCH --array=1-32
#SBATCH --cpus-per-task=2
#SBATCH --time=00:30:00
set -euo pipefail
exec evener lab scoreboard --scale 4 --jobs "${SLURM_CPUS_PER_TASK:-2}" \
  --shard "${SLURM_ARRAY_TASK_ID}/${SLURM_ARRAY_TASK_COUNT:-32}" --out "part-${SLURM_ARRAY_TASK_ID}.json"
