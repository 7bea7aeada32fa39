# SPDX-License-Identifier: GPL-2.0
# The demo's part inside the test machine (run by its shell): record the
# branch misses of "mispredict" on the E-core, classic and with auto counter
# reload, and leave what was recorded in /results.
# shellcheck shell=sh
set -e
cd /tmp

# On a hybrid, perf has to be on the right core before it starts the program.
record()
{
	run=$1
	shift
	taskset -c 1 perf record -q -o "$run.data" "$@" -- mispredict
	wc -c <"$run.data" >"/results/$run.bytes"
	# How many samples by event and symbol.
	perf script -i "$run.data" -F event,ip,sym | awk '{ print $1, $3 }' |
		sort | uniq -c >"/results/$run.samples"
	perf script -i "$run.data" -F event,ip >"/results/$run.addresses"
	perf report -i "$run.data" --stdio -q --sort sym 2>/dev/null >"/results/$run.report"
}

# What the loops mispredict, by themselves and as a whole program.
taskset -c 1 mispredict --rates >/results/rates
for loop in 1 2; do
	taskset -c 1 perf stat -x, -o "loop$loop.stat" \
		-e cpu_atom/branch-instructions/u,cpu_atom/branch-misses/u \
		mispredict --only $loop
	awk -F, -v "name=program-loop$loop" '/branch-instructions/ { all = $1 }
		/branch-misses/ { missed = $1 }
		END { printf "%s %d %d %.2f\n", name, all, missed, 100 * missed / all }' \
		"loop$loop.stat" >>/results/rates
done

record classic -c 2000 \
	-e '{cpu_atom/branch-misses/ppu,cpu_atom/branch-instructions/u}'

# The group of a recording with the masks and periods that perf derived.
masks()
{
	perf evlist -v -i "$1.data" | sed -n "$(printf '%s' \
		's|^\(cpu_atom/[a-z-]*\),[^/]*/\([a-z]*\):.*sample_freq }: \([0-9]*\),.*' \
		'config2 }: \(0x[0-9a-f]*\).*|\1,period=\3,acr_mask=\4/\2|p')" |
		tr '\n' ',' | sed 's/^/{/; s/,$/}/'
}

if [ -e /sys/bus/event_source/devices/cpu_atom/format/acr_mask ]; then
	record acr \
		-e '{cpu_atom/branch-misses,ratio-to=branch-instructions:20%/ppu,cpu_atom/branch-instructions,period=10000/u}'
	perf evlist -v -i acr.data | grep reloaded >/results/words
	perf annotate -i acr.data --stdio --stdio-color=never -q -n loop2 \
		>/results/annotated
	masks acr >/results/masks
	record masks -e "$(cat /results/masks)"
else
	echo "this kernel has no auto counter reload: no acr_mask in cpu_atom/format"
	exit 3
fi
