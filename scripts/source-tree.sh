#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Bring a kernel source tree up to date and print its path:
# source-tree.sh series|stock|mainline
# With MAIL=1 also the patches of the series to mail. PREVIOUS=REVISION has them
# compared with those of that revision of this repository, VERSION=N says which
# version they are.
. "$(dirname "$0")/lib.sh"

# unpack WHAT: the tarball that fetch.sh names, as build/$variant/linux.
unpack()
{
	tarball=$("$top/scripts/fetch.sh" "$1")
	version=$(cat "$(dirname "$tarball")/version")
	tree=$build/$variant/linux
	if [ "$(cat "$tree.version" 2>/dev/null)" != "$version" ]; then
		say "unpacking $version"
		rm -rf "$tree" "$tree.new"
		mkdir -p "$tree.new"
		tar -x -f "$tarball" -C "$tree.new" --strip-components=1
		mv "$tree.new" "$tree"
		echo "$version" >"$tree.version"
	fi
	echo "$tree"
}

variant=${1:-}
case $variant in
stock) unpack linux ;;
mainline) unpack mainline ;;
series)
	tarball=$("$top/scripts/fetch.sh" linux)
	set -- --base "$tarball" --tree "$build/linux" --cache "$cache/spatch"
	[ -z "${MAIL:-}" ] || set -- "$@" --patches "$build/series" \
		--bench "$build/results/bench.tsv" \
		${PREVIOUS:+--previous "$PREVIOUS"} ${VERSION:+--version "$VERSION"}
	logged series "$top/scripts/series.py" "$@" || exit 1
	echo "$build/linux"
	;;
*) die "unknown kernel '$variant': series, stock or mainline" ;;
esac
