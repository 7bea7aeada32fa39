/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and bits of the PMU's registers */
#ifndef PMUSIM_REGISTERS_H
#define PMUSIM_REGISTERS_H

#include <stdint.h>

#define PMUSIM_GP_MAX           16
#define PMUSIM_FIXED_MAX        16
/* Bit of fixed counter 0 in STATUS, CTRL, CFG_B and in the model's masks */
#define PMUSIM_FIXED_BASE       32
#define PMUSIM_COUNTERS         (PMUSIM_FIXED_BASE + PMUSIM_FIXED_MAX)
#define PMUSIM_COUNTER_BITS     48
#define PMUSIM_COUNTER_MASK     ((UINT64_C(1) << PMUSIM_COUNTER_BITS) - 1)
/* The fixed counter of SLOTS */
#define PMUSIM_FIXED_SLOTS      3

/* Registers, Intel SDM volume 4, table 2-2 (architectural MSRs) */
#define PMUSIM_MSR_PMC0                 0x0c1
#define PMUSIM_MSR_PERFEVTSEL0          0x186
#define PMUSIM_MSR_OFFCORE_RSP0         0x1a6
#define PMUSIM_MSR_LBR_SELECT           0x1c8
#define PMUSIM_MSR_LBR_TOS              0x1c9
#define PMUSIM_MSR_DEBUGCTL             0x1d9
#define PMUSIM_MSR_FIXED_CTR0           0x309
#define PMUSIM_MSR_PERF_METRICS         0x329
#define PMUSIM_MSR_PERF_CAPABILITIES    0x345
#define PMUSIM_MSR_FIXED_CTR_CTRL       0x38d
#define PMUSIM_MSR_GLOBAL_STATUS        0x38e
#define PMUSIM_MSR_GLOBAL_CTRL          0x38f
#define PMUSIM_MSR_GLOBAL_STATUS_RESET  0x390
#define PMUSIM_MSR_GLOBAL_STATUS_SET    0x391
#define PMUSIM_MSR_GLOBAL_INUSE         0x392
#define PMUSIM_MSR_PEBS_ENABLE          0x3f1
#define PMUSIM_MSR_PEBS_DATA_CFG        0x3f2
#define PMUSIM_MSR_PEBS_LD_LAT          0x3f6
#define PMUSIM_MSR_PEBS_FRONTEND        0x3f7
#define PMUSIM_MSR_FULL_WIDTH_PMC0      0x4c1
#define PMUSIM_MSR_DS_AREA              0x600
#define PMUSIM_MSR_LBR_FROM0            0x680
#define PMUSIM_MSR_LBR_TO0              0x6c0
#define PMUSIM_MSR_LBR_INFO0            0xdc0
#define PMUSIM_MSR_ARCH_LBR_INFO0       0x1200
#define PMUSIM_MSR_SNOOP_RSP0           0x1328
#define PMUSIM_MSR_ARCH_LBR_CTL         0x14ce
#define PMUSIM_MSR_ARCH_LBR_DEPTH       0x14cf
#define PMUSIM_MSR_ARCH_LBR_FROM0       0x1500
#define PMUSIM_MSR_ARCH_LBR_TO0         0x1600
#define PMUSIM_MSR_V6_GP0_CTR           0x1900
#define PMUSIM_MSR_V6_FX0_CTR           0x1980
#define PMUSIM_MSR_V6_STEP              4

/* Event selector bits, SDM volume 3, 21.2.1 and 20.2.7 */
#define PMUSIM_SEL_EVENT        UINT64_C(0x000000ff)
#define PMUSIM_SEL_UMASK        UINT64_C(0x0000ff00)
#define PMUSIM_SEL_USR          (UINT64_C(1) << 16)
#define PMUSIM_SEL_OS           (UINT64_C(1) << 17)
#define PMUSIM_SEL_EDGE         (UINT64_C(1) << 18)
#define PMUSIM_SEL_PC           (UINT64_C(1) << 19)
#define PMUSIM_SEL_INT          (UINT64_C(1) << 20)
#define PMUSIM_SEL_ANY          (UINT64_C(1) << 21)
#define PMUSIM_SEL_EN           (UINT64_C(1) << 22)
#define PMUSIM_SEL_INV          (UINT64_C(1) << 23)
#define PMUSIM_SEL_CMASK        UINT64_C(0xff000000)
#define PMUSIM_SEL_CMASK_SHIFT  24
#define PMUSIM_SEL_ADAPTIVE     (UINT64_C(1) << 34)
#define PMUSIM_SEL_BR_CNTR      (UINT64_C(1) << 35)
#define PMUSIM_SEL_EQ           (UINT64_C(1) << 36)
#define PMUSIM_SEL_UMASK2       (UINT64_C(0xff) << 40)

