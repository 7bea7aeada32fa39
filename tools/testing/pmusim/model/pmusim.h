/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmusim: a model of the Intel core PMU
 *
 * The model knows the registers, the counting rules and the interrupt
 * conditions of architectural performance monitoring. It does not know who
 * executes the instructions: an emulator tells it what retired and asks it
 * how far it may run before something happens.
 *
 * Two privilege classes are told apart, as the selectors do: PMUSIM_OS for
 * CPL 0 and PMUSIM_USR for CPL 1 to 3.
 */
#ifndef PMUSIM_H
#define PMUSIM_H

#include <stdbool.h>
#include <stdint.h>

#define PMUSIM_GP_MAX           16
#define PMUSIM_FIXED_MAX        16
/* Bit of fixed counter 0 in STATUS, CTRL, CFG_B and in the model's masks */
#define PMUSIM_FIXED_BASE       32
#define PMUSIM_COUNTERS         (PMUSIM_FIXED_BASE + PMUSIM_FIXED_MAX)
#define PMUSIM_COUNTER_BITS     48
#define PMUSIM_COUNTER_MASK     ((UINT64_C(1) << PMUSIM_COUNTER_BITS) - 1)

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
#define PMUSIM_MSR_LBR_ENTRIES          32
#define PMUSIM_MSR_SNOOP_RSP0           0x1328
#define PMUSIM_MSR_ARCH_LBR_CTL         0x14ce
#define PMUSIM_MSR_ARCH_LBR_DEPTH       0x14cf
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
#define PMUSIM_SEL_EQ           (UINT64_C(1) << 36)
#define PMUSIM_SEL_UMASK2       (UINT64_C(0xff) << 40)

/* One field of FIXED_CTR_CTRL, SDM volume 3, 21.2.2 */
#define PMUSIM_FIXED_OS         UINT64_C(1)
#define PMUSIM_FIXED_USR        UINT64_C(2)
#define PMUSIM_FIXED_ANY        UINT64_C(4)
#define PMUSIM_FIXED_PMI        UINT64_C(8)
#define PMUSIM_FIXED_FIELD_BITS 4

/* GLOBAL_STATUS beyond the counters, SDM volume 3, 21.2.4 */
#define PMUSIM_STATUS_LBR_FRZ   (UINT64_C(1) << 58)
#define PMUSIM_STATUS_CTR_FRZ   (UINT64_C(1) << 59)
#define PMUSIM_STATUS_ASCI      (UINT64_C(1) << 60)
#define PMUSIM_STATUS_UNCORE    (UINT64_C(1) << 61)
#define PMUSIM_STATUS_OVF_BUF   (UINT64_C(1) << 62)
#define PMUSIM_STATUS_COND_CHGD (UINT64_C(1) << 63)

/* DEBUGCTL, SDM volume 3, 19.4.1 */
#define PMUSIM_DEBUGCTL_FREEZE_LBRS     (UINT64_C(1) << 11)
#define PMUSIM_DEBUGCTL_FREEZE_PERFMON  (UINT64_C(1) << 12)
#define PMUSIM_DEBUGCTL_VALID           UINT64_C(0x5fc3)

/* PERF_CAPABILITIES, SDM volume 3, 21.8 */
#define PMUSIM_CAP_FULL_WIDTH   (UINT64_C(1) << 13)

/* RDPMC operand, SDM volume 2, RDPMC */
#define PMUSIM_RDPMC_FIXED      (UINT32_C(1) << 30)

/* PMUSIM_OS and PMUSIM_USR index budgets and lanes */
enum pmusim_class {
    PMUSIM_OS,
    PMUSIM_USR,
    PMUSIM_CLASSES,
};

/* What the code of a class has to report, see struct pmusim_hot */
#define PMUSIM_COUNT_INSNS      UINT32_C(1)
#define PMUSIM_COUNT_BRANCHES   UINT32_C(2)

/*
 * Branch lane: three counts in one word, so that a branch costs one
 * read-modify-write. A fold comes at the latest after PMUSIM_BUDGET_MAX
 * instructions and one block more, hence 21 bits hold each count.
 */
#define PMUSIM_LANE_BITS        21
#define PMUSIM_LANE_MASK        ((UINT64_C(1) << PMUSIM_LANE_BITS) - 1)
#define PMUSIM_LANE_BRANCH      UINT64_C(1)
#define PMUSIM_LANE_TAKEN       (UINT64_C(1) << PMUSIM_LANE_BITS)
#define PMUSIM_LANE_MISS_SHIFT  (2 * PMUSIM_LANE_BITS)
#define PMUSIM_LANE_MISS        (UINT64_C(1) << PMUSIM_LANE_MISS_SHIFT)
#define PMUSIM_BUDGET_MAX       (INT32_C(1) << 20)
/* Longest block that pmusim_admit() may be asked for, instructions */
#define PMUSIM_BLOCK_MAX        512

