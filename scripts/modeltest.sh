#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run the PMU model's unit tests on the host, plainly and under the address and
# undefined behaviour sanitizers; results as TAP, the second run's names with
# "-sanitized" behind them.
. "$(dirname "$0")/lib.sh"

tests=$top/tools/testing/pmusim/tests
status=0
for san in '' 1; do
	out=$build/modeltest${san:+-sanitized}
	mkdir -p "$out"
	logged "modeltest${san:+-sanitized}-build" \
		make -C "$tests" O="$out" CC="ccache gcc" SAN="$san"
	for source in "$tests"/*_test.c; do
		test=$(basename "$source" .c)
		CMOCKA_MESSAGE_OUTPUT=TAP "$out/$test" >"$out/$test.tap" || status=1
		sed "s/^\(\(not \)\?ok .*\)$/\1${san:+-sanitized}/" "$out/$test.tap"
	done
done
exit $status
