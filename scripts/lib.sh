# SPDX-License-Identifier: GPL-2.0
# Common to the shell scripts here: sourced, never run.
# shellcheck shell=sh
# shellcheck disable=SC2034 # used by who sources this
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build
cache=${XDG_CACHE_HOME:-$HOME/.cache}/corepmu
jobs=${JOBS:-$(nproc)}

# Keyed by content, not by place: a fresh clone finds its objects.
export CCACHE_DIR="$cache/ccache" CCACHE_BASEDIR="$top" CCACHE_NOHASHDIR=1
# A miss need not be preprocessed first: a quarter of a cold build.
export CCACHE_DEPEND=1
export LC_ALL=C

say()
{
	echo "$*" >&2
}

die()
{
	say "${0##*/}: $*"
	exit 1
}

# alone FOLDER: wait until no other build works in a folder, and keep it.
alone()
{
	mkdir -p "$1"
	exec 9>"$1/.lock"
	flock 9
}

# same STAMP KEY: is KEY what remember STAMP KEY noted last?
same()
{
	[ "$(cat "$1" 2>/dev/null)" = "$2" ]
}

remember()
{
	echo "$2" >"$1"
}

# watch NAME LOG: say every ten seconds how far a log is.
watch()
{
	while sleep 10 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
		say "  $1: $(wc -l <"$2") steps, $(tail -n 1 "$2" | cut -c 1-60)"
	done
}

# logged NAME COMMAND...: run with all output in build/log/NAME.log, show
# progress, and on failure the end of the log. A subshell: sets no variable.
logged()
(
	name=$1
	log=$build/log/$name.log
	shift
	mkdir -p "$build/log"
	: >"$log"
	watch "$name" "$log" 9>&- &
	watcher=$!
	status=0
	"$@" >"$log" 2>&1 || status=$?
	kill "$watcher" 2>/dev/null || :
	wait "$watcher" 2>/dev/null || :
	if [ "$status" -ne 0 ]; then
		say "$name failed; $log ends with:"
		tail -n 25 "$log" >&2
	fi
	exit "$status"
)
