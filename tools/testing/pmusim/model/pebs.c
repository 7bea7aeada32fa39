/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processor event based sampling, Intel SDM volume 3, 18.4 and 21.9
 *
 * The record is written when the counter overflows: its address is that of the
 * instruction that made it overflow, its registers are those behind it. Access
 * to the guest's memory may fail; then the record is lost and counted so, and
 * the guest notices nothing.
 */
#include <string.h>

#include "pmusim.h"

/* The debug store's management area, 64-bit layout */
#define DS_PEBS                 0x20
#define DS_RESET                0x40
/* Where the fixed counters' reset values begin, by record format */
#define FORMAT_MORE_COUNTERS    5
#define RESET_FIXED_OLD         8
#define RESET_FIXED             32

/* Last format whose records have one layout */
#define FORMAT_FULL             3

/* Basic group of adaptive records */
#define BASIC_SIZE_SHIFT        48

/**
 * struct buffer - the record buffer, as the management area has it
 * @base:       its address
 * @index:      where the next record goes
 * @maximum:    address behind its end
 * @threshold:  interrupt when @index gets here
 */
struct buffer {
    uint64_t base;
    uint64_t index;
    uint64_t maximum;
    uint64_t threshold;
};

_Static_assert(sizeof(struct buffer) == 32, "as it lies in memory");

/* Basic, memory, registers, vector registers, branches */
#define RECORD_WORDS    (4 + 4 + 18 + 32 + 3 * 256)

/**
 * struct record - a record being put together
 * @word:   its contents
 * @words:  its length
 */
struct record {
    uint64_t word[RECORD_WORDS];
    unsigned int words;
};

/* Order of general registers in records: numbers as instructions have them */
enum { AX, CX, DX, BX, SP, BP, SI, DI, R8 };

static void add(struct record *record, uint64_t value)
{
    record->word[record->words++] = value;
}

static void add_gprs(struct record *record, const struct pmusim_registers *regs,
                     const uint8_t *order, unsigned int number)
{
    unsigned int i;

    add(record, regs->flags);
    add(record, regs->ip);
    for (i = 0; i < number; i++) {
        add(record, regs->gpr[order[i]]);
    }
    for (i = R8; i < 16; i++) {
        add(record, regs->gpr[i]);
    }
}

/* Does one of the @counters count stores? */
static bool counts_stores(const struct pmusim *p, uint64_t counters)
{
    for (; counters; counters &= counters - 1) {
        if (p->counter[__builtin_ctzll(counters)].lane == PMUSIM_STORES) {
            return true;
        }
    }
    return false;
}

static const struct pmusim_last_access *access_of(const struct pmusim *p,
                                                  uint64_t counters)
{
    return counts_stores(p, counters) ? &p->last_store : &p->last_load;
}

/* Skylake: one layout, everything in it */
static void full_record(struct pmusim *p, uint64_t counters,
                        const struct pmusim_registers *regs,
                        struct record *record)
{
    static const uint8_t order[] = { AX, BX, CX, DX, SI, DI, BP, SP };
    const struct pmusim_last_access *access = access_of(p, counters);

    add_gprs(record, regs, order, sizeof(order));
    add(record, counters);
    add(record, access->address);
    add(record, access->source);
    add(record, access->latency);
    add(record, p->hot.ip);
    add(record, 0);
    add(record, regs->tsc);
}

static bool is_adaptive(const struct pmusim *p, uint64_t counters)
{
    unsigned int i;

    for (; counters; counters &= counters - 1) {
        i = __builtin_ctzll(counters);
        if (i < PMUSIM_FIXED_BASE ?
            p->counter[i].select & PMUSIM_SEL_ADAPTIVE :
            p->fixed_ctrl & PMUSIM_FIXED_ADAPTIVE <<
            (i - PMUSIM_FIXED_BASE) * PMUSIM_FIXED_FIELD_BITS) {
            return true;
        }
    }
    return false;
}

static void add_branches(struct pmusim *p, unsigned int number,
                         struct record *record)
{
    bool records = pmusim_lbr_records(p);
    unsigned int age;

    for (age = 0; age < number; age++) {
        const struct pmusim_lbr_entry *entry =
            records ? pmusim_lbr_at(p, age) : NULL;

        add(record, entry ? entry->from : 0);
        add(record, entry ? entry->to : 0);
        add(record, entry ? entry->info : 0);
    }
}

#define ACCESS_LATENCY_SHIFT    32

static uint64_t latency_of(const struct pmusim *p,
                           const struct pmusim_last_access *access)
{
    uint64_t latency = access->latency;

    return p->pmu->two_latencies ? latency << ACCESS_LATENCY_SHIFT | latency :
                                   latency;
}

