# make help lists the main targets. Everything is installed inside this folder: .bin, .venv, .plugins; .out holds logs.

PYTHON ?= python3
NOTEBOOKS ?= $(sort $(wildcard notebooks/*.ipynb))
# Seconds that one cell of a notebook may take.
TIMEOUT ?= 3600
LAB_FLAGS ?=

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
py := .venv/bin/python
env := root="$(CURDIR)"; . scripts/env.sh;
export PYTHON NOTEBOOKS TIMEOUT

# Jupyter sees the kernel and the settings of this repository, and keeps its own files in .venv instead of the home folder.
export JUPYTER_PATH := $(CURDIR)/.jupyter
export JUPYTER_CONFIG_PATH := $(CURDIR)/.jupyter/config
export JUPYTER_CONFIG_DIR := $(CURDIR)/.venv/var/config
export JUPYTER_DATA_DIR := $(CURDIR)/.venv/var/data
export JUPYTER_RUNTIME_DIR := $(CURDIR)/.venv/var/run
export IPYTHONDIR := $(CURDIR)/.venv/var/ipython
export JUPYTER_PLATFORM_DIRS := 1

help:
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 18
	@echo "  Other targets are checks of one kind, listed in CONTRIBUTING.md."
	@echo "  variables: PYTHON=$(PYTHON) for setup, DATA=clouds for run, FAST=1 for short notebooks, LAB_FLAGS=... for lab"

# --- set-up -------------------------------------------------------------------------------------------------------

# force makes a target be made again if one of the files is gone, whatever its stamp says.
force = $(if $(filter-out $(wildcard $(1)),$(1)),FORCE)
plugin := $(if $(wildcard .venv/lib/python3.*/site-packages/lammps_jax_pjrt_cpu),.plugins/cpu/pjrt_c_api_cpu_plugin.so)

setup: ## install everything into this folder: Go tools, Python packages, XLA's CPU plugin
	@$(MAKE) -s -j2 .venv/.done .bin/.done
	@$(MAKE) -s .plugins/.done && echo "  set up: Go tools in .bin, Python in .venv, XLA plugin in .plugins"

.venv/.done: python/requirements.txt python/requirements-pjrt.txt $(call force,$(py))
	@scripts/setup-python "$(PYTHON)"
	@mkdir -p "$(IPYTHONDIR)"
	@touch $@

