/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of last branch records, either kind: registers and CPUID */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "lbr_fixture.h"

static void reads_back(struct pmusim *p, uint32_t msr, uint64_t value)
{
    wrmsr(p, msr, value);
    assert_int_equal(rdmsr(p, msr), value);
}

/* Neither access does anything */
static void access_is(const struct pmusim *p, uint32_t msr,
                      enum pmusim_access access)
{
    uint64_t value = 0x1234;

    assert_int_equal(pmusim_lbr_rdmsr(p, msr, &value), access);
    assert_int_equal(value, 0x1234);
    assert_int_equal(pmusim_lbr_accepts(p, msr, 0), access);
}

static void refused(const struct pmusim *p, uint32_t msr, uint64_t value)
{
    assert_int_equal(pmusim_lbr_accepts(p, msr, value), PMUSIM_FAULT);
}

/* Registers */

/* Where the entries of the kinds are; 32 registers each */
static const uint32_t model_entries[] = { 0x680, 0x6c0, 0xdc0 };
static const uint32_t arch_entries[] = { 0x1500, 0x1600, 0x1200 };

/* Each register keeps 64 bits of its own */
static void expect_storage(struct pmusim *p, const uint32_t *first)
{
    unsigned int i, n;

    for (i = 0; i < 3; i++) {
        for (n = 0; n < LBRS; n++) {
            reads_back(p, first[i] + n, ~UINT64_C(0) - first[i] - n);
        }
    }
    for (i = 0; i < 3; i++) {
        for (n = 0; n < LBRS; n++) {
            assert_int_equal(rdmsr(p, first[i] + n),
                             ~UINT64_C(0) - first[i] - n);
        }
    }
}

static void expect_faults(struct pmusim *p, const uint32_t *first,
                          unsigned int from)
{
    unsigned int i, n;

    for (i = 0; i < 3; i++) {
        for (n = from; n < 32; n++) {
            access_is(p, first[i] + n, PMUSIM_FAULT);
        }
    }
}

static void expect_foreign(struct pmusim *p)
{
    static const uint32_t others[] = {
        0x0, 0x1c7, 0x1ca, 0x1d9, 0x67f, 0x6a0, 0x6bf, 0x6e0, 0xdbf, 0xde0,
        0x11ff, 0x1220, 0x14cd, 0x14d0, 0x14ff, 0x1520, 0x15ff, 0x1620,
        0xffffffff,
    };
    unsigned int i;

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        access_is(p, others[i], PMUSIM_FOREIGN);
    }
}

static void test_model_specific_registers(void **state)
{
    struct pmusim *p = *state;

    expect_storage(p, model_entries);
    reads_back(p, 0x1c8, 0x3ff);
    reads_back(p, 0x1c8, 0x155);
    reads_back(p, 0x1c9, 31);
    reads_back(p, 0x1c9, 5);
    assert_int_equal(rdmsr(p, 0x1c8), 0x155);

    expect_faults(p, arch_entries, 0);
    access_is(p, 0x14ce, PMUSIM_FAULT);
    access_is(p, 0x14cf, PMUSIM_FAULT);
    refused(p, 0x14cf, 8);
    expect_foreign(p);
}

static void test_architectural_registers(void **state)
{
    struct pmusim *p = *state;

    jump(p, 1);
    expect_storage(p, arch_entries);
    reads_back(p, 0x14ce, 0x7f000f);
    reads_back(p, 0x14ce, 0);
    reads_back(p, 0x14cf, 8);

    expect_faults(p, model_entries, 0);
    access_is(p, 0x1c8, PMUSIM_FAULT);
    access_is(p, 0x1c9, PMUSIM_FAULT);
    expect_foreign(p);
}

static void test_no_registers(void **state)
{
    struct pmusim *p = *state;

    expect_faults(p, model_entries, 0);
    expect_faults(p, arch_entries, 0);
    access_is(p, 0x1c8, PMUSIM_FAULT);
    access_is(p, 0x1c9, PMUSIM_FAULT);
    access_is(p, 0x14ce, PMUSIM_FAULT);
    access_is(p, 0x14cf, PMUSIM_FAULT);
    expect_foreign(p);
}

static void test_reserved_bits_of_the_model_specific_kind(void **state)
{
    struct pmusim *p = *state;
    unsigned int bit;

    for (bit = 10; bit < 64; bit++) {
        refused(p, PMUSIM_MSR_LBR_SELECT, pmusim_bit(bit));
    }
    for (bit = 5; bit < 64; bit++) {
        refused(p, PMUSIM_MSR_LBR_TOS, pmusim_bit(bit));
    }
}

static void test_reserved_bits_of_the_architectural_kind(void **state)
{
    struct pmusim *p = *state;
    unsigned int bit;

    for (bit = 0; bit < 64; bit++) {
        bool valid = bit <= 3 || (bit >= 16 && bit <= 22);

        assert_int_equal(pmusim_lbr_accepts(p, PMUSIM_MSR_ARCH_LBR_CTL,
                                            pmusim_bit(bit)),
                         valid ? PMUSIM_DONE : PMUSIM_FAULT);
    }
}

