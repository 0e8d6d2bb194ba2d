# make help lists what there is. Everything is installed inside this folder: .bin, .venv, .plugins; .out holds logs.

PYTHON ?= python3
NOTEBOOKS ?= $(sort $(wildcard notebooks/*.ipynb))
# Seconds that one cell of a notebook may take.
TIMEOUT ?= 3600
LAB_FLAGS ?=

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
py := .venv/bin/python
env := root="$(CURDIR)"; . scripts/env.sh;
execute := $(py) -m pytest -q --no-header -p no:cacheprovider --rootdir=. --confcutdir=. --nbmake --nbmake-timeout=$(TIMEOUT)
# Its first cell removes a run that other notebooks read: while they are checked two at a time, it has its turn before them.
alone := notebooks/07_train_live.ipynb
tidy := $(py) -m nbstripout --keep-output --keep-count
stamp := $(py) scripts/stamp.py

# Jupyter sees the kernel and the settings of this repository, and keeps its own files in .venv instead of the home folder.
export JUPYTER_PATH := $(CURDIR)/.jupyter
export JUPYTER_CONFIG_PATH := $(CURDIR)/.jupyter/config
export JUPYTER_CONFIG_DIR := $(CURDIR)/.venv/var/config
export JUPYTER_DATA_DIR := $(CURDIR)/.venv/var/data
export JUPYTER_RUNTIME_DIR := $(CURDIR)/.venv/var/run
export IPYTHONDIR := $(CURDIR)/.venv/var/ipython
export JUPYTER_PLATFORM_DIRS := 1

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 27
	@echo "  variables: PYTHON=$(PYTHON) for setup, DATA=clouds for run, FAST=1 for short notebooks, LAB_FLAGS=... for lab"

# --- set-up -------------------------------------------------------------------------------------------------------

# force makes a target be made again if one of the files is gone, whatever its stamp says.
force = $(if $(filter-out $(wildcard $(1)),$(1)),FORCE)
plugin := $(if $(wildcard .venv/lib/python3.*/site-packages/lammps_jax_pjrt_cpu),.plugins/cpu/pjrt_c_api_cpu_plugin.so)

setup: ## install everything into this folder: Go tools, Python packages, XLA's CPU plugin
	@$(MAKE) -s -j2 .venv/.done .bin/.done
	@$(MAKE) -s .plugins/.done && echo "  set up: Go tools in .bin, Python in .venv, XLA plugin in .plugins"

.venv/.done: requirements.txt requirements-pjrt.txt $(call force,$(py))
	@scripts/setup-python "$(PYTHON)"
	@mkdir -p "$(IPYTHONDIR)"
	@touch $@

.bin/.done: go.mod go.sum $(call force,.bin/gonb .bin/goimports)
	@scripts/setup-go
	@touch $@

.plugins/.done: .venv/.done scripts/link-plugins $(call force,$(plugin))
	@scripts/link-plugins
	@touch $@

setup-cuda: setup ## also install XLA's CUDA 13 plugin and NVIDIA's libraries (2 GB to download; never run on a GPU so far)
	@scripts/step "CUDA plugin and libraries (2 GB to download)" .out/setup-cuda.log \
		"this needs 64-bit Linux on x86, 8 GB of disk and the network; see the lines above, then make setup-cuda again" \
		$(py) -m pip install --quiet --disable-pip-version-check --no-input --retries 2 --no-compile \
		--no-deps --require-hashes -r requirements-cuda.txt
	@scripts/link-plugins
	@$(env) go run ./cmd/swlab doctor

# --- use ----------------------------------------------------------------------------------------------------------

run: ## set up, execute the quickstart notebook, print what came out; DATA=path for clouds of your own
	@PYTHON="$(PYTHON)" TIMEOUT="$(TIMEOUT)" scripts/run

build: setup ## build the command line, .bin/swlab, which then knows its commit
	@$(env) go build -ldflags "-X github.com/sliced-wasserstein/lab/internal/version.commit=$$(git describe --always --abbrev=40 --dirty --exclude '*' 2>/dev/null)" -o .bin/swlab ./cmd/swlab

