# SPDX-License-Identifier: GPL-2.0
# Builds and tests corepmu. The work is done in scripts/; all results are in
# build/, downloads and ccache in $XDG_CACHE_HOME/corepmu.

machine := tools/testing/machine
run := $(machine)/run

CPU ?= arrowlake
KERNEL ?= series
TEST ?=
FLAVOUR ?= cloud
# For the shell of the test machine as it was typed, "$" and all.
override CMD := $(value CMD)
export CMD TEST

help:
	@echo 'Everything:'
	@sed -n 's/^\([a-z-]*\):.*## E /  \1\t/p' $(MAKEFILE_LIST)
	@echo 'Pieces:'
	@sed -n 's/^\([a-z-]*\):.*## P /  \1\t/p' $(MAKEFILE_LIST)
	@echo 'Parts of check (TEST=pattern picks):'
	@sed -n 's/^\([a-z-]*\):.*## C /  \1\t/p' $(MAKEFILE_LIST)

demo: rootfs kernel qemu ## E record the branch-miss-ratio example with and without ACR
	@scripts/demo.py

check: deps ## E pass every test; results in build/results/check.tsv
	@scripts/check.py

fresh: deps ## E demo and check in a pristine Debian 12 (CACHE=1 lends it the cache)
	@scripts/fresh.sh

series: deps ## P the patches to mail in build/series; PREVIOUS=revision VERSION=2
	@MAIL=1 scripts/source-tree.sh series

tree: deps ## P the git tree with the series in build/linux
	@scripts/source-tree.sh series

kernel: tree ## P the test machine's kernel
	@scripts/build-kernel.sh series

perf: tree ## P perf of the series
	@scripts/build-perf.sh

qemu: deps ## P the emulator with the Intel PMU
	@scripts/build-qemu.sh

selftests: tree ## P the kernel selftests of perf_events
	@scripts/build-selftests.sh

rootfs: perf selftests ## P the test machine's root file system
	@$(MAKE) -s -C $(machine) O=$(CURDIR)/build/machine \
		PERF=$(CURDIR)/build/perf/perf SELFTESTS=$(CURDIR)/build/selftests \
		LIBPERF=$(CURDIR)/build/perf SOURCE=$(CURDIR)/build/linux

vm: rootfs qemu ## P a shell in the test machine; CMD='...' CPU=arrowlake KERNEL=series|stock|mainline|debian|path
	@case '$(KERNEL)' in \
	series|stock|mainline|debian) kernel=$$(scripts/build-kernel.sh '$(KERNEL)') || exit 1 ;; \
	*) kernel='$(KERNEL)' ;; \
	esac; \
	exec $(run) --cpu '$(CPU)' --kernel "$$kernel" -- "$$CMD"

pmusim-matrix: rootfs qemu ## P others' kernels on every emulated CPU, with perf; build/results/pmusim.tsv
	@scripts/pmusim_matrix.py

bench: rootfs qemu ## P what drivers cost: stock, series, mainline; build/results/bench.tsv, charts beside it; SCENARIO=...
	@scripts/bench.py $(SCENARIO:%=--scenario %)
	@scripts/chart.py build/results/bench.tsv build/results

speed: rootfs ## P what the emulated PMU costs the emulator, in seconds
	@scripts/speed.py

modeltest: deps ## C unit tests of the emulated PMU, on the host
	@scripts/check.py modeltest

fuzz: deps ## P random events and perf lines on a debug kernel; SECONDS=600 SEED=1; build/results/fuzz.tsv
	@scripts/fuzz.py $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED))

mutations: rootfs qemu ## P put known faults of ACR back, see their tests fail; FAULT='D1 E3'; build/results/mutations.tsv
	@scripts/mutate.py $(FAULT)

fuzz-model: deps ## P fuzz the emulated PMU; SECONDS=600
	@scripts/fuzz-model.sh $(SECONDS)

kunit: deps ## C KUnit suites of the series, in the test machine
	@scripts/check.py kunit

selftest: deps ## C kernel selftests, in the test machine
	@scripts/check.py selftest

perftest: deps ## C perf's own tests that the series touches, in the test machine
	@scripts/check.py perftest

topdown: deps ## C perf's TopDown against the model's truth, in the test machine
	@scripts/check.py topdown

lint: deps ## C static checks; check runs the short ones, this builds every patch
	@scripts/deps.sh lint
	@scripts/check.py lint static patches

bisect: deps ## P boot and KUnit at every patch
	@scripts/check.py bisect

debug: deps ## P ACR's selftests on the debug kernel, for what it says about locks
	@scripts/check.py debug

drift: deps ## P which hooks fit other kernels that Debian serves; build/results/drift.tsv
	@scripts/drift.py

deb: deps ## P Debian packages of kernel, headers and perf in build/deb; FLAVOUR=cloud|amd64, ONLY=events to try a configuration
	@scripts/deps.sh deb
	@scripts/build-deb.sh $(FLAVOUR)

deb-test: rootfs qemu ## P boot, install and purge these packages, in a pristine Debian; FLAVOUR=cloud|amd64
	@scripts/deb-test.sh $(FLAVOUR)

deps:
	@scripts/deps.sh

clean: ## P remove build/
	rm -rf build

.NOTPARALLEL:
.PHONY: help demo check fresh series tree kernel perf qemu selftests rootfs vm \
	pmusim-matrix bench speed modeltest fuzz mutations fuzz-model kunit selftest \
	perftest topdown lint bisect debug drift deb deb-test deps clean
.DEFAULT_GOAL := help
