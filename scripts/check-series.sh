#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Check the style of each patch of a series tree: check-series.sh TREE
#
# TREE is what series.py made. Every commit between the tags base and series
# has to pass checkpatch --strict, and every file that it adds kernel-doc.
# Prints one line for each commit, in order; status 1 if one of them fails.
# With COMMIT as a second word it is about that one.
set -u

tree=${1:?usage: check-series.sh TREE [COMMIT]}
self=$(realpath "$0")
cd "$tree" || exit 2

one()
{
	# The second line of a shell test of perf is its name.
	ignored=FILE_PATH_CHANGES
	git diff --name-only "$1^" "$1" | grep -q '^tools/perf/tests/shell/' &&
		ignored=$ignored,SPDX_LICENSE_TAG
	spell=
	[ -r /usr/share/codespell/dictionary.txt ] && spell=--codespell
	# No GIT_DIR: the check of SPDX lines needs Python packages.
	# shellcheck disable=SC2086 # $spell is empty or one option
	out=$(git format-patch -q -1 --stdout "$1" |
		GIT_DIR=none perl scripts/checkpatch.pl --strict --quiet $spell \
			--ignore "$ignored" - 2>&1)
	result=$?

	added=$(git diff --name-only --diff-filter=A "$1^" "$1" -- '*.c' '*.h')
	if [ -n "$added" ]; then
		# shellcheck disable=SC2086 # one path a word
		doc=$(perl scripts/kernel-doc -none -Wall $added 2>&1)
		[ -z "$doc" ] || result=1
		out="$out
$doc"
	fi

	if [ "$result" -eq 0 ]; then
		git log -1 --format="ok	%s" "$1"
	else
		git log -1 --format="FAIL	%s" "$1"
		echo "$out" >&2
	fi
	return "$result"
}

if [ $# -gt 1 ]; then
	one "$2"
	exit
fi

git rev-parse -q --verify base >/dev/null ||
	{ echo "check-series.sh: $tree has no tag base" >&2; exit 2; }
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT
# shellcheck disable=SC2016 # the inner shell expands them
git rev-list --reverse base..series | nl -n rz |
	xargs -P "$(nproc)" -L 1 sh -c \
		'"$1" . "$4" >"$2/$3" 2>&1' "$self" "$self" "$said"
bad=$?
cat "$said"/*
[ "$bad" -eq 0 ]