/* A question about a write is no write */
static void test_accepting_changes_nothing(void **state)
{
    struct pmusim *p = *state;
    struct pmusim_lbr before;

    jump(p, 1);
    before = p->lbr;
    assert_int_equal(pmusim_lbr_accepts(p, PMUSIM_MSR_ARCH_LBR_CTL, 1),
                     PMUSIM_DONE);
    assert_int_equal(pmusim_lbr_accepts(p, PMUSIM_MSR_ARCH_LBR_DEPTH, 8),
                     PMUSIM_DONE);
    assert_int_equal(pmusim_lbr_accepts(p, PMUSIM_MSR_ARCH_LBR_FROM0, 5),
                     PMUSIM_DONE);
    assert_memory_equal(&p->lbr, &before, sizeof(before));
}

/* Linux flips these bits and wants them back */
static void test_probe(void **state)
{
    struct pmusim *p = *state;
    unsigned int n;

    reads_back(p, PMUSIM_MSR_LBR_TOS, rdmsr(p, PMUSIM_MSR_LBR_TOS) ^ 3);
    for (n = 0; n < LBRS; n++) {
        reads_back(p, PMUSIM_MSR_LBR_FROM0 + n, 0xffff);
        reads_back(p, PMUSIM_MSR_LBR_TO0 + n, 0xffff);
    }
}

/* After records, register n is not slot n */
static void test_architectural_registers_go_by_age(void **state)
{
    struct pmusim *p = *state;

    jump(p, 1);
    jump(p, 2);
    jump(p, 3);
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_FROM0 + 1, 0x42);
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_TO0 + 1, 0x43);
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_INFO0 + 1, 0x44);
    assert_int_equal(at(p, 1)->from, 0x42);
    assert_int_equal(at(p, 1)->to, 0x43);
    assert_int_equal(at(p, 1)->info, 0x44);
    expect_branch(p, 0, 3);
    expect_branch(p, 2, 1);
    jump(p, 4);
    assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_FROM0 + 2), 0x42);
}

static void test_depths(void **state)
{
    struct pmusim *p = *state;
    unsigned int depth;

    for (depth = 0; depth <= 80; depth++) {
        if (depth == 8 || depth == 16 || depth == 24 || depth == 32) {
            reads_back(p, PMUSIM_MSR_ARCH_LBR_DEPTH, depth);
        } else {
            refused(p, PMUSIM_MSR_ARCH_LBR_DEPTH, depth);
        }
    }
    refused(p, PMUSIM_MSR_ARCH_LBR_DEPTH, UINT64_C(0x100000008));
}

static void test_depths_end_at_the_pmus(void **state)
{
    struct pmusim *p = *state;

    assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_DEPTH), 24);
    refused(p, PMUSIM_MSR_ARCH_LBR_DEPTH, 32);
    reads_back(p, PMUSIM_MSR_ARCH_LBR_DEPTH, 16);
    reads_back(p, PMUSIM_MSR_ARCH_LBR_DEPTH, 24);
    expect_faults(p, arch_entries, 24);
}

static void test_depth_zeroes_entries(void **state)
{
    struct pmusim *p = *state;
    unsigned int i;

    for (i = 0; i < LBRS + 9; i++) {
        jump(p, i);
    }
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_DEPTH, LBRS);
    for (i = 0; i < LBRS; i++) {
        expect_empty(p, i);
    }
    assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_CTL), CTL_ALL);

    /* Nor does a larger depth bring back what a smaller one hid */
    for (i = 0; i < LBRS; i++) {
        jump(p, i);
    }
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_DEPTH, 8);
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_DEPTH, LBRS);
    for (i = 0; i < LBRS; i++) {
        expect_empty(p, i);
    }
}

static void test_smaller_depth(void **state)
{
    struct pmusim *p = *state;
    unsigned int i;

    for (i = 0; i < 20; i++) {
        jump(p, i);
    }
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_DEPTH, 8);
    expect_faults(p, arch_entries, 8);
    assert_null(pmusim_lbr_at(p, 8));
    for (i = 0; i < 20; i++) {
        jump(p, 100 + i);
    }
    for (i = 0; i < 8; i++) {
        expect_branch(p, i, 119 - i);
        assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_FROM0 + i),
                         FROM(119 - i));
    }
}

/* CPUID */

static void expect_cpuid(const struct pmusim_pmu *pmu, uint32_t eax,
                         uint32_t ebx, uint32_t ecx)
{
    struct pmusim_cpuid regs = { 1, 2, 3, 4 };

    pmusim_lbr_cpuid(pmu, &regs);
    assert_int_equal(regs.eax, eax);
    assert_int_equal(regs.ebx, ebx);
    assert_int_equal(regs.ecx, ecx);
    assert_int_equal(regs.edx, 0);
}

static void test_cpuid(void **state)
{
    expect_cpuid(&arch_pmu, 0x8000000f, 0x7, 0xf0007);
    expect_cpuid(&small_pmu, 0x80000007, 0x7, 0x60007);
    expect_cpuid(&model_pmu, 0, 0, 0);
    expect_cpuid(&none_pmu, 0, 0, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(model_specific_registers, model),
        TEST(architectural_registers, arch),
        TEST(no_registers, none),
        TEST(reserved_bits_of_the_model_specific_kind, model),
        TEST(reserved_bits_of_the_architectural_kind, arch),
        TEST(accepting_changes_nothing, arch),
        TEST(probe, model),
        TEST(architectural_registers_go_by_age, arch),
        TEST(depths, arch),
        TEST(depths_end_at_the_pmus, small),
        TEST(depth_zeroes_entries, arch),
        TEST(smaller_depth, arch),
        cmocka_unit_test(test_cpuid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
