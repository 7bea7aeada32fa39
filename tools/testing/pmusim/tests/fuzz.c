/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target of the PMU model, for libFuzzer
 *
 * The input is a script: its first byte chooses a CPU, the others say what
 * code does - instructions, branches, memory accesses, register accesses. What
 * must hold of any code at all is checked after each step.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmusim.h"

#define ARRAY_SIZE(a)   (sizeof(a) / sizeof((a)[0]))

#define MEMORY          UINT64_C(0xffff888000010000)
#define MEMORY_SIZE     0x4000
#define STEPS_MAX       400
/* Questions in a row that may all be answered by an interrupt */
#define REFUSALS_MAX    4

#define check(condition)                                            \
    do {                                                            \
        if (!(condition)) {                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,      \
                    #condition);                                    \
            abort();                                                \
        }                                                           \
    } while (0)

/**
 * struct script - what is left of the input
 * @data:   next byte
 * @left:   bytes left
 */
struct script {
    const uint8_t *data;
    size_t left;
};

/**
 * struct fuzz - a CPU that runs a script
 * @pmu:        the model; first, since the host finds the rest by it
 * @class:      privilege class of the code
 * @ip:         address of the next instruction
 * @status:     bits that 0x390 accepts
 * @last:       instructions of the last block that may be given back
 * @memory:     what lies at MEMORY
 * @read_only:  writes to it fail
 */
struct fuzz {
    struct pmusim pmu;
    enum pmusim_class class;
    uint64_t ip;
    uint64_t status;
    unsigned int last;
    uint8_t memory[MEMORY_SIZE];
    bool read_only;
};

static struct fuzz fuzz;

static uint8_t next_byte(struct script *s)
{
    if (!s->left) {
        return 0;
    }
    s->left--;
    return *s->data++;
}

static uint64_t next_number(struct script *s, unsigned int bytes)
{
    uint64_t value = 0;

    while (bytes--) {
        value = value << 8 | next_byte(s);
    }
    return value;
}

/* The host */

static uint8_t *memory_at(uint64_t address, size_t size)
{
    uint64_t offset = address - MEMORY;

    if (offset > MEMORY_SIZE || size > MEMORY_SIZE - offset) {
        return NULL;
    }
    return fuzz.memory + offset;
}

static bool host_read(struct pmusim *p, uint64_t address, void *data,
                      size_t size)
{
    const uint8_t *memory = memory_at(address, size);

    if (memory) {
        memcpy(data, memory, size);
    }
    return memory;
}

static bool host_write(struct pmusim *p, uint64_t address, const void *data,
                       size_t size)
{
    uint8_t *memory = memory_at(address, size);

    if (!memory || fuzz.read_only) {
        return false;
    }
    memcpy(memory, data, size);
    return true;
}

static void host_registers(struct pmusim *p, struct pmusim_registers *regs)
{
    memset(regs, 0x5a, sizeof(*regs));
    regs->ip = fuzz.ip;
}

static uint64_t host_space(struct pmusim *p)
{
    return 0x1000;
}

static void host_unknown(struct pmusim *p, uint64_t select)
{
    uint64_t code = select & 0xffff;

    check(p->said[code / 64] & pmusim_bit(code % 64));
}

static const struct pmusim_host host = {
    .read = host_read,
    .write = host_write,
    .registers = host_registers,
    .space = host_space,
    .unknown = host_unknown,
};

/* CPUs: all of the table, and one that freezes in the old way */

static const struct pmusim_event no_events[] = { { 0 } };

static const struct pmusim_pmu old_pmu = {
    .gp = 0xf,
    .fixed = 0x7,
    .caps = PMUSIM_CAP_LBR_INFO_TSX,
    .lbrs = 16,
    .events = no_events,
    .fixed_lane = { PMUSIM_INSNS, PMUSIM_CYCLES, PMUSIM_CYCLES },
    .width = 4,
    .miss_cycles = 15,
    .taken_slots = 1,
};

static const struct pmusim_cpu old_cpu = {
    .name = "old", .version = 3, .pmu = &old_pmu,
};

