# SPDX-License-Identifier: MIT
# A thin front of Meson: the set-up, the programs, the demo, the tests.

BUILD := build
ASAN := build-asan
SHELL := /bin/sh
MAKEFLAGS += --no-print-directory

.PHONY: all build guest demo check deps-build deps-app deps-check app asan bench clean

all: build

deps-build:
	@tools/deps.sh build

deps-app:
	@tools/deps.sh app

deps-check:
	@tools/deps.sh check

$(BUILD)/build.ninja:
	@echo "Configuring $(BUILD)"
	@meson setup --buildtype=release -Db_ndebug=false $(BUILD) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@mv $(BUILD).log $(BUILD)/setup.log

# The programs: build/rewind, and the guest they boot: build/guest.
build: deps-build $(BUILD)/build.ninja
	@grep -q rewind-app $(BUILD)/build.ninja || ! pkg-config --exists gtk4 libadwaita-1 gtksourceview-5 || \
	  meson setup --reconfigure $(BUILD) >/dev/null
	@meson compile -C $(BUILD) >$(BUILD)/compile.log 2>&1 || { cat $(BUILD)/compile.log; exit 1; }
	@ln -sfn app/rewind $(BUILD)/rewind
	@$(MAKE) guest
	@echo "Built $(BUILD)/rewind"

# The desktop app too: build/rewind-app. `build` makes it where its libraries are.
app: deps-app build
	@ln -sfn app/desktop/rewind-app $(BUILD)/rewind-app
	@echo "Built $(BUILD)/rewind-app"

# Built once, then taken from the user's cache.
guest:
	@guest/linux/build.sh $(BUILD)/guest

# The main job on an example: find the schedule under which the bank loses money, and replay it.
demo: build
	@tools/demo.sh $(BUILD)

asan:
	@test -e $(ASAN)/build.ninja || meson setup -Db_sanitize=address,undefined -Db_lundef=false \
	  --buildtype=debugoptimized -Doptimization=1 $(ASAN) >/dev/null
	@meson compile -C $(ASAN) >$(ASAN)/compile.log 2>&1 || { cat $(ASAN)/compile.log; exit 1; }

# Every test; the last line counts them.
check: deps-check build asan
	@tools/check.sh $(BUILD) $(ASAN)

# Figures against QEMU and native: see docs/performance.md.
bench: deps-check build
	@tests/rootfs/debian.sh $(BUILD)/debian.tar
	@python3 tests/bench/bench.py $(BUILD)/rewind $(BUILD)/debian.tar
	@test ! -e $(BUILD)/tests/bench/app-bench || tests/bench/app.sh $(BUILD)

clean:
	rm -rf $(BUILD) $(ASAN)
