# Stowage: a thin front of Meson and Ninja.  `make help` lists what it does.
#
# Every target sets up what it needs: tools/setup installs missing Debian packages
# once (the stamp remembers), Meson configures a folder once, Ninja builds what changed.
.DEFAULT_GOAL := build
.PHONY: run test build bench conformance coverage install clean help

BUILD   := build
RELEASE := $(BUILD)/release
ASAN    := $(BUILD)/asan
NINJA   := ninja --quiet -C

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

run: build ## build the release; the examples: a bill, pods placed, what to buy, replicas over clusters
	$(RELEASE)/stowage inspect -f examples/shop
	@echo; echo
	$(RELEASE)/stowage place -f examples/shop
	@echo; echo
	$(RELEASE)/stowage place -f examples/shop --explain=image-resizer-crqz7f5mw-p9w29
	@echo; echo
	$(RELEASE)/stowage scale -f examples/shop --compare
	@echo; echo
	$(RELEASE)/stowage divide -f examples/fleet/story --explain
	@echo; echo
	$(RELEASE)/stowage divide -f examples/fleet/story -o propagation-policy

build: $(RELEASE)/build.ninja ## release build: build/release/stowage, build/release/conformance
	@$(NINJA) $(RELEASE)

test: $(ASAN)/build.ninja ## build with sanitizers and run every test
	@$(NINJA) $(ASAN)
	@tools/run-tests $(ASAN)

conformance: build ## run case files through the release build: make conformance FILES="a.json b.json"
	$(RELEASE)/conformance $(or $(FILES),$(sort $(wildcard tests/vectors/*.json)))

bench: $(RELEASE)/.bench ## measure loading, memory and start-up
	@$(NINJA) $(RELEASE)
	@bench/run.py --build $(RELEASE) --out $(BUILD)/bench

coverage: $(BUILD)/.setup ## which lines of src/ no test runs: a summary; the list is build/coverage/uncovered.txt
	@tools/coverage $(SUITES)

install: build ## install the release (PREFIX=/usr/local, DESTDIR=)
	@$(if $(PREFIX),meson configure $(RELEASE) --prefix $(PREFIX) && $(NINJA) $(RELEASE))
	@meson install -C $(RELEASE) --no-rebuild $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

clean: ## remove everything that was built
	rm -rf $(BUILD)

$(BUILD)/.setup $(BUILD)/.setup-bench: tools/setup tools/packages
	@tools/setup $(patsubst .setup-%,%,$(filter .setup-%,$(notdir $@)))
	@mkdir -p $(BUILD) && touch $@

$(RELEASE)/.bench: $(BUILD)/.setup-bench | $(RELEASE)/build.ninja
	@meson configure $(RELEASE) -Dbench=true
	@touch $@

$(RELEASE)/build.ninja: | $(BUILD)/.setup
	@meson setup $(RELEASE) --buildtype=release -Doptimization=2 > /dev/null

$(ASAN)/build.ninja: | $(BUILD)/.setup
	@meson setup $(ASAN) --buildtype=debugoptimized -Db_sanitize=address,undefined \
		-Db_lundef=false > /dev/null