lab: setup ## open JupyterLab in the browser, on this machine only, with the Go kernel and trusted notebooks
	@if [ -n "$(NOTEBOOKS)" ]; then $(py) -c 'from nbformat.sign import TrustNotebookApp as A; A.launch_instance()' $(NOTEBOOKS) >/dev/null; fi
	@$(env) exec $(py) -m jupyterlab --ip=127.0.0.1 $(if $(filter 0,$(shell id -u)),--allow-root) $(LAB_FLAGS)

notebooks: setup ## execute the notebooks and save their outputs in place, tidied
	@if [ -z "$(NOTEBOOKS)" ]; then echo "there is no notebook in notebooks/" >&2; exit 1; fi; $(env) rc=0; \
	export SWLAB_OUT="$(CURDIR)/.out/notebooks" && mkdir -p "$$SWLAB_OUT" && $(execute) --overwrite $(NOTEBOOKS) || rc=1; \
	$(py) -m nbconvert --log-level=WARN --coalesce-streams --to notebook --inplace $(NOTEBOOKS) && $(tidy) $(NOTEBOOKS) || rc=1; \
	$(stamp) write $(NOTEBOOKS) || rc=1; \
	if grep -lF "$(CURDIR)" $(NOTEBOOKS); then echo "FAILED: the outputs of the notebooks above name a folder of this machine" >&2; rc=1; fi; \
	exit $$rc

site: playground ## make one static site in .out/site: playground, notebooks as stored, documentation, results; it needs neither network nor server
	@$(py) scripts/site.py .out/site .out/playground/index.html $(NOTEBOOKS)

playground: setup ## build the playground, .out/playground/index.html: one page, the Go packages inside as WebAssembly; opens from disk
	@$(env) go run ./playground build .out/playground/index.html

# With a run, --resume: it keeps the settings of the run.
trained := runs/network
network: setup ## train the network that lectures show, runs/network (an hour and a half on 2 cores; goes on where it was stopped); docs/network.md
	@$(env) if [ -e $(trained)/config.json ]; then go run ./cmd/swlab train --resume --out $(trained); \
	else go run ./cmd/swlab train --data builtin --loss sw --points 2048 --batch 16 --epochs 160 --out $(trained); fi

numbers: setup ## write the numbers of README and docs from the stored results
	@$(env) go run ./docs

docs-pictures: setup ## draw the pictures of the documentation again
	@$(env) go generate ./...

# --- checks -------------------------------------------------------------------------------------------------------

# The fast tests run on the pure-Go backend, which has nothing to compile (SWLAB_BACKEND=xla chooses otherwise), but for
# TestTrainEvaluate, which trains on XLA. make check runs all tests on the best backend found.
test: setup ## formatting, the fast tests of every package, one training on XLA
	@$(env) bad=$$(find . -path './.?*' -prune -o -name '*.go' -print0 | xargs -0 gofmt -l) || exit 1; \
	if [ -n "$$bad" ]; then echo "FAILED: not formatted (gofmt -w mends it):"; echo "$$bad"; exit 1; fi
	@$(env) SWLAB_BACKEND="$${SWLAB_BACKEND-go}" go test -short -vet=off -timeout 30m ./...

# The checks that mostly wait, for a download, a kernel or a single thread, run two at a time.
check: setup ## the rest: linters, all tests on the best backend, data races, other systems, all notebooks in short form, the site
	@$(MAKE) lint
	@$(env) go test -vet=off -timeout 60m ./...
	@$(MAKE) race
	@$(MAKE) cross
	@$(MAKE) check-notebooks
	@$(MAKE) -j2 -O check-python check-readme check-errors check-lab check-gpu-kit check-bench
	@$(MAKE) test-cuda-form PACKAGES="./swlab/ot1d ./swlab/amortizer"
	@$(MAKE) check-cuda
	@if $(py) scripts/browser.py; then $(MAKE) check-site check-playground; else echo "  NOT CHECKED: the pages of make site and make playground, for there is no browser (Chromium or Chrome) on the PATH"; fi

