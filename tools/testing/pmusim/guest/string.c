// SPDX-License-Identifier: GPL-2.0-or-later
/* What the compiler calls even in a freestanding program */
#include "cpu.h"

void *memset(void *to, int value, size_t size);
void *memcpy(void *to, const void *from, size_t size);

void *memset(void *to, int value, size_t size)
{
	void *end = to;

	asm volatile("rep stosb" : "+D" (end), "+c" (size) : "a" (value)
		     : "memory");
	return to;
}

void *memcpy(void *to, const void *from, size_t size)
{
	void *end = to;

	asm volatile("rep movsb" : "+D" (end), "+S" (from), "+c" (size)
		     : : "memory");
	return to;
}
