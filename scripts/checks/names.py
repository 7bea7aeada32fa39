# SPDX-License-Identifier: GPL-2.0
"""The names of tests, without running any."""

import fnmatch
import glob
import re

from checks import acr, stat_shell
from checks.harness import TOP, Check, spelled

EVENTS = TOP + "/arch/x86/events"
KUNIT = (EVENTS + "/tests", EVENTS + "/intel/tests")
SELFTESTS = TOP + "/tools/testing/selftests/perf_events"
PERF = TOP + "/tools/perf/tests"
MODEL = TOP + "/tools/testing/pmusim/tests"


class Listing(Check):
    """Has everything, wants nothing, and remembers what it was asked for."""

    def __init__(self):
        super().__init__("")
        self.names = set()

    def wants(self, suite, test="*"):
        if test != "*":
            self.names.add(f"{suite}/{spelled(test)}")
        return False

    def record(self, suite, test, *_, **__):
        self.wants(suite, test)

    def run(self, suite, test, *_, **__):
        self.wants(suite, test)

    def need(self, suite, *parts):
        return True


def sources(*folders):
    """(name, text) of the C files of folders."""
    for path in sorted(path for folder in folders
                       for path in glob.glob(folder + "/*.c")):
        with open(path, encoding="utf-8") as file:
            yield path.rpartition("/")[2][:-2], file.read()


def kunit():
    for _, text in sources(*KUNIT):
        cases = dict(re.findall(r"struct kunit_case (?:__refdata )?(\w+)\[\] = "
                                r"\{\n(.*?)\n\};", text, re.S))
        for suite in re.findall(r"struct kunit_suite \w+ = \{\n(.*?)\n\};", text,
                                re.S):
            name, = re.findall(r"\.name\s*= \"(\w+)\"", suite)
            table, = re.findall(r"\.test_cases\s*= (\w+)", suite)
            for case in re.findall(r"KUNIT_CASE\w*\((\w+)", cases[table]):
                yield f"{name}.{case}"


def selftest(places, kinds):
    """@places is where which programs run; some tests only where it is a place of
    one of @kinds."""
    for program, text in sources(SELFTESTS):
        for fixture, name in re.findall(r"^TEST(?:_F(?:_TIMEOUT)?\((\w+), |\()(\w+)"
                                        r"(?:, \d+)?\)", text, re.M):
            for place, programs in places:
                _, only = kinds.get(place.rpartition("-")[2], ("", ()))
                if any(fnmatch.fnmatch(f"/selftests/{program}", pattern)
                       for pattern in programs.split()) and \
                        (not only or name in only):
                    yield ("" if place == places[0][0] else place + ".") + \
                        f"{program}.{fixture or 'global'}.{name}"


def perftest():
    for _, text in sources(PERF):
        yield from re.findall(r"TEST_CASE(?:_REASON)?\(\"([^\"]+)\"", text)


def modeltest():
    yield "fuzz"
    for _, text in sources(MODEL):
        for name in re.findall(r"^static void (test_\w+)\(void \*\*", text, re.M):
            yield name
            yield name + "-sanitized"


def names(suites, places, kinds):
    """All "suite/test" of {suite: function}, sorted: read in the sources where C
    has the names, else what a suite asks for."""
    in_c = {"kunit": kunit(), "selftest": selftest(places, kinds),
            "perftest": perftest(), "modeltest": modeltest()}
    listing = Listing()
    for suite, function in suites.items():
        for name in in_c.get(suite, ()):
            listing.wants(suite, name)
        if suite == "perftest":
            acr.run_perf(listing)
            stat_shell.run(listing)
        elif suite not in in_c:
            function(listing)
    return sorted(listing.names)
