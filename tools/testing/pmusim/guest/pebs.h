/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of format 3, and adaptive ones */
#ifndef PEBS_H
#define PEBS_H

#include "pmu.h"

/* In the area of 4 KiB pages: the records, a page that follows them, DS */
#define BUFFER			SMALL_PAGES
#define BUFFER_PAGES		16
#define BUFFER_SIZE		(BUFFER_PAGES * 4096)
#define DS_ADDRESS		(SMALL_PAGES + 32 * 4096)
#define UNTOUCHED		0xa5a5a5a5a5a5a5a5

#define CFG_MEMORY		BIT(0)
#define CFG_GPRS		BIT(1)
#define CFG_XMM			BIT(2)
#define CFG_LBR			BIT(3)
#define CFG_LBR_ENTRIES(n)	((u64)((n) - 1) << 24)
#define CFG_LEGAL		(0xf | (u64)0xff << 24)

#define BASIC_SIZE		32
#define MEMORY_SIZE		32
#define GPRS_SIZE		144
#define XMM_SIZE		256
#define LBR_SIZE		24
#define FORMAT3_SIZE		200

#define RESETS			48
#define NTH			16

struct ds_area {
	u64 bts[4];
	u64 base, index, maximum, threshold;
	u64 reset[RESETS];
};

struct basic {
	u64 format, ip, applicable, tsc;
};

struct format3 {
	u64 flags, ip, ax, bx, cx, dx, si, di, bp, sp, r[8];
	u64 status, dla, dse, latency, real_ip, tsx, tsc;
};

struct gprs {
	u64 flags, ip, ax, cx, dx, bx, sp, bp, si, di, r[8];
};

/* What both kinds of record say */
struct record {
	u64 groups, size, ip, applicable, tsc;
	const u8 *data;
};

/**
 * struct setup - what a test asks for
 * @counters:	count instructions, or where they are fixed what is theirs
 * @start:	value of each
 * @reset:	value in the DS area
 * @flags:	more SEL_ bits
 * @config:	PEBS_DATA_CFG
 * @threshold:	records until STATUS[62]
 * @maximum:	records that fit; 0: many
 */
struct setup {
	u64 counters;
	u64 start;
	u64 reset;
	u64 flags;
	u64 config;
	u32 threshold;
	u32 maximum;
};

static struct ds_area *const ds = (struct ds_area *)DS_ADDRESS;

/* pebs.c */

/* No record, all pages there, DS area zero; pmu_reset() comes before it */
void pebs_fresh(void);
/* Both, for a second test in one function */
void pebs_again(void);
void set_page(u64 address, u64 flags);
u64 pebs_counters(void);
/* Those that count straight code's instructions */
u64 exact_counters(void);
u64 *reset_value(u32 c);
u64 record_size(u64 groups);
void arm(const struct setup *s);
bool next_record(u64 *position, struct record *r);
/* Every record is whole and belongs to @counters; how many there are */
u32 expect_records(u64 counters, u64 before);

/* pebs_records.c, pebs_buffer.c */

extern const test_fn pebs_records_tests[], pebs_groups_tests[];
extern const test_fn pebs_buffer_tests[];

#endif
