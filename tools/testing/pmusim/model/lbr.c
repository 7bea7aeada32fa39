/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Last branch record, Intel SDM volume 3, 19.9 and 20.1
 *
 * Two kinds with the same contents: the model-specific one, a ring whose slots
 * the registers show as they are, with LBR_TOS for its top; and the
 * architectural one, whose register 0 is always the newest entry. The model
 * keeps a ring for both, so that a record moves nothing.
 *
 * Records are made when a branch gets to its target. What the kinds filter is
 * the same, but LBR_SELECT says what to leave out and ARCH_LBR_CTL what to
 * take.
 */
#include "pmusim.h"

#define ARRAY_SIZE(a)   (sizeof(a) / sizeof((a)[0]))

/* A call to the next instruction: how position-independent code finds itself */
#define CALL_LENGTH     5

#define DEPTH_STEP      8

#define INVERSE_SHIFT   32

#define EVENT_BITS      2
#define EVENTS_MAX      UINT64_C(3)

#define CPUID_EAX_LINEAR_IP     (1u << 31)
/* Filters by privilege level and kind of branch; call-stack mode */
#define CPUID_EBX_FILTERS       0x7
/* INFO has mispredictions, cycles and the kind of branch */
#define CPUID_ECX_INFO          0x7
#define CPUID_ECX_EVENT_SHIFT   16

/* What a register shows */
enum part {
    PART_SELECT,
    PART_TOS,
    PART_CTL,
    PART_DEPTH,
    PART_FROM,
    PART_TO,
    PART_INFO,
};

/**
 * struct place - where a register leads
 * @part:   what it shows
 * @slot:   of which entry
 */
struct place {
    enum part part;
    unsigned int slot;
};

static const struct {
    uint32_t first;
    uint32_t count;
    bool arch;
    enum part part;
} registers[] = {
    { PMUSIM_MSR_LBR_SELECT,        1, false, PART_SELECT },
    { PMUSIM_MSR_LBR_TOS,           1, false, PART_TOS },
    { PMUSIM_MSR_LBR_FROM0,         PMUSIM_LBR_MAX, false, PART_FROM },
    { PMUSIM_MSR_LBR_TO0,           PMUSIM_LBR_MAX, false, PART_TO },
    { PMUSIM_MSR_LBR_INFO0,         PMUSIM_LBR_MAX, false, PART_INFO },
    { PMUSIM_MSR_ARCH_LBR_CTL,      1, true, PART_CTL },
    { PMUSIM_MSR_ARCH_LBR_DEPTH,    1, true, PART_DEPTH },
    { PMUSIM_MSR_ARCH_LBR_FROM0,    PMUSIM_LBR_MAX, true, PART_FROM },
    { PMUSIM_MSR_ARCH_LBR_TO0,      PMUSIM_LBR_MAX, true, PART_TO },
    { PMUSIM_MSR_ARCH_LBR_INFO0,    PMUSIM_LBR_MAX, true, PART_INFO },
};

/* By kind of branch: its bit in either filter, its type in INFO */
static const struct {
    uint16_t select;
    uint32_t ctl;
    uint8_t type;
} kinds[PMUSIM_BRANCH_KINDS] = {
    [PMUSIM_BRANCH_JCC] = {
        PMUSIM_SELECT_JCC, PMUSIM_LBR_CTL_JCC, 0
    },
    [PMUSIM_BRANCH_IND_JUMP] = {
        PMUSIM_SELECT_IND_JUMP, PMUSIM_LBR_CTL_IND_JUMP, 1
    },
    [PMUSIM_BRANCH_JUMP] = {
        PMUSIM_SELECT_JUMP, PMUSIM_LBR_CTL_JUMP, 2
    },
    [PMUSIM_BRANCH_IND_CALL] = {
        PMUSIM_SELECT_IND_CALL, PMUSIM_LBR_CTL_IND_CALL, 3
    },
    [PMUSIM_BRANCH_CALL] = {
        PMUSIM_SELECT_CALL, PMUSIM_LBR_CTL_CALL, 4
    },
    [PMUSIM_BRANCH_RETURN] = {
        PMUSIM_SELECT_RETURN, PMUSIM_LBR_CTL_RETURN, 5
    },
    [PMUSIM_BRANCH_FAR] = {
        PMUSIM_SELECT_FAR, PMUSIM_LBR_CTL_FAR, 8
    },
};

