#!/usr/bin/env bash
# run.sh SECONDS: builds the fuzz target with clang and lets it run. What it starts from: tests/fuzz/corpus, and the
# entries of manifest/, one a file. An input that crashes, leaks, hangs or fills the memory ends it with status 1 and
# stays in build/fuzz/found; reduce it (manifest_fuzz -minimize_crash=1 -runs=10000 FILE), mend the cause and keep it in
# tests/fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=$1
python=${PYTHON:-.venv/bin/python}
build=build/fuzz
cmake -S tests/fuzz -B $build -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DPython_EXECUTABLE="$PWD/$python"
cmake --build $build
rm -rf $build/seeds
mkdir -p $build/seeds $build/kept $build/found
awk -v folder=$build/seeds '
  FNR == 1 { file = "" }
  /^[A-Za-z]/ { close(file); file = folder "/" substr($1, 1, length($1) - 1) ".yaml" }
  file != "" { print > file }' manifest/*.yaml
# A manifest is to be judged within a second and 200 MB. The sanitizers make the time some five times as much, and the
# libraries of torch hold 250 MB of what the process has.
export ASAN_OPTIONS=quarantine_size_mb=8  # else freed memory counts for minutes
exec $build/manifest_fuzz -max_total_time="$seconds" -timeout=5 -rss_limit_mb=500 -malloc_limit_mb=200 -max_len=4096 \
  -dict=tests/fuzz/manifest.dict -artifact_prefix=$build/found/ -print_final_stats=1 -verbosity=1 \
  $build/kept tests/fuzz/corpus $build/seeds