# Python calls the functions of python/library/main.go, notebooks Check of experiments/exercise.
generated := swlab/ot1d/internal/lanes swlab/internal/maxima
lint: setup ## go vet, staticcheck, functions that nothing calls, assembly that its generator does not make
	@$(env) go vet ./... && go tool staticcheck ./...
	@$(env) unused=$$(go tool deadcode -test ./... | grep -vF -e 'unreachable func: Must' -e python/library/main.go -e experiments/exercise/exercise.go) || exit 0; echo "FAILED: nothing calls these:"; echo "$$unused"; exit 1
	@$(env) rm -rf .out/asm && cp -r internal/asm .out/asm; for dir in $(generated); do name=$${dir##*/}; \
	(cd .out/asm/$$name && go run main.go -out ../$${name}_amd64.s -stubs ../$${name}_amd64.go -pkg $$name) || exit 1; \
	for f in $${name}_amd64.s $${name}_amd64.go; do cmp .out/asm/$$f $$dir/$$f || { echo "FAILED: internal/asm/$$name makes another $$f"; exit 1; }; done; done
	@$(env) $(py) scripts/third_party.py table --check

# The packages in which goroutines share memory, and their tests that make them do so.
racing := ./swlab ./swlab/internal/maxima ./swlab/internal/parallel ./swlab/engine ./swlab/ot ./swlab/ot1d ./datasets ./experiments/jobs
racy := Concurrent|AtOnce|Compiled|CloseInUse|Processors|HostBatch|HostLarge|Deterministic|Lanes|First|Candidates|Each|Scheduling|Ahead|InOrder|MeshFolders|Local

# Without XLA, which ends a program that has the race detector. checkptr=0: GoMLX's pure-Go matrix product casts pointers in ways that
# this check refuses.
race: setup ## the tests that share memory among goroutines, under the race detector
	@$(env) mkdir -p .out && go test -short -vet=off -race -tags noxla -gcflags=all=-d=checkptr=0 -timeout 30m -run '$(racy)' $(racing) >.out/race.log 2>&1; failed=$$?; cat .out/race.log; \
	if grep -F 'no tests to run' .out/race.log; then echo "FAILED: a package above has no test that racy names" >&2; exit 1; fi; exit $$failed

# Systems for which every package, with its tests, has to pass the type checker, which compiles nothing and takes ten seconds each.
systems := linux/arm64 darwin/arm64 windows/amd64 js/wasm
# purego is the code of processors that have no vectors here.
cross: setup ## all packages for four systems without cgo; the tests of a program without XLA and without assembly on this one
	@$(env) go build -o .out/cross/gopackages golang.org/x/tools/go/packages/gopackages || exit 1; for system in $(systems); do \
	echo "  checking the types for $$system"; CGO_ENABLED=0 GOOS=$${system%/*} GOARCH=$${system#*/} .out/cross/gopackages -mode=allsyntax -test ./... >.out/cross/types || exit 1; \
	if grep -P '^\t(-|/\S+:\d+): ' .out/cross/types; then echo "FAILED: $$system" >&2; exit 1; fi; done
	@$(env) export SWLAB_BACKEND=; go test -short -vet=off -timeout 20m -tags noxla,purego ./swlab/ot1d ./swlab && \
	go test -short -vet=off -timeout 20m -tags noxla,purego -run "TestDistance|TestVMF|TestData|TestWrongCalls|TestMisuse|TestRunIntoNetworkCalls" ./cmd/swlab

check-notebooks: setup ## are the stored outputs those of the code? Run the notebooks in short form, changing nothing
	@if [ -z "$(NOTEBOOKS)" ]; then echo "no notebooks to check"; exit 0; fi; $(env) \
	$(tidy) --verify $(NOTEBOOKS) || { echo "FAILED: the notebooks above are not as make notebooks leaves them" >&2; exit 1; }; \
	$(stamp) check $(NOTEBOOKS) || exit 1; \
	export FAST=1 SWLAB_OUT="$(CURDIR)/.out/check-notebooks" && mkdir -p "$$SWLAB_OUT" || exit 1; \
	$(if $(filter $(alone),$(NOTEBOOKS)),$(execute) $(alone) || exit 1;) \
	$(if $(filter-out $(alone),$(NOTEBOOKS)),$(execute) -n 2 $(filter-out $(alone),$(NOTEBOOKS)))

check-errors: setup ## run the cells of "ten errors" in docs/notebooks.md on the kernel: do they fail, and mend, as it says? And is a training on a loss of a cell found again until its code changes?
	@$(env) export SWLAB_OUT="$(CURDIR)/.out/check-errors" && mkdir -p "$$SWLAB_OUT" && $(py) scripts/check_errors.py

check-readme: setup ## README's block "From the shell", line by line, in a clean clone of HEAD (table and sweep in a smaller size)
	@scripts/check-readme

check-python: setup ## check-wheel, then run the Python of docs/python.md and docs/conventions.md (installs PyTorch and POT: 2 GB to download, 4 GB of disk)
	@bash bench/setup-python.sh torch && bash bench/setup-python.sh pot
	@$(MAKE) check-wheel
	@$(env) go build -o .out/check-python/bin/swlab ./cmd/swlab && export PATH="$(CURDIR)/.out/check-python/bin:$$PATH" && \
	export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$(CURDIR)/bench:$$(echo "$(CURDIR)"/.out/check-wheel/venv/lib/python3*/site-packages)" && \
	.venv-torch/bin/python scripts/run_blocks.py docs/python.md && .venv-pot/bin/python scripts/run_blocks.py docs/conventions.md

# Built with the C compiler of this machine, and installed where only NumPy is. POT and PyTorch, where they are, see the same files.
wheel_test := -m pytest -q --no-header -p no:cacheprovider -p no:nbmake -p no:xdist --rootdir=python --confcutdir=python
check-wheel: setup ## the Python wheel for this Linux machine: build it, install it in an empty environment, run its tests
	@if [ "$$(uname)" != Linux ]; then echo "  NOT CHECKED: the Python wheel is for Linux"; exit 0; fi; $(env) \
	rm -rf .out/check-wheel && $(py) scripts/wheel.py "$$(uname -m)" .out/check-wheel && $(py) -m venv --without-pip .out/check-wheel/venv || exit 1; \
	install="$(py) -m pip --python .out/check-wheel/venv/bin/python install --quiet --disable-pip-version-check --no-deps"; \
	sed -n '/^numpy==/,/[^\\]$$/p' bench/requirements-pot.txt >.out/check-wheel/numpy.txt && \
	$$install --require-hashes -r .out/check-wheel/numpy.txt && $$install --no-index .out/check-wheel/*.whl || exit 1; \
	export PYTHONDONTWRITEBYTECODE=1 PATH="$(CURDIR)/.out/check-wheel/venv/bin:$$PATH"; \
	pytest=$$(echo "$(CURDIR)"/.venv/lib/python3*/site-packages) wheel=$$(echo "$(CURDIR)"/.out/check-wheel/venv/lib/python3*/site-packages); \
	PYTHONPATH="$$pytest" python $(wheel_test) python/tests || exit 1; \
	if [ -e .venv-pot/bin/python ]; then PYTHONPATH="$$wheel:$$pytest" .venv-pot/bin/python $(wheel_test) python/tests/test_swlab.py -k pot || exit 1; fi; \
	if [ -e .venv-torch/bin/python ]; then PYTHONPATH="$$wheel:$$pytest" .venv-torch/bin/python $(wheel_test) python/tests/test_torch.py || exit 1; fi