/* One field of FIXED_CTR_CTRL, SDM volume 3, 21.2.2 */
#define PMUSIM_FIXED_OS         UINT64_C(1)
#define PMUSIM_FIXED_USR        UINT64_C(2)
#define PMUSIM_FIXED_ANY        UINT64_C(4)
#define PMUSIM_FIXED_PMI        UINT64_C(8)
#define PMUSIM_FIXED_FIELD_BITS 4
/* The same bit of the field of SLOTS, with PMUSIM_CAP_METRICS_CLEAR */
#define PMUSIM_FIXED_METRICS_CLEAR \
    (PMUSIM_FIXED_ANY << PMUSIM_FIXED_SLOTS * PMUSIM_FIXED_FIELD_BITS)
/* Its record is adaptive: bit 32 + 4 * counter, SDM volume 3, 21.9.2.4 */
#define PMUSIM_FIXED_ADAPTIVE   (UINT64_C(1) << 32)

/* GLOBAL_CTRL and GLOBAL_STATUS beyond the counters, SDM volume 3, 21.2.4 */
#define PMUSIM_GLOBAL_METRICS   (UINT64_C(1) << 48)
#define PMUSIM_STATUS_LBR_FRZ   (UINT64_C(1) << 58)
#define PMUSIM_STATUS_CTR_FRZ   (UINT64_C(1) << 59)
#define PMUSIM_STATUS_ASCI      (UINT64_C(1) << 60)
#define PMUSIM_STATUS_UNCORE    (UINT64_C(1) << 61)
#define PMUSIM_STATUS_OVF_BUF   (UINT64_C(1) << 62)
#define PMUSIM_STATUS_COND_CHGD (UINT64_C(1) << 63)

/* DEBUGCTL, SDM volume 3, 19.4.1 */
#define PMUSIM_DEBUGCTL_LBR             (UINT64_C(1) << 0)
#define PMUSIM_DEBUGCTL_FREEZE_LBRS     (UINT64_C(1) << 11)
#define PMUSIM_DEBUGCTL_FREEZE_PERFMON  (UINT64_C(1) << 12)
#define PMUSIM_DEBUGCTL_VALID           UINT64_C(0x5fc3)

/* PERF_CAPABILITIES, SDM volume 3, 21.8 */
#define PMUSIM_CAP_LBR_FORMAT   UINT64_C(0x3f)
#define PMUSIM_CAP_LBR_INFO_TSX 5
#define PMUSIM_CAP_LBR_ARCH     0x3f
#define PMUSIM_CAP_PEBS_TRAP    (UINT64_C(1) << 6)
#define PMUSIM_CAP_PEBS_REGS    (UINT64_C(1) << 7)
#define PMUSIM_CAP_PEBS_SHIFT   8
#define PMUSIM_CAP_PEBS_FORMAT  UINT64_C(0xf00)
#define PMUSIM_CAP_FREEZE_SMM   (UINT64_C(1) << 12)
#define PMUSIM_CAP_FULL_WIDTH   (UINT64_C(1) << 13)
#define PMUSIM_CAP_BASELINE     (UINT64_C(1) << 14)
#define PMUSIM_CAP_METRICS      (UINT64_C(1) << 15)
/* RDPMC of PERF_METRICS can be made to clear it, and the slots */
#define PMUSIM_CAP_METRICS_CLEAR (UINT64_C(1) << 19)

/* PEBS_DATA_CFG, SDM volume 3, table 21-95 */
#define PMUSIM_PEBS_MEMORY      (UINT64_C(1) << 0)
#define PMUSIM_PEBS_GPRS        (UINT64_C(1) << 1)
#define PMUSIM_PEBS_XMMS        (UINT64_C(1) << 2)
#define PMUSIM_PEBS_LBRS        (UINT64_C(1) << 3)
#define PMUSIM_PEBS_LBR_SHIFT   24
#define PMUSIM_PEBS_DATA_VALID  UINT64_C(0xff00000f)

/* LBR_SELECT: what is left out, SDM volume 3, 19.9.2; call stack apart */
#define PMUSIM_SELECT_OS        (UINT64_C(1) << 0)
#define PMUSIM_SELECT_USR       (UINT64_C(1) << 1)
#define PMUSIM_SELECT_JCC       (UINT64_C(1) << 2)
#define PMUSIM_SELECT_CALL      (UINT64_C(1) << 3)
#define PMUSIM_SELECT_IND_CALL  (UINT64_C(1) << 4)
#define PMUSIM_SELECT_RETURN    (UINT64_C(1) << 5)
#define PMUSIM_SELECT_IND_JUMP  (UINT64_C(1) << 6)
#define PMUSIM_SELECT_JUMP      (UINT64_C(1) << 7)
#define PMUSIM_SELECT_FAR       (UINT64_C(1) << 8)
#define PMUSIM_SELECT_STACK     (UINT64_C(1) << 9)
#define PMUSIM_SELECT_VALID     UINT64_C(0x3ff)