/* Predictor sizes, entries; powers of two */
#define PMUSIM_PATTERNS         16384
#define PMUSIM_TARGETS          1024
#define PMUSIM_RETURNS          16
/* 3-bit saturating counters: predicted taken from PMUSIM_PATTERN_TAKEN up */
#define PMUSIM_PATTERN_MAX      7
#define PMUSIM_PATTERN_TAKEN    4

/**
 * struct pmusim_predictor - the branch predictor of one CPU
 * @pattern:  direction counters of conditional branches, 0 to 7, indexed by
 *            the low bits of the branch's address
 * @target:   last target of indirect jumps and calls, indexed likewise
 * @returns:  ring of return addresses
 * @top:      slot of @returns that the next return uses
 */
struct pmusim_predictor {
    uint8_t pattern[PMUSIM_PATTERNS];
    uint64_t target[PMUSIM_TARGETS];
    uint64_t returns[PMUSIM_RETURNS];
    uint32_t top;
};

/**
 * struct pmusim_hot - what the executing code reads and writes itself
 * @budget:     instructions that may still retire before pmusim_admit() has
 *              to be called, by class; negative: call it now
 * @count:      PMUSIM_COUNT_* bits, by class: what has to be reported at all
 * @lane:       branches, taken branches and mispredictions since the last
 *              fold, by class, packed by PMUSIM_LANE_*
 * @predictor:  tables updated at every branch while branches are counted
 */
struct pmusim_hot {
    int32_t budget[PMUSIM_CLASSES];
    uint32_t count[PMUSIM_CLASSES];
    uint64_t lane[PMUSIM_CLASSES];
    struct pmusim_predictor predictor;
};

/**
 * struct pmusim_pmu - what one type of core has
 * @core_type:      CPUID 0x1A EAX[31:24]; 0 on CPUs that are not hybrid
 * @gp:             mask of general-purpose counters
 * @fixed:          mask of fixed counters
 * @caps:           PERF_CAPABILITIES
 * @acr:            CPUID 0x23.2 exists
 * @reload_gp:      general-purpose counters that can be reloaded
 * @reload_fixed:   fixed counters that can be reloaded
 * @cause_gp:       general-purpose counters that can cause a reload
 * @cause_fixed:    fixed counters that can cause a reload
 * @width:          slots per cycle
 * @miss_cycles:    cycles lost by a misprediction
 * @taken_slots:    slots left empty behind a taken branch
 */
struct pmusim_pmu {
    uint8_t core_type;
    uint32_t gp;
    uint32_t fixed;
    uint64_t caps;
    bool acr;
    uint32_t reload_gp;
    uint32_t reload_fixed;
    uint32_t cause_gp;
    uint32_t cause_fixed;
    unsigned int width;
    unsigned int miss_cycles;
    unsigned int taken_slots;
};

/**
 * struct pmusim_cpu - one row of the CPU table
 * @name:       as given on the command line
 * @model:      CPUID model number, family 6
 * @stepping:   CPUID stepping
 * @version:    perfmon version
 * @leaf_a:     CPUID 0xA: EAX, EBX, ECX, EDX
 * @leaf_23:    CPUID 0x23 exists (7.1 EAX[8])
 * @hybrid:     two types of core (7.0 EDX[15])
 * @pmu:        the PMU of P-cores, and of every core when not hybrid
 * @atom:       the PMU of E-cores when @hybrid
 */
struct pmusim_cpu {
    const char *name;
    uint8_t model;
    uint8_t stepping;
    uint8_t version;
    uint32_t leaf_a[4];
    bool leaf_23;
    bool hybrid;
    struct pmusim_pmu pmu;
    struct pmusim_pmu atom;
};

/* What a counter adds up, after its selector has been decoded */
enum pmusim_lane {
    PMUSIM_NOTHING,
    PMUSIM_INSNS,
    PMUSIM_BRANCHES,
    PMUSIM_MISSES,
    PMUSIM_CYCLES,
    PMUSIM_LANES,
};

/**
 * struct pmusim_counter - one counter
 * @value:      PMUSIM_COUNTER_BITS bits
 * @select:     event selector; unused for fixed counters
 * @cause:      CFG_B: the counters whose overflow reloads this one
 * @reload:     CFG_C: low 32 bits of the value then loaded
 * @lane:       decoded from @select, or given by the fixed counter's number
 */
