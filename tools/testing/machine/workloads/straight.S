/* SPDX-License-Identifier: GPL-2.0 */
/*
 * straight - a long straight loop, in which an interrupt shows how late it comes
 *
 * Its only branch is at the end of a round. An instruction of it has one byte: a
 * sample of branches that comes n instructions late is at straight + n. A round
 * has 251 instructions, a prime number.
 */
#define SYS_exit	60
#define ROUNDS		200000

	.globl	_start, straight, _end_of_straight
	.text
_start:
	mov	$ROUNDS, %ecx
straight:
	.rept	249
	nop
	.endr
	dec	%ecx
	jnz	straight
_end_of_straight:
	xor	%edi, %edi
	mov	$SYS_exit, %eax
	syscall

	.section .note.GNU-stack, "", @progbits
