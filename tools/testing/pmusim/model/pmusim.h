/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmusim: a model of the Intel core PMU
 *
 * The model knows the registers, the counting rules and the interrupt
 * conditions of performance monitoring. It does not know who executes the
 * instructions: an emulator tells it what retired and asks it how far it may
 * run before something happens.
 *
 * Two privilege classes are told apart, as the selectors do: PMUSIM_OS for
 * CPL 0 and PMUSIM_USR for CPL 1 to 3.
 */
#ifndef PMUSIM_H
#define PMUSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "registers.h"

enum pmusim_class {
    PMUSIM_OS,
    PMUSIM_USR,
    PMUSIM_CLASSES,
};

/*
 * What executing code has to report. Each level includes the ones above it,
 * except that PMUSIM_LEVEL_EXACT does not report memory.
 */
enum pmusim_level {
    PMUSIM_LEVEL_NONE,
    /* Takes each block's instructions from the budget */
    PMUSIM_LEVEL_INSNS,
    /* Packs branches, keeps the predictor */
    PMUSIM_LEVEL_BRANCHES,
    /* Leaves each instruction's address, and the kind of a taken branch */
    PMUSIM_LEVEL_RECORD,
    /*
     * Reports memory accesses, fetches and divisions; an instruction that
     * accesses memory ends its block
     */
    PMUSIM_LEVEL_MEMORY,
    /* As RECORD and as MEMORY, every instruction a block of its own */
    PMUSIM_LEVEL_EXACT,
    PMUSIM_LEVEL_EXACT_MEMORY,
};

/* Privilege levels: CPL 1 to 3 are one class */
#define PMUSIM_CPLS             4

static inline enum pmusim_class pmusim_class_of(unsigned int cpl)
{
    return cpl ? PMUSIM_USR : PMUSIM_OS;
}

static inline bool pmusim_level_records(unsigned int level)
{
    return level >= PMUSIM_LEVEL_RECORD;
}

static inline bool pmusim_level_has_memory(unsigned int level)
{
    return level == PMUSIM_LEVEL_MEMORY || level == PMUSIM_LEVEL_EXACT_MEMORY;
}

static inline bool pmusim_level_is_exact(unsigned int level)
{
    return level >= PMUSIM_LEVEL_EXACT;
}

/*
 * Branches, packed: four counts in one word, so that a branch costs one
 * read-modify-write. A fold comes at the latest after PMUSIM_BUDGET_MAX
 * instructions and one block more, hence 16 bits hold each count.
 */
#define PMUSIM_PACKED_BITS          16
#define PMUSIM_PACKED_MASK          ((UINT64_C(1) << PMUSIM_PACKED_BITS) - 1)
#define PMUSIM_PACKED_BRANCH        UINT64_C(1)
#define PMUSIM_PACKED_COND_SHIFT    PMUSIM_PACKED_BITS
#define PMUSIM_PACKED_COND          (UINT64_C(1) << PMUSIM_PACKED_COND_SHIFT)
#define PMUSIM_PACKED_TAKEN_SHIFT   (2 * PMUSIM_PACKED_BITS)
#define PMUSIM_PACKED_TAKEN         (UINT64_C(1) << PMUSIM_PACKED_TAKEN_SHIFT)
#define PMUSIM_PACKED_MISS_SHIFT    (3 * PMUSIM_PACKED_BITS)
#define PMUSIM_PACKED_MISS          (UINT64_C(1) << PMUSIM_PACKED_MISS_SHIFT)
#define PMUSIM_BUDGET_MAX           (INT32_C(1) << 15)
/* Longest block that pmusim_admit() may be asked for, instructions */
#define PMUSIM_BLOCK_MAX            512

