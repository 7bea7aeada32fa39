#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Try the packages that build-deb.sh has made: deb-test.sh [cloud|amd64]
#
# The kernel boots in the test machine and counts exactly, with the formats of the
# series in sysfs. In a pristine Debian 12 with Debian's own kernel the packages are
# installed beside it, perf-corepmu runs, and after the purge every file is as it
# was before. Needs root. Adds what came of it to build/results/deb.tsv.
. "$(dirname "$0")/lib.sh"

flavour=${1:-cloud}
table=$build/results/deb.tsv
root=$build/deb-$flavour/debian

. "$(dirname "$0")/chroot.sh"

# The one file of a pattern in build/deb.
package()
{
	found=$(find "$build/deb" -name "$1")
	[ -f "$found" ] || die "no single package $1 in build/deb: make deb first"
	echo "$found"
}

# The last row's result, which build-deb.sh has written.
result()
{
	sed -i "s/^\($flavour\t.*\t\)[^\t]*$/\1$1/" "$table"
	say "$flavour: $1"
}

# What is installed, apart from what apt and dpkg know of it.
files()
{
	inside "find / -xdev \( -path /proc -o -path /dev -o -path /var/cache -o -path /var/log \
		-o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /tmp \
		-o -path /root/packages \) -prune -o -type f -print | sort |
		xargs -d '\n' sha256sum"
}

image=$(package "linux-image-*-$flavour-corepmu_*.deb")
headers=$(package "linux-headers-*-$flavour-corepmu_*.deb")
perf=$(package "perf-corepmu_*.deb")

say "booting the kernel of ${image##*/}"
rm -rf "$build/deb-$flavour/boot"
dpkg-deb -x "$image" "$build/deb-$flavour/boot"
result "does not boot"
"$top/tools/testing/machine/run" --cpu arrowlake --out "$build/check/deb-$flavour" \
	--kernel "$(find "$build/deb-$flavour/boot/boot" -name 'vmlinuz-*')" -- 'set -e
	uname -r | grep corepmu
	cat /sys/bus/event_source/devices/cpu_atom/format/acr_mask
	cat /sys/bus/event_source/devices/cpu_core/format/freeze
	perf record -q -o /tmp/data -e "{cpu_atom/branch-misses,ratio-to=branch-instructions:20%/ppu,cpu_atom/branch-instructions,period=10000/u}" -- mispredict
	perf script -i /tmp/data -F sym | sort | uniq -c
	perf script -i /tmp/data -F sym | grep -q loop2
	! perf script -i /tmp/data -F sym | grep -v loop2 | grep .'

result "does not install"
pristine "deb-$flavour"
mkdir -p "$root/root/packages"
cp "$image" "$headers" "$perf" "$root/root/packages"
install="apt-get -q -y --no-install-recommends install"
logged "deb-$flavour-debian" inside "apt-get -q update &&
	$install linux-image-cloud-amd64 initramfs-tools"
files >"$build/deb-$flavour/before"
logged "deb-$flavour-install" inside "$install /root/packages/*.deb
	ls /boot/vmlinuz-*-corepmu /boot/initrd.img-*-corepmu /boot/vmlinuz-*-cloud-amd64
	perf-corepmu --version
	perf-corepmu stat -e task-clock true"
result "does not purge"
logged "deb-$flavour-purge" inside "
	apt-get -q -y purge 'linux-image-*-corepmu' 'linux-headers-*-corepmu' perf-corepmu
	apt-get -q -y autoremove --purge
	ls /boot/vmlinuz-*-cloud-amd64 /boot/initrd.img-*-cloud-amd64"
files >"$build/deb-$flavour/after"
diff "$build/deb-$flavour/before" "$build/deb-$flavour/after" >&2 ||
	die "the purge leaves other files than there were"
result "built, boots, installs and purges"
remove
