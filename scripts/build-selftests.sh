#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Build the perf_events selftests of the series' kernel tree, statically, into
# build/selftests. SELFTESTS_TREE and SELFTESTS_OUT name another tree and place.
. "$(dirname "$0")/lib.sh"

tree=${SELFTESTS_TREE:-$build/linux}
result=${SELFTESTS_OUT:-$build/selftests}
out=$result-build

# The one header that the tests need newer than Debian's; all of them, by
# "make headers", would take a minute.
selftests()
(
	mkdir -p "$out/include/linux" "$out/tools/scripts" &&
		cd "$out/tools" &&
		gcc -o scripts/unifdef "$tree/scripts/unifdef.c" &&
		sh "$tree/scripts/headers_install.sh" \
			"$tree/include/uapi/linux/perf_event.h" \
			"$out/include/linux/perf_event.h" &&
		nice make -C "$tree/tools/testing/selftests/perf_events" \
			OUTPUT="$out" CC="ccache gcc" \
			KHDR_INCLUDES="-isystem $out/include" LDFLAGS=-static
)

alone "$out"
key="$(git -C "$tree" rev-parse HEAD:tools/testing/selftests HEAD:include/uapi) $(sha256sum <"$0")"
if same "$out/.built" "$key"; then
	exit 0
fi
# Programs that are no tests any more must go; the lock is held and stays.
rm -rf "$result"
find "$out" -maxdepth 1 -type f ! -name .lock -delete
mkdir -p "$result"
logged selftests selftests
for program in "$out"/*; do
	if [ -f "$program" ] && [ -x "$program" ]; then
		cp "$program" "$result/"
	fi
done
remember "$out/.built" "$key"