/* Kinds of branch; from PMUSIM_BRANCH_JCC on, less one: LBR INFO's type */
enum pmusim_branch {
    PMUSIM_BRANCH_NONE,
    PMUSIM_BRANCH_JCC,
    PMUSIM_BRANCH_IND_JUMP,
    PMUSIM_BRANCH_JUMP,
    PMUSIM_BRANCH_IND_CALL,
    PMUSIM_BRANCH_CALL,
    PMUSIM_BRANCH_RETURN,
    /* Also interrupts and exceptions; its type is 8, "other" */
    PMUSIM_BRANCH_FAR,
    PMUSIM_BRANCH_KINDS,
};

/* Beside the kind in pmusim_hot.branch: it was mispredicted */
#define PMUSIM_BRANCH_MISS_SHIFT    8
#define PMUSIM_BRANCH_MISS          (1u << PMUSIM_BRANCH_MISS_SHIFT)
#define PMUSIM_BRANCH_KIND_MASK     0xffu

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
 * @level:      enum pmusim_level, by privilege level: what to report at all
 * @packed:     branches of each sort and mispredictions since the last fold, by
 *              class, PMUSIM_PACKED_*
 * @ip:         from PMUSIM_LEVEL_RECORD on: address of the last instruction
 *              that retired or is executing
 * @branch:     from PMUSIM_LEVEL_RECORD on: the branch at @ip has been taken,
 *              enum pmusim_branch and PMUSIM_BRANCH_MISS; who gets to its
 *              target calls pmusim_branch()
 * @predictor:  tables updated at every branch while branches are counted
 */
struct pmusim_hot {
    int32_t budget[PMUSIM_CLASSES];
    uint32_t level[PMUSIM_CPLS];
    uint64_t packed[PMUSIM_CLASSES];
    uint64_t ip;
    uint32_t branch;
    struct pmusim_predictor predictor;
};

/* What a counter adds up, after its selector has been decoded */
enum pmusim_lane {
    PMUSIM_NOTHING,
    PMUSIM_INSNS,
    PMUSIM_BRANCHES,
    PMUSIM_CONDITIONALS,
    PMUSIM_TAKEN,
    PMUSIM_MISSES,
    PMUSIM_CYCLES,
    /* Cycles lost by mispredictions */
    PMUSIM_RECOVERY,
    /* The lanes below need PMUSIM_LEVEL_MEMORY; first those in slots */
    PMUSIM_SLOTS,
    PMUSIM_BAD_SPEC,
    PMUSIM_FRONTEND,
    PMUSIM_FETCH_LATENCY,
    PMUSIM_BACKEND,
    PMUSIM_MEMORY_BOUND,
    PMUSIM_HEAVY,
    PMUSIM_LOADS,
    PMUSIM_STORES,
    PMUSIM_L1_HITS,
    PMUSIM_L1_MISSES,
    PMUSIM_LLC_REFERENCES,
    PMUSIM_LLC_MISSES,
    /* Loads that took PEBS_LD_LAT cycles or longer */
    PMUSIM_SLOW_LOADS,
    PMUSIM_DIVISIONS,
    PMUSIM_FETCH_MISSES,
    PMUSIM_LANES,
};

_Static_assert(PMUSIM_LANES <= 32, "a bit for each lane");
_Static_assert(PMUSIM_LANES <= PMUSIM_MSR_OWN_TRUTH_STEP,
               "a register for each lane of a range");

/**
 * struct pmusim_event - one event of a core type
 * @select: event number in bits 7:0, unit mask in bits 15:8
 * @lane:   what it counts
 */
struct pmusim_event {
    uint16_t select;
    enum pmusim_lane lane;
};

/**
 * struct pmusim_acr - auto counter reload, CPUID 0x23.2
 * @reload_gp:      general-purpose counters that can be reloaded
 * @reload_fixed:   fixed counters that can be reloaded
 * @cause_gp:       general-purpose counters that can cause a reload
 * @cause_fixed:    fixed counters that can cause a reload
 */
struct pmusim_acr {
    uint32_t reload_gp;
    uint32_t reload_fixed;
    uint32_t cause_gp;
    uint32_t cause_fixed;
};

