#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Who else has to do with counter freezing, and no emulated CPU has it: Intel PT,
intel_bts and KVM. Looks at the kernel as the series composes it, build/linux."""

import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                    "../.."))
LINUX = TOP + "/build/linux"
ADD, DEL = "intel_freeze_add_tracer();", "intel_freeze_del_tracer();"


def function(path, name):
    """The lines of a function's body, without blanks around them."""
    with open(f"{LINUX}/{path}", encoding="utf-8") as source:
        body, = re.findall(rf"^(?:\w[\w\s]*[\s*])?{name}\([^;{{]*?\)\n\{{\n(.*?)^\}}",
                           source.read(), re.M | re.S)
    return [line.strip() for line in body.splitlines()]


def calls(path):
    """How often a file calls the two."""
    with open(f"{LINUX}/{path}", encoding="utf-8") as source:
        text = source.read()
    return text.count(ADD), text.count(DEL)


class Tracers(unittest.TestCase):
    """Counted from before they start until they have stopped, failures included."""

    PT = "arch/x86/events/intel/pt.c"
    BTS = "arch/x86/events/intel/bts.c"

    def in_order(self, lines, *expected):
        self.assertEqual([line for line in lines if line in expected],
                         list(expected))

    def test_pt_add(self):
        lines = function(self.PT, "pt_event_add")
        self.in_order(lines, "if (pt->handle.event)", ADD, "pt_event_start(event, 0);",
                      "if (hwc->state & PERF_HES_STOPPED) {", DEL, "ret = 0;")
        # Whoever was not added is not deleted.
        failed = lines.index(DEL)
        self.assertEqual(lines[failed - 1:failed + 3], [
            "if (hwc->state & PERF_HES_STOPPED) {", DEL, "goto fail;", "}"])

    def test_pt_del(self):
        self.assertEqual(function(self.PT, "pt_event_del"), [
            "pt_event_stop(event, PERF_EF_UPDATE);", DEL])

    def test_bts_add(self):
        lines = function(self.BTS, "bts_event_add")
        self.in_order(lines, "return -EBUSY;", "return -EBUSY;",
                      "intel_pmi_add_bts();", ADD, "bts_event_start(event, 0);",
                      "intel_pmi_del_bts();", DEL, "return -EINVAL;", "return 0;")
        self.assertEqual(lines[lines.index(DEL) + 1], "return -EINVAL;")

    def test_bts_del(self):
        self.assertEqual(function(self.BTS, "bts_event_del"), [
            "bts_event_stop(event, PERF_EF_UPDATE);", "intel_pmi_del_bts();", DEL])

    def test_nowhere_else(self):
        self.assertEqual(calls(self.PT), (1, 2))
        self.assertEqual(calls(self.BTS), (1, 2))


class Guests(unittest.TestCase):
    """The series has nothing in KVM: what it relies on is there as it is."""

    VMX = "arch/x86/kvm/vmx/vmx.c"

    def test_guest_never_freezes(self):
        """Entry loads a DEBUGCTL without bit 12, whatever the host's and guest's."""
        for path, name in ((self.VMX, "vmx_get_supported_debugctl"),
                           ("arch/x86/kvm/vmx/vmx.h", "vmx_guest_debugctl_write")):
            bits = re.findall(r"DEBUGCTLMSR_\w+", "\n".join(function(path, name)))
            self.assertTrue(bits)
            self.assertNotIn("DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI", bits)

    def test_host_gets_its_bit_back(self):
        """Read with interrupts off, so that no decision comes in between."""
        lines = function("arch/x86/kvm/x86.c", "vcpu_enter_guest")
        read = lines.index("debug_ctl = get_debugctlmsr();")
        kept = lines.index("vcpu->arch.host_debugctl = debug_ctl;")
        run = lines.index("exit_fastpath = kvm_x86_call(vcpu_run)(vcpu, run_flags);")
        on = lines.index("local_irq_enable();", read)
        self.assertLess(lines.index("local_irq_disable();"), read)
        self.assertEqual([read, kept, run, on], sorted([read, kept, run, on]))
        lines = function(self.VMX, "vmx_vcpu_run")
        back = lines.index("update_debugctlmsr(vcpu->arch.host_debugctl);")
        self.assertEqual(lines[back - 1], "if (vcpu->arch.host_debugctl)")

    def test_a_frozen_guest_pmi_is_handled_by_the_hardwares_bit(self):
        """A PMI of a guest has no bit 59, and is handled in the way of all PMIs."""
        lines = function("arch/x86/events/intel/freeze.c", "intel_freeze_pmi")
        asked = lines.index("if (!(status & GLOBAL_STATUS_COUNTERS_FROZEN))")
        self.assertEqual(lines[asked + 1], "return false;")
        before = [line for line in lines[:asked] if "wrmsr" in line or "=" in line]
        self.assertEqual(before, [
            "struct intel_freeze_cpu *freeze = this_cpu_ptr(&intel_freeze_cpu);",
            "status = intel_pmi_read_status();"])


class Elsewhere(unittest.TestCase):
    def test_crash(self):
        """The crash path ends a freeze behind Intel PT, on each CPU."""
        for name in ("kdump_nmi_callback", "native_machine_crash_shutdown"):
            lines = function("arch/x86/kernel/crash.c", name)
            stop = lines.index("cpu_emergency_stop_freeze();")
            self.assertEqual(lines[stop - 1], "cpu_emergency_stop_pt();")


if __name__ == "__main__":
    unittest.main()