/* Architectural, not model-specific; false as well where there is none */
bool pmusim_lbr_is_arch(const struct pmusim_pmu *pmu)
{
    return pmu->lbrs &&
           (pmu->caps & PMUSIM_CAP_LBR_FORMAT) == PMUSIM_CAP_LBR_ARCH;
}

/* Branches are being recorded, as far as the filters let them through */
bool pmusim_lbr_records(const struct pmusim *p)
{
    if (!p->pmu->lbrs || (p->global_status & PMUSIM_STATUS_LBR_FRZ)) {
        return false;
    }
    if (pmusim_lbr_is_arch(p->pmu)) {
        return p->lbr.ctl & PMUSIM_LBR_CTL_ENABLE;
    }
    return p->debugctl & PMUSIM_DEBUGCTL_LBR;
}

/*
 * Recording stops or starts, or what it records changes: the next record
 * cannot tell how much time and how many events lie behind it. To be called
 * for the conditions that are not registers of this file, DEBUGCTL and the
 * freeze bit of STATUS.
 */
void pmusim_lbr_interrupted(struct pmusim *p)
{
    p->lbr.timed = false;
}

static bool class_passes(const struct pmusim *p, enum pmusim_class class)
{
    const struct pmusim_lbr *lbr = &p->lbr;

    if (pmusim_lbr_is_arch(p->pmu)) {
        return lbr->ctl & (class == PMUSIM_OS ? PMUSIM_LBR_CTL_OS :
                           PMUSIM_LBR_CTL_USR);
    }
    return !(lbr->select & (class == PMUSIM_OS ? PMUSIM_SELECT_OS :
                            PMUSIM_SELECT_USR));
}

static bool kind_passes(const struct pmusim *p, enum pmusim_branch kind)
{
    const struct pmusim_lbr *lbr = &p->lbr;

    return pmusim_lbr_is_arch(p->pmu) ? lbr->ctl & kinds[kind].ctl :
                             !(lbr->select & kinds[kind].select);
}

static bool in_stack_mode(const struct pmusim *p)
{
    return pmusim_lbr_is_arch(p->pmu) ? p->lbr.ctl & PMUSIM_LBR_CTL_STACK :
                             p->lbr.select & PMUSIM_SELECT_STACK;
}

/* Slot of the entry @age back from the newest; @age is below the depth */
static unsigned int slot_at(const struct pmusim_lbr *lbr, unsigned int age)
{
    return lbr->top >= age ? lbr->top - age : lbr->top + lbr->depth - age;
}

/*
 * The newest entry goes away. It must not stay behind as the oldest one:
 * software reads until it finds an address of 0.
 */
static void pop(struct pmusim_lbr *lbr)
{
    lbr->entry[lbr->top] = (struct pmusim_lbr_entry) { 0 };
    lbr->top = slot_at(lbr, 1);
}

/*
 * Work out what is recorded, from the registers that say so. To be called when
 * one of them has changed.
 */
void pmusim_lbr_update(struct pmusim *p)
{
    struct pmusim_lbr *lbr = &p->lbr;
    bool records = pmusim_lbr_records(p);
    unsigned int class, kind;

    lbr->arch = pmusim_lbr_is_arch(p->pmu);
    lbr->stack = in_stack_mode(p);
    for (class = 0; class < PMUSIM_CLASSES; class++) {
        lbr->passes[class] = 0;
        for (kind = PMUSIM_BRANCH_JCC; kind < PMUSIM_BRANCH_KINDS; kind++) {
            if (records && class_passes(p, class) && kind_passes(p, kind)) {
                lbr->passes[class] |= 1u << kind;
            }
        }
    }
}

/*
 * Cycles since the last record. Those that had only begun are left to the next
 * record, so that the cycles of many branches add up.
 */
static uint64_t take_cycles(struct pmusim *p)
{
    uint32_t width = p->pmu->width;
    uint64_t now = pmusim_clock(p);
    uint64_t slots = now - p->lbr.clock;
    uint64_t cycles;

    if (slots > PMUSIM_INFO_CYCLES_MAX * width) {
        slots = PMUSIM_INFO_CYCLES_MAX * width;
    }
    /* Rounded up, the inverse is exact for the 20 bits that this can have */
    cycles = slots * p->lbr.inverse >> INVERSE_SHIFT;
    p->lbr.clock = now - (slots - cycles * width);
    return cycles;
}

/*
 * Events since the last record, of the counters that log them. All counters
 * that could are followed, whether they do or not.
 */
