# Needs only make and Python 3.10 or newer. Every target first installs what it needs into .venv.
#   make demo PYTHON=python3.12     uses another Python

PYTHON ?= python3
# Tests in parallel: one more than cores, as many of them wait for other processes (6 % less time on two cores).
JOBS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
VENV_PYTHON := .venv/bin/python
VENV := .venv/.made
BASE := .venv/.base-installed
CORE := .venv/.core-installed
DEV := .venv/.dev-installed
DOCS := .venv/.docs-installed

# Without compiling: most modules of the packages are never imported, and compiling them takes two minutes.
# From the environment, because only there do the pins also hold for the packages that build ours; pip before 25.3
# reads the first name for that, later ones the second. A relative path, because pip splits the value at spaces.
PIP_INSTALL := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
	$(VENV_PYTHON) -m pip install --quiet --no-compile --disable-pip-version-check

.PHONY: help install demo test test-all style check browser docs leaderboard clean

help:
	@echo "make demo      run the demo; needs no tools for development"
	@echo "make test      style, types and the quick tests"
	@echo "make test-all  the same with the slow tests"
	@echo "make browser   a Chromium for the tests of pages, where the system has none"
	@echo "make docs      the documentation as a site, into site/"
	@echo "make leaderboard"; echo "               the results of our agents, replayed, as a page into leaderboard/"
	@echo "make install   only install, into .venv"
	@echo "make clean     remove everything these targets made"

install: $(DEV)

demo: $(CORE)
	@$(VENV_PYTHON) -m tumble demo --out demo

# Kernels are compiled while pip installs the rest and style is checked: it uses one core only, and processes of tests that
# find nothing in Warp's cache would each compile the same kernels. Types are checked beside the tests, which leave a core
# idle at times. The target fails if any of them does. Kernels are tried twice: a process fails if it starts just when pip
# replaces our package.
# Bytecode is kept, whatever the environment says, as tests start many processes; in .venv, so that it is nowhere else.
KEEP_BYTECODE := PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX="$(CURDIR)/.venv/pycache"
PYTEST := $(KEEP_BYTECODE) $(VENV_PYTHON) -m pytest --quiet --numprocesses $(JOBS) --dist worksteal
KERNELS := $(KEEP_BYTECODE) $(VENV_PYTHON) -m tumble warmup --device cpu >.venv/kernels.log 2>&1
CHECK = failed=0; $(KERNELS) & kernels=$$!; \
	$(MAKE) --no-print-directory style || { kill $$kernels 2>/dev/null; exit 1; }; \
	$(VENV_PYTHON) -m mypy & types=$$!; wait $$kernels || { $(KERNELS); } || { cat .venv/kernels.log >&2; failed=1; }; \
	$(1) || failed=1; wait $$types || failed=1; exit $$failed

test: $(BASE)
	@$(call CHECK,$(PYTEST) -m "not slow")

test-all: $(BASE)
	@$(call CHECK,$(PYTEST))

style: $(DEV)
	@$(VENV_PYTHON) -m ruff check --quiet
	@$(VENV_PYTHON) -m ruff format --check --quiet || { echo "Not formatted: run $(VENV_PYTHON) -m ruff format" >&2; exit 1; }

check: style
	@$(VENV_PYTHON) -m mypy

# Tests of pages are skipped without a browser.
browser: $(DEV)
	@command -v chromium || command -v chromium-browser || command -v google-chrome \
		|| { command -v apt-get && apt-get install --yes chromium; } || $(VENV_PYTHON) -m playwright install chromium

# Draws the galleries that are out of date, then builds the site; it works without a network and without a server.
docs: $(DOCS)
	@$(VENV_PYTHON) tools/docs/gallery.py
	@NO_MKDOCS_2_WARNING=1 $(VENV_PYTHON) -m mkdocs build --strict --quiet
	@echo "The documentation is in site/index.html"

# Agents that come with the package, on the standard test tasks; a stopped run resumes. With dqn and explorer as well it
# takes an hour longer: make leaderboard PHYRE_AGENTS=rand,mem,mem-o,optimal,dqn,explorer
TUMBLE := $(VENV_PYTHON) -m tumble
PHYRE_AGENTS := rand,mem,mem-o,optimal
leaderboard: $(CORE)
	@$(TUMBLE) phyre evaluate --agent $(PHYRE_AGENTS) --setting ball_cross_template --fold 0 --runs leaderboard/runs
	@$(TUMBLE) phyq evaluate --agent random,pig_shooter,bambirds_style,eagles_wing_style,datalab_style,shot-ranker,simulation \
		--runs leaderboard/runs
	@test -e leaderboard/comphy/dataset.json || $(TUMBLE) comphy generate --out leaderboard/comphy --sets 120 --seed 1 --no-video
	@$(TUMBLE) comphy score leaderboard/comphy --model random,frequent,shown,simulation --runs leaderboard/runs
	@$(TUMBLE) leaderboard build leaderboard/runs -o leaderboard/site --copy-logs --data leaderboard/comphy

clean:
	rm -rf .venv demo build dist site leaderboard .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests -type d -name __pycache__ -prune -exec rm -rf {} +

NEEDED := pyproject.toml constraints.txt src/tumble/__init__.py
$(VENV): $(NEEDED)
	@command -v "$(PYTHON)" >/dev/null || { \
		echo "Tumble needs Python 3.10 or newer, and there is no '$(PYTHON)'. Name yours: make PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
		echo "Tumble needs Python 3.10 or newer; '$(PYTHON)' is" \
			"$$("$(PYTHON)" --version 2>&1). Name a newer one: make PYTHON=python3.12" >&2; exit 1; }
	@$(VENV_PYTHON) -m pip --version >/dev/null 2>&1 || { \
		echo "Making .venv with $$("$(PYTHON)" --version)"; \
		"$(PYTHON)" -m venv --clear .venv >/dev/null 2>&1 || { \
			"$(PYTHON)" -m venv --clear --without-pip .venv >/dev/null 2>&1 && \
			"$(PYTHON)" -m pip --python $(VENV_PYTHON) install --quiet pip 2>/dev/null; } || \
		"$(PYTHON)" -m virtualenv --quiet --clear .venv 2>/dev/null || { \
			echo "'$(PYTHON)' cannot make a virtual environment with pip." \
				"On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }; }
	@touch $@

# What compiling the kernels needs.
$(BASE): $(VENV)
	@echo "Installing tumble into .venv"
	@$(PIP_INSTALL) --editable .
	@touch $@

$(CORE): $(VENV)
	@echo "Installing tumble into .venv"
	@$(PIP_INSTALL) --editable ".[agents,video]"
	@touch $(BASE) $@

$(DEV): $(VENV)
	@echo "Installing tumble and the tools for development into .venv"
	@$(PIP_INSTALL) --editable ".[dev,agents,cluster,llm,rl,video,web]"
	@touch $(BASE) $(CORE) $@

$(DOCS): $(VENV)
	@echo "Installing tumble and what builds the documentation into .venv"
	@$(PIP_INSTALL) --editable ".[docs,agents,video]"
	@touch $(BASE) $(CORE) $@
