# SPDX-License-Identifier: MIT
# A thin front of Meson: the set-up, the programs, the demo, the tests. A step that fails shows its last lines.

BUILD := build
ASAN := build-asan
SHELL := /bin/sh
MAKEFLAGS += --no-print-directory
STEP := tools/step.sh
# What was configured before its libraries or tools were there knows nothing of them.
RECONFIGURE = $(STEP) $(1)/setup.log "the configuration" meson setup --reconfigure $(1)

.PHONY: all build guest demo check deps-build deps-app deps-check check-configured app asan bench install uninstall dist clean

all: build

deps-build:
	@tools/deps.sh build

deps-app:
	@tools/deps.sh app

deps-check:
	@tools/deps.sh check

$(BUILD)/build.ninja:
	@echo "Configuring $(BUILD)"
	@$(STEP) $(BUILD)/setup.log "the configuration" meson setup --buildtype=release -Db_ndebug=false $(BUILD)

# The programs: build/rewind, and the guest they boot: build/guest.
build: deps-build $(BUILD)/build.ninja
	@grep -q rewind-app $(BUILD)/build.ninja || ! pkg-config --exists gtk4 libadwaita-1 gtksourceview-5 vte-2.91-gtk4 || $(call RECONFIGURE,$(BUILD))
	@$(STEP) $(BUILD)/compile.log "the build" meson compile -C $(BUILD)
	@ln -sfn app/rewind $(BUILD)/rewind
	@$(MAKE) guest
	@echo "Built $(BUILD)/rewind"

# The desktop app too: build/rewind-app. `build` makes it where its libraries are.
app: deps-app build
	@test -x $(BUILD)/app/desktop/rewind-app || \
	  { echo "rewind: $(BUILD) is configured without the app: meson configure $(BUILD) -Dapp=enabled" >&2; exit 1; }
	@ln -sfn app/desktop/rewind-app $(BUILD)/rewind-app
	@echo "Built $(BUILD)/rewind-app"

# Built once, then taken from the user's cache.
guest:
	@guest/linux/build.sh $(BUILD)/guest

# The main job on an example: find the schedule under which the bank loses money, and replay it.
demo: build
	@tools/demo.sh $(BUILD)

# The same with sanitizers; its programs find a guest in their own tree, too.
asan:
	@test -e $(ASAN)/build.ninja || $(STEP) $(ASAN)/setup.log "the configuration with sanitizers" \
	  meson setup -Db_sanitize=address,undefined -Db_lundef=false --buildtype=debugoptimized -Doptimization=1 $(ASAN)
	@$(STEP) $(ASAN)/compile.log "the build with sanitizers" meson compile -C $(ASAN)
	@guest/linux/build.sh $(ASAN)/guest

# The app's tests need more than the app: a display that nobody sees.
check-configured: $(BUILD)/build.ninja
	@grep -q tests/ui/test-window $(BUILD)/build.ninja || $(call RECONFIGURE,$(BUILD))
	@test ! -e $(ASAN)/build.ninja || grep -q tests/ui/test-window $(ASAN)/build.ninja || $(call RECONFIGURE,$(ASAN))

# Every test; the last line counts them.
check: deps-check check-configured build asan
	@tools/check.sh $(BUILD) $(ASAN)

# Figures against QEMU and native: see docs/performance.md.
bench: deps-check build
	@tests/rootfs/debian.sh $(BUILD)/debian.tar
	@python3 tests/bench/bench.py $(BUILD)/rewind $(BUILD)/debian.tar
	@test ! -e $(BUILD)/tests/bench/app-bench || tests/bench/app.sh $(BUILD)

# What is built, to DESTDIR and PREFIX, where those are given: programs, guest, manual pages, what a desktop needs.
install:
	@test -e $(BUILD)/app/rewind -a -e $(BUILD)/guest/vmlinux || $(MAKE) build
	@test -z "$(PREFIX)" || $(STEP) $(BUILD)/setup.log "the configuration" meson configure $(BUILD) -Dprefix=$(PREFIX)
	@$(STEP) $(BUILD)/install.log "the installation" meson install -C $(BUILD) $(if $(DESTDIR),--destdir "$(abspath $(DESTDIR))")

# What the last `make install` put there.
uninstall:
	@tools/uninstall.sh $(BUILD)

# The committed tree, and what is built of it in a folder that works wherever it lies: build/dist.
dist: app
	@mkdir -p $(BUILD)/dist
	@$(STEP) $(BUILD)/dist.log "the source's tarball" meson dist -C $(BUILD) --no-tests --formats xztar
	@cp $(BUILD)/meson-dist/rewind-*.tar.xz $(BUILD)/dist/
	@$(STEP) $(BUILD)/dist.log "the programs' tarball" tools/dist.sh $(BUILD) $(BUILD)/dist

clean:
	rm -rf $(BUILD) $(ASAN)
