#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Build Debian packages of kernel, headers and perf: build-deb.sh [cloud|amd64]
#
# The configuration is Debian's own of that flavour, without debugging
# information, which would double time and disk, and with the options of the
# series but for its KUnit tests. The kernels are called 6.12.N-FLAVOUR-corepmu
# and live beside Debian's and each other; perf is perf-corepmu. Packages land in
# build/deb in place of the last ones of that flavour, a row
# "flavour seconds disk_mib result" in build/results/deb.tsv. Their version goes up
# with every commit, so that a newer series is an upgrade.
#
# With ONLY=events the configuration is taken and nothing is built of it but
# arch/x86/events and perf.
. "$(dirname "$0")/lib.sh"

flavour=${1:-cloud}
case $flavour in
cloud) config=config.amd64_none_cloud-amd64.xz ;;
amd64) config=config.amd64_none_amd64.xz ;;
*) die "unknown flavour '$flavour': cloud or amd64" ;;
esac
table=$build/results/deb.tsv
tree=$build/linux
out=$build/deb-$flavour/linux
started=$(date +%s)

"$top/scripts/source-tree.sh" series >/dev/null
alone "$build/deb-$flavour"
mkdir -p "$out" "$build/deb" "$build/results"

kmake()
{
	nice make -C "$tree" O="$out" CC="$top/scripts/cached-gcc.sh" HOSTCC="ccache gcc" \
		KBUILD_BUILD_TIMESTAMP=@1 KBUILD_BUILD_USER=corepmu \
		KBUILD_BUILD_HOST=corepmu LOCALVERSION="-$flavour-corepmu" "$@"
}

configure()
{
	xzcat "$(dirname "$("$top/scripts/fetch.sh" config)")/$config" >"$out/.config"
	"$tree/scripts/config" --file "$out/.config" \
		-d DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT -d DEBUG_INFO_BTF \
		-e DEBUG_INFO_NONE --set-str SYSTEM_TRUSTED_KEYS '' \
		--set-str LOCALVERSION ''
	sed -n '/_KUNIT_TEST$/d; s/^config //p' "$tree/arch/x86/events/intel/Kconfig" |
		while read -r option; do
			"$tree/scripts/config" --file "$out/.config" -e "$option"
		done
	kmake olddefconfig
}

# Every option of ours has to have survived the dependencies.
took()
{
	sed -n '/_KUNIT_TEST$/d; s/^config //p' "$tree/arch/x86/events/intel/Kconfig" |
		while read -r option; do
			grep -qx "CONFIG_$option=y" "$out/.config" ||
				die "$flavour: CONFIG_$option did not take"
		done
}

# perf_package VERSION FOLDER: perf with what Debian's links, under a name of its own.
perf_package()
{
	root=$build/deb-$flavour/perf-root
	rm -rf "$root"
	mkdir -p "$root/DEBIAN" "$root/usr/bin" "$build/deb-$flavour/perf"
	# The license of the disassembler's library does not go with perf's.
	logged deb-perf nice make -C "$tree/tools/perf" O="$build/deb-$flavour/perf" \
		-j"$jobs" CC="$top/scripts/cached-gcc.sh" HOSTCC="ccache gcc" WERROR=0 PYTHON=python3 \
		BUILD_BPF_SKEL=0 NO_LIBBPF=1 NO_LIBPERL=1 NO_LIBPYTHON=1 NO_JVMTI=1 \
		NO_LIBBABELTRACE=1 NO_LIBLLVM=1 NO_GTK2=1 NO_LIBBFD=1 \
		prefix=/usr/lib/perf-corepmu DESTDIR="$root" install-bin
	ln -s ../lib/perf-corepmu/bin/perf "$root/usr/bin/perf-corepmu"
	rm -rf "$root/usr/lib/perf-corepmu/libexec/perf-core/tests" \
		"$root/usr/lib/perf-corepmu/bin/trace"
	(
		cd "$build/deb-$flavour"
		mkdir -p debian
		printf 'Source: corepmu\n\nPackage: perf-corepmu\nArchitecture: any\n' \
			>debian/control
		needs=$(dpkg-shlibdeps -O "$root/usr/lib/perf-corepmu/bin/perf" 2>/dev/null)
		cat >"$root/DEBIAN/control" <<END
Package: perf-corepmu
Version: $1
Architecture: amd64
Section: devel
Priority: optional
Maintainer: corepmu <corepmu@localhost>
Depends: ${needs#shlibs:Depends=}
Description: performance analysis tool with ACR and TopDown of Intel PMUs
 perf of Linux 6.12 with the corepmu series: ratios instead of periods for
 auto counter reload, and perf stat --topdown by thread from sysfs. Installed
 beside any other perf, as perf-corepmu.
END
	)
	dpkg-deb --root-owner-group -b "$root" "$2" >/dev/null
}

# One row a flavour.
record()
{
	[ -f "$table" ] || printf 'flavour\tseconds\tdisk_mib\tresult\n' >"$table"
	sed -i "/^$flavour\t/d" "$table"
	printf '%s\t%s\t%s\t%s\n' "$flavour" $(($(date +%s) - started)) \
		"$(du -sm "$build/deb-$flavour" | cut -f 1)" "$1" >>"$table"
	tail -n 1 "$table"
}

logged "deb-$flavour-config" configure
took
if [ "${ONLY:-}" = events ]; then
	logged "deb-$flavour-events" kmake -j"$jobs" prepare arch/x86/events/
	perf_package 0 "$build/deb-$flavour"
	record events
	exit
fi
version=$(kmake -s kernelversion)-$(git -C "$top" rev-list --count HEAD)
rm -f "$build/deb-$flavour"/*.deb
logged "deb-$flavour" kmake -j"$jobs" KDEB_PKGVERSION="$version" \
	KDEB_SOURCENAME="linux-corepmu" \
	DEB_BUILD_PROFILES=pkg.linux-upstream.nokerneldbg DPKG_FLAGS=-d bindeb-pkg
rm -f "$build/deb"/*-"$flavour"-corepmu_*.deb "$build/deb"/perf-corepmu_*.deb
mv "$build/deb-$flavour"/linux-image-*.deb "$build/deb-$flavour"/linux-headers-*.deb \
	"$build/deb"
perf_package "$version" "$build/deb"
record built
ls -sh "$build/deb"
