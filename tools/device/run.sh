#!/usr/bin/env bash
# Builds, tests, checks memory and measures on a machine with a GPU. Each step's output goes to a file of $OUT (default:
# build/device_results); a step that fails does not stop those after it. Arguments choose the steps.
set -uo pipefail
cd "$(dirname "$0")/../.."
out=${OUT:-build/device_results}
mkdir -p "$out"
python=${PYTHON:-python3}
export PYTHONPATH=python
failed=0
step() {
  local name=$1
  shift
  local start=$SECONDS
  if "$@" >"$out/$name" 2>"$out/$name.err"; then echo "$name: done in $((SECONDS - start)) s"; else
    failed=1
    echo "$name: failed after $((SECONDS - start)) s"
    tail -5 "$out/$name" "$out/$name.err"
  fi
}
for name in "${@:-build tests rows first_call sanitize}"; do
  for chosen in $name; do
    case $chosen in
      build) step build.log tools/device/build.sh ;;
      tests) step tests.log "$python" -m pytest -q --maxfail=40 -p no:cacheprovider tests/device ;;
      rows) step rows.json "$python" tools/device/rows.py ;;
      sweep) step sweep.json "$python" tools/device/sweep_rows.py ;;
      first_call) step first_call.json "$python" tools/device/first_call.py ;;
      sanitize) step sanitize.log tools/device/sanitize.sh ;;
      *) echo "no such step: $chosen" && failed=1 ;;
    esac
  done
done
exit "$failed"