check-cuda: setup ## do all training steps compile for an H200 and an A100? Needs XLA's CUDA plugin, no GPU (10 minutes); WRITE=1 stores the tables
	@$(env) $(py) scripts/cuda/check.py $(if $(WRITE),--write)

# Packages whose graphs have another form on CUDA, for test-cuda-form.
PACKAGES ?= ./swlab ./swlab/internal/... ./swlab/ot1d ./swlab/vmf ./swlab/amortizer ./swlab/slicing ./swlab/pointnet ./swlab/loss ./swlab/train ./swlab/metric ./swlab/latent ./experiments ./experiments/gap

test-cuda-form: setup ## the fast tests of the packages with graphs, in the form for CUDA on XLA's CPU plugin (10 minutes); PACKAGES="./swlab/loss -run Chamfer"
	@$(env) scripts/cuda/build .out/cuda && export CUDA_FORM_CPU="$(CURDIR)/.plugins/cpu/pjrt_c_api_cpu_plugin.so" && \
	SWLAB_BACKEND="xla:$(CURDIR)/.out/cuda/pjrt_c_api_cuda_plugin.so" go test -short -vet=off -timeout 30m $(PACKAGES)

gpu-kit: setup ## pack .out/gpu-kit/swlab-gpu-kit.tar.xz, which measures a GPU machine without network and without Go in ten minutes
	@$(env) scripts/gpu-kit/build .out/gpu-kit/swlab-gpu-kit.tar.xz

