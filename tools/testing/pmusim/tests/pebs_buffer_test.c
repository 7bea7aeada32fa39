/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of PEBS: the buffer, its threshold and the interrupt */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "pebs_fixture.h"

/* Instructions of the kernel, so that what user code did is seen */
static void go_kernel(struct guest *g)
{
    guest_run(g, 1);
    g->class = PMUSIM_OS;
    guest_run(g, 1);
}

/* Status, threshold and the interrupt */

static void test_own_status_stays_0(void **state)
{
    struct guest *g = begin("icelake", false);

    poke(g, DS_RESET(0), WRAP(10));
    sample(g, 0, EVENT_INSNS | PMUSIM_SEL_INT, 10);
    sample_fixed(g, 0, 15);
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0xa);
    go_user(g);
    guest_run(g, 51);
    assert_int_equal(status(g), 0);
    assert_int_equal(g->pmis, 0);
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_RECORDS), 6);
}

static void test_threshold(void **state)
{
    struct guest *g = begin("icelake", false);
    uint64_t start;

    poke(g, DS_THRESHOLD, BUFFER + 3 * BASIC_SIZE);
    poke(g, DS_RESET(0), WRAP(10));
    sample(g, 0, EVENT_INSNS, 10);
    go_user(g);
    start = g->retired;
    guest_run(g, 29);
    assert_int_equal(status(g), 0);
    go_user(g);
    start++;
    guest_run(g, 2);
    /* The third record reaches it */
    assert_int_equal(g->pmis, 1);
    assert_int_equal(g->pmi_at - start, 30);
    assert_int_equal(status(g), PMUSIM_STATUS_OVF_BUF);
    go_user(g);
    guest_run(g, 100);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(used(g), 13 * BASIC_SIZE);

    /* Acknowledged with the buffer as it is: the next record asks again */
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, PMUSIM_STATUS_OVF_BUF);
    assert_int_equal(status(g), 0);
    go_user(g);
    guest_run(g, 11);
    assert_int_equal(g->pmis, 2);
    assert_int_equal(status(g), PMUSIM_STATUS_OVF_BUF);
}

/* Another counter's interrupt does not wait for the buffer */
static void test_interrupt_beside_a_record(void **state)
{
    struct guest *g = begin("icelake", false);

    guest_wrmsr(g, CTR(2), WRAP(10));
    guest_wrmsr(g, SELECT(2), EVENT_INSNS | USR_INT);
    sample(g, 0, EVENT_INSNS, 10);
    go_user(g);
    guest_run(g, 11);
    assert_int_equal(used(g), BASIC_SIZE);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(status(g), 1 << 2);
}

static void test_record_that_does_not_fit_is_dropped(void **state)
{
    struct guest *g = begin("icelake", false);

    /* Room for two; a byte is missing for the third */
    poke(g, DS_MAXIMUM, BUFFER + 3 * BASIC_SIZE - 1);
    poke(g, DS_RESET(0), WRAP(10));
    sample(g, 0, EVENT_INSNS, 10);
    go_user(g);
    guest_run(g, 51);
    assert_int_equal(used(g), 2 * BASIC_SIZE);
    assert_int_equal(peek(g, BUFFER + 2 * BASIC_SIZE),
                     UINT64_C(0xaaaaaaaaaaaaaaaa));
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_RECORDS), 2);
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_LOST), 3);
    assert_int_equal(status(g), 0);
    /* It is reloaded nevertheless */
    assert_int_equal(guest_rdmsr(g, CTR(0)), WRAP(10) + 1);
}

static void test_record_that_just_fits(void **state)
{
    struct guest *g = begin("skylake", false);

    poke(g, DS_MAXIMUM, BUFFER + FULL_SIZE);
    poke(g, DS_THRESHOLD, BUFFER + FULL_SIZE);
    sample(g, 0, EVENT_INSNS, 10);
    go_user(g);
    guest_run(g, 11);
    assert_int_equal(used(g), FULL_SIZE);
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_LOST), 0);
    assert_int_equal(status(g), PMUSIM_STATUS_OVF_BUF);
    assert_int_equal(g->pmis, 1);
}

/* A lost record asks for no interrupt, changes no memory, faults nowhere */
static void check_lost(struct guest *g)
{
    uint8_t before[GUEST_MEMORY_SIZE];

    sample(g, 0, EVENT_INSNS | PMUSIM_SEL_INT, 10);
    memcpy(before, g->memory, sizeof(before));
    go_user(g);
    guest_run(g, 14);
    assert_memory_equal(g->memory, before, sizeof(before));
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_RECORDS), 0);
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_LOST), 1);
    assert_int_equal(status(g), 0);
    assert_int_equal(g->pmis, 0);
}

static void test_unmapped_area(void **state)
{
    struct guest *g = begin("icelake", false);

    guest_wrmsr(g, PMUSIM_MSR_DS_AREA, UNMAPPED);
    check_lost(g);
    /* Nor is there a reset value */
    assert_int_equal(guest_rdmsr(g, CTR(0)), 4);
}

static void test_area_that_ends_early(void **state)
{
    struct guest *g = begin("icelake", false);

    /* Neither maximum nor threshold is mapped */
    guest_wrmsr(g, PMUSIM_MSR_DS_AREA,
                GUEST_MEMORY + GUEST_MEMORY_SIZE - 0x30);
    check_lost(g);
}