/**
 * struct pmusim_pmu - what one type of core has
 * @core_type:      CPUID 0x1A EAX[31:24]; 0 on CPUs that are not hybrid
 * @gp:             mask of general-purpose counters
 * @fixed:          mask of fixed counters
 * @caps:           PERF_CAPABILITIES
 * @acr:            auto counter reload; NULL: none, and no CPUID 0x23.2
 * @pebs_gp:        general-purpose counters that can write PEBS records
 * @pebs_fixed:     fixed counters that can
 * @frontend:       bits of PEBS_FRONTEND, which only keeps them
 * @lbrs:           entries of the last branch record; 0: none
 * @lbr_counters:   counters whose events it logs, CPUID 0x1C ECX[19:16]
 * @metrics:        bytes of PERF_METRICS in use, 4 or 8; 0: none
 * @events:         events beside the architectural ones, ends with select 0
 * @fixed_lane:     what each fixed counter counts
 * @width:          slots per cycle
 * @miss_cycles:    cycles lost by a misprediction
 * @taken_slots:    slots left empty behind a taken branch
 * @fetch_cycles:   cycles lost by a miss of the instruction cache
 * @llc_cycles:     cycles lost by a load that misses L1D: the LLC serves it
 * @memory_cycles:  cycles lost by a load that misses the LLC, too
 * @divide_cycles:  cycles lost by a division or a square root
 * @source_llc:     data source of a load that the LLC served, PEBS encoding
 * @source_memory:  data source of a load that memory served
 * @two_latencies:  records have the access latency in bits 47:32, and that of
 *                  the instruction in bits 15:0
 */
struct pmusim_pmu {
    uint8_t core_type;
    uint32_t gp;
    uint32_t fixed;
    uint64_t caps;
    const struct pmusim_acr *acr;
    uint32_t pebs_gp;
    uint32_t pebs_fixed;
    uint32_t frontend;
    unsigned int lbrs;
    uint32_t lbr_counters;
    unsigned int metrics;
    const struct pmusim_event *events;
    enum pmusim_lane fixed_lane[PMUSIM_FIXED_MAX];
    unsigned int width;
    unsigned int miss_cycles;
    unsigned int taken_slots;
    unsigned int fetch_cycles;
    unsigned int llc_cycles;
    unsigned int memory_cycles;
    unsigned int divide_cycles;
    uint8_t source_llc;
    uint8_t source_memory;
    bool two_latencies;
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
    const struct pmusim_pmu *pmu;
    const struct pmusim_pmu *atom;
};

/**
 * struct pmusim_counter - one counter
 * @value:      PMUSIM_COUNTER_BITS bits
 * @select:     event selector; unused for fixed counters
 * @cause:      CFG_B: the counters whose overflow reloads this one
 * @reload:     CFG_C: low 32 bits of the value then loaded
 * @lane:       decoded from @select, or given by the fixed counter's number
 * @threshold:  counter mask; 0: the events themselves are counted
 * @equal:      the condition is to reach @threshold exactly
 * @inverted:   count where the condition does not hold
 * @edge:       count where the condition becomes true
 * @seen:       events of the current cycle, by class, when @threshold
 * @was:        the condition in the last cycle, when @threshold
 */
struct pmusim_counter {
    uint64_t value;
    uint64_t select;
    uint64_t cause;
    uint32_t reload;
    enum pmusim_lane lane;
    uint32_t threshold;
    bool equal;
    bool inverted;
    bool edge;
    bool was;
    uint32_t seen[PMUSIM_CLASSES];
};

/**
 * struct pmusim_delta - what happened in one class since the last fold
 * @class:  the class
 * @lane:   events by enum pmusim_lane
 * @before: slots of the current cycle used up before
 */
struct pmusim_delta {
    enum pmusim_class class;
    uint64_t lane[PMUSIM_LANES];
    uint32_t before;
};

#define PMUSIM_LINE_SHIFT       6

