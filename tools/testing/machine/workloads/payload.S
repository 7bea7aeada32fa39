/* SPDX-License-Identifier: GPL-2.0 */
/*
 * payload - a program whose user instructions are known exactly
 *
 *	                                  instructions       branches
 *	mov                                          1              -
 *	10,000,000 x add, dec, jnz          30,000,000     10,000,000
 *	mov                                          1              -
 *	1,000 x call, ret, dec, jnz              4,000          3,000
 *	lea, mov, xor                                3              -
 *	rep stosb, one instruction                   1              -
 *	mov, xor, syscall                            3              1
 *	                                    ----------     ----------
 *	                                    30,004,009     10,003,001
 *
 * The syscall is a far branch, and far branches count like others.
 */
	.globl	_start
	.text
_start:
	mov	$10000000, %ecx
1:	add	$1, %rax
	dec	%ecx
	jnz	1b

	mov	$1000, %ecx
2:	call	leaf
	dec	%ecx
	jnz	2b

	lea	buffer(%rip), %rdi
	mov	$4096, %ecx
	xor	%eax, %eax
	rep stosb

	mov	$60, %eax
	xor	%edi, %edi
	syscall

leaf:
	ret

	.lcomm	buffer, 4096
	.section .note.GNU-stack, "", @progbits
