# The commands of a working day; CONTRIBUTING.md says more about each.
# Needs python3 (3.10 or newer, with venv), make and a package index.

PYTHON ?= python3
BIN := .venv/bin
RUN := $(BIN)/python -m
# Lies in the environment once an install is complete; .installing lies there before that.
STAMP := .venv/.installed

# What the user has set for another Python must not leak into this environment.
unexport PYTHONPATH PYTHONHOME
export PIP_USER := 0
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help play train test check browser short promises heavy cluster-test prometheus-test gpu wheel wheel-test soak chaos cold referee mutants bounds bench lock clean
.DEFAULT_GOAL := help

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

play: $(STAMP) ## open the board in the browser; ARGS="--port 9000", or "--run runs/8x8-1" to watch a run
	$(BIN)/gobang web $(ARGS)

train: $(STAMP) ## learn 8x8 on all cores until Ctrl-C; ARGS="--preset 5x5 --minutes 5" for something else
	$(RUN) learner.launch $(ARGS)

TESTERS := 4
test: $(STAMP) ## run all tests but the heavy ones
	$(RUN) pytest -n auto --maxprocesses $(TESTERS) --dist loadfile

check: $(STAMP) ## check format, lint, types and structure
	$(RUN) ruff format --check
	$(RUN) ruff check
	$(RUN) mypy
	$(RUN) mypy .ci/structure.py
	$(RUN) mypy .ci/install.py
	$(BIN)/python .ci/structure.py

browser: $(STAMP) ## run the tests of the page in a real Chromium, which must be there
	$(RUN) pip install --quiet -c constraints.txt --no-build-isolation -e '.[browser]'
	$(RUN) pytest -m browser

short: $(STAMP) ## a few of the tests of browser (if there is one), wheel, index, faults and open ports: five minutes
	$(RUN) pytest -m heavy tests/chaos/test_strikes.py tests/integration/test_listeners.py
	$(RUN) pytest -m heavy tests/gomocup/test_package.py -k 'None'
	$(RUN) pytest -m heavy tests/gomocup/test_memory.py -k 'lines-1'
	$(RUN) pytest -m heavy tests/learner/paper tests/evaluator/experiments/test_experiments.py -k 'killed_run or side_by_side'
	@if command -v "$${CHROMIUM:-chromium}" >/dev/null; then \
	    $(RUN) pip install --quiet -c constraints.txt --no-build-isolation -e '.[browser]' && \
	    $(RUN) pytest -m browser -k 'whole_game or follows_the_position or watched_live or press_is or never_becomes or gets_in'; \
	else echo 'no Chromium: the page was not tried in a browser'; fi
	$(RUN) pytest -m wheel tests/wheel/test_distribution.py \
	    tests/wheel/test_by_name.py::test_a_game_begins_by_uvx \
	    tests/wheel/test_by_name.py::test_no_extra_asks_for_the_stranger \
	    'tests/wheel/test_readme_commands.py::test_every_command_explains_itself[plain]' \
	    'tests/wheel/test_readme_commands.py::test_what_the_package_reads_is_in_the_wheel[plain]'

promises: $(STAMP) ## run each command of README and docs once, in its shortest form
	$(RUN) pytest -m promise

heavy: $(STAMP) ## run the tests that take minutes
	$(RUN) pytest -m heavy

cluster-test: wheel ## ray up two machines that are namespaces, train on both, ray down; needs root, sshd, rsync
	$(RUN) tests.machines.private $(RUN) pytest -m cluster

prometheus-test: $(STAMP) ## let Debian's Prometheus read the numbers of a run that trains
	@command -v prometheus >/dev/null || { echo "error: there is no prometheus: apt install prometheus" >&2; exit 1; }
	$(RUN) pytest -m heavy tests/integration/test_prometheus.py

gpu: $(STAMP) ## run the tests that need CUDA or MPS: the contract suite, a bench, a minute of training
	$(RUN) pytest -m gpu -rs -s

wheel: $(STAMP) ## build the wheel that the nodes of a cluster install, in dist/
	rm -rf dist build/lib build/bdist.*
	$(RUN) pip wheel -q --no-deps --no-build-isolation --wheel-dir dist .

wheel-test: $(STAMP) ## install the built wheel by name and with and without extras, and run the README's commands in it
	$(RUN) pytest -m wheel