gpu-page: ## make docs/results/gpu.md of what the kit measured; RESULTS=results.json
	@$(PYTHON) scripts/gpu-kit/page.py "$(RESULTS)"

check-gpu-kit: setup ## does the kit run where there is no Go? Its smallest form, on XLA's CPU plugin
	@$(env) scripts/gpu-kit/check

check-site: site ## load these pages in headless Chromium with the network off: an error in a console, a dead link, an unreadable colour or a view that stands still fails
	@$(py) scripts/check_site.py .out/site

check-playground: playground ## the playground in headless Chromium with the network off: its numbers against the command line's, dragging, frames a second
	@$(env) go build -o .out/playground/swlab ./cmd/swlab && $(py) scripts/check_playground.py .out/playground/index.html .out/playground/swlab

test-browser: setup ## JupyterLab in headless Chromium: stop a training, run notebooks 01 and 03 in short form, turn their spheres, move kappa
	@$(env) $(py) scripts/test_browser.py notebooks/01_quickstart.ipynb notebooks/03_distributions.ipynb

test-long: setup ## what takes hours: 100 kills, 400 faults in a table and a sweep, a stored row made again, two hours of training, 500 cells in one kernel; SECONDS=600 CELLS=50 are shorter
	@$(env) SWLAB_BACKEND=go SWLAB_TEST_LONG=1 SWLAB_TEST_KILLS=100 go test -count=1 -v -timeout 90m -run "TestKills$$|TestEveryFaultOfRuns$$|TestTableKilled$$|TestSignals$$" ./cmd/swlab | grep -v "^=== "
	@$(env) SWLAB_BACKEND=xla SWLAB_TEST_LONG=1 go test -count=1 -v -timeout 90m -run "TestStoredRow$$" ./cmd/swlab | grep -v "^=== "
	@rm -rf .out/test-long && mkdir -p .out/test-long
	@$(env) go build -o .out/test-long/swlab ./cmd/swlab && $(py) scripts/long_training.py .out/test-long/swlab .out/test-long/training $(or $(SECONDS),7200)
	@$(env) $(py) scripts/long_kernel.py .out/test-long/temporary $(or $(CELLS),500)

check-lab: setup ## is JupyterLab closed to everybody without its token? Then two notebooks at once on one store
	@$(env) $(py) scripts/check_lab.py

audit: setup ## known vulnerabilities of the Go and Python packages used; says what could not be checked (needs the network)
	@$(env) scripts/audit

test-slurm: setup ## the batch script of docs/cluster.md on a real Slurm, started for it and stopped (root; Debian's slurm-wlm and munge)
	@$(env) SWLAB_TEST_SLURM=1 scripts/test-slurm go test -count=1 -v -run TestTableOnCluster ./cmd/swlab

# Time per target, for make fuzz; FUZZ chooses targets by a regular expression.
FUZZTIME ?= 10m
fuzz: setup ## fuzz every reader of files, one after another, FUZZTIME=10m each (4 hours); FUZZ=NPZ chooses
	@$(env) FUZZTIME="$(FUZZTIME)" FUZZ="$(FUZZ)" scripts/fuzz

# Mutants per package, for make mutate.
MUTANTS ?= 8
mutated := ./swlab/ot1d ./swlab/ot ./swlab/vmf ./swlab/loss ./swlab/slicing ./swlab/amortizer ./swlab/metric ./swlab/optim
mutate: setup ## do the tests notice small changes of the mathematics? A fixed sample of MUTANTS=8 per package (an hour); docs/results/mutation.md
	@$(env) go -C bench build -o ../.out/mutate ./mutate && SWLAB_BACKEND=go GOFLAGS="-buildvcs=false -tags=noxla" .out/mutate -n $(MUTANTS) -then ./swlab,./swlab/train $(mutated)

bench: setup ## measure this project beside PyTorch, JAX, NumPy, POT, SciPy (hours; goes on where it was stopped); BENCH="--budget 30m --only steps"
	@bash bench/setup-python.sh torch && bash bench/setup-python.sh pot
	@$(env) .venv-torch/bin/python bench/check_losses.py && .venv-torch/bin/python bench/check_steps.py
	@$(env) go -C bench run . $(BENCH)

