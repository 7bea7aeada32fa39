/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of the branch predictor */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "guest.h"

static void test_predictor_returns(void **state)
{
    struct pmusim_predictor bp = { 0 };
    unsigned int i;

    for (i = 1; i <= PMUSIM_RETURNS; i++) {
        pmusim_call(&bp, i);
    }
    for (i = PMUSIM_RETURNS; i >= 1; i--) {
        assert_int_equal(pmusim_return(&bp, i), 0);
    }
    assert_int_equal(pmusim_return(&bp, 0xdead), PMUSIM_PACKED_MISS);
}

static void test_predictor_indirect(void **state)
{
    struct pmusim_predictor bp = { 0 };

    assert_int_equal(pmusim_indirect(&bp, 0x10, 0x500), PMUSIM_PACKED_MISS);
    assert_int_equal(pmusim_indirect(&bp, 0x10, 0x500), 0);
    assert_int_equal(pmusim_indirect(&bp, 0x10, 0x600), PMUSIM_PACKED_MISS);
}

/* Three bits: seven steps up, and as many down */
static void test_predictor_hysteresis(void **state)
{
    struct pmusim_predictor bp = { 0 };
    unsigned int i;

    for (i = 0; i < 100; i++) {
        assert_int_equal(!!pmusim_conditional(&bp, 0x40, true), i < 4);
    }
    for (i = 0; i < 100; i++) {
        assert_int_equal(!!pmusim_conditional(&bp, 0x40, false), i < 4);
    }
    /* One that was not taken does not change the mind of a loop */
    for (i = 0; i < 100; i++) {
        pmusim_conditional(&bp, 0x80, true);
    }
    for (i = 0; i < 100; i++) {
        bool taken = i % 3;

        assert_int_equal(!!pmusim_conditional(&bp, 0x80, taken), !taken);
    }
}

/* 2^14 patterns and 2^10 targets, by the low bits of the address */
static void test_predictor_sizes(void **state)
{
    struct pmusim_predictor bp = { 0 };
    unsigned int i, bit;

    for (i = 0; i < 10; i++) {
        pmusim_conditional(&bp, 0, true);
    }
    for (bit = 0; bit < 14; bit++) {
        assert_int_equal(pmusim_conditional(&bp, pmusim_bit(bit), false), 0);
    }
    assert_int_equal(pmusim_conditional(&bp, pmusim_bit(14), true), 0);
    assert_int_equal(pmusim_conditional(&bp, pmusim_bit(63), true), 0);

    pmusim_indirect(&bp, 0, 0x500);
    for (bit = 0; bit < 10; bit++) {
        pmusim_indirect(&bp, pmusim_bit(bit), 0x600);
    }
    assert_int_equal(pmusim_indirect(&bp, 0, 0x500), 0);
    assert_int_equal(pmusim_indirect(&bp, pmusim_bit(10), 0x500), 0);
}

static void test_predictor_random_data(void **state)
{
    struct pmusim_predictor bp = { 0 };
    unsigned int misses = 0, i;
    uint32_t seed = 1;

    for (i = 0; i < 100000; i++) {
        seed = seed * 1664525 + 1013904223;
        misses += !!pmusim_conditional(&bp, 0x40, seed >> 24 & 0x80);
    }
    assert_in_range(misses, 48000, 52000);
}

#define rule(name) cmocka_unit_test(test_##name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(predictor_returns),
        rule(predictor_indirect),
        rule(predictor_hysteresis),
        rule(predictor_sizes),
        rule(predictor_random_data),
    };

    return cmocka_run_group_tests_name("predictor", tests, NULL, NULL);
}