static uint64_t take_events(struct pmusim *p)
{
    struct pmusim_lbr *lbr = &p->lbr;
    uint32_t todo = p->pmu->lbr_counters;
    uint64_t info = 0;

    for (; todo; todo &= todo - 1) {
        unsigned int i = __builtin_ctz(todo);
        const struct pmusim_counter *counter = &p->counter[i];
        uint64_t events = (counter->value - lbr->logged[i]) &
                          PMUSIM_COUNTER_MASK;

        lbr->logged[i] = counter->value;
        if (counter->select & PMUSIM_SEL_BR_CNTR) {
            info |= (events < EVENTS_MAX ? events : EVENTS_MAX) <<
                    (PMUSIM_INFO_EVENT_SHIFT + EVENT_BITS * i);
        }
    }
    return info;
}

static uint64_t take_info(struct pmusim *p, uint32_t branch)
{
    struct pmusim_lbr *lbr = &p->lbr;
    uint64_t cycles, events = 0;
    uint64_t info = 0;

    if (branch & PMUSIM_BRANCH_MISS) {
        info |= PMUSIM_INFO_MISPREDICT;
    }
    if (lbr->arch) {
        info |= (uint64_t)kinds[branch & PMUSIM_BRANCH_KIND_MASK].type <<
                PMUSIM_INFO_TYPE_SHIFT;
        if (p->logging) {
            events = take_events(p);
        }
    }
    cycles = take_cycles(p);
    if (lbr->timed) {
        info |= cycles | events;
        if (lbr->arch) {
            info |= PMUSIM_INFO_CYCLES_OK;
        }
    }
    lbr->timed = true;
    return info;
}

/*
 * A branch of the kind @branch (enum pmusim_branch and PMUSIM_BRANCH_MISS) has
 * been taken by code of the class @source and has got to its target, which runs
 * in @class.
 *
 * It has retired, so it is recorded also when it is the one that makes a
 * counter overflow, which freezes the records.
 *
 * The class of the target decides. The architectural kind does not show the
 * address of a branch that comes from a class which is left out, SDM volume 3,
 * 20.1.2.1.
 */
void pmusim_branch(struct pmusim *p, enum pmusim_class source,
                   enum pmusim_class class, uint64_t from, uint64_t to,
                   uint32_t branch)
{
    struct pmusim_lbr *lbr = &p->lbr;
    enum pmusim_branch kind = branch & PMUSIM_BRANCH_KIND_MASK;
    struct pmusim_lbr_entry *entry;

    if (!(lbr->passes[class] & 1u << kind)) {
        return;
    }
    if (p->logging) {
        pmusim_fold(p, class, 0);
    }
    if (source != class && lbr->arch && !class_passes(p, source)) {
        from = UINT64_MAX;
    }

    if (lbr->stack) {
        if (kind == PMUSIM_BRANCH_RETURN) {
            pop(lbr);
            return;
        }
        if (kind != PMUSIM_BRANCH_CALL && kind != PMUSIM_BRANCH_IND_CALL) {
            return;
        }
        /* No return belongs to such a call */
        if (kind == PMUSIM_BRANCH_CALL && to - from == CALL_LENGTH) {
            return;
        }
    }

    lbr->top = lbr->top + 1 < lbr->depth ? lbr->top + 1 : 0;
    entry = &lbr->entry[lbr->top];
    entry->from = from;
    entry->to = to;
    entry->info = take_info(p, branch);
}

/* Events begin to be logged: those up to now are nobody's */
void pmusim_lbr_logging_begins(struct pmusim *p)
{
    take_events(p);
}

/* Power-on state */
void pmusim_lbr_init(struct pmusim *p)
{
    p->lbr = (struct pmusim_lbr) {
        .depth = p->pmu->lbrs,
        .inverse = (UINT64_C(1) << INVERSE_SHIFT) / p->pmu->width + 1,
    };
    pmusim_lbr_update(p);
}

/* Leaf 0x1C */
void pmusim_lbr_cpuid(const struct pmusim_pmu *pmu, struct pmusim_cpuid *regs)
{
    *regs = (struct pmusim_cpuid) { 0 };
    if (!pmusim_lbr_is_arch(pmu)) {
        return;
    }

    /* A bit for each multiple of DEPTH_STEP up to the largest depth */
    regs->eax = CPUID_EAX_LINEAR_IP | ((1u << pmu->lbrs / DEPTH_STEP) - 1);
    regs->ebx = CPUID_EBX_FILTERS;
    regs->ecx = CPUID_ECX_INFO | pmu->lbr_counters << CPUID_ECX_EVENT_SHIFT;
}

