#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Fuzz the PMU model: fuzz-model.sh [SECONDS], 600 if not given. Inputs that
# reach new code are kept in build/fuzz-model/corpus, one that fails in
# build/fuzz-model. With SEED=number in the environment nothing is kept and the
# run starts from nothing but that. Exits 4 without clang's fuzzer runtime.
. "$(dirname "$0")/lib.sh"

seconds=${1:-600}
tests=$top/tools/testing/pmusim/tests
out=$build/fuzz-model

mkdir -p "$out/corpus"
if ! echo 'int LLVMFuzzerTestOneInput() { return 0; }' |
	clang -w -fsanitize=fuzzer -x c -o "$out/probe" - 2>/dev/null; then
	say "clang has no fuzzer runtime: skipped"
	exit 4
fi
logged fuzz-model-build make -C "$tests" O="$out" fuzz

set -- "-max_total_time=$seconds" -max_len=1024 -print_final_stats=1 \
	"-artifact_prefix=$out/"
if [ -n "${SEED:-}" ]; then
	set -- "$@" "-seed=$SEED"
else
	set -- "$@" "$out/corpus"
fi
exec "$out/fuzz" "$@"
