#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Make sure that the Debian packages which the build and the tests use are
# there: as root install what is missing, else say how. (Semantic patches that
# count their matches need libpython's development link. linux-perf is the
# distribution's perf, which has to record with the series, too.) With an argument, for
# what is not part of check: deps.sh deb|lint
. "$(dirname "$0")/lib.sh"

packages="
	bc bison build-essential busybox-static ccache clang coccinelle codespell
	debian-archive-keyring debootstrap flex git libclang-rt-14-dev
	libcmocka-dev libdw-dev libelf-dev libfdt-dev libglib2.0-dev
	libpixman-1-dev libpython3-dev linux-perf lz4 meson ninja-build patch pkg-config
	python3 qemu-system-data seabios shellcheck sparse xz-utils
"

case ${1:-} in
deb) packages="cpio debhelper kmod libslang2-dev libssl-dev libtraceevent-dev
	libzstd-dev openssl rsync zstd" ;;
lint) packages="asciidoc-base clang-tidy libtraceevent-dev pyflakes3 python3-sphinx" ;;
esac

missing=
for package in $packages; do
	case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
	installed) ;;
	*) missing="$missing $package" ;;
	esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
	say "These packages are missing; please run"
	say "sudo apt-get install -y --no-install-recommends$missing"
	exit 1
fi

say "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
logged apt-update apt-get -q update
# shellcheck disable=SC2086 # a list of words
logged apt-install apt-get -q -y --no-install-recommends \
	-o Dpkg::Options::=--force-confold install $missing
