#!/usr/bin/env bash
# compute-sanitizer over small calls of every CUDA kernel. Allocations are not pooled, so that a step beyond one is seen.
set -euo pipefail
cd "$(dirname "$0")/../.."
status=0
for tool in memcheck racecheck initcheck; do
  echo "== $tool"
  PYTORCH_NO_CUDA_MEMORY_CACHING=1 PYTHONPATH=python compute-sanitizer --tool "$tool" --error-exitcode 9 \
    "${PYTHON:-python3}" tools/device/small_calls.py 2>&1 | tail -20 || status=1
done
exit "$status"
