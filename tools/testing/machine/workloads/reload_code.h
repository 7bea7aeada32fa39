/* SPDX-License-Identifier: GPL-2.0 */
/* What reload_code.S has: the code that is counted, and where it is */
#ifndef RELOAD_CODE_H
#define RELOAD_CODE_H

#include <stdint.h>

/**
 * struct step - What the code does next
 * @code:	where: one of the labels below
 * @count:	how often
 */
struct step {
	const void *code;
	uint64_t count;
};

/* Addresses of the instructions that have a number, in the order of these */
extern const uint64_t reload_insns[], reload_insns_end[];
extern const char reload_many[], reload_few[], reload_yield[], reload_done[];

/* Read @n counters by RDPMC, then go through @steps up to reload_done */
void reload_run(const struct step *steps, const uint32_t *counter,
		uint64_t *value, long n);

#endif