/* ARCH_LBR_CTL: what is recorded, SDM volume 3, 20.1.1 */
#define PMUSIM_LBR_CTL_ENABLE   (UINT64_C(1) << 0)
#define PMUSIM_LBR_CTL_OS       (UINT64_C(1) << 1)
#define PMUSIM_LBR_CTL_USR      (UINT64_C(1) << 2)
#define PMUSIM_LBR_CTL_STACK    (UINT64_C(1) << 3)
#define PMUSIM_LBR_CTL_JCC      (UINT64_C(1) << 16)
#define PMUSIM_LBR_CTL_JUMP     (UINT64_C(1) << 17)
#define PMUSIM_LBR_CTL_IND_JUMP (UINT64_C(1) << 18)
#define PMUSIM_LBR_CTL_CALL     (UINT64_C(1) << 19)
#define PMUSIM_LBR_CTL_IND_CALL (UINT64_C(1) << 20)
#define PMUSIM_LBR_CTL_RETURN   (UINT64_C(1) << 21)
#define PMUSIM_LBR_CTL_FAR      (UINT64_C(1) << 22)
#define PMUSIM_LBR_CTL_VALID    UINT64_C(0x7f000f)

/* LBR INFO, SDM volume 3, 20.1.2 */
#define PMUSIM_INFO_MISPREDICT  (UINT64_C(1) << 63)
#define PMUSIM_INFO_CYCLES_OK   (UINT64_C(1) << 60)
#define PMUSIM_INFO_TYPE_SHIFT  56
#define PMUSIM_INFO_EVENT_SHIFT 32
#define PMUSIM_INFO_CYCLES_MAX  UINT64_C(0xffff)

/* RDPMC operand, SDM volume 2, RDPMC */
#define PMUSIM_RDPMC_FIXED      (UINT32_C(1) << 30)
#define PMUSIM_RDPMC_METRICS    (UINT32_C(1) << 29)

/*
 * The model's own registers, which no processor has: statistics and the truth
 * about the code that ran. See README.md, "Statistics and ground truth".
 */
#define PMUSIM_MSR_OWN              0x504d5500
#define PMUSIM_MSR_OWN_COUNT        0x200
#define PMUSIM_MSR_OWN_ID           (PMUSIM_MSR_OWN + 0x00)
#define PMUSIM_MSR_OWN_CONTROL      (PMUSIM_MSR_OWN + 0x01)
#define PMUSIM_MSR_OWN_INDEX        (PMUSIM_MSR_OWN + 0x02)
#define PMUSIM_MSR_OWN_READS        (PMUSIM_MSR_OWN + 0x03)
#define PMUSIM_MSR_OWN_WRITES       (PMUSIM_MSR_OWN + 0x04)
/* One each of enum pmusim_statistic */
#define PMUSIM_MSR_OWN_STATISTIC0   (PMUSIM_MSR_OWN + 0x10)
/* Ranges: four registers each */
#define PMUSIM_MSR_OWN_RANGE0       (PMUSIM_MSR_OWN + 0x40)
#define PMUSIM_MSR_OWN_RANGE_STEP   4
/* What happened in a range: one each of enum pmusim_lane, 32 a range */
#define PMUSIM_MSR_OWN_TRUTH0       (PMUSIM_MSR_OWN + 0x100)
#define PMUSIM_MSR_OWN_TRUTH_STEP   32

#define PMUSIM_ID                   UINT64_C(0x01006d6973756d70)
/* Count instructions of both classes, and those of NMI handlers */
#define PMUSIM_CONTROL_COUNT        (UINT64_C(1) << 0)
/* Written as 1, these act and read as 0 */
#define PMUSIM_CONTROL_CLEAR        (UINT64_C(1) << 1)
#define PMUSIM_CONTROL_FORGET       (UINT64_C(1) << 2)
/* Caches and divider run for cycles, too */
#define PMUSIM_CONTROL_MEMORY       (UINT64_C(1) << 3)
#define PMUSIM_CONTROL_KEPT         (PMUSIM_CONTROL_COUNT | \
                                     PMUSIM_CONTROL_MEMORY)
/* In a range's control register */
#define PMUSIM_RANGE_OS             (UINT64_C(1) << 0)
#define PMUSIM_RANGE_USR            (UINT64_C(1) << 1)

#endif