static void choose_cpu(uint8_t choice)
{
    const struct pmusim_cpu *cpu = pmusim_cpu_at(choice / 2 % 8);
    unsigned int bit;

    memset(&fuzz, 0, sizeof(fuzz));
    pmusim_init(&fuzz.pmu, cpu ? cpu : &old_cpu, choice & 1, &host);
    for (bit = 0; bit < 64; bit++) {
        if (pmusim_wrmsr(&fuzz.pmu, PMUSIM_OS, PMUSIM_MSR_GLOBAL_STATUS_RESET,
                         pmusim_bit(bit)) == PMUSIM_DONE) {
            fuzz.status |= pmusim_bit(bit);
        }
    }
    pmusim_init(&fuzz.pmu, cpu ? cpu : &old_cpu, choice & 1, &host);
    fuzz.ip = 0x400000;
}

/* What must hold at any time */

static void check_metrics(const struct pmusim *p)
{
    uint64_t value = pmusim_metrics_read(p);
    unsigned int sum = 0, i;

    for (i = 0; i < 4; i++) {
        sum += value >> 8 * i & 0xff;
        check((value >> 8 * (i + 4) & 0xff) <= (value >> 8 * i & 0xff));
    }
    check(sum == 0xff || !value);
    check(p->pmu->metrics == 8 || !(value >> 32));
}

static void check_state(const struct pmusim *p)
{
    unsigned int i;

    for (i = 0; i < PMUSIM_COUNTERS; i++) {
        check(p->counter[i].value <= PMUSIM_COUNTER_MASK);
        check((p->existing & pmusim_bit(i)) || !p->counter[i].value);
        check((p->existing & pmusim_bit(i)) || !p->counter[i].select);
    }
    check(!(p->global_status & ~fuzz.status));
    check(!((p->active[0] | p->active[1]) & ~p->existing));
    check(!((p->active[0] | p->active[1]) & ~p->global_ctrl));
    check(!(p->active[0] | p->active[1]) ||
          !(p->global_status & PMUSIM_STATUS_CTR_FRZ));
    for (i = 0; i < PMUSIM_CLASSES; i++) {
        check(p->armed[i] >= -1 && p->armed[i] <= PMUSIM_BUDGET_MAX);
        check(p->hot.budget[i] <= p->armed[i]);
        check(p->hot.budget[i] >= -PMUSIM_BLOCK_MAX);
        check(p->slot[i] < p->pmu->width);
    }
    for (i = 0; i < PMUSIM_CPLS; i++) {
        check(p->hot.level[i] <= PMUSIM_LEVEL_EXACT_MEMORY);
        check(p->hot.level[i] == p->hot.level[i ? 3 : 0]);
        check(!p->active[pmusim_class_of(i)] || p->hot.level[i]);
    }
    check(p->lbr.depth <= p->pmu->lbrs);
    check(!p->pmu->lbrs || p->lbr.top < p->pmu->lbrs);
    check_metrics(p);
}

/*
 * Counters of instructions that write no records and are not reloaded: when
 * they overflow they are at 0, for nothing runs past an overflow.
 */
static uint64_t plain_counters(const struct pmusim *p)
{
    uint64_t plain = 0;
    unsigned int i;

    for (i = 0; i < PMUSIM_COUNTERS; i++) {
        if (p->counter[i].lane == PMUSIM_INSNS && !p->counter[i].threshold &&
            !p->counter[i].cause) {
            plain |= pmusim_bit(i);
        }
    }
    return plain & (p->active[0] | p->active[1]) & ~p->pebs.enable;
}

/**
 * struct before - what a fold is judged by
 * @plain:  plain_counters()
 * @value:  values of all counters
 */
struct before {
    uint64_t plain;
    uint64_t value[PMUSIM_COUNTERS];
};

static struct before look(const struct pmusim *p)
{
    struct before before = { .plain = plain_counters(p) };
    unsigned int i;

    for (i = 0; i < PMUSIM_COUNTERS; i++) {
        before.value[i] = p->counter[i].value;
    }
    return before;
}

static void check_wraps(const struct pmusim *p, const struct before *before)
{
    unsigned int i;

    for (i = 0; i < PMUSIM_COUNTERS; i++) {
        if (!(before->plain & pmusim_bit(i)) ||
            p->counter[i].value >= before->value[i]) {
            continue;
        }
        check(p->counter[i].value == 0);
        check(p->global_status & pmusim_bit(i));
    }
}

/* Code */

static unsigned int level(void)
{
    return fuzz.pmu.hot.level[fuzz.class ? 3 : 0];
}

