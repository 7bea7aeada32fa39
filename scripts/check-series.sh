#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Check the style of each patch of a series tree: check-series.sh TREE
#
# TREE is what series.py made. Every commit between the tags base and series
# has to pass checkpatch --strict, and every file that it adds kernel-doc.
# Prints one line for each commit; status 1 if one of them fails.
set -u

tree=${1:?usage: check-series.sh TREE}
cd "$tree" || exit 2
git rev-parse -q --verify base >/dev/null ||
	{ echo "check-series.sh: $tree has no tag base" >&2; exit 2; }

spell=
[ -r /usr/share/codespell/dictionary.txt ] && spell=--codespell

bad=0
for commit in $(git rev-list --reverse base..series); do
	subject=$(git log -1 --format=%s "$commit")
	patch=$(mktemp)
	git format-patch -q -1 --stdout "$commit" >"$patch"
	# The second line of a shell test of perf is its name.
	ignored=FILE_PATH_CHANGES
	git diff --name-only "$commit^" "$commit" |
		grep -q '^tools/perf/tests/shell/' &&
		ignored=$ignored,SPDX_LICENSE_TAG
	# No GIT_DIR: the check of SPDX lines needs Python packages.
	# shellcheck disable=SC2086 # $spell is empty or one option
	if out=$(GIT_DIR=none perl scripts/checkpatch.pl --strict --quiet $spell \
			--ignore "$ignored" \
			"$patch" 2>&1); then
		result=ok
	else
		result=FAIL
		bad=1
	fi
	rm -f "$patch"

	added=$(git diff --name-only --diff-filter=A "$commit^" "$commit" -- '*.c' '*.h')
	if [ -n "$added" ]; then
		# shellcheck disable=SC2086 # one path a word
		doc=$(perl scripts/kernel-doc -none -Wall $added 2>&1)
		if [ -n "$doc" ]; then
			result=FAIL
			bad=1
			out="$out
$doc"
		fi
	fi

	echo "$result	$subject"
	[ "$result" = ok ] || echo "$out" >&2
done
exit $bad