MINUTES := 60
soak: $(STAMP) ## watch memory and speed of a run for an hour; MINUTES=20 for less
	$(RUN) tests.soak --minutes $(MINUTES)

chaos: $(STAMP) ## strike real runs with every fault; CASES=3,5, N=20 rounds, AGAIN=1, NEMESIS=10 minutes, SEED=7
	$(RUN) tests.chaos $(if $(N),--rounds $(N)) $(if $(CASES),--cases $(CASES)) $(if $(AGAIN),--again) \
	    $(if $(NEMESIS),--nemesis $(NEMESIS)) $(if $(SEED),--seed $(SEED))

cold: $(STAMP) ## measure a first start, with no kernel compiled, and the memory of a run
	$(RUN) tests.cold_start $(ARGS)

referee: $(STAMP) ## play the Gomocup engine before a referee of form, legality and time; ARGS="--engine COMMAND --cold"
	$(RUN) tests.gomocup.referee $(ARGS)

# An environment of its own, since the tool needs more packages than it is worth for everybody else.
MUTANTS := build/mutants/tool/bin/python
mutants: $(STAMP) ## change single places of the source and see if a test fails; AREA=actors/wire, N=50 of each, SEED=1
	@$(MUTANTS) -c 'import cosmic_ray' 2>/dev/null || { "$(PYTHON)" -m venv build/mutants/tool && \
	    $(MUTANTS) -m pip install --quiet cosmic-ray==8.7.0; }
	$(MUTANTS) -m tests.mutants $(if $(AREA),--area $(AREA)) $(if $(N),--number $(N)) $(if $(SEED),--seed $(SEED))

bounds: $(STAMP) ## run the tests with kernels that check every index, compiled apart from the usual ones
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$(CURDIR)/build/bounds" $(RUN) pytest

bench: $(STAMP) ## measure the speeds of this machine
	$(RUN) gobang.bench search
	$(RUN) gobang.bench alone --size 15
	$(RUN) gobang.bench rollout
	$(RUN) gobang.bench solver
	$(RUN) gobang.bench start
	$(RUN) gobang.bench inference
	$(RUN) gobang.bench train
	$(RUN) gobang.bench replay
	$(RUN) gobang.bench self-play

# What torch brings on Linux with an NVIDIA GPU, and torch itself: .ci/install.py installs them without hashes.
UNHASHED := torch triton cuda-bindings cuda-pathfinder cuda-toolkit nvidia-cublas nvidia-cuda-cupti nvidia-cuda-nvrtc \
    nvidia-cuda-runtime nvidia-cudnn-cu13 nvidia-cufft nvidia-cufile nvidia-curand nvidia-cusolver nvidia-cusparse \
    nvidia-cusparselt-cu13 nvidia-nccl-cu13 nvidia-nvjitlink nvidia-nvshmem-cu13 nvidia-nvtx
lock: $(STAMP) ## write .ci/requirements.lock anew, the hashes of what constraints.txt pins
	$(RUN) pip install --quiet uv
	$(RUN) uv pip compile --quiet pyproject.toml --extra dev --universal --python-version 3.10 --generate-hashes \
	    --constraints constraints.txt $(addprefix --no-emit-package ,$(UNHASHED)) --no-annotate --output-file .ci/requirements.lock

clean: ## remove the environment and everything that was made here, except runs/
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml constraints.txt .ci/requirements.lock $(if $(wildcard $(BIN)/python),,broken)
	@command -v "$(PYTHON)" >/dev/null || { \
	    echo "error: there is no '$(PYTHON)'; name your Python with: make PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	    echo "error: Python 3.10 or newer is needed, '$(PYTHON)' is $$("$(PYTHON)" -V 2>&1)" >&2; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { \
	    echo "error: '$(PYTHON)' lacks the venv module; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@if [ -e .venv/.installing ] || [ ! -x $(BIN)/python ]; then \
	    rm -rf .venv && mkdir .venv && touch .venv/.installing && "$(PYTHON)" -m venv .venv; fi
	@rm -f $@ && touch .venv/.installing
	@$(BIN)/python .ci/install.py
	@mv .venv/.installing $@

# Never a file: makes the install run again when the environment has lost its Python.
.PHONY: broken
broken:
