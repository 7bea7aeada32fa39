/* SPDX-License-Identifier: GPL-2.0 */
/*
 * yield - keep a CPU busy, but let others have it every few hundred instructions
 *
 * Never ends. No C library, so that it does nothing else.
 */
#define SYS_sched_yield	24

	.globl	_start
	.text
_start:
	mov	$300, %ecx
1:	dec	%ecx
	jnz	1b
	mov	$SYS_sched_yield, %eax
	syscall
	jmp	_start
	.section .note.GNU-stack, "", @progbits
