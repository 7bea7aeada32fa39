#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run "make demo" and "make check" on the committed state in a pristine Debian
# 12, made by debootstrap in build/fresh. Needs root. CACHE=1 lends it the
# cache of this user: quick, but then downloads and ccache are not tested.
# KEEP=1 leaves the folder.
. "$(dirname "$0")/lib.sh"

root=$build/fresh
place=/root/corepmu

[ "$(id -u)" -eq 0 ] || die "debootstrap and chroot need root"

detach()
{
	for mount in "$root/root/.cache/corepmu" "$root/dev" "$root/proc"; do
		if mountpoint -q "$mount"; then
			umount -R -l "$mount"
		fi
	done
}

inside()
{
	chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		LC_ALL=C.UTF-8 TERM=dumb ${http_proxy:+http_proxy="$http_proxy"} \
		${https_proxy:+https_proxy="$https_proxy"} \
		sh -c "cd '$place' && $1"
}

mirror=$(apt-get indextargets --format "\$(RELEASE) \$(REPO_URI)" "Created-By: Packages" |
	awk '$1 == "bookworm" { print $2; exit }')

trap detach EXIT
trap 'exit 130' INT TERM
detach
rm -rf --one-file-system "$root"
mkdir -p "$root"
say "debootstrap of Debian 12 into $root"
logged fresh-debootstrap debootstrap --variant=minbase bookworm "$root" \
	"${mirror:-http://deb.debian.org/debian/}"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# How this machine reaches its mirror, if in a special way.
for file in /etc/apt/apt.conf.d/*proxy* /etc/apt/apt.conf; do
	[ ! -f "$file" ] || cp "$file" "$root/etc/apt/apt.conf.d/99${file##*/}"
done
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
	{ inside "make $target" 2>&1 || echo "make $target failed"; } | tee "$log" >&2
	say "make $target took $(($(date +%s) - start)) s"
	tail -n 1 "$log" | grep -q ' failed$' && result=1
	mkdir -p "$build/results"
	table=$root$place/build/results/$target.tsv
	[ ! -f "$table" ] || cp "$table" "$build/results/fresh-$target.tsv"
done
if [ -z "${KEEP:-}" ]; then
	detach
	rm -rf --one-file-system "$root"
fi
exit "$result"
