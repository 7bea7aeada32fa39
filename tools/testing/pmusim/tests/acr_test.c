/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of auto counter reload */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "ecore_fixture.h"

static void acr(struct guest *g, unsigned int n, uint64_t cause, uint32_t period)
{
    guest_wrmsr(g, V6_GP_CFG_C(n), (uint32_t)-period);
    guest_wrmsr(g, V6_GP_CFG_B(n), cause);
}

static void test_acr_faults(void **state)
{
    struct guest *g = *state;
    struct guest core;

    /* Counters 0 and 1 take no part */
    guest_wrmsr_faults(g, V6_GP_CFG_B(0), 0);
    guest_rdmsr_faults(g, V6_GP_CFG_C(1));
    guest_wrmsr_faults(g, V6_GP_CFG_B(2), 1);
    guest_wrmsr_faults(g, V6_FX_CFG_B(1), FIXED_BIT(1) | 1);
    guest_wrmsr_faults(g, V6_FX_CFG_B(0), 0);
    guest_wrmsr_faults(g, V6_GP_CFG_C(2), UINT64_C(1) << 32);
    guest_wrmsr(g, V6_GP_CFG_B(2), FIXED_BIT(1) | 0xfc);
    assert_int_equal(guest_rdmsr(g, V6_GP_CFG_B(2)), FIXED_BIT(1) | 0xfc);
    guest_init(&core, "arrowlake", false);
    guest_wrmsr_faults(&core, V6_GP_CFG_B(2), 0);
}

static void test_acr_reload_by_another(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    acr(g, 2, 1 << 3, 5000);
    start(g, 2, EVENT_INSNS | USR_INT, WRAP(5000));
    start(g, 3, EVENT_INSNS | COUNT_USR, WRAP(1000));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff);
    guest_run(g, 1000);
    /* Counter 3 overflows with a status bit and restarts counter 2 */
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(2)), WRAP(5000));
    assert_int_equal(status(g), 1 << 3);
    assert_int_equal(g->pmis, 0);
}

static void test_acr_self_reload_leaves_no_status(void **state)
{
    struct guest *g = *state;
    uint64_t before;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    acr(g, 4, 1 << 4, 100);
    start(g, 4, EVENT_INSNS | COUNT_USR, WRAP(100));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff);
    guest_run(g, 1030);
    assert_int_equal(status(g), 0);
    before = guest_rdmsr(g, V6_GP_CTR(4));
    assert_int_equal(before, WRAP(100) + 31);
}

static void test_acr_self_reload_with_interrupt_is_empty(void **state)
{
    struct guest *g = *state;

    acr(g, 4, 1 << 4, 100);
    start(g, 4, EVENT_INSNS | USR_INT, WRAP(100));
    guest_run(g, 100);
    guest_run(g, 1);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(status(g), 0);
}

/* Misses every @n branches against a threshold of one in five */
static unsigned int ratio_samples(struct guest *g, unsigned int n)
{
    unsigned int i;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    acr(g, 2, 1 << 3, 20);
    acr(g, 3, 1 << 2 | 1 << 3, 100);
    start(g, 2, EVENT_MISSES | USR_INT, WRAP(20));
    start(g, 3, EVENT_BRANCHES | COUNT_USR, WRAP(100));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff);
    for (i = 0; i < 10000; i++) {
        unsigned int before = g->pmis;

        /* A branch never seen before is predicted not taken */
        guest_branch(g, 4, i % PMUSIM_PATTERNS, i % n == 0);
        if (g->pmis != before) {
            g->class = PMUSIM_OS;
            guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, 1 << 2);
            guest_wrmsr(g, V6_GP_CTR(2), WRAP(20));
            g->class = PMUSIM_USR;
        }
    }
    return g->pmis;
}

static void test_acr_ratio_below(void **state)
{
    assert_int_equal(ratio_samples(*state, 6), 0);
}

static void test_acr_ratio_above(void **state)
{
    /* Every fourth is missed: 20 misses in 80 branches, 2500 in all */
    assert_int_equal(ratio_samples(*state, 4), 2500 / 20);
}

static void test_acr_stale_mask_acts(void **state)
{
    struct guest *g = *state;

    acr(g, 5, 1 << 6, 10);
    start(g, 5, EVENT_INSNS | COUNT_USR, 0);
    start(g, 6, EVENT_INSNS | COUNT_USR, WRAP(50));
    guest_run(g, 50);
    /* What remains of counter 5 is its reload value */
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(5)), WRAP(10));
}

