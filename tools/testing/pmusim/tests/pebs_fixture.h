/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests of PEBS share: a guest whose memory has a debug store */
#ifndef PEBS_FIXTURE_H
#define PEBS_FIXTURE_H

#include "guest.h"

/* The debug store's management area, by byte offset */
#define DS              GUEST_MEMORY
#define DS_BASE         (DS + 0x20)
#define DS_INDEX        (DS + 0x28)
#define DS_MAXIMUM      (DS + 0x30)
#define DS_THRESHOLD    (DS + 0x38)
#define DS_RESET(slot)  (DS + 0x40 + 8 * (slot))
#define BUFFER          (GUEST_MEMORY + 0x1000)
#define BUFFER_SIZE     0x3000
#define UNMAPPED        UINT64_C(0xffff900000000000)

#define FULL_SIZE       200
#define BASIC_SIZE      32
#define MEMORY_SIZE     32
#define GPRS_SIZE       144
#define XMMS_SIZE       256
#define BRANCH_SIZE     24

/* Set up by the kernel, with an empty buffer; then user code is to run */
struct guest *begin(const char *cpu, bool atom);
/* Counter @n records after @period events */
void sample(struct guest *g, unsigned int n, uint64_t event,
            unsigned int period);
void sample_fixed(struct guest *g, unsigned int n, unsigned int period);
void go_user(struct guest *g);

/* Eight bytes of the guest's memory */
uint64_t peek(const struct guest *g, uint64_t address);
void poke(struct guest *g, uint64_t address, uint64_t value);
/* Number @i of the buffer's */
uint64_t word(const struct guest *g, unsigned int i);
/* Bytes of the buffer that records take */
uint64_t used(const struct guest *g);

/* These lead to the kernel, which reads them */
uint64_t status(struct guest *g);
uint64_t statistic(struct guest *g, enum pmusim_statistic which);

#endif
