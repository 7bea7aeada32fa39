// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include "cpu.h"
#include "tap.h"

#define UART			0x3f8
#define UART_LSR		(UART + 5)
#define UART_LSR_THRE		0x20
#define UART_LSR_TEMT		0x40

#define TEXT			160

struct text {
	char s[TEXT];
	size_t used;
};

const char *tap_prefix = "";

static struct text test_name;
static struct text reason;
static unsigned int tests;
static bool running;

static void put(struct text *t, char c)
{
	if (t->used + 1 < TEXT)
		t->s[t->used++] = c;
	t->s[t->used] = '\0';
}

static void put_string(struct text *t, const char *s)
{
	while (*s)
		put(t, *s++);
}

static void put_number(struct text *t, unsigned long n, unsigned int base)
{
	char digits[24];
	size_t i = 0;

	do {
		digits[i++] = "0123456789abcdef"[n % base];
		n /= base;
	} while (n);
	while (i)
		put(t, digits[--i]);
}

/* %s, %d, %u, %x, %lu, %lx */
static void format(struct text *t, const char *f, va_list args)
{
	unsigned long n;
	bool is_long;
	int d;

	for (; *f; f++) {
		if (*f != '%') {
			put(t, *f);
			continue;
		}
		f++;
		is_long = *f == 'l';
		if (is_long)
			f++;
		switch (*f) {
		case 's':
			put_string(t, va_arg(args, const char *));
			break;
		case 'd':
			d = va_arg(args, int);
			if (d < 0)
				put(t, '-');
			put_number(t, d < 0 ? -(long)d : d, 10);
			break;
		case 'u':
		case 'x':
			n = is_long ? va_arg(args, unsigned long)
				    : va_arg(args, unsigned int);
			put_number(t, n, *f == 'x' ? 16 : 10);
			break;
		default:
			put(t, *f);
		}
	}
}

static void send(const char *s)
{
	for (; *s; s++) {
		while (!(inb(UART_LSR) & UART_LSR_THRE))
			cpu_relax();
		outb(UART, *s);
	}
}

void tap_drain(void)
{
	while (!(inb(UART_LSR) & UART_LSR_TEMT))
		cpu_relax();
}

static void report(const char *verdict)
{
	struct text number = { .used = 0 };

	put_number(&number, ++tests, 10);
	send(verdict);
	send(number.s);
	send(" - ");
	send(tap_prefix);
	send(test_name.s);
	running = false;
}

void tap_begin(const char *name, ...)
{
	va_list args;

	test_name.used = 0;
	reason.used = 0;
	reason.s[0] = '\0';
	va_start(args, name);
	format(&test_name, name, args);
	va_end(args);
	running = true;
}

bool expect(bool holds, const char *why, ...)
{
	va_list args;

	if (holds || reason.used)
		return holds;
	va_start(args, why);
	format(&reason, why, args);
	va_end(args);
	return false;
}

bool expect_eq(const char *what, unsigned long got, unsigned long want)
{
	return expect(got == want, "%s is 0x%lx, not 0x%lx", what, got, want);
}

bool expect_range(const char *what, unsigned long got, unsigned long low,
		  unsigned long high)
{
	return expect(got >= low && got <= high, "%s is %lu, not %lu to %lu",
		      what, got, low, high);
}

void tap_end(void)
{
	bool failed = reason.used;

	report(failed ? "not ok " : "ok ");
	if (failed) {
		send(" # ");
		send(reason.s);
	}
	send("\n");
}

void tap_skip(const char *why, ...)
{
	va_list args;

	reason.used = 0;
	va_start(args, why);
	format(&reason, why, args);
	va_end(args);
	report("ok ");
	send(" # SKIP ");
	send(reason.s);
	send("\n");
}

void tap_skipped(const char *name, const char *why)
{
	tap_begin("%s", name);
	tap_skip("%s", why);
}

void tap_note(const char *text, ...)
{
	struct text t = { .used = 0 };
	va_list args;

	va_start(args, text);
	format(&t, text, args);
	va_end(args);
	send("# ");
	send(t.s);
	send("\n");
}

void tap_abort(const char *why, ...)
{
	va_list args;

	if (!running) {
		test_name.used = 0;
		put_string(&test_name, "between-tests");
	}
	reason.used = 0;
	va_start(args, why);
	format(&reason, why, args);
	va_end(args);
	tap_end();
}

void tap_plan(void)
{
	struct text number = { .used = 0 };

	put_number(&number, tests, 10);
	send("1..");
	send(number.s);
	send("\n");
}
