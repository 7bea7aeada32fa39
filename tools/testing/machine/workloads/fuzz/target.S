/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program of which one register tells what it has done so far
 *
 * It executes blocks of four kinds, each so and so many times in turn, forever.
 * %r12 is the number of blocks that are behind it, which others find where %r13
 * points to. What a block has of each event is written down in main.c; the two have
 * to agree.
 *
 * Nothing else is ever executed, but for a system call between two kinds.
 */
#define SYS_sched_yield	24

#include "fuzz.h"

	.text

/* Between two kinds: up to which block the next one goes, and a pause */
	.macro	next blocks
	add	$\blocks, %rbx
	mov	$SYS_sched_yield, %eax
	syscall
	.endm

/* The end of a block */
	.macro	again label
	inc	%r12
	mov	%r12, (%r13)
	cmp	%rbx, %r12
	jne	\label
	.endm

/* void target_run(volatile uint64_t *block) */
	.globl	target_run
target_run:
	mov	%rdi, %r13
	xor	%r12d, %r12d
	xor	%ebx, %ebx
	mov	$0x12345678, %r14d

/* Many instructions, few branches */
.Lcycle:
	next	BLOCKS_STRAIGHT
1:	.rept	28
	lea	1(%rax), %rax
	.endr
	again	1b

/* Each branch is taken */
	next	BLOCKS_JUMPS
2:	.rept	5
	jmp	3f
3:
	.endr
	again	2b

/* Conditional ones, not taken */
	next	BLOCKS_TESTS
4:	xor	%eax, %eax
	.rept	5
	jnz	.Lcycle
	.endr
	again	4b

/* One of four branches cannot be predicted; both ways are of the same length */
	next	BLOCKS_RANDOM
5:	mov	%r14, %rax
	shl	$13, %rax
	xor	%rax, %r14
	mov	%r14, %rax
	shr	$7, %rax
	xor	%rax, %r14
	mov	%r14, %rax
	shl	$17, %rax
	xor	%rax, %r14
	test	$0x100, %r14d
	jz	6f
	nop
	jmp	7f
6:	nop
	jmp	7f
7:	again	5b
	jmp	.Lcycle

	.section .note.GNU-stack, "", @progbits
