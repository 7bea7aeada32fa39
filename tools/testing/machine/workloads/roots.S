/* SPDX-License-Identifier: GPL-2.0 */
/*
 * roots - a loop of ten square roots and a jump
 *
 *	roots [many]
 *
 * No C library, so that a profile has this loop and little else.
 */
#define SYS_exit	60
#define ROUNDS		40000
#define MANY_ROUNDS	220000

	.globl	_start, roots, _end_of_roots
	.text
_start:
	mov	$ROUNDS, %ecx
	mov	$MANY_ROUNDS, %eax
	cmpq	$1, (%rsp)
	cmovne	%eax, %ecx
	.balign	64
roots:
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	sqrtps	%xmm\n, %xmm\n
	.endr
	loop	roots
_end_of_roots:
	xor	%edi, %edi
	mov	$SYS_exit, %eax
	syscall