/* Sizes of the caches: sets are powers of two */
#define PMUSIM_L1_SETS          64
#define PMUSIM_L1_WAYS          8
#define PMUSIM_LLC_SETS         1024
#define PMUSIM_LLC_WAYS         16

/**
 * struct pmusim_caches - L1I, L1D and last-level cache of one CPU
 * @fetch:  instruction lines, most recently used first in each set; a tag is
 *          the line's number plus 1, so that 0 is an empty way
 * @data:   data lines, likewise
 * @last:   lines of the last level, likewise
 */
struct pmusim_caches {
    uint64_t fetch[PMUSIM_L1_SETS * PMUSIM_L1_WAYS];
    uint64_t data[PMUSIM_L1_SETS * PMUSIM_L1_WAYS];
    uint64_t last[PMUSIM_LLC_SETS * PMUSIM_LLC_WAYS];
};

/**
 * struct pmusim_work - what the code of a class reported besides branches
 * @loads:          loads
 * @stores:         stores
 * @l1_misses:      loads that missed L1D
 * @llc_references: accesses of any kind that reached the LLC
 * @llc_misses:     those of them that missed it
 * @slow_loads:     loads of PEBS_LD_LAT cycles or longer
 * @stall_cycles:   cycles lost by loads
 * @divisions:      divisions and square roots
 * @fetch_misses:   misses of the instruction cache
 */
struct pmusim_work {
    uint64_t loads;
    uint64_t stores;
    uint64_t l1_misses;
    uint64_t llc_references;
    uint64_t llc_misses;
    uint64_t slow_loads;
    uint64_t stall_cycles;
    uint64_t divisions;
    uint64_t fetch_misses;
};

/**
 * struct pmusim_last_access - a memory access, as PEBS records it
 * @address:    linear address
 * @latency:    cycles
 * @source:     PEBS data source encoding
 */
struct pmusim_last_access {
    uint64_t address;
    uint32_t latency;
    uint8_t source;
};

#define PMUSIM_LBR_MAX          32

/**
 * struct pmusim_lbr_entry - one recorded branch
 * @from:   address of the branch
 * @to:     address it went to
 * @info:   INFO register
 */
struct pmusim_lbr_entry {
    uint64_t from;
    uint64_t to;
    uint64_t info;
};

/**
 * struct pmusim_lbr - last branch record, either kind
 * @entry:      a ring
 * @top:        slot of the newest entry; the model-specific kind's TOS
 * @select:     LBR_SELECT (model-specific kind)
 * @ctl:        ARCH_LBR_CTL
 * @depth:      entries in use
 * @clock:      pmusim_clock() at the last record, less the slots of a cycle
 *              that had only begun
 * @timed:      @clock is set: recording has not been interrupted since
 * @logged:     values of the logged counters at the last record
 * @passes:     kinds of branch that are recorded, a bit each, by class of the
 *              target
 * @arch:       the architectural kind
 * @stack:      call-stack mode
 * @inverse:    2^32 by the slots of a cycle, rounded up
 */
struct pmusim_lbr {
    struct pmusim_lbr_entry entry[PMUSIM_LBR_MAX];
    uint32_t top;
    uint64_t select;
    uint64_t ctl;
    uint32_t depth;
    uint64_t clock;
    bool timed;
    uint64_t logged[4];
    uint32_t passes[PMUSIM_CLASSES];
    bool arch;
    bool stack;
    uint64_t inverse;
};

/**
 * struct pmusim_pebs - processor event based sampling
 * @area:       DS_AREA
 * @enable:     PEBS_ENABLE
 * @data:       PEBS_DATA_CFG
 */
struct pmusim_pebs {
    uint64_t area;
    uint64_t enable;
    uint64_t data;
};