static void test_unmapped_buffer(void **state)
{
    struct guest *g = begin("icelake", false);

    poke(g, DS_BASE, UNMAPPED);
    poke(g, DS_INDEX, UNMAPPED);
    poke(g, DS_MAXIMUM, UNMAPPED + 0x1000);
    poke(g, DS_THRESHOLD, UNMAPPED);
    poke(g, DS_RESET(0), WRAP(1000));
    check_lost(g);
    assert_int_equal(guest_rdmsr(g, CTR(0)), WRAP(1000) + 4);
}

static void test_read_only_buffer(void **state)
{
    struct guest *g = begin("icelake", false);

    poke(g, DS_THRESHOLD, BUFFER);
    g->read_only = true;
    check_lost(g);
}

static void test_index_below_the_buffer(void **state)
{
    struct guest *g = begin("icelake", false);

    poke(g, DS_BASE, BUFFER + 8);
    check_lost(g);
}

static unsigned int writes;

static bool write_anywhere(struct pmusim *p, uint64_t address,
                           const void *data, size_t size)
{
    writes++;
    return true;
}

/* Whoever owns the memory is not asked to write around its end */
static void test_record_around_the_end_of_memory(void **state)
{
    struct guest *g = begin("icelake", false);
    struct pmusim_host host = *g->pmu.host;

    host.write = write_anywhere;
    g->pmu.host = &host;
    poke(g, DS_BASE, -16);
    poke(g, DS_INDEX, -16);
    poke(g, DS_MAXIMUM, UINT64_MAX);
    writes = 0;
    check_lost(g);
    assert_int_equal(writes, 0);
}

static void test_index_at_the_end_of_memory(void **state)
{
    struct guest *g = begin("icelake", false);

    poke(g, DS_BASE, -16);
    poke(g, DS_INDEX, -16);
    poke(g, DS_MAXIMUM, UINT64_MAX);
    poke(g, DS_THRESHOLD, 0);
    check_lost(g);
}

static void test_buffer_freezes_the_counters(void **state)
{
    struct guest *g = begin("icelake", false);

    guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, PMUSIM_DEBUGCTL_FREEZE_PERFMON);
    poke(g, DS_THRESHOLD, BUFFER + 2 * BASIC_SIZE);
    poke(g, DS_RESET(0), WRAP(10));
    guest_wrmsr(g, SELECT(5), EVENT_INSNS | COUNT_USR);
    sample(g, 0, EVENT_INSNS | PMUSIM_SEL_INT, 10);
    go_user(g);
    /* Its own wrap does not, INT or not */
    guest_run(g, 15);
    assert_int_equal(status(g), 0);
    go_user(g);
    guest_run(g, 100);
    assert_int_equal(status(g), PMUSIM_STATUS_OVF_BUF |
                     PMUSIM_STATUS_CTR_FRZ);
    assert_int_equal(guest_rdmsr(g, CTR(5)), 20);
    assert_int_equal(guest_rdmsr(g, CTR(0)), WRAP(10));
    assert_int_equal(g->pmis, 1);
}

/* As kvm-unit-tests do: any start near the wrap, any counter, any groups */
static void test_all_starts_counters_and_groups(void **state)
{
    static const unsigned int periods[] = { 1, 2, 16 };
    unsigned int n, i, groups;

    for (n = 0; n < 8; n++) {
        for (i = 0; i < 3; i++) {
            for (groups = 0; groups < 16; groups++) {
                struct guest *g = begin("icelake", false);
                uint64_t config = groups | UINT64_C(7) << 24;
                uint64_t size = BASIC_SIZE +
                    (groups & 1 ? MEMORY_SIZE : 0) +
                    (groups & 2 ? GPRS_SIZE : 0) +
                    (groups & 4 ? XMMS_SIZE : 0) +
                    (groups & 8 ? 8 * BRANCH_SIZE : 0);

                guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, config);
                poke(g, DS_RESET(n), WRAP(periods[i]));
                poke(g, DS_THRESHOLD, BUFFER + size);
                sample(g, n, EVENT_INSNS | PMUSIM_SEL_ADAPTIVE, periods[i]);
                go_user(g);
                guest_run(g, periods[i]);
                go_kernel(g);
                assert_true(used(g) >= size);
                assert_int_equal(used(g) % size, 0);
                assert_int_equal(word(g, 0), config | size << 48);
                assert_int_equal(status(g), PMUSIM_STATUS_OVF_BUF);
                assert_int_equal(g->pmis, 1);
            }
        }
    }
}

#define rule(name) cmocka_unit_test(test_##name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(own_status_stays_0),
        rule(threshold),
        rule(interrupt_beside_a_record),
        rule(record_that_does_not_fit_is_dropped),
        rule(record_that_just_fits),
        rule(unmapped_area),
        rule(area_that_ends_early),
        rule(unmapped_buffer),
        rule(read_only_buffer),
        rule(index_below_the_buffer),
        rule(record_around_the_end_of_memory),
        rule(index_at_the_end_of_memory),
        rule(buffer_freezes_the_counters),
        rule(all_starts_counters_and_groups),
    };

    return cmocka_run_group_tests_name("pebs_buffer", tests, NULL, NULL);
}
