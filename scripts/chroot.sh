# SPDX-License-Identifier: GPL-2.0
# A pristine Debian 12 in a folder: sourced behind lib.sh by what has set $root.
# shellcheck shell=sh
# shellcheck disable=SC2154 # lib.sh and who sources this set them

[ "$(id -u)" -eq 0 ] || die "debootstrap and chroot need root"

detach()
{
	for mount in "$root/root/.cache/corepmu" "$root/dev" "$root/proc"; do
		if mountpoint -q "$mount"; then
			umount -R -l "$mount"
		fi
	done
}

# inside COMMANDS: what a shell of root's in there does.
inside()
{
	chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		LC_ALL=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive \
		${http_proxy:+http_proxy="$http_proxy"} \
		${https_proxy:+https_proxy="$https_proxy"} sh -ec "$1"
}

# pristine NAME: make it anew.
pristine()
{
	mirror=$(apt-get indextargets --format "\$(RELEASE) \$(REPO_URI)" \
		"Created-By: Packages" | awk '$1 == "bookworm" { print $2; exit }')
	trap detach EXIT
	trap 'exit 130' INT TERM
	remove
	mkdir -p "$root"
	say "debootstrap of Debian 12 into $root"
	logged "$1-debootstrap" debootstrap --variant=minbase bookworm "$root" \
		"${mirror:-http://deb.debian.org/debian/}"
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
	mount --make-rslave "$root/dev"
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	# How this machine reaches its mirror, if in a special way.
	for file in /etc/apt/apt.conf.d/*proxy* /etc/apt/apt.conf; do
		[ ! -f "$file" ] || cp "$file" "$root/etc/apt/apt.conf.d/99${file##*/}"
	done
}

remove()
{
	detach
	rm -rf --one-file-system "$root"
}