/* Counts that the model keeps of itself */
enum pmusim_statistic {
    PMUSIM_STAT_READS,
    PMUSIM_STAT_WRITES,
    /* Interrupts delivered, and lost because LVTPC was masked */
    PMUSIM_STAT_PMIS,
    PMUSIM_STAT_PMIS_LOST,
    PMUSIM_STAT_LVTPC_WRITES,
    PMUSIM_STAT_PEBS_RECORDS,
    PMUSIM_STAT_PEBS_LOST,
    PMUSIM_STAT_NMIS,
    /* The next three only with PMUSIM_CONTROL_COUNT */
    PMUSIM_STAT_NMI_INSNS,
    PMUSIM_STAT_OS_INSNS,
    PMUSIM_STAT_USR_INSNS,
    PMUSIM_STAT_RDPMCS,
    /* Those of READS, WRITES, LVTPC_WRITES, RDPMCS between NMI and IRET */
    PMUSIM_STAT_NMI_READS,
    PMUSIM_STAT_NMI_WRITES,
    PMUSIM_STAT_NMI_LVTPC_WRITES,
    PMUSIM_STAT_NMI_RDPMCS,
    /* RDMSR, WRMSR, RDPMC of the kernel that raised #GP */
    PMUSIM_STAT_FAULTS,
    PMUSIM_STATISTICS,
};

/* Distinct registers whose accesses are counted one by one */
#define PMUSIM_STAT_REGISTERS   1024

/**
 * struct pmusim_accesses - accesses to one register
 * @msr:        its number
 * @reads:      successful and faulting reads
 * @writes:     successful and faulting writes
 */
struct pmusim_accesses {
    uint32_t msr;
    uint64_t reads;
    uint64_t writes;
};

#define PMUSIM_RANGES           8

/**
 * struct pmusim_range - the truth about a piece of code
 * @first:      lowest address
 * @end:        address behind the highest
 * @space:      page table root (CR3 without its low 12 bits); 0: any
 * @control:    PMUSIM_RANGE_*
 * @total:      what happened there, by enum pmusim_lane
 */
struct pmusim_range {
    uint64_t first;
    uint64_t end;
    uint64_t space;
    uint64_t control;
    uint64_t total[PMUSIM_LANES];
};

/**
 * struct pmusim_truth - statistics and ground truth
 * @control:        PMUSIM_CONTROL_KEPT
 * @index:          the register that READS and WRITES are about
 * @in_nmi:         between an NMI's entry and IRET
 * @total:          by enum pmusim_statistic
 * @accesses:       open hash by register number; without accesses: free
 * @range:          ranges of code
 */
struct pmusim_truth {
    uint64_t control;
    uint32_t index;
    bool in_nmi;
    uint64_t total[PMUSIM_STATISTICS];
    struct pmusim_accesses accesses[PMUSIM_STAT_REGISTERS];
    struct pmusim_range range[PMUSIM_RANGES];
};

/**
 * struct pmusim_registers - state of the CPU that PEBS records
 * @flags:  RFLAGS
 * @ip:     address of the next instruction
 * @gpr:    RAX RCX RDX RBX RSP RBP RSI RDI R8 to R15, as instructions number
 *          them
 * @xmm:    XMM registers, low and high half each
 * @tsc:    time-stamp counter
 */
struct pmusim_registers {
    uint64_t flags;
    uint64_t ip;
    uint64_t gpr[16];
    uint64_t xmm[16][2];
    uint64_t tsc;
};

struct pmusim;

/**
 * struct pmusim_host - what the model needs from whoever executes
 * @read:       copy from a linear address, as supervisor; false: not mapped
 * @write:      copy to a linear address; false: not mapped or not writable,
 *              and nothing has been written
 * @registers:  the CPU's state behind the last instruction that retired
 * @space:      page table root of the running code
 * @unknown:    a selector names an event that the model does not know
 */
struct pmusim_host {
    bool (*read)(struct pmusim *p, uint64_t address, void *data, size_t size);
    bool (*write)(struct pmusim *p, uint64_t address, const void *data,
                  size_t size);
    void (*registers)(struct pmusim *p, struct pmusim_registers *regs);
    uint64_t (*space)(struct pmusim *p);
    void (*unknown)(struct pmusim *p, uint64_t select);
};

