/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results in the Test Anything Protocol, on the first serial port */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>

#define PRINTF(a, b)	__attribute__((format(printf, a, b)))

/* Put in front of every name from now on */
extern const char *tap_prefix;

void tap_begin(const char *name, ...) PRINTF(1, 2);
/* The first of them that does not hold is the reason printed */
bool expect(bool holds, const char *why, ...) PRINTF(2, 3);
bool expect_eq(const char *what, unsigned long got, unsigned long want);
bool expect_range(const char *what, unsigned long got, unsigned long low,
		  unsigned long high);
void tap_end(void);
/* Ends the test that has begun */
void tap_skip(const char *why, ...) PRINTF(1, 2);
/* A whole test */
void tap_skipped(const char *name, const char *why);
void tap_note(const char *text, ...) PRINTF(1, 2);
void tap_plan(void);
/* Fails the test that has begun, if one has */
void tap_abort(const char *why, ...) PRINTF(1, 2);
void tap_drain(void);

#endif