static void fold(void)
{
    struct before before = look(&fuzz.pmu);

    pmusim_fold(&fuzz.pmu, fuzz.class, 0);
    check_wraps(&fuzz.pmu, &before);
    fuzz.last = 0;
}

static void arrive(void)
{
    struct pmusim_hot *hot = &fuzz.pmu.hot;

    if (pmusim_level_records(level()) && hot->branch) {
        struct before before = look(&fuzz.pmu);

        pmusim_branch(&fuzz.pmu, fuzz.class, fuzz.class, hot->ip, fuzz.ip,
                      hot->branch);
        check_wraps(&fuzz.pmu, &before);
        fuzz.last = 0;
        hot->branch = PMUSIM_BRANCH_NONE;
    }
}

/* How many of @insns may run */
static unsigned int ask(unsigned int insns)
{
    struct before before = look(&fuzz.pmu);
    unsigned int admitted;

    admitted = pmusim_admit(&fuzz.pmu, fuzz.class, insns);
    check_wraps(&fuzz.pmu, &before);
    check(admitted <= insns);
    check(!admitted == fuzz.pmu.pmi);
    return admitted;
}

static void run(unsigned int insns)
{
    struct pmusim_hot *hot = &fuzz.pmu.hot;
    unsigned int refusals = 0;

    while (insns) {
        unsigned int block = pmusim_level_is_exact(level()) ? 1 : insns;

        arrive();
        if (level() != PMUSIM_LEVEL_NONE) {
            hot->budget[fuzz.class] -= block;
            if (hot->budget[fuzz.class] < 0) {
                hot->budget[fuzz.class] += block;
                block = ask(block);
                fuzz.pmu.pmi = false;
                if (!block) {
                    check(++refusals <= REFUSALS_MAX);
                    continue;
                }
                hot->budget[fuzz.class] -= block;
            }
        }
        refusals = 0;
        fuzz.ip += block;
        fuzz.last = block;
        if (pmusim_level_records(level())) {
            hot->ip = fuzz.ip - 1;
        }
        insns -= block;
    }
}

static void branch(struct script *s)
{
    uint8_t how = next_byte(s);
    uint64_t to = 0x400000 + next_number(s, 2);
    bool taken = how & 0x80;
    enum pmusim_branch kind = 1 + how % (PMUSIM_BRANCH_KINDS - 1);
    uint64_t packed = PMUSIM_PACKED_BRANCH;

    run(1 + (how >> 3 & 3));
    if (level() >= PMUSIM_LEVEL_BRANCHES) {
        struct pmusim_predictor *bp = &fuzz.pmu.hot.predictor;

        packed += taken ? PMUSIM_PACKED_TAKEN : 0;
        switch (kind) {
        case PMUSIM_BRANCH_JCC:
            packed += PMUSIM_PACKED_COND;
            packed += pmusim_conditional(bp, fuzz.ip, taken);
            break;
        case PMUSIM_BRANCH_IND_JUMP:
            packed += pmusim_indirect(bp, fuzz.ip, to);
            break;
        case PMUSIM_BRANCH_IND_CALL:
            packed += pmusim_indirect(bp, fuzz.ip, to);
            /* fall through */
        case PMUSIM_BRANCH_CALL:
            pmusim_call(bp, fuzz.ip);
            break;
        case PMUSIM_BRANCH_RETURN:
            packed += pmusim_return(bp, to);
            break;
        default:
            break;
        }
        fuzz.pmu.hot.packed[fuzz.class] += packed;
    }
    fuzz.last = 0;
    if (taken && pmusim_level_records(level())) {
        fuzz.pmu.hot.branch = kind | (packed & PMUSIM_PACKED_MISS ?
                                      PMUSIM_BRANCH_MISS : 0);
    }
    if (taken) {
        fuzz.ip = to;
    }
}

static void access_memory(struct script *s)
{
    uint8_t how = next_byte(s);
    uint64_t address = next_number(s, 2) << (how >> 5);
    unsigned int number = 1 + (how & 7);

    run(1);
    fuzz.last = 0;
    if (!pmusim_level_has_memory(level())) {
        return;
    }
    while (number--) {
        (how & 8 ? pmusim_store : pmusim_load)(&fuzz.pmu, fuzz.class,
                                               address + 8 * number);
    }
    if (how & 16) {
        fuzz.pmu.work[fuzz.class].divisions++;
    }
}