.bin/.done: go.mod go.sum scripts/setup-go $(wildcard internal/kernelgo/*.go) $(call force,.bin/gonb .bin/goimports .bin/kernel/go)
	@scripts/setup-go
	@touch $@

.plugins/.done: .venv/.done scripts/link-plugins $(call force,$(plugin))
	@scripts/link-plugins
	@touch $@

# XLA's CUDA 13 plugin and NVIDIA's libraries; never run on a GPU so far.
setup-cuda: setup
	@scripts/step "CUDA plugin and libraries (2 GB to download)" .out/setup-cuda.log \
		"this needs 64-bit Linux on x86, 8 GB of disk and the network; see the lines above, then make setup-cuda again" \
		$(py) -m pip install --quiet --disable-pip-version-check --no-input --retries 2 --no-compile \
		--no-deps --require-hashes -r python/requirements-cuda.txt
	@scripts/link-plugins
	@$(env) go run ./cmd/swlab doctor

# --- use ----------------------------------------------------------------------------------------------------------

run: ## set up, run the quickstart (a distance, a training, pictures), print what came out; DATA=path for clouds of your own
	@scripts/run

# The program knows its commit.
build: setup ## build the command line, .bin/swlab
	@$(env) go build -ldflags "-X github.com/sliced-wasserstein/lab/internal/version.commit=$$(git describe --always --abbrev=40 --dirty --exclude '*' 2>/dev/null)" -o .bin/swlab ./cmd/swlab

lab: setup ## open JupyterLab in the browser, on this machine only, with the Go kernel
	@if [ -n "$(NOTEBOOKS)" ]; then $(py) -c 'from nbformat.sign import TrustNotebookApp as A; A.launch_instance()' $(NOTEBOOKS) >/dev/null; fi
	@scripts/lab-process
	@$(env) exec $(py) -m jupyterlab --ip=127.0.0.1 $(if $(filter 0,$(shell id -u)),--allow-root) $(LAB_FLAGS)

notebooks: setup
	@scripts/notebooks write $(NOTEBOOKS)

site: playground ## one static site in .out/site: notebooks, playground, documentation; it needs no network
	@$(py) scripts/site.py .out/site .out/playground/index.html $(NOTEBOOKS)

playground: setup
	@$(env) go run ./playground build .out/playground/index.html

# With a run, --resume: it keeps the settings of the run.
trained := runs/network
network: setup ## train the network that lectures show, runs/network (an hour and a half; goes on where it was stopped)
	@$(env) if [ -e $(trained)/config.json ]; then go run ./cmd/swlab train --resume --out $(trained); \
	else go run ./cmd/swlab train --data builtin --loss sw --points 2048 --batch 16 --epochs 160 --out $(trained); fi

numbers: setup ## write the numbers of README and docs from the stored results
	@$(env) go run ./docs

docs-pictures: setup
	@$(env) go generate ./...

# --- checks -------------------------------------------------------------------------------------------------------

# On the pure-Go backend, which has nothing to compile (SWLAB_BACKEND=xla chooses otherwise).
test: setup ## formatting and the fast tests
	@$(env) bad=$$(find . -path './.?*' -prune -o -name '*.go' -print0 | xargs -0 gofmt -l) || exit 1; \
	if [ -n "$$bad" ]; then echo "FAILED: not formatted (gofmt -w mends it):"; echo "$$bad"; exit 1; fi
	@$(env) SWLAB_BACKEND="$${SWLAB_BACKEND-go}" go test -short -vet=off -timeout 30m $(longest) ./...

# They begin first: at the end of the tests one of them alone would leave a core idle.
longest := ./swlab/train ./cmd/swlab

# The tests that are the same on all backends run in make test alone. The checks that mostly wait, for a download, a kernel, a browser or
# a single thread, run two at a time.
check: setup ## the rest: linters, the tests on XLA, races, other systems, notebooks, README, Python, pages
	@$(MAKE) lint
	@$(env) go test -vet=off -timeout 60m $(longest) ./...
	@$(MAKE) race
	@$(MAKE) cross
	@$(MAKE) check-notebooks
	@$(MAKE) -j2 -O check-python check-readme check-errors check-lab check-gpu-kit check-bench check-pages
	@$(MAKE) test-cuda-form PACKAGES="./swlab/ot1d ./swlab/amortizer"
	@$(MAKE) check-cuda

lint race cross: setup
	@scripts/check-go $@

check-notebooks: setup
	@scripts/notebooks check $(NOTEBOOKS)

check-errors: setup
	@$(env) export SWLAB_OUT="$(CURDIR)/.out/check-errors" && mkdir -p "$$SWLAB_OUT" && $(py) scripts/check_errors.py

check-readme: setup
	@scripts/check-readme

# Installs PyTorch and POT: 2 GB to download, 4 GB of disk.
check-python: peers
	@$(MAKE) check-wheel
	@$(env) go build -o .out/check-python/bin/swlab ./cmd/swlab && export PATH="$(CURDIR)/.out/check-python/bin:$$PATH" && \
	export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$(CURDIR)/bench:$$(echo "$(CURDIR)"/.out/check-wheel/venv/lib/python3*/site-packages)" && \
	.venv-torch/bin/python scripts/run_blocks.py docs/python.md && .venv-pot/bin/python scripts/run_blocks.py docs/conventions.md

check-wheel: setup
	@scripts/check-wheel

# Do all training steps compile for an H200 and an A100? Needs XLA's CUDA plugin, no GPU; WRITE=1 stores the tables.
check-cuda: setup
	@$(env) $(py) scripts/cuda/check.py $(if $(WRITE),--write)

# Packages whose graphs have another form on CUDA; or PACKAGES="./swlab/loss -run Chamfer". All take ten minutes.
PACKAGES ?= ./swlab ./swlab/internal/... ./swlab/ot1d ./swlab/vmf ./swlab/amortizer ./swlab/slicing ./swlab/pointnet ./swlab/loss ./swlab/train ./swlab/metric ./swlab/latent ./experiments ./experiments/gap
test-cuda-form: setup
	@$(env) scripts/cuda/build .out/cuda && export CUDA_FORM_CPU="$(CURDIR)/.plugins/cpu/pjrt_c_api_cpu_plugin.so" && \
	SWLAB_BACKEND="xla:$(CURDIR)/.out/cuda/pjrt_c_api_cuda_plugin.so" go test -short -vet=off -timeout 30m $(PACKAGES)

