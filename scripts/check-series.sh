#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Check the style of each patch of a series tree: check-series.sh TREE
#
# TREE is what series.py made. Every commit between the tags base and series
# has to pass checkpatch --strict, and kernel-doc may say nothing of a file that
# it did not say before.
# Prints one line for each commit, in order; status 1 if one of them fails.
# With COMMIT as a second word it is about that one.
set -u

tree=${1:?usage: check-series.sh TREE [COMMIT]}
self=$(realpath "$0")
cd "$tree" || exit 2

# docs COMMIT FILES: what kernel-doc says of them, without the lines' numbers.
docs()
{
	# shellcheck disable=SC2086 # one path a word
	there=$(git ls-tree -r --name-only "$1" -- ${2:-none})
	[ -n "$there" ] || return 0
	rm -rf "$work/tree"
	mkdir "$work/tree"
	# shellcheck disable=SC2086
	git archive "$1" -- $there | tar -x -C "$work/tree"
	# shellcheck disable=SC2086
	(cd "$work/tree" && perl "$top/scripts/kernel-doc" -none -Wall $there 2>&1) |
		sed 's/:[0-9]*: /: /' | sort -u
}

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

	files=$(git diff --name-only --diff-filter=AM "$1^" "$1" -- \
		'*.c' '*.h' ':!tools/perf' ':!tools/lib')
	docs "$1^" "$files" >"$work/before"
	doc=$(docs "$1" "$files" | comm -13 "$work/before" -)
	[ -z "$doc" ] || result=1
	out="$out
$doc"

	if [ "$result" -eq 0 ]; then
		git log -1 --format="ok	%s" "$1"
	else
		git log -1 --format="FAIL	%s" "$1"
		echo "$out" >&2
	fi
	return "$result"
}

top=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -gt 1 ]; then
	one "$2"
	exit
fi

git rev-parse -q --verify base >/dev/null ||
	{ echo "check-series.sh: $tree has no tag base" >&2; exit 2; }
# shellcheck disable=SC2016 # the inner shell expands them
git rev-list --reverse base..series | nl -n rz |
	xargs -P "$(nproc)" -L 1 sh -c \
		'"$1" . "$4" >"$2/$3" 2>&1' "$self" "$self" "$work"
bad=$?
cat "$work"/*
[ "$bad" -eq 0 ]
