#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run "make demo" and "make check" on the committed state in a pristine Debian
# 12, made by debootstrap in build/fresh. Needs root. CACHE=1 lends it the
# cache of this user: quick, but then downloads and ccache are not tested.
# KEEP=1 leaves the folder.
. "$(dirname "$0")/lib.sh"

root=$build/fresh
place=/root/corepmu

. "$(dirname "$0")/chroot.sh"

pristine fresh
git -C "$top" clone -q "$top" "$root$place"
if [ -n "${CACHE:-}" ]; then
	mkdir -p "$cache" "$root/root/.cache/corepmu"
	mount --bind "$cache" "$root/root/.cache/corepmu"
fi

# As the README says for an empty machine.
logged fresh-make inside "apt-get -q update && apt-get -q -y --no-install-recommends install make git"
result=0
for target in demo check; do
	say "make $target"
	start=$(date +%s)
	log=$build/log/fresh-$target.log
	{ inside "cd '$place' && make $target" 2>&1 || echo "make $target failed"; } | tee "$log" >&2
	say "make $target took $(($(date +%s) - start)) s"
	tail -n 1 "$log" | grep -q ' failed$' && result=1
	mkdir -p "$build/results"
	table=$root$place/build/results/$target.tsv
	[ ! -f "$table" ] || cp "$table" "$build/results/fresh-$target.tsv"
done
if [ -z "${KEEP:-}" ]; then
	remove
fi
exit "$result"
