#!/bin/sh
# perf record ACR tests
# SPDX-License-Identifier: GPL-2.0

# Auto counter reload: the ratios are such that any processor takes samples in
# a loop, or takes none.

set -e

err=0
perfdata=$(mktemp /tmp/__perf_test.perf.data.XXXXXX)
log=$(mktemp /tmp/__perf_test.log.XXXXXX)
testprog="perf test -w noploop"

trap 'rm -f "${perfdata}" "${perfdata}.old" "${log}"' EXIT
trap 'exit 1' TERM INT

fail() {
  echo "$1 [Failed $2]"
  cat "${log}"
  err=1
}

# The first PMU that has the feature, and on hybrid processors a CPU of it
find_pmu() {
  for format in /sys/bus/event_source/devices/*/format/acr_mask
  do
    [ -e "${format}" ] || continue
    dir=${format%/format/acr_mask}
    branches=${dir##*/}/branches
    insns=${dir##*/}/instructions
    if [ -e "${dir}/cpus" ]
    then
      testprog="taskset -c $(sed 's/[-,].*//' "${dir}/cpus") ${testprog}"
    fi
    return 0
  done
  return 1
}

record() {
  # shellcheck disable=SC2086 # the program has arguments
  perf record -o "${perfdata}" "$@" -- ${testprog} > "${log}" 2>&1
}

nr_samples() {
  perf script -i "${perfdata}" -F event 2> /dev/null | grep -c "$1" || true
}

# Of the instructions of a loop, more than 1 % are branches
test_above() {
  name="Ratio above threshold"
  echo "${name}"

  if ! record -e "{${branches},ratio-to=instructions:1%/u,${insns},period=10000000/u}"
  then
    fail "${name}" "record"
    return
  fi
  if [ "$(nr_samples branches)" -eq 0 ]
  then
    fail "${name}" "no samples"
    return
  fi
  # It reloads itself
  if [ "$(nr_samples instructions,)" -ne 0 ]
  then
    fail "${name}" "samples of the base"
    return
  fi
  echo "${name} [Success]"
}

# There are no more branches than instructions
test_below() {
  name="Ratio below threshold"
  echo "${name}"

  if ! record -e "{${branches},ratio-to=instructions:2/u,${insns},period=10000000/u}"
  then
    fail "${name}" "record"
    return
  fi
  if [ "$(nr_samples .)" -ne 0 ]
  then
    fail "${name}" "samples"
    return
  fi
  # The same as periods and masks
  masks="{${branches},period=20000000,acr_mask=0x2/u,${insns},period=10000000,acr_mask=0x3/u}"
  if ! record -e "${masks}"
  then
    fail "${name}" "record with masks"
    return
  fi
  if [ "$(nr_samples .)" -ne 0 ]
  then
    fail "${name}" "samples with masks"
    return
  fi
  # Without reloads the same periods do have samples
  if ! record -e "{${branches},period=200000/u,${insns},period=100000/u}" ||
     [ "$(nr_samples branches)" -eq 0 ]
  then
    fail "${name}" "no samples without reloads"
    return
  fi
  echo "${name} [Success]"
}

test_told() {
  name="Relation in words"
  echo "${name}"

  words="branches is reloaded by instructions; samples when branches/instructions > 1 %"
  if ! record -v -e "{${branches},ratio-to=instructions:1%/u,${insns},period=10000000/u}" ||
     ! grep -q "^${words}$" "${log}"
  then
    fail "${name}" "perf record -v"
    return
  fi
  if ! perf evlist -v -i "${perfdata}" | grep -q "^${words}$"
  then
    fail "${name}" "perf evlist -v"
    return
  fi
  if ! perf script -i "${perfdata}" 2> /dev/null | grep -q "^# auto counter reload: ${words}$"
  then
    fail "${name}" "perf script"
    return
  fi
  if ! perf report --header-only -i "${perfdata}" | grep -q "^# auto counter reload: ${words}$"
  then
    fail "${name}" "perf report"
    return
  fi
  echo "${name} [Success]"
}

# What cannot work leaves no data
test_refused() {
  name="Refused groups"
  echo "${name}"

  for terms in acr=nobody acr=branches,freq=99 ratio-to-prev=0 ratio-to=branches:1/x acr_mask=0x8
  do
    rm -f "${perfdata}"
    if record -e "{${branches},period=100000/u,${insns},${terms}/u}" ||
       ! grep -q '\\___' "${log}" || [ -e "${perfdata}" ]
    then
      fail "${name}" "${terms}"
      return
    fi
  done
  echo "${name} [Success]"
}

if ! find_pmu
then
  echo "ACR tests [Skipped no PMU with auto counter reload]"
  exit 2
fi

test_above
test_below
test_told
test_refused

exit $err