gpu-kit: setup
	@$(env) scripts/gpu-kit/build .out/gpu-kit/swlab-gpu-kit.tar.xz

gpu-page:
	@$(PYTHON) scripts/gpu-kit/page.py "$(RESULTS)"

check-gpu-kit: setup
	@$(env) scripts/gpu-kit/check

check-pages: setup
	@if $(py) scripts/browser.py; then $(MAKE) check-site check-playground; else echo "  NOT CHECKED: the pages of make site and make playground, for there is no browser (Chromium or Chrome) on the PATH"; fi

check-site: site
	@$(py) scripts/check_site.py .out/site

check-playground: playground
	@$(env) go build -o .out/playground/swlab ./cmd/swlab && $(py) scripts/check_playground.py .out/playground/index.html .out/playground/swlab

test-browser: setup
	@$(env) $(py) scripts/test_browser.py notebooks/01_quickstart.ipynb notebooks/04_distributions.ipynb

test-long: setup
	@SECONDS_OF_TRAINING=$(or $(SECONDS),7200) CELLS=$(or $(CELLS),500) scripts/test-long

check-lab: setup
	@$(env) $(py) scripts/check_lab.py

audit: setup
	@$(env) scripts/audit

test-slurm: setup
	@$(env) SWLAB_TEST_SLURM=1 scripts/test-slurm go test -count=1 -v -run TestTableOnCluster ./cmd/swlab

# Time per target; FUZZ chooses targets by a regular expression.
FUZZTIME ?= 10m
fuzz: setup
	@$(env) FUZZTIME="$(FUZZTIME)" FUZZ="$(FUZZ)" scripts/fuzz

# Mutants per package.
MUTANTS ?= 8
mutated := ./swlab/ot1d ./swlab/ot ./swlab/vmf ./swlab/loss ./swlab/slicing ./swlab/amortizer ./swlab/metric ./swlab/optim
mutate: setup
	@$(env) go -C bench build -o ../.out/mutate ./mutate && SWLAB_BACKEND=go GOFLAGS="-buildvcs=false -tags=noxla" .out/mutate -n $(MUTANTS) -then ./swlab,./swlab/train $(mutated)

# --- measurements -------------------------------------------------------------------------------------------------

peers: setup
	@bash bench/setup-python.sh torch && bash bench/setup-python.sh pot

bench: peers ## measure this project beside PyTorch, JAX, NumPy, POT, SciPy (hours; goes on where it was stopped)
	@$(env) .venv-torch/bin/python bench/check_losses.py && .venv-torch/bin/python bench/check_steps.py
	@$(env) go -C bench run . $(BENCH)

check-bench: setup
	@$(env) go -C bench vet ./... && go -C bench test -short -vet=off ./...

bench-python: peers
	@$(MAKE) check-wheel
	@PYTHONPATH=$$(echo .out/check-wheel/venv/lib/python3*/site-packages):$$(echo .venv-pot/lib/python3*/site-packages) .venv-torch/bin/python bench/python_package.py docs/results/python.md

bench-go: setup
	@$(env) go test -run '^$$' -bench . ./swlab/...

# --- releases -----------------------------------------------------------------------------------------------------

dist: setup .out/release-tools/.done
	@scripts/dist programs

wheel: setup .out/release-tools/.done ## Python wheels for Linux on x86-64 and aarch64, into .out/dist (80 MB to download)
	@scripts/dist wheels

.out/release-tools/.done: python/requirements-release.txt | setup
	@$(py) -m venv --without-pip .out/release-tools
	@$(py) -m pip --python .out/release-tools/bin/python install --quiet --disable-pip-version-check --no-deps --require-hashes -r python/requirements-release.txt
	@touch $@

licences: setup
	@$(env) $(py) scripts/third_party.py table

check-install: setup
	@$(env) scripts/check-install

clean: ## remove what setup and the runs have made here (not runs/)
	rm -rf .venv .venv-pot .bin .plugins .out

FORCE:
.PHONY: FORCE lint race cross $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile)
