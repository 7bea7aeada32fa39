# SPDX-License-Identifier: GPL-2.0
"""What the suite topdown runs in the test machine, in parts that have names."""

SCRIPT = r"""
busy() { topdown $1 forever & }
pmu=cpu
[ -d /sys/devices/cpu_core ] && pmu=cpu_core
echo "== sysfs"
ls /sys/bus/event_source/devices/cpu*/events | grep topdown | sort -u
for what in retiring bad-spec fe-bound be-bound; do
	echo "== truth $what"
	pmusim 0 forget
	pmusim 0 clear
	pmusim 0 range 0 0 0x7fffffffffff usr
	taskset -c 1 perf stat --topdown --all-user -j taskset -c 0 sh -c \
		"for i in 1 2 3; do topdown $what; done" 2>&1 | grep '^{'
	pmusim 0 range 0 off
	pmusim 0 truth 0
done
echo "== std"
taskset -c 0 perf stat --topdown topdown be-bound 2>&1
echo "== csv"
taskset -c 0 perf stat --topdown -x, topdown be-bound 2>&1
echo "== of sysfs"
level=1
[ -e /sys/bus/event_source/devices/$pmu/events/topdown-heavy-ops ] && level=2
taskset -c 0 perf stat --topdown --td-level $level -j topdown be-bound 2>&1
echo "== level0"
taskset -c 0 perf stat --topdown --td-level 0 -j topdown be-bound 2>&1
echo "== deepest"
tables=$(perf stat --topdown --td-level 9 true 2>&1 | sed -n 's/.*TopdownL\*: up to level \(.*\)/\1/p')
taskset -c 0 perf stat --topdown --td-level ${tables:-$level} -j topdown be-bound 2>&1
echo "== deep csv"
taskset -c 0 perf stat --topdown --td-level 3 -x, topdown be-bound 2>&1
echo "== deep json"
taskset -c 0 perf stat --topdown --td-level 3 -j topdown be-bound 2>&1
echo "== deeper recorded"
for level in 2 3; do
	taskset -c 0 perf stat record --topdown --td-level $level -o /tmp/data true 2>&1
done
echo "== deep refused"
perf stat --topdown --td-level 3 -r 2 true 2>&1
echo "status $?"
perf stat --topdown --td-level 3 --per-thread -a true 2>&1
echo "status $?"
echo "== runs refused"
for mode in "-a -A" "-a --per-core" "-a --per-socket" "-a --per-thread"; do
	perf stat --topdown -r 2 $mode true 2>&1
	echo "status $?"
done
echo "== level9"
perf stat --topdown --td-level 9 true 2>&1
echo "== counts"
taskset -c 0 perf stat --topdown --no-metric-only topdown be-bound 2>&1
echo "== beside"
taskset -c 0 perf stat --topdown -e $pmu/cycles/ topdown be-bound 2>&1
echo "== beside and shown"
taskset -c 0 perf stat --topdown --no-metric-only -e $pmu/cycles/ topdown be-bound 2>&1
echo "== beside itself"
taskset -c 0 perf stat --topdown --no-metric-only -e $pmu/topdown-retiring/ topdown be-bound 2>&1
echo "== beside slots"
taskset -c 0 perf stat --topdown --no-metric-only -e $pmu/slots/ topdown be-bound 2>&1
echo "== no tables"
taskset -c 0 perf-no-tables stat --topdown -j topdown be-bound 2>&1
taskset -c 0 perf-no-tables stat --topdown --td-level 0 -j topdown be-bound 2>&1
echo "== threads"
busy be-bound
one=$!
busy bad-spec
two=$!
taskset -p 1 $one >/dev/null
taskset -p 1 $two >/dev/null
sleep 0.2
perf stat --topdown --per-thread -j -p $one,$two -I 300 sleep 1 2>&1 | sed "s/-$one\"/-one\"/; s/-$two\"/-two\"/"
echo "== threads-csv"
perf stat --topdown --per-thread -x, -p $one,$two sleep 0.5 2>&1 | sed "s/-$one,/-one,/; s/-$two,/-two,/"
echo "== threads-only"
perf stat --topdown --metric-only --per-thread -t $one,$two sleep 0.5 2>&1 | sed "s/-$one /-one /; s/-$two /-two /"
echo "== threads-refused"
perf stat --metric-only --per-thread -M ipc -t $one,$two sleep 0.1 2>&1
echo "status $?"
echo "== process"
perf stat --topdown -j -p $one sleep 0.5 2>&1
echo "== cpus"
perf stat --topdown -j -a -A sleep 0.5 2>&1
echo "== cores"
perf stat --topdown -j -a --per-core sleep 0.5 2>&1
echo "== all"
perf stat --topdown -j -a -I 200 sleep 1.5 2>&1
frame="^$\|seconds\|stats for\|max nodes"
# What report prints is what was printed when the counts were recorded.
for mode in -a "-a -A" "-a --per-core" "-a --per-die" "-a --per-socket" "-a --per-node" \
	"-a --per-cache" "-a -I 100" "--per-thread -p $one,$two" "-p $one"; do
	echo "== record $mode"
	perf stat record --topdown $mode -o /tmp/data sleep 0.3 2>&1 | grep -v "$frame"
	echo "report"
	perf stat report -i /tmp/data 2>&1 | grep -v "$frame"
done
for mode in -a "-a -A" "-a --per-core" "-a -I 100" "--per-thread -p $one,$two" "-p $one"; do
	for form in -x, -j; do
		echo "== recorded form $form $mode"
		perf stat $form record --topdown $mode -o /tmp/data sleep 0.3 2>&1
		echo "report"
		perf stat $form report -i /tmp/data 2>&1
	done
done
echo "== clusters"
perf stat record --topdown -a --per-cluster -o /tmp/data sleep 0.3 2>&1
echo "report"
perf stat report -i /tmp/data 2>&1
perf stat report --per-die -i /tmp/data 2>&1
echo "== report again"
perf stat record --topdown -a -A -o /tmp/data sleep 0.3 >/dev/null 2>&1
perf stat report -i /tmp/data 2>&1
perf stat report --per-socket -i /tmp/data 2>&1
echo "== recorded otherwise"
perf stat record -o /tmp/data -e "{$pmu/slots/,$pmu/topdown-retiring/,$pmu/topdown-bad-spec/}" \
	taskset -c 0 sh -c : --topdown >/dev/null 2>&1
perf stat report -i /tmp/data 2>&1
echo "== recorded in short"
perf stat record --topd -a -o /tmp/data sleep 0.2 >/dev/null 2>&1
perf stat report -i /tmp/data 2>&1
for mode in "-a" "-a -A" "-a --per-core" "-p $one" "--per-thread -p $one,$two"; do
	for form in "" -x, -j; do
		echo "== form $mode ${form:-std}"
		perf stat --topdown $mode $form sleep 0.1 2>&1
	done
done
echo "== beside others"
perf stat -o /dev/null -C 0 $(printf -- "-e $pmu/branches/D %.0s" 1 2 3 4 5 6 7 8 9 10) &
other=$!
sleep 0.2
perf stat --topdown -j -C 0 sleep 0.4 2>&1
kill -INT $other
wait $other
echo "== in turns"
perf stat -o /dev/null -C 0 -e "{$pmu/slots/,$pmu/topdown-retiring/}" &
other=$!
sleep 0.2
perf stat --topdown -C 0 sleep 0.6 2>&1
kill -INT $other
wait $other
kill $one $two
wait
echo "== all-threads"
busy be-bound
for i in 1 2 3; do
	(while :; do true & /bin/true; done) &
done
perf stat --topdown -j --per-thread -a sleep 0.5 2>&1
kill $(jobs -p)
wait
echo "== cgroups"
mount -t cgroup -o perf_event none /sys/fs/cgroup
mkdir /sys/fs/cgroup/a /sys/fs/cgroup/b
inside() {
	(echo 0 >/sys/fs/cgroup/$1/cgroup.procs; exec taskset -c 0 topdown $2 forever) &
}
inside a be-bound
inside b bad-spec
sleep 0.2
while read cgroups list; do
	echo "list $cgroups $list"
	perf stat -a -x, -e "$list" -G "$cgroups" sleep 0.4 2>&1
done <<LISTS
a,b $pmu/topdown-be-bound/,$pmu/topdown-bad-spec/
b,a $pmu/topdown-be-bound/,$pmu/topdown-bad-spec/
a $pmu/topdown-be-bound/,$pmu/topdown-bad-spec/
a,a,b,b {$pmu/cycles/,$pmu/topdown-be-bound/},$pmu/instructions/,$pmu/topdown-bad-spec/
a,b,a $pmu/instructions/,$pmu/topdown-bad-spec/,$pmu/slots/
LISTS
echo "== cgroups regrouped"
perf stat -v -a -e "$pmu/topdown-be-bound/,$pmu/topdown-bad-spec/" -G b,a sleep 0.1 2>&1
echo "== each cgroup"
perf stat --topdown -j -a --for-each-cgroup a,b sleep 0.4 2>&1
echo "== cgroups recorded"
perf stat record --topdown -a --for-each-cgroup a,b -o /tmp/data sleep 0.2 2>&1
kill $(jobs -p)
wait
echo "== reads"
pmusim 0 clear
taskset -c 0 perf stat --topdown -o /tmp/short -a sleep 0.5
echo "short $(pmusim 0 msr 0x329)"
pmusim 0 clear
taskset -c 0 perf stat --topdown -o /tmp/long -a sleep 4.5
echo "long $(pmusim 0 msr 0x329)"
cat /tmp/long
pmusim 0 clear
taskset -c 0 perf stat --topdown -o /tmp/rare -a -I 60000 sleep 4.5
echo "rare $(pmusim 0 msr 0x329)"
for interval in 1000 1001; do
	perf stat --topdown -o /dev/null -a -I $interval sleep 1 &
	sleep 0.5
	echo "reader $interval $(($(ls /proc/$!/task | wc -l) - 1))"
	wait $!
done
echo "== clock"
for step in +3600 -3600; do
	pmusim 0 clear
	taskset -c 0 perf stat --topdown -o /tmp/stepped -a sleep 3.5 &
	child=$!
	sleep 0.5
	date -s @$(($(date +%s) $step)) >/dev/null
	wait $child
	echo "stepped $(pmusim 0 msr 0x329)"
done
echo "== repeated"
cat >/tmp/longer_each_time <<'PROGRAM'
echo x >>/tmp/turns
turns=$(wc -l </tmp/turns)
[ $turns = 3 ] && turns=6
while [ $turns -gt 0 ]; do
	topdown be-bound
	turns=$((turns - 1))
done
PROGRAM
taskset -c 0 perf stat --topdown -j sh -c "topdown be-bound" 2>&1
taskset -c 0 perf stat --topdown -r 3 -j sh /tmp/longer_each_time 2>&1
echo "== groups"
# Slots of two modifiers take turns on one counter, for which there has to be time.
echo 'for n in 1 2 3 4 5 6 7 8 9 10; do topdown retiring; done' >/tmp/longer
count() {
	echo "list $1"
	program="topdown retiring"
	case $1 in *:k*) program="sh /tmp/longer" ;; esac
	taskset -c 0 perf stat -x, -e "$1" $program 2>&1
}
fillers="instructions:cycles context-switches:faults"
for pair in $fillers; do
	f=${pair%:*}
	g=${pair#*:}
	for list in "$f,topdown-retiring,slots" "slots,$f,topdown-retiring" \
		"{$f,topdown-retiring,slots}" "{$f,slots},{topdown-retiring}" \
		"{topdown-retiring},{$f,slots}" "$g,topdown-retiring,{$f,slots}" \
		"{$f,slots},$g,topdown-retiring" "{$f,topdown-retiring},{$g,slots}" \
		"{$f,slots},{$g,topdown-retiring}" "topdown-retiring,{$f,slots}" \
		"{$f,topdown-retiring}" "{$f,r400,r8000}" topdown-retiring slots,slots \
		slots:u,topdown-retiring:k topdown-retiring,topdown-retiring \
		"{topdown-retiring,$f}:W"; do
		count "$list"
	done
done
echo "== commands"
for list in topdown-retiring "{instructions,topdown-retiring}" \
	"topdown-retiring,{instructions,slots}" "{instructions,slots},{cycles,topdown-retiring}" \
	"{instructions,topdown-retiring},{cycles,slots}" \
	"{instructions,slots},cycles,topdown-retiring" "{instructions,slots},topdown-retiring" \
	"{instructions,r400,r8000}" \
	"{$pmu/event=0xa4,umask=2,name=TOPDOWN.BACKEND_BOUND_SLOTS/,$pmu/slots/,$pmu/topdown-be-bound/}" \
	"{$pmu/topdown-retiring/,$pmu/slots,name=foo/}"; do
	count "$list"
done
echo "list slots,slots"
taskset -c 0 perf stat -x, -e slots,slots -a sleep 0.1 2>&1
echo "== several lists"
while read lists; do
	echo "list $lists"
	program="topdown retiring"
	case $lists in *k\ *) program="sh /tmp/longer" ;; esac
	taskset -c 0 perf stat -x, $lists $program 2>&1
done <<LISTS
-e $pmu/topdown-retiring/ -e $pmu/topdown-bad-spec/
-e $pmu/slots/ -e $pmu/topdown-retiring/
-e {$pmu/cycles/,$pmu/topdown-retiring/} -e {$pmu/instructions/,$pmu/topdown-bad-spec/}
-e $pmu/topdown-retiring/u -e $pmu/topdown-bad-spec/k -e $pmu/topdown-be-bound/u
-e $pmu/cycles/ -e $pmu/instructions/
LISTS
echo "list record"
taskset -c 0 perf record -q -o /tmp/data -c 1000003 \
	-e "{$pmu/slots/,$pmu/instructions/,$pmu/topdown-retiring/}:S" \
	-e "{$pmu/topdown-bad-spec/}:S" topdown bad-spec 2>&1
perf evlist -g -i /tmp/data 2>&1 | grep -v dummy
echo "== regrouped"
while read lists; do
	echo "list $lists"
	taskset -c 0 perf stat -v $lists topdown retiring 2>&1
done <<LISTS
-e $pmu/topdown-retiring/
-e $pmu/topdown-retiring/ -e $pmu/topdown-bad-spec/
-e $pmu/cycles/ -e {$pmu/instructions/u,$pmu/slots/u},$pmu/topdown-retiring/u
-e {$pmu/slots/,$pmu/topdown-retiring/} -e $pmu/cycles/
-e $pmu/topdown-retiring/X
-e $pmu/cycles/
LISTS
echo "list record"
perf record -v -o /dev/null -c 1000003 -e "{$pmu/instructions/,$pmu/topdown-retiring/}:S" \
	true 2>&1
echo "list quiet"
perf stat -e $pmu/topdown-retiring/ true 2>&1
echo "== as written"
perf stat -x, -e "$pmu/topdown-retiring/X" true 2>&1
echo "== samplers"
for list in '{slots,instructions,topdown-retiring}:S' '{instructions,slots,topdown-retiring}:S' \
	'{slots,topdown-retiring,instructions}:S' '{topdown-retiring,instructions,slots}:S' \
	'{slots,topdown-retiring,topdown-bad-spec,instructions}:S' '{slots,instructions}:S'; do
	for who in "" -a; do
		taskset -c 0 perf record -q $who -o /tmp/data -c 1000003 -e "$list" \
			topdown bad-spec 2>&1
		perf evlist -v -i /tmp/data 2>/dev/null | sed "s/^/$list event /"
		[ "$who" ] && continue
		perf script -i /tmp/data -F event 2>/dev/null | sort | uniq -c | sed "s/^/$list /"
	done
done
echo "== samples"
group=$pmu/slots/,$pmu/instructions/
for part in retiring bad-spec fe-bound be-bound; do
	group=$group,$pmu/topdown-$part/
done
taskset -c 0 perf record -q -o /tmp/data -c 100003 -e "{$group}:S" sh -c \
	"exec topdown phases" 2>&1
perf script -i /tmp/data -F event,ip,sym,metric 2>/dev/null
echo "== default samples"
perf script -i /tmp/data 2>/dev/null | grep -c topdown:
echo "== sample report"
perf report -i /tmp/data --stdio --stdio-color=never -s sym -t, 2>/dev/null
echo "== sample report whole"
perf report -i /tmp/data --stdio --stdio-color=never -s sym 2>/dev/null
for option in "-F overhead,sym" "--no-group -s sym"; do
	echo "without $(perf report -i /tmp/data --stdio $option 2>/dev/null | grep -c "frontend bound")"
done
echo "== sample report of level 2"
if [ -e /sys/bus/event_source/devices/$pmu/events/topdown-heavy-ops ]; then
	for part in heavy-ops br-mispredict fetch-lat mem-bound; do
		group=$group,$pmu/topdown-$part/
	done
	taskset -c 0 perf record -q -o /tmp/data -c 100003 -e "{$group}:S" topdown phases 2>&1
	perf report -i /tmp/data --stdio --stdio-color=never -s sym 2>&1
	echo "status $?"
fi
echo "== refused"
perf record -q -o /tmp/data -e '{slots,topdown-retiring}:S' true 2>&1
perf record -q -o /tmp/data -e '{slots,topdown-retiring}:S' -a true 2>&1
for list in "{slots,cycles,r8700}:S" "$pmu/topdown-retiring/X" \
	"{$pmu/slots/,$pmu/cycles/,$pmu/topdown-retiring/,$pmu/topdown-retiring/}:S" \
	"{$pmu/slots/u,$pmu/cycles/u,$pmu/topdown-retiring/kX}:S"; do
	echo "list $list"
	perf record -q -o /tmp/data -e "$list" true 2>&1
done
echo "== refused in stat"
for list in "{$pmu/slots/,$pmu/cycles/,r8700}" "$pmu/topdown-retiring/X" \
	"{$pmu/slots/,$pmu/cycles/,$pmu/topdown-retiring/,$pmu/topdown-retiring/}" \
	"{$pmu/slots/u,$pmu/cycles/u,$pmu/topdown-retiring/kX}" \
	"{$pmu/slots/,$pmu/topdown-retiring/,$pmu/topdown-bad-spec/},{$pmu/topdown-retiring/,$pmu/topdown-bad-spec/}"; do
	echo "list $list"
	taskset -c 0 perf stat -x, -e "$list" true 2>&1
done
echo "== weak"
for list in "{$pmu/cache-references,period=100003/pppu,$pmu/slots/}" \
	"{$pmu/slots/,$pmu/cycles/,r8700}"; do
	timeout -s KILL 20 perf record -q -C 0 -b -o /tmp/data -e "$list:W" true 2>&1
	echo "status $?"
done
timeout -s KILL 20 perf stat -x, -C 0 -e "{$pmu/cache-references/,$pmu/slots/}:W" true 2>&1
echo "== features"
weak="{$pmu/cache-references,period=100003/pppu,$pmu/slots/}:W"
timeout -s KILL 20 perf record -vv -C 0 -b -o /tmp/data -e $pmu/cycles/ -e "$weak" true \
	>/tmp/said 2>&1
grep "switching off" /tmp/said
perf evlist -v -i /tmp/data 2>&1
for event in $pmu/topdown-retiring/X "{$pmu/slots/,$pmu/cycles/,$pmu/topdown-retiring/kX}:Su"; do
	perf record -vv -o /tmp/data -e "$event" true >/tmp/said 2>&1
	echo "refused $(grep -c "topdown-retiring.*needs" /tmp/said)"
	grep "switching off" /tmp/said
done
for who in "-a -c 100003" -a "-c 100003"; do
	perf record -vv $who -o /tmp/data -e $pmu/config=0x400,config1=1/ true >/tmp/said 2>&1
	echo "clearing $(grep -c "metrics_clear is for slots" /tmp/said)"
	grep "switching off" /tmp/said
done
echo "== hidden"
mkdir /tmp/empty
for hidden in /sys/devices/cpu*/events; do
	mount --bind /tmp/empty "$hidden"
done
perf stat --topdown true 2>&1
echo "status $?"
perf stat true 2>&1
echo "status $?"
echo "== end"
true
"""

# A recorded file, and what perf tells of it
RECORD = r"""
pmu=cpu
[ -d /sys/devices/cpu_core ] && pmu=cpu_core
group=$pmu/slots/,$pmu/instructions/
for part in retiring bad-spec fe-bound be-bound; do
	group=$group,$pmu/topdown-$part/
done
taskset -c 0 perf record -q -o /results/samples -c 100003 -e "{$group}:S" topdown phases 2>&1
perf stat record --topdown -a -A -o /results/counts topdown be-bound >/dev/null 2>&1
cd /results
"""
TELL = r"""
echo "== script"
perf script -i samples -F event,period,ip,sym,metric 2>&1
echo "== report"
perf report -i samples --stdio --stdio-color=never -s sym -t, 2>&1
echo "== counts"
perf stat report -i counts 2>&1
true
"""