struct pmusim_counter {
    uint64_t value;
    uint64_t select;
    uint64_t cause;
    uint32_t reload;
    enum pmusim_lane lane;
};

/**
 * struct pmusim - the PMU of one logical CPU
 * @hot:            shared with the executing code
 * @cpu:            row of the CPU table; NULL: no PMU
 * @pmu:            the core type's part of @cpu
 * @counter:        general-purpose counters from 0, fixed ones from
 *                  PMUSIM_FIXED_BASE
 * @existing:       mask over @counter
 * @active:         counters that count now, by class
 * @causes:         union of all cause masks
 * @fixed_ctrl:     FIXED_CTR_CTRL
 * @global_ctrl:    GLOBAL_CTRL
 * @global_status:  GLOBAL_STATUS
 * @debugctl:       DEBUGCTL
 * @extra:          registers that are storage only, see msr.c
 * @armed:          hot.budget as of the last fold, by class
 * @slot:           slots of the current cycle that are used up, by class
 * @pmi:            an interrupt is due; whoever delivers it clears this
 */
struct pmusim {
    struct pmusim_hot hot;
    const struct pmusim_cpu *cpu;
    const struct pmusim_pmu *pmu;
    struct pmusim_counter counter[PMUSIM_COUNTERS];
    uint64_t existing;
    uint64_t active[PMUSIM_CLASSES];
    uint64_t causes;
    uint64_t fixed_ctrl;
    uint64_t global_ctrl;
    uint64_t global_status;
    uint64_t debugctl;
    uint64_t extra[6];
    int32_t armed[PMUSIM_CLASSES];
    uint32_t slot[PMUSIM_CLASSES];
    bool pmi;
};

/* How a register access ends */
enum pmusim_access {
    PMUSIM_DONE,
    /* The access faults with #GP(0); nothing has changed */
    PMUSIM_FAULT,
    /* Not a register of the PMU */
    PMUSIM_FOREIGN,
};

/**
 * struct pmusim_cpuid - the four result registers of CPUID
 * @eax: EAX
 * @ebx: EBX
 * @ecx: ECX
 * @edx: EDX
 */
struct pmusim_cpuid {
    uint32_t eax;
    uint32_t ebx;
    uint32_t ecx;
    uint32_t edx;
};

/* cpus.c */

const struct pmusim_cpu *pmusim_find_cpu(const char *name);
const struct pmusim_cpu *pmusim_cpu_at(unsigned int row);

/* cpuid.c */

/* Highest basic leaf that the model answers */
#define PMUSIM_CPUID_MAX        0x23

void pmusim_cpuid(const struct pmusim *p, uint32_t leaf, uint32_t subleaf,
                  struct pmusim_cpuid *regs);

/* counter.c */

void pmusim_init(struct pmusim *p, const struct pmusim_cpu *cpu, bool atom);
void pmusim_fold(struct pmusim *p, enum pmusim_class class,
                 unsigned int unretired);
unsigned int pmusim_admit(struct pmusim *p, enum pmusim_class class,
                          unsigned int insns);
void pmusim_update(struct pmusim *p, enum pmusim_class class);

/* event.c */

enum pmusim_lane pmusim_decode_event(const struct pmusim_pmu *pmu,
                                     uint64_t select);
enum pmusim_lane pmusim_fixed_event(unsigned int fixed);

/* msr.c */

enum pmusim_access pmusim_rdmsr(struct pmusim *p, enum pmusim_class class,
                                uint32_t msr, uint64_t *value);
enum pmusim_access pmusim_wrmsr(struct pmusim *p, enum pmusim_class class,
                                uint32_t msr, uint64_t value);
enum pmusim_access pmusim_rdpmc(struct pmusim *p, enum pmusim_class class,
                                uint32_t index, uint64_t *value);

/* acr.c */

uint64_t pmusim_acr_causes(const struct pmusim_pmu *pmu);
uint64_t pmusim_acr_reloadable(const struct pmusim_pmu *pmu);
void pmusim_acr_reload(struct pmusim *p, uint64_t wrapped);

/* predictor.c */

unsigned int pmusim_pattern_index(uint64_t pc);
unsigned int pmusim_target_index(uint64_t pc);
uint64_t pmusim_conditional(struct pmusim_predictor *bp, uint64_t pc,
                            bool taken);
uint64_t pmusim_indirect(struct pmusim_predictor *bp, uint64_t pc,
                         uint64_t target);
void pmusim_call(struct pmusim_predictor *bp, uint64_t return_address);
uint64_t pmusim_return(struct pmusim_predictor *bp, uint64_t target);

static inline uint64_t pmusim_bit(unsigned int n)
{
    return UINT64_C(1) << n;
}

#endif