/* The entry @age back from the newest, 0; NULL: no entry is that old */
const struct pmusim_lbr_entry *pmusim_lbr_at(const struct pmusim *p,
                                             unsigned int age)
{
    if (age >= p->lbr.depth) {
        return NULL;
    }
    return &p->lbr.entry[slot_at(&p->lbr, age)];
}

/*
 * Find the register @msr. Where there is no last branch record the depth is 0,
 * and every register of either kind is beyond it.
 */
static enum pmusim_access find(const struct pmusim *p, uint32_t msr,
                               struct place *place)
{
    bool arch = pmusim_lbr_is_arch(p->pmu);
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(registers); i++) {
        uint32_t n = msr - registers[i].first;

        if (n >= registers[i].count) {
            continue;
        }
        if (registers[i].arch != arch || n >= p->lbr.depth) {
            return PMUSIM_FAULT;
        }
        place->part = registers[i].part;
        place->slot = arch ? slot_at(&p->lbr, n) : n;
        return PMUSIM_DONE;
    }
    return PMUSIM_FOREIGN;
}

enum pmusim_access pmusim_lbr_rdmsr(const struct pmusim *p, uint32_t msr,
                                    uint64_t *value)
{
    const struct pmusim_lbr *lbr = &p->lbr;
    struct place place;
    enum pmusim_access access = find(p, msr, &place);

    if (access != PMUSIM_DONE) {
        return access;
    }

    switch (place.part) {
    case PART_SELECT:
        *value = lbr->select;
        break;
    case PART_TOS:
        *value = lbr->top;
        break;
    case PART_CTL:
        *value = lbr->ctl;
        break;
    case PART_DEPTH:
        *value = lbr->depth;
        break;
    case PART_FROM:
        *value = lbr->entry[place.slot].from;
        break;
    case PART_TO:
        *value = lbr->entry[place.slot].to;
        break;
    case PART_INFO:
        *value = lbr->entry[place.slot].info;
        break;
    }
    return PMUSIM_DONE;
}

/* Whether @value may be written */
enum pmusim_access pmusim_lbr_accepts(const struct pmusim *p, uint32_t msr,
                                      uint64_t value)
{
    struct place place;
    enum pmusim_access access = find(p, msr, &place);
    bool valid = true;

    if (access != PMUSIM_DONE) {
        return access;
    }

    switch (place.part) {
    case PART_SELECT:
        valid = !(value & ~PMUSIM_SELECT_VALID);
        break;
    case PART_TOS:
        valid = value < p->pmu->lbrs;
        break;
    case PART_CTL:
        valid = !(value & ~PMUSIM_LBR_CTL_VALID);
        break;
    case PART_DEPTH:
        valid = value && value <= p->pmu->lbrs && value % DEPTH_STEP == 0;
        break;
    case PART_FROM:
    case PART_TO:
    case PART_INFO:
        break;
    }
    return valid ? PMUSIM_DONE : PMUSIM_FAULT;
}

static void set_depth(struct pmusim_lbr *lbr, uint32_t depth)
{
    unsigned int i;

    for (i = 0; i < PMUSIM_LBR_MAX; i++) {
        lbr->entry[i] = (struct pmusim_lbr_entry) { 0 };
    }
    lbr->top = 0;
    lbr->depth = depth;
}

/* Write what pmusim_lbr_accepts() accepted */
void pmusim_lbr_wrmsr(struct pmusim *p, uint32_t msr, uint64_t value)
{
    struct pmusim_lbr *lbr = &p->lbr;
    struct place place;

    if (find(p, msr, &place) != PMUSIM_DONE) {
        return;
    }

    switch (place.part) {
    case PART_SELECT:
        lbr->select = value;
        pmusim_lbr_update(p);
        pmusim_lbr_interrupted(p);
        break;
    case PART_TOS:
        lbr->top = value;
        break;
    case PART_CTL:
        lbr->ctl = value;
        pmusim_lbr_update(p);
        pmusim_lbr_interrupted(p);
        break;
    case PART_DEPTH:
        set_depth(lbr, value);
        pmusim_lbr_interrupted(p);
        break;
    case PART_FROM:
        lbr->entry[place.slot].from = value;
        break;
    case PART_TO:
        lbr->entry[place.slot].to = value;
        break;
    case PART_INFO:
        lbr->entry[place.slot].info = value;
        break;
    }
}
