/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stay - a loop of one instruction, for ever
 *
 * All NMIs hit it at one address. To the kernel the second of any two may be what
 * is left of the first.
 */
	.globl	_start
	.text
_start:
	jmp	_start

	.section .note.GNU-stack, "", @progbits
