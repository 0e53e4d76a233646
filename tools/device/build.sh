#!/usr/bin/env bash
# Builds opyard in place on a machine with a GPU, a CUDA build of torch, g++, cmake, ninja and yaml-cpp, without a
# network, and links the result into the package: PYTHONPATH=python then serves it.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-python3}
build=${BUILD:-build/device}
# torch has the shared libstdc++: a compiler that brings a static one only would put a second copy beside it.
mkdir -p "$build/lib"
ln -sfn "$(ldconfig -p | awk '/libstdc\+\+\.so\.6 / { print $NF; exit }')" "$build/lib/libstdc++.so"
cmake -S . -B "$build" -G Ninja -DOPYARD_TESTS=OFF -DOPYARD_BENCH=OFF \
  -DCMAKE_SHARED_LINKER_FLAGS="-L$PWD/$build/lib" -DCMAKE_MODULE_LINKER_FLAGS="-L$PWD/$build/lib" \
  -DPython_EXECUTABLE="$(command -v "$python")" >"${build//\//_}.log" 2>&1 || { cat "${build//\//_}.log"; exit 1; }
rm -f "${build//\//_}.log"
cmake --build "$build"
suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
mkdir -p python/opyard/lib
ln -sfn "$PWD/$build/src/python/_C$suffix" "python/opyard/_C$suffix"
ln -sfn "$PWD/$build/libopyard.so" python/opyard/lib/libopyard.so