static void test_acr_fixed(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    guest_wrmsr(g, V6_FX_CFG_C(1), (uint32_t)-500);
    guest_wrmsr(g, V6_FX_CFG_B(1), FIXED_BIT(1) | 1 << 2);
    guest_wrmsr(g, V6_FX_CTR(1), WRAP(500));
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0x20);
    start(g, 2, EVENT_INSNS | COUNT_USR, WRAP(80));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff | FIXED_BIT(1));
    guest_run(g, 80);
    assert_int_equal(guest_rdmsr(g, V6_FX_CTR(1)), WRAP(500));
    guest_run(g, 8 * 600);
    assert_int_equal(status(g), 1 << 2);
}

/* Counter 4, which reloads itself, has 5 cycles to go of one misprediction */
static void mispredict(struct guest *g, uint32_t period)
{
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    acr(g, 4, 1 << 4, period);
    start(g, 4, EVENT_CYCLES | COUNT_USR, WRAP(5));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff);
    guest_branch(g, 8 - g->pmu.pmu->taken_slots, 0x1000, true);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
}

/* What the overflowing instruction counts too much is not dropped */
static void test_acr_self_reload_keeps_the_rest(void **state)
{
    struct guest *g = *state;
    const struct pmusim_pmu *pmu = g->pmu.pmu;

    mispredict(g, 100);
    /* One cycle of slots and the misprediction, of which 5 were wanted */
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(4)),
                     WRAP(100) + 1 + pmu->miss_cycles - 5);
}

/* A period shorter than what one instruction can add is not lost */
static void test_acr_short_self_reload(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    acr(g, 4, 1 << 4, 2);
    start(g, 4, EVENT_CYCLES | COUNT_USR, WRAP(2));
    for (i = 0; i < 10; i++) {
        guest_branch(g, 8, 0x1000 + 16 * i, true);
        assert_true(guest_rdmsr(g, V6_GP_CTR(4)) >= WRAP(2));
    }
}

/* A fixed counter alone may be the cause */
static void test_acr_caused_by_a_fixed_counter(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    acr(g, 2, FIXED_BIT(1), 700);
    start(g, 2, EVENT_INSNS | COUNT_USR, 0);
    guest_wrmsr(g, V6_FX_CTR(1), WRAP(10));
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0x20);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff | FIXED_BIT(1));
    guest_run(g, 80);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(2)), WRAP(700));
    assert_int_equal(status(g), FIXED_BIT(1));
}

/* Of several that overflow at once, any may be the cause */
static void test_acr_among_simultaneous_overflows(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    acr(g, 2, 1 << 5, 300);
    start(g, 2, EVENT_INSNS | COUNT_USR, 0);
    start(g, 4, EVENT_INSNS | COUNT_USR, WRAP(60));
    start(g, 5, EVENT_INSNS | COUNT_USR, WRAP(60));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff);
    guest_run(g, 60);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(2)), WRAP(300));
    assert_int_equal(status(g), 1 << 4 | 1 << 5);
}

/* Only a counter that is in its own mask overflows without a status bit */
static void test_acr_reloaded_counter_has_its_own_status(void **state)
{
    struct guest *g = *state;

    acr(g, 2, 1 << 3, 5000);
    start(g, 2, EVENT_INSNS | USR_INT, WRAP(40));
    guest_run(g, 41);
    assert_int_equal(status(g), 1 << 2);
    assert_int_equal(g->pmis, 1);
}

/* Several periods within one instruction leave the rest of the last */
static void test_acr_several_periods_at_once(void **state)
{
    struct guest *g = *state;

    mispredict(g, 5);
    /* One cycle and the 17 of the misprediction: three periods and 3 */
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(4)), WRAP(5) + 3);
}

#define rule(name) cmocka_unit_test_setup(test_##name, setup)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(acr_faults),
        rule(acr_reload_by_another),
        rule(acr_self_reload_leaves_no_status),
        rule(acr_self_reload_with_interrupt_is_empty),
        rule(acr_ratio_below),
        rule(acr_ratio_above),
        rule(acr_stale_mask_acts),
        rule(acr_fixed),
        rule(acr_self_reload_keeps_the_rest),
        rule(acr_short_self_reload),
        rule(acr_caused_by_a_fixed_counter),
        rule(acr_among_simultaneous_overflows),
        rule(acr_reloaded_counter_has_its_own_status),
        rule(acr_several_periods_at_once),
    };

    return cmocka_run_group_tests_name("acr", tests, NULL, NULL);
}