static void adaptive_record(struct pmusim *p, uint64_t counters,
                            const struct pmusim_registers *regs,
                            struct record *record)
{
    static const uint8_t order[] = { AX, CX, DX, BX, SP, BP, SI, DI };
    const struct pmusim_last_access *access = access_of(p, counters);
    uint64_t groups = is_adaptive(p, counters) ? p->pebs.data : 0;
    unsigned int i;

    add(record, groups);
    add(record, p->hot.ip);
    add(record, counters);
    add(record, regs->tsc);
    if (groups & PMUSIM_PEBS_MEMORY) {
        add(record, access->address);
        add(record, access->source);
        add(record, latency_of(p, access));
        add(record, 0);
    }
    if (groups & PMUSIM_PEBS_GPRS) {
        add_gprs(record, regs, order, sizeof(order));
    }
    if (groups & PMUSIM_PEBS_XMMS) {
        for (i = 0; i < 16; i++) {
            add(record, regs->xmm[i][0]);
            add(record, regs->xmm[i][1]);
        }
    }
    if (groups & PMUSIM_PEBS_LBRS) {
        add_branches(p, (groups >> PMUSIM_PEBS_LBR_SHIFT) + 1, record);
    }
    record->word[0] |= (uint64_t)record->words * sizeof(record->word[0]) <<
                       BASIC_SIZE_SHIFT;
}

static unsigned int format(const struct pmusim_pmu *pmu)
{
    return (pmu->caps & PMUSIM_CAP_PEBS_FORMAT) >> PMUSIM_CAP_PEBS_SHIFT;
}

uint64_t pmusim_pebs_counters(const struct pmusim_pmu *pmu)
{
    return pmu->pebs_gp | (uint64_t)pmu->pebs_fixed << PMUSIM_FIXED_BASE;
}

/*
 * Load the reset values; what has been counted since the wrap stays on top. A
 * counter that another register reloads at this very wrap is left to that, see
 * pmusim_acr_reload().
 */
static void reload(struct pmusim *p, uint64_t counters, uint64_t wrapped)
{
    for (; counters; counters &= counters - 1) {
        unsigned int i = __builtin_ctzll(counters), slot = i;
        uint64_t reset = 0;

        if (p->counter[i].cause & wrapped) {
            continue;
        }
        if (i >= PMUSIM_FIXED_BASE &&
            format(p->pmu) < FORMAT_MORE_COUNTERS) {
            slot = i - RESET_FIXED + RESET_FIXED_OLD;
        }
        if (!p->host->read(p, p->pebs.area + DS_RESET + slot * sizeof(reset),
                           &reset, sizeof(reset))) {
            reset = 0;
        }
        reset &= PMUSIM_COUNTER_MASK;
        pmusim_set_counter(p, i, reset + p->counter[i].value %
                                 (PMUSIM_COUNTER_MASK + 1 - reset));
    }
}

static bool store(struct pmusim *p, const struct record *record,
                  struct buffer *buffer)
{
    size_t size = record->words * sizeof(record->word[0]);
    uint64_t end;

    if (!p->host->read(p, p->pebs.area + DS_PEBS, buffer, sizeof(*buffer))) {
        return false;
    }
    end = buffer->index + size;
    if (buffer->index < buffer->base || end < buffer->index ||
        end > buffer->maximum ||
        !p->host->write(p, buffer->index, record->word, size)) {
        return false;
    }
    buffer->index = end;
    return p->host->write(p, p->pebs.area + DS_PEBS +
                          offsetof(struct buffer, index), &buffer->index,
                          sizeof(buffer->index));
}

/*
 * One record for the @counters, which are those of the @wrapped ones that write
 * records. Returns whether this asks for an interrupt.
 */
bool pmusim_pebs_record(struct pmusim *p, uint64_t counters, uint64_t wrapped)
{
    struct pmusim_registers regs = { 0 };
    struct record record;
    struct buffer buffer;
    bool lost;

    p->host->registers(p, &regs);
    record.words = 0;
    if (format(p->pmu) <= FORMAT_FULL) {
        full_record(p, counters, &regs, &record);
    } else {
        adaptive_record(p, counters, &regs, &record);
    }

    lost = !store(p, &record, &buffer);
    p->truth.total[lost ? PMUSIM_STAT_PEBS_LOST : PMUSIM_STAT_PEBS_RECORDS]++;
    reload(p, counters, wrapped);
    if (lost || buffer.index < buffer.threshold ||
        (p->global_status & PMUSIM_STATUS_OVF_BUF)) {
        return false;
    }
    p->global_status |= PMUSIM_STATUS_OVF_BUF;
    return true;
}
