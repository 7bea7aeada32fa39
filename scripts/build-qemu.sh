#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Build QEMU with the emulated Intel PMU and print the path of its system
# emulator. The result is kept in the cache under a hash of everything that
# went into it; build/qemu holds the objects for the next change.
#
# usage: build-qemu.sh [--plain]
#   --plain  without the PMU, to compare with
. "$(dirname "$0")/lib.sh"

pmusim=$top/tools/testing/pmusim
flavour=pmusim
[ "${1:-}" != --plain ] || flavour=plain

dsc=$("$top/scripts/fetch.sh" qemu)
inputs="$dsc $0 $top/scripts/hooks.py"
key=$({
	# shellcheck disable=SC2086 # a list of paths without blanks
	sha256sum $inputs
	[ $flavour = plain ] || (cd "$pmusim" && sha256sum model/*.[ch] qemu/*)
} | sed 's, .*/, ,' | sha256sum | cut -c 1-16)
result=$cache/qemu-$flavour-$key
work=$build/qemu-$flavour
src=$work/src
obj=$work/obj

finish_if_built()
{
	if [ -x "$result/qemu-system-x86_64" ]; then
		echo "$result/qemu-system-x86_64"
		exit
	fi
}

finish_if_built
alone "$work"
finish_if_built
say "QEMU ($flavour): building"

if ! same "$work/unpacked" "$dsc"; then
	rm -rf "$src" "$obj" "$work/unpacked"
	logged qemu-unpack dpkg-source -x "$dsc" "$src"
	git -C "$src" init -q
	git -C "$src" add -A -f
	git -C "$src" -c user.name=base -c user.email=base@localhost \
		commit -qm base
	remember "$work/unpacked" "$dsc"
fi

git -C "$src" reset -q --hard
git -C "$src" clean -qfdx
mkdir -p "$src/configs/devices/x86_64-softmmu"
if [ $flavour = pmusim ]; then
	"$top/scripts/hooks.py" "$src" "$pmusim/qemu"
else
	cp "$pmusim/qemu/devices.mak" \
		"$src/configs/devices/x86_64-softmmu/pmusim.mak"
fi

configure_qemu()
{
	mkdir -p "$obj"
	cd "$obj"
	CC="ccache gcc" "$src/configure" --target-list=x86_64-softmmu \
		--without-default-features --without-default-devices \
		--with-devices-x86_64=pmusim --enable-tcg --enable-system \
		--enable-fdt=system --disable-docs --disable-tools \
		--disable-debug-info --disable-install-blobs
}

compile_qemu()
{
	ninja -C "$obj" -j "$jobs" qemu-system-x86_64
}

# This file has the options, so a change of it configures anew.
if ! cmp -s "$0" "$work/configured"; then
	rm -rf "$obj" "$work/configured"
	logged qemu-configure configure_qemu
	cp "$0" "$work/configured"
fi
logged "qemu-$flavour" compile_qemu

mkdir -p "$result.new"
cp "$obj/qemu-system-x86_64" "$result.new"
rm -rf "$result"
mv "$result.new" "$result"
echo "$result/qemu-system-x86_64"
