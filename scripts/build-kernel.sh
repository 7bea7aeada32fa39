#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Build the test machine's kernel: build-kernel.sh series|stock|mainline|debian
# Prints the path of the image; debian is not built, but as its package has it.
# With EXTRA_CONFIG=FILE the series is built with a second fragment, NAME=...
# names its build folder (build/kernel-NAME), TREE=... another tree of it.
. "$(dirname "$0")/lib.sh"

variant=${1:-series}
name=${NAME:-$variant}
fragment=$top/tools/testing/machine/kernel.config
options=arch/x86/events/intel/Kconfig

# Seen from the objects the source is ../linux always, so that ccache knows
# what the series does not touch from the stock kernel.
case $variant in
debian)
	image=$("$top/scripts/fetch.sh" debian)
	config=$(dirname "$image")/config${image##*/vmlinuz}
	for option in BLK_DEV_INITRD DEVTMPFS PERF_EVENTS SERIAL_8250_CONSOLE TMPFS; do
		grep -qx "CONFIG_$option=y" "$config" ||
			die "$image has no $option, which the test machine needs"
	done
	echo "$image"
	exit
	;;
series)
	tree=${TREE:-$build/linux}
	out=$build/kernel-$name
	;;
stock | mainline)
	tree=$build/$variant/linux
	out=$build/$variant/kernel
	;;
*)
	die "unknown kernel '$variant': series, stock, mainline or debian"
	;;
esac
if [ "$variant" != series ] || [ ! -f "$tree/Kconfig" ]; then
	"$top/scripts/source-tree.sh" "$variant" >/dev/null
fi

alone "$out"
{
	cat "$fragment" ${EXTRA_CONFIG:+"$EXTRA_CONFIG"}
	# All options of the series, as far as its patches have come.
	if [ -f "$tree/$options" ] && [ "$variant" = series ]; then
		sed -n 's/^config \(.*\)/CONFIG_\1=y/p' "$tree/$options"
	fi
} >"$out/fragment"

kmake()
{
	# shellcheck disable=SC2086 # options are words
	nice make -C "$tree" O="$out" CC="$top/scripts/cached-gcc.sh" HOSTCC="ccache gcc" \
		KBUILD_BUILD_TIMESTAMP=@1 KBUILD_BUILD_USER=corepmu \
		KBUILD_BUILD_HOST=corepmu KBUILD_BUILD_VERSION=1 "$@"
}

# The options of the series exist in its own tree only.
config_took()
{
	missing=
	while IFS= read -r line; do
		case $line in
		CONFIG_*=n)
			grep -q "^${line%=n}=" "$out/.config" && missing="$missing $line"
			;;
		CONFIG_*)
			grep -qx "$line" "$out/.config" || missing="$missing $line"
			;;
		esac
	done <"$out/fragment"
	if [ -n "$missing" ] && [ "$variant" = series ]; then
		die "options that did not take:$missing"
	fi
}

image=$out/arch/x86/boot/bzImage
if [ -e "$tree/.git" ]; then
	source=$(git -C "$tree" rev-parse 'HEAD^{tree}')
else
	source=$(cat "$tree.version")
fi
key="$source $(sha256sum <"$out/fragment") $(sha256sum <"$0")"
if ! same "$out/.built" "$key" || [ ! -f "$image" ]; then
	logged "kernel-$name-config" \
		kmake KCONFIG_ALLCONFIG="$out/fragment" allnoconfig
	config_took
	logged "kernel-$name" kmake -j"$jobs" bzImage
	remember "$out/.built" "$key"
fi
echo "$image"
