#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Build perf from the series' kernel tree into build/perf, print its path.
# PERF_TREE and PERF_OUT name another git tree and place, PERF_WITHOUT what else
# to leave out.
. "$(dirname "$0")/lib.sh"

tree=${PERF_TREE:-$build/linux}
out=${PERF_OUT:-$build/perf}
[ -d "$tree/tools/perf" ] || "$top/scripts/source-tree.sh" series >&2

# Symbols need libelf, lines libdw; what else perf can link is left out: it
# would have to go into the root file system.
without="
	LIBTRACEEVENT=1 LIBPERL=1 LIBPYTHON=1 SLANG=1 GTK2=1
	LIBLLVM=1 LIBBPF=1 LIBCRYPTO=1 LIBUNWIND=1 LIBNUMA=1 LIBAUDIT=1
	LIBZSTD=1 LIBCAP=1 LIBBABELTRACE=1 LIBPFM4=1 JVMTI=1 LIBDEBUGINFOD=1
	SDT=1 LZMA=1 CAPSTONE=1 SHELLCHECK=1
	${PERF_WITHOUT:+$PERF_WITHOUT=1}
"
# Python writes the event tables, but is not linked; perf looks for it by way of
# python3-config, which is in a package of its own.
options="PYTHON=python3 PYTHON_CONFIG=true $(for word in $without; do echo "NO_$word"; done)"

alone "$out"
# make alone would probe the host's libraries each time.
key="$(git -C "$tree" rev-parse HEAD:tools) $(sha256sum <"$0") ${PERF_WITHOUT:-}"
if ! same "$out/.built" "$key" || [ ! -x "$out/perf" ]; then
	# shellcheck disable=SC2086 # options are words
	logged "perf" nice make -C "$tree/tools/perf" O="$out" -j"$jobs" \
		CC="ccache gcc" HOSTCC="ccache gcc" BUILD_BPF_SKEL=0 WERROR=0 \
		$options "$out/perf"
	remember "$out/.built" "$key"
fi
echo "$out/perf"
