// SPDX-License-Identifier: GPL-2.0-or-later
/* INIT is not RESET: the second CPU's registers outlive it */
#include "pmu.h"
#include "tap.h"

#define EVENTSEL		(EVENT_BRANCHES | SEL_USR | SEL_INT)
#define FIXED			0xa
#define VALUE			0x1234560000

#define SOMEWHERE		0x12345000

/* A register that has nothing to do with counting, and who has it */
struct other {
	u32 msr;
	u64 value;
	bool exists;
};

static struct other others[4];

static void list_others(void)
{
	bool arch = pmu.lbr == LBR_ARCH;

	others[0] = (struct other){ MSR_DS_AREA, SOMEWHERE, pmu.ds };
	others[1] = (struct other){ MSR_PEBS_ENABLE, 1, pmu.pebs_format };
	others[2] = (struct other){ MSR_PEBS_DATA_CFG, 2, pmu.baseline };
	others[3] = (struct other){
		arch ? MSR_ARCH_LBR_FROM0 : MSR_LBR_FROM0, SOMEWHERE,
		pmu.lbr != LBR_NONE
	};
}

void init_before(void)
{
	u32 c, i;

	test_reset();
	pmu_reset();
	/* Nothing counts: the selectors are not enabled, or ask for CPL 3 */
	for_each_counter(c, pmu.existing) {
		ctr_write(c, VALUE + c);
		if (!ctr_is_fixed(c))
			wrmsr(MSR_EVENTSEL0 + c, EVENTSEL | c << 24);
		if (pmu.reloadable & BIT(c)) {
			wrmsr(ctr_cfg(c, V6_CFG_B), pmu.causes);
			wrmsr(ctr_cfg(c, V6_CFG_C), 0xffff0000 + c);
		}
	}
	if (ctr_exists(FIXED_BASE))
		wrmsr(MSR_FIXED_CTR_CTRL, FIXED);
	if (pmu.version >= 4)
		wrmsr(MSR_GLOBAL_STATUS_SET, 1);
	wrmsr(MSR_GLOBAL_CTRL, pmu.existing & ~BIT(1));
	list_others();
	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].exists)
			wrmsr(others[i].msr, others[i].value);
}

void init_after(void)
{
	u32 c, i;

	tap_begin("init-keeps-registers");
	for_each_counter(c, pmu.existing) {
		expect_eq(ctr_name(c), ctr_read(c), (VALUE + c) & pmu.mask);
		if (!ctr_is_fixed(c))
			expect_eq("EVENTSEL", rdmsr(MSR_EVENTSEL0 + c),
				  EVENTSEL | c << 24);
		if (pmu.reloadable & BIT(c)) {
			expect_eq("CFG_B", rdmsr(ctr_cfg(c, V6_CFG_B)),
				  pmu.causes);
			expect_eq("CFG_C", rdmsr(ctr_cfg(c, V6_CFG_C)),
				  0xffff0000 + c);
		}
	}
	if (ctr_exists(FIXED_BASE))
		expect_eq("FIXED_CTR_CTRL", rdmsr(MSR_FIXED_CTR_CTRL), FIXED);
	if (pmu.version >= 4)
		expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), 1);
	expect_eq("GLOBAL_CTRL", rdmsr(MSR_GLOBAL_CTRL),
		  pmu.existing & ~BIT(1));
	tap_end();

	tap_begin("init-keeps-pebs-and-lbr");
	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].exists)
			expect(rdmsr(others[i].msr) == others[i].value,
			       "0x%x is 0x%lx, not 0x%lx", others[i].msr,
			       rdmsr(others[i].msr), others[i].value);
	tap_end();

	/* And it works after that */
	pmu_reset();
	tap_begin("init-counts-after");
	ctr_start(0, EVENT_INSNS, 0, SEL_OS);
	payload(1);
	expect_eq("count", ctr_read(0), PAYLOAD_INSNS);
	tap_end();
}