/* An interrupt into the kernel, or back */
static void change_class(uint8_t how)
{
    if (how & 1) {
        fold();
        fuzz.pmu.pmi = false;
    }
    if (how & 2 && !(how & 1)) {
        /* A far branch, an instruction of the code that it leaves */
        run(1);
        fuzz.last = 0;
    }
    if (fuzz.pmu.hot.branch) {
        fuzz.pmu.hot.branch = PMUSIM_BRANCH_NONE;
    }
    pmusim_branch(&fuzz.pmu, fuzz.class, PMUSIM_CLASSES - 1 - fuzz.class,
                  fuzz.ip, 0x1000, PMUSIM_BRANCH_FAR);
    fuzz.last = 0;
    fuzz.class = PMUSIM_CLASSES - 1 - fuzz.class;
}

/* Registers */

static uint32_t next_msr(struct script *s)
{
    static const uint32_t single[] = {
        PMUSIM_MSR_DEBUGCTL, PMUSIM_MSR_PERF_METRICS,
        PMUSIM_MSR_FIXED_CTR_CTRL, PMUSIM_MSR_GLOBAL_STATUS,
        PMUSIM_MSR_GLOBAL_CTRL, PMUSIM_MSR_GLOBAL_STATUS_RESET,
        PMUSIM_MSR_GLOBAL_STATUS_SET, PMUSIM_MSR_GLOBAL_INUSE,
        PMUSIM_MSR_PEBS_ENABLE, PMUSIM_MSR_PEBS_DATA_CFG,
        PMUSIM_MSR_PEBS_LD_LAT, PMUSIM_MSR_DS_AREA, PMUSIM_MSR_LBR_SELECT,
        PMUSIM_MSR_LBR_TOS, PMUSIM_MSR_ARCH_LBR_CTL, PMUSIM_MSR_ARCH_LBR_DEPTH,
    };
    static const struct {
        uint32_t first;
        uint32_t count;
    } ranges[] = {
        { PMUSIM_MSR_PMC0, 10 },
        { PMUSIM_MSR_PERFEVTSEL0, 10 },
        { PMUSIM_MSR_PERFEVTSEL0, 10 },
        { PMUSIM_MSR_FULL_WIDTH_PMC0, 10 },
        { PMUSIM_MSR_FIXED_CTR0, 8 },
        { PMUSIM_MSR_V6_GP0_CTR, 48 },
        { PMUSIM_MSR_V6_FX0_CTR, 32 },
        { PMUSIM_MSR_OWN, 0x60 },
        { PMUSIM_MSR_OWN_TRUTH0, 0x100 },
        { PMUSIM_MSR_OFFCORE_RSP0, 2 },
        { PMUSIM_MSR_PEBS_FRONTEND, 1 },
        { PMUSIM_MSR_LBR_FROM0, 32 },
        { PMUSIM_MSR_ARCH_LBR_FROM0, 32 },
        { PMUSIM_MSR_ARCH_LBR_INFO0, 32 },
    };
    uint8_t choice = next_byte(s);

    if (choice < 128) {
        return single[choice % ARRAY_SIZE(single)];
    }
    if (choice < 250) {
        choice %= ARRAY_SIZE(ranges);
        return ranges[choice].first + next_byte(s) % ranges[choice].count;
    }
    return next_number(s, choice < 253 ? 2 : 4);
}

static uint64_t next_value(struct script *s)
{
    uint8_t how = next_byte(s);

    switch (how % 8) {
    case 0:
        return next_number(s, 8);
    case 1:
        return next_byte(s);
    case 2:
        return pmusim_bit(how >> 3) | pmusim_bit(next_byte(s) % 64);
    case 3:
        /* Soon to overflow */
        return (PMUSIM_COUNTER_MASK + 1 - next_number(s, 1 + (how >> 3) % 2)) &
               PMUSIM_COUNTER_MASK;
    case 4:
        /* A selector that counts in both classes and interrupts */
        return next_number(s, 2) | (UINT64_C(0x530000) |
               (uint64_t)(how >> 3) << 24);
    case 5:
        /* One that counts what all CPUs have */
        return (how & 8 ? 0xc0 : how & 16 ? 0x3c : how & 32 ? 0xc4 : 0xc5) |
               UINT64_C(0x530000) | (uint64_t)(next_byte(s) & 0x8f) << 24 |
               (uint64_t)(how & 64) << 12;
    case 6:
        return MEMORY + (how >> 3);
    default:
        return fuzz.pmu.existing | (how & 8 ? PMUSIM_GLOBAL_METRICS : 0);
    }
}