/**
 * struct pmusim - the PMU of one logical CPU
 * @hot:            shared with the executing code
 * @cpu:            row of the CPU table; NULL: no PMU
 * @pmu:            the core type's part of @cpu
 * @host:           who executes
 * @counter:        general-purpose counters from 0, fixed ones from
 *                  PMUSIM_FIXED_BASE
 * @existing:       mask over @counter
 * @active:         counters that count now, by class
 * @masked:         those of them with a threshold
 * @logging:        the last branch record logs events of a counter
 * @causes:         union of all cause masks
 * @fixed_ctrl:     FIXED_CTR_CTRL
 * @global_ctrl:    GLOBAL_CTRL
 * @global_status:  GLOBAL_STATUS
 * @debugctl:       DEBUGCTL
 * @extra:          registers that are storage only, see msr.c
 * @latency:        PEBS_LD_LAT
 * @pebs:           PEBS
 * @lbr:            last branch record
 * @metric:         slots since PERF_METRICS was written, by its bytes
 * @caches:         for lanes from PMUSIM_SLOTS on
 * @work:           reported since the last fold, by class
 * @last_load:      last load
 * @last_store:     last store
 * @watched:        lanes that only memory accesses add to and that are near an
 *                  overflow, a bit each, by class
 * @armed:          hot.budget as of the last fold, by class
 * @slot:           slots of the current cycle that are used up, by class
 * @slots:          slots up to the last fold, by class
 * @skid:           instructions between an overflow and its interrupt
 * @due:            how many of them are left, 0: no interrupt is on its way
 * @pmi:            an interrupt is due; whoever delivers it clears this
 * @truth:          statistics and ground truth
 * @said:           events reported as unknown, a bit each
 */
struct pmusim {
    struct pmusim_hot hot;
    const struct pmusim_cpu *cpu;
    const struct pmusim_pmu *pmu;
    const struct pmusim_host *host;
    struct pmusim_counter counter[PMUSIM_COUNTERS];
    uint64_t existing;
    uint64_t active[PMUSIM_CLASSES];
    uint64_t masked;
    bool logging;
    uint64_t causes;
    uint64_t fixed_ctrl;
    uint64_t global_ctrl;
    uint64_t global_status;
    uint64_t debugctl;
    uint64_t extra[5];
    uint64_t latency;
    struct pmusim_pebs pebs;
    struct pmusim_lbr lbr;
    uint64_t metric[8];
    struct pmusim_caches caches;
    struct pmusim_work work[PMUSIM_CLASSES];
    struct pmusim_last_access last_load;
    struct pmusim_last_access last_store;
    uint32_t watched[PMUSIM_CLASSES];
    int32_t armed[PMUSIM_CLASSES];
    uint32_t slot[PMUSIM_CLASSES];
    uint64_t slots[PMUSIM_CLASSES];
    uint32_t skid;
    uint32_t due;
    bool pmi;
    struct pmusim_truth truth;
    uint64_t said[1024];
};

static inline enum pmusim_level pmusim_level_of(const struct pmusim *p,
                                                enum pmusim_class class)
{
    return p->hot.level[class == PMUSIM_OS ? 0 : PMUSIM_CPLS - 1];
}

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

void pmusim_init(struct pmusim *p, const struct pmusim_cpu *cpu, bool atom,
                 const struct pmusim_host *host);
void pmusim_fold(struct pmusim *p, enum pmusim_class class,
                 unsigned int unretired);
unsigned int pmusim_admit(struct pmusim *p, enum pmusim_class class,
                          unsigned int insns);
void pmusim_update(struct pmusim *p, enum pmusim_class class);
void pmusim_halt(struct pmusim *p, enum pmusim_class class);
void pmusim_leave(struct pmusim *p, enum pmusim_class class,
                  enum pmusim_class next);
void pmusim_set_counter(struct pmusim *p, unsigned int i, uint64_t value);

/* event.c */

