/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A loop of four instructions, the worst case for counting: every fourth
 * instruction is a branch. One thousand million turns.
 */
	.globl	_start
	.text
_start:
	mov	$1000000000, %ecx
	xor	%eax, %eax
	xor	%ebx, %ebx
1:	add	$1, %rax
	lea	3(%rax,%rbx), %rbx
	dec	%ecx
	jnz	1b

	xor	%edi, %edi
	mov	$60, %eax
	syscall