/* A copy of all state but tables that registers do not touch */
static const struct {
    size_t first;
    size_t end;
} parts[] = {
    { 0, offsetof(struct pmusim, hot.predictor) },
    { offsetof(struct pmusim, cpu), offsetof(struct pmusim, caches) },
    { offsetof(struct pmusim, work), sizeof(struct pmusim) },
};

static void save(uint8_t *copy)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(parts); i++) {
        memcpy(copy + parts[i].first, (uint8_t *)&fuzz.pmu + parts[i].first,
               parts[i].end - parts[i].first);
    }
}

static void check_unchanged(const uint8_t *copy)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(parts); i++) {
        check(!memcmp(copy + parts[i].first,
                      (uint8_t *)&fuzz.pmu + parts[i].first,
                      parts[i].end - parts[i].first));
    }
}

enum register_access { READ, WRITE, READ_COUNTER };

static void access_register(enum register_access kind, uint32_t number,
                            uint64_t value)
{
    static uint8_t copy[sizeof(struct pmusim)];
    enum pmusim_access access;
    struct before before;
    bool announced;

    run(1);
    announced = level() != PMUSIM_LEVEL_NONE;
    if (kind != READ_COUNTER) {
        pmusim_count_access(&fuzz.pmu, number, kind == WRITE);
    }
    save(copy);
    before = look(&fuzz.pmu);
    switch (kind) {
    case WRITE:
        access = pmusim_wrmsr(&fuzz.pmu, fuzz.class, number, value);
        break;
    case READ:
        access = pmusim_rdmsr(&fuzz.pmu, fuzz.class, number, &value);
        check_wraps(&fuzz.pmu, &before);
        break;
    default:
        access = pmusim_rdpmc(&fuzz.pmu, fuzz.class, number, &value);
        check_wraps(&fuzz.pmu, &before);
        check(access != PMUSIM_FOREIGN);
        if (access == PMUSIM_DONE && !(number & PMUSIM_RDPMC_METRICS)) {
            check(value <= PMUSIM_COUNTER_MASK);
        }
        break;
    }
    if (access != PMUSIM_DONE) {
        check_unchanged(copy);
        /* It faults, so it has not retired */
        if (access == PMUSIM_FAULT && announced) {
            fuzz.pmu.hot.budget[fuzz.class]++;
        }
    }
    fuzz.pmu.pmi = false;
    fuzz.last = 0;
}

static uint32_t next_index(struct script *s)
{
    uint8_t number = next_byte(s);

    return (number & 0x1f) | (number & 0x20 ? PMUSIM_RDPMC_FIXED : 0) |
           (number & 0x40 ? PMUSIM_RDPMC_METRICS : 0) |
           (number & 0x80 ? 1u << 31 : 0);
}

/* A counter that counts and is about to overflow, as software sets it up */
static void program(struct script *s)
{
    static const uint16_t events[] = {
        0x00c0, 0x003c, 0x00c4, 0x00c5, 0x412e, 0x01a4, 0x81d0, 0x019c,
    };
    uint8_t what = next_byte(s), how = next_byte(s);
    unsigned int n = what % 8;
    uint64_t value = (PMUSIM_COUNTER_MASK + 1 -
                      next_number(s, what & 8 ? 2 : 1)) & PMUSIM_COUNTER_MASK;

    if (what & 16) {
        access_register(WRITE, PMUSIM_MSR_FIXED_CTR0 + n, value);
        access_register(WRITE, PMUSIM_MSR_FIXED_CTR_CTRL,
                        fuzz.pmu.fixed_ctrl ^ (uint64_t)(how & 0xb) << 4 * n);
        access_register(WRITE, PMUSIM_MSR_GLOBAL_CTRL, fuzz.pmu.existing);
        return;
    }
    access_register(WRITE, fuzz.pmu.cpu->version < 4 ?
                    PMUSIM_MSR_PMC0 + n : PMUSIM_MSR_FULL_WIDTH_PMC0 + n,
                    value);
    access_register(WRITE, PMUSIM_MSR_PERFEVTSEL0 + n,
                    events[how % 8] | PMUSIM_SEL_EN |
                    (how & 8 ? PMUSIM_SEL_INT : 0) |
                    (how & 16 ? PMUSIM_SEL_OS : 0) |
                    (how & 32 ? PMUSIM_SEL_USR : 0) |
                    (how & 64 ? (uint64_t)next_byte(s) << 24 : 0));
    if (what & 32) {
        access_register(WRITE, PMUSIM_MSR_V6_GP0_CTR + 4 * n + 2,
                        next_byte(s));
        access_register(WRITE, PMUSIM_MSR_V6_GP0_CTR + 4 * n + 3,
                        (uint32_t)-next_byte(s));
    }
    if (what & 64) {
        access_register(WRITE, PMUSIM_MSR_DS_AREA, MEMORY);
        access_register(WRITE, PMUSIM_MSR_PEBS_ENABLE,
                        fuzz.pmu.pebs.enable ^ pmusim_bit(n));
    }
}