void pmusim_decode_event(struct pmusim *p, struct pmusim_counter *counter);

/* pipeline.c */

void pmusim_load(struct pmusim *p, enum pmusim_class class, uint64_t address);
void pmusim_store(struct pmusim *p, enum pmusim_class class, uint64_t address);
void pmusim_fetch(struct pmusim *p, enum pmusim_class class, uint64_t pc);
void pmusim_divide(struct pmusim *p, enum pmusim_class class);
void pmusim_flush(struct pmusim *p, uint64_t address);
void pmusim_collect(struct pmusim *p, enum pmusim_class class,
                    unsigned int unretired, struct pmusim_delta *delta);
uint64_t pmusim_clock(const struct pmusim *p);
bool pmusim_lane_needs_memory(enum pmusim_lane lane);
bool pmusim_lane_is_access(enum pmusim_lane lane);
bool pmusim_lane_needs_branches(enum pmusim_lane lane);

/* cycle.c */

uint64_t pmusim_masked_events(struct pmusim *p, struct pmusim_counter *counter,
                              const struct pmusim_delta *delta);

/* metrics.c */

bool pmusim_metrics_count(const struct pmusim *p, enum pmusim_class class);
bool pmusim_metrics_add(struct pmusim *p, const struct pmusim_delta *delta);
uint64_t pmusim_metrics_read(const struct pmusim *p);
void pmusim_metrics_write(struct pmusim *p, uint64_t value);
void pmusim_metrics_clear(struct pmusim *p);

/* pebs.c */

uint64_t pmusim_pebs_counters(const struct pmusim_pmu *pmu);
bool pmusim_pebs_record(struct pmusim *p, uint64_t counters,
                        uint64_t wrapped);

/* lbr.c */

bool pmusim_lbr_is_arch(const struct pmusim_pmu *pmu);
bool pmusim_lbr_records(const struct pmusim *p);
void pmusim_lbr_interrupted(struct pmusim *p);
void pmusim_lbr_update(struct pmusim *p);
void pmusim_lbr_logging_begins(struct pmusim *p);
void pmusim_branch(struct pmusim *p, enum pmusim_class source,
                   enum pmusim_class class, uint64_t from, uint64_t to,
                   uint32_t branch);
void pmusim_lbr_init(struct pmusim *p);
void pmusim_lbr_cpuid(const struct pmusim_pmu *pmu, struct pmusim_cpuid *regs);
const struct pmusim_lbr_entry *pmusim_lbr_at(const struct pmusim *p,
                                             unsigned int age);
enum pmusim_access pmusim_lbr_rdmsr(const struct pmusim *p, uint32_t msr,
                                    uint64_t *value);
enum pmusim_access pmusim_lbr_accepts(const struct pmusim *p, uint32_t msr,
                                      uint64_t value);
void pmusim_lbr_wrmsr(struct pmusim *p, uint32_t msr, uint64_t value);

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

/* truth.c */

void pmusim_count_access(struct pmusim *p, uint32_t msr, bool write);
void pmusim_count_statistic(struct pmusim *p, enum pmusim_statistic statistic,
                            enum pmusim_statistic in_nmi);
void pmusim_nmi_begin(struct pmusim *p, enum pmusim_class class);
void pmusim_nmi_end(struct pmusim *p, enum pmusim_class class);
bool pmusim_truth_exact(const struct pmusim *p, enum pmusim_class class);
void pmusim_truth_add(struct pmusim *p, enum pmusim_class class,
                      const struct pmusim_delta *delta);
enum pmusim_access pmusim_truth_rdmsr(const struct pmusim *p, uint32_t msr,
                                      uint64_t *value);
enum pmusim_access pmusim_truth_accepts(uint32_t msr, uint64_t value);
void pmusim_truth_wrmsr(struct pmusim *p, uint32_t msr, uint64_t value);

static inline uint64_t pmusim_bit(unsigned int n)
{
    return UINT64_C(1) << n;
}

#endif
