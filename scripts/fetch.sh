#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Fetch what this work builds or runs on, from Debian, through apt and its
# signature checks, and print its path: fetch.sh
# linux|linux-oldest|linux-newest|config|qemu|mainline|debian|rr
# (linux-oldest and linux-newest are the first and the last 6.12.y of any Debian
# that has it, config is Debian's configuration of its 6.12 cloud kernel, with those of its
# other flavours beside it, debian the image of that kernel, rr the program with
# the libraries of Debian that hardly anything else needs, the others are sources)
#
# apt runs on a configuration of its own below the cache; the system's is only
# read, for the mirror. What the cache holds is used without network; removing
# the folder fetches anew, and so does RECENT=1 what is older than a week, if there
# is a network.
. "$(dirname "$0")/lib.sh"

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
what=${1:-}
store=$cache/sources/$what
apt=$cache/apt

# The mirror: first configured source of a suite, as "URI".
mirror()
{
	# shellcheck disable=SC2016 # apt expands these
	apt-get indextargets --format '$(RELEASE) $(REPO_URI)' "Created-By: Packages" |
		awk -v suite="$1" '$1 == suite { print $2; exit }'
}

apt_own()
{
	command=$1
	shift
	"$command" -q -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" \
		-o Dir::Etc::sourcelist="$apt/sources.list" \
		-o Dir::Etc::sourceparts=- -o Dir::Etc::preferences=- \
		-o Dir::Etc::preferencesparts=- \
		-o APT::Sandbox::User=root -o Acquire::Retries=3 \
		-o APT::Get::AllowUnauthenticated=false \
		-o Acquire::AllowInsecureRepositories=false "$@"
}

configure()
{
	main=$(mirror bookworm)
	security=$(mirror bookworm-security)
	: "${main:=http://deb.debian.org/debian/}"
	: "${security:=${main%/debian/}/debian-security/}"
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	case $what in
	linux | config | debian | rr) type=deb suites="bookworm bookworm-security" ;;
	linux-*) type=deb suites="bookworm-backports bookworm-security trixie
		trixie-security" ;;
	mainline) type=deb suites=trixie-backports ;;
	qemu) type=deb-src suites="bookworm bookworm-security" ;;
	esac
	for suite in $suites; do
		case $suite in
		*-security) uri=$security ;;
		*) uri=$main ;;
		esac
		echo "$type [signed-by=$keyring] $uri $suite main"
	done >"$apt/sources.list"
	# "update" leaves with 0 even if a source is out of reach, unless told.
	logged apt-lists apt_own apt-get -o APT::Update::Error-Mode=any update
}

# The newest package of a name pattern.
newest()
{
	apt_own apt-cache pkgnames linux- | grep -x "$1" | sort -V | tail -n 1
}

# All versions of a package, the oldest first.
versions()
{
	apt_own apt-cache madison "$1" | awk '{ print $3 }' | sort -V
}

# kernel PATTERN FILES: download the newest package of a name pattern,
# keep some of its files.
kernel()
{
	package=$(newest "$1")
	[ -n "$package" ] || die "Debian offers no package like $1"
	case $what in
	linux-oldest) package=$package=$(versions "$package" | head -n 1) ;;
	linux-newest) package=$package=$(versions "$package" | tail -n 1) ;;
	esac
	say "fetching $package"
	work=$store.new
	rm -rf "$work"
	mkdir -p "$work"
	(cd "$work" && logged "fetch-$what" apt_own apt-get download "$package")
	version=$(dpkg-deb -f "$work"/*.deb Version)
	dpkg-deb --fsys-tarfile "$work"/*.deb |
		tar -x -C "$work" --transform='s,.*/,,' --wildcards "$2"
	rm "$work"/*.deb
	echo "${package%%=*} $version" >"$work/version"
	mv "$work" "$store"
}

qemu()
{
	say "fetching QEMU's source package"
	work=$store.new
	rm -rf "$work"
	mkdir -p "$work"
	# "=1:7.2*" would not be understood; the suites above offer 7.2 only.
	(cd "$work" && logged fetch-qemu apt_own apt-get source --download-only \
		-o APT::Get::Only-Source=true qemu)
	mv "$work" "$store"
}

# extract PACKAGE PATTERN...: take some files out of a package in $work.
extract()
{
	package=$1
	shift
	dpkg-deb --fsys-tarfile "$work/$package"_*.deb |
		tar -x -C "$work" --wildcards "$@"
}

# The libraries that are not here are needed by compiler and perf, too.
rr()
{
	say "fetching rr"
	work=$store.new
	rm -rf "$work"
	mkdir -p "$work"
	(cd "$work" && logged fetch-rr apt_own apt-get download rr libcapnp-0.9.2)
	extract rr ./usr/bin/rr ./usr/lib/rr ./usr/share/rr
	extract libcapnp-0.9.2 './usr/lib/*/libcapnp-0*' './usr/lib/*/libkj-0*'
	rm "$work"/*.deb
	mv "$work" "$store"
}

case $what in
linux | linux-*) pattern='linux-source-6\.12' files='./usr/src/*.tar.xz' result='*.tar.xz' ;;
config)
	pattern='linux-config-6\.12' files='./usr/src/*/config.amd64_none_*.xz'
	result='config.amd64_none_cloud-amd64.xz'
	;;
mainline) pattern='linux-source-7\.[0-9]*' files='./usr/src/*.tar.xz' result='*.tar.xz' ;;
# The flavour for virtual machines is a third of the other in size.
debian) pattern='linux-image-6\.12\..*-cloud-amd64' files='./boot/*-amd64' result='vmlinuz-*' ;;
qemu) result='*.dsc' ;;
rr) result=rr ;;
*) die "usage: fetch.sh linux|linux-oldest|linux-newest|config|qemu|mainline|debian|rr" ;;
esac

alone "$cache/sources"
if [ -n "${RECENT:-}" ] && [ -d "$store" ] &&
	[ -n "$(find "$store" -maxdepth 0 -mtime +6)" ] && configure; then
	rm -rf "$store"
fi
if [ ! -d "$store" ]; then
	configure || die "apt cannot read Debian's lists (is there a network? see" \
		"$build/log/apt-lists.log), and $store has no copy of $what"
	case $what in
	qemu | rr) "$what" ;;
	*) kernel "$pattern" "$files" ;;
	esac
fi
found=$(find "$store" -type f -name "$result")
[ -f "$found" ] || die "$store holds no single $result; please remove it"
echo "$found"