/* The debug store's area, mostly as software would set it up */
static void poke(struct script *s)
{
    uint8_t how = next_byte(s);
    uint64_t value = next_value(s);
    uint64_t buffer[] = {
        MEMORY + 0x1000, MEMORY + 0x1000, MEMORY + 0x3000,
        MEMORY + 0x1000 + 64 * (how >> 3),
    };

    fuzz.read_only = how == 0xff;
    if (how & 1) {
        memcpy(fuzz.memory + 0x20, buffer, sizeof(buffer));
    } else {
        memcpy(fuzz.memory + 8 * (how >> 1), &value, sizeof(value));
    }
}

/* As a handler acknowledges: what STATUS shows is written back */
static void acknowledge(void)
{
    uint64_t value;

    check(pmusim_rdmsr(&fuzz.pmu, fuzz.class, PMUSIM_MSR_GLOBAL_STATUS,
                       &value) == PMUSIM_DONE);
    check(pmusim_wrmsr(&fuzz.pmu, fuzz.class, PMUSIM_MSR_GLOBAL_STATUS_RESET,
                       value) == PMUSIM_DONE);
    fuzz.pmu.pmi = false;
    fuzz.last = 0;
}

static void step(struct script *s)
{
    uint8_t what = next_byte(s);
    struct pmusim_cpuid regs = { 0 };
    uint32_t number;

    switch (what % 16) {
    case 0:
        run(1 + (next_number(s, 2) & (PMUSIM_BLOCK_MAX - 1)));
        break;
    case 1:
        run(1 + (what >> 4));
        break;
    case 2:
    case 3:
        branch(s);
        break;
    case 4:
        access_memory(s);
        break;
    case 5:
        fuzz.ip = next_number(s, 3) << (what >> 6);
        if (pmusim_level_has_memory(level())) {
            pmusim_fetch(&fuzz.pmu, fuzz.class, fuzz.ip);
        }
        if (what & 16) {
            pmusim_flush(&fuzz.pmu, fuzz.ip);
        }
        break;
    case 6:
        change_class(what >> 4);
        break;
    case 7:
        /* A fault in the middle of a block gives the rest of it back */
        if (fuzz.last && level() != PMUSIM_LEVEL_NONE) {
            fuzz.pmu.hot.budget[fuzz.class] += (what >> 4) % fuzz.last;
            fuzz.last = 0;
        }
        break;
    case 8:
        if (what & 16) {
            pmusim_nmi_begin(&fuzz.pmu, fuzz.class);
        } else {
            pmusim_nmi_end(&fuzz.pmu, fuzz.class);
        }
        fuzz.pmu.pmi = false;
        fuzz.last = 0;
        break;
    case 9:
        poke(s);
        break;
    case 10:
        access_register(READ, next_msr(s), 0);
        break;
    case 11:
        access_register(READ_COUNTER, next_index(s), 0);
        break;
    case 12:
        if (what & 16) {
            acknowledge();
        } else {
            pmusim_cpuid(&fuzz.pmu, next_byte(s), what >> 5, &regs);
        }
        break;
    case 13:
        program(s);
        break;
    default:
        number = next_msr(s);
        access_register(WRITE, number, next_value(s));
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct script s = { data, size };
    unsigned int steps;

    choose_cpu(next_byte(&s));
    for (steps = 0; s.left && steps < STEPS_MAX; steps++) {
        step(&s);
        check_state(&fuzz.pmu);
    }
    return 0;
}