check-bench: setup ## the tests of bench, a module of its own
	@$(env) go -C bench vet ./... && go -C bench test -short -vet=off ./...

bench-python: setup ## time the Python package beside NumPy, POT and PyTorch, into docs/results/python.md (2 minutes, on a quiet machine)
	@$(MAKE) check-wheel && bash bench/setup-python.sh torch && bash bench/setup-python.sh pot
	@PYTHONPATH=$$(echo .out/check-wheel/venv/lib/python3*/site-packages):$$(echo .venv-pot/lib/python3*/site-packages) .venv-torch/bin/python bench/python_package.py docs/results/python.md

bench-go: setup ## the Go benchmarks of the library's packages
	@$(env) go test -run '^$$' -bench . ./swlab/...

bench-pairwise: setup ## time 200 x 200 approximate EMDs of 2048 points (half an hour; goes on where it was stopped)
	@$(env) go -C bench run ./pairwise --store ../.out/bench/pairwise

# A release is a tag: Go stamps the programs with it.
dist: setup .out/release-tools/.done ## programs for four systems, without XLA, in .out/dist, with SHA-256 sums, licences and bills of materials
	@$(env) rm -rf .out/dist && mkdir -p .out/dist && version=$$(git describe --tags --always --dirty) || exit 1; \
	for system in linux/amd64 $(filter-out js/wasm,$(systems)); do os=$${system%/*} && file=swlab-$$version-$$os-$${system#*/} && \
	CGO_ENABLED=0 GOOS=$$os GOARCH=$${system#*/} go build -buildvcs=true -trimpath -ldflags "-s -w" -o .out/dist/ ./cmd/swlab && \
	if [ $$os = windows ]; then mv .out/dist/swlab.exe .out/dist/$$file.exe; else mv .out/dist/swlab .out/dist/$$file; fi || exit 1; done; \
	for file in .out/dist/swlab-*; do $(py) scripts/third_party.py sbom $$file $$file.cdx.json || exit 1; done; \
	$(py) scripts/third_party.py licences .out/dist/swlab-*-linux-amd64 .out/dist/THIRD_PARTY.txt && \
	.out/release-tools/bin/python scripts/check_sbom.py .out/dist/*.cdx.json && cd .out/dist && sha256sum swlab-* THIRD_PARTY.txt >SHA256SUMS && cat SHA256SUMS

.out/release-tools/.done: python/requirements.txt | setup
	@$(py) -m venv --without-pip .out/release-tools
	@$(py) -m pip --python .out/release-tools/bin/python install --quiet --disable-pip-version-check --no-deps --require-hashes -r python/requirements.txt
	@touch $@

# Zig's compiler brings the symbols of every glibc, so the library runs where that of this machine is newer.
wheel: setup .out/release-tools/.done ## Python wheels for Linux on x86-64 and aarch64, into .out/dist (80 MB to download)
	@$(env) mkdir -p .out/dist && rm -f .out/dist/*.whl && export PATH="$(CURDIR)/.out/release-tools/bin:$$PATH" ZIG_GLOBAL_CACHE_DIR="$(CURDIR)/.out/zig"; \
	for arch in x86_64 aarch64; do CC="python-zig cc -target $$arch-linux-gnu.2.17" $(CURDIR)/$(py) scripts/wheel.py $$arch .out/dist || exit 1; done; \
	python scripts/check_sbom.py .out/dist/*.whl && cd .out/dist && rm -f SHA256SUMS && sha256sum * >../sums && mv ../sums SHA256SUMS && cat SHA256SUMS

licences: setup ## write THIRD_PARTY.md, the licences of everything that is used
	@$(env) $(py) scripts/third_party.py table

# Nothing is to be found but the module: a home, a cache and a proxy of its own.
check-install: setup ## does go install of the command line work in an empty home, without a C compiler? (5 minutes)
	@$(env) scripts/check-install

clean: ## remove what setup and the runs have made here (not runs/)
	rm -rf .venv .venv-pot .bin .plugins .out

FORCE:
.PHONY: FORCE $(shell sed -n 's/^\([a-z-]*\):.* ## .*/\1/p' Makefile)
