/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of known length. Each begins with the WRMSR of GLOBAL_CTRL that
 * starts all counters, which is not counted, and ends with the one that stops
 * them, which is. layout.h has the numbers.
 */
#include "asm.h"
#include "layout.h"

	.text

	.macro	start_counting
	mov	%rdi, %rdx
	shr	$32, %rdx
	mov	%edi, %eax
	mov	$0x38f, %ecx
	wrmsr
	.endm

	/* Four instructions */
	.macro	stop_counting
	mov	$0x38f, %ecx
	xor	%eax, %eax
	xor	%edx, %edx
	wrmsr
	.endm

/*
 * void payload(u64 ctrl): 1 + 10 * 3 + 4 instructions, 10 branches. What is
 * flushed is the code itself, so that there are cache misses.
 */
	.globl	payload
payload:
	start_counting
	mov	$10, %ecx
1:	clflush	1b(%rip)
	mfence
	loop	1b
	stop_counting
	ret

/* void locked(u64 ctrl): ten times a locked access to what has been flushed */
	.globl	locked
locked:
	start_counting
	mov	$LOCKED_ACCESSES, %ecx
1:	clflush	-64(%rsp)
	lock addl $0, -64(%rsp)
	loop	1b
	stop_counting
	ret

/* void loads(u64 ctrl): the same with loads */
	.globl	loads
loads:
	start_counting
	mov	$LOCKED_ACCESSES, %ecx
1:	clflush	-64(%rsp)
	mfence
	mov	-64(%rsp), %eax
	loop	1b
	stop_counting
	ret

/* void straight(u64 ctrl): one-byte instructions, no branch */
	.globl	straight, straight_first, straight_end
straight:
	start_counting
straight_first:
	.rept	STRAIGHT_NOPS
	nop
	.endr
	stop_counting
straight_end:
	ret

/*
 * void race(u64 ctrl): an interrupt that waits comes behind the instruction
 * after STI, at race_there
 */
	.globl	race, race_there
race:
	start_counting
	sti
	nop
race_there:
	cli
	stop_counting
	ret

/* void spin(u64 ctrl, u32 iterations): 10 instructions and 1 branch each, 4 */
	.globl	spin
spin:
	start_counting
1:	clflush	(%rsp)
	mov	(%rsp), %rax
	.rept	6
	nop
	.endr
	dec	%esi
	jnz	1b
	stop_counting
	ret

/*
 * u32 coins(u64 ctrl, u32 iterations, u32 seed): a branch that a xorshift
 * generator decides, and the loop's own; returns the generator's state
 */
	.globl	coins
coins:
	mov	%edx, %r8d
	start_counting
1:	mov	%r8d, %eax
	shl	$13, %eax
	xor	%eax, %r8d
	mov	%r8d, %eax
	shr	$17, %eax
	xor	%eax, %r8d
	mov	%r8d, %eax
	shl	$5, %eax
	xor	%eax, %r8d
	test	$0x10000, %r8d
	jz	2f
	nop
2:	dec	%esi
	jnz	1b
	stop_counting
	mov	%r8d, %eax
	ret

/*
 * void rewrite(u64 ctrl, u32 msr, u64 value): writes the register while the
 * counters run; REWRITE_INSNS_AFTER follow
 */
	.globl	rewrite
rewrite:
	mov	%edx, %r8d
	mov	%rdx, %r9
	shr	$32, %r9
	start_counting
	mov	$100, %ecx
1:	loop	1b
	mov	%esi, %ecx
	mov	%r8d, %eax
	mov	%r9d, %edx
	wrmsr
	.rept	REWRITE_INSNS_AFTER - 4
	nop
	.endr
	stop_counting
	ret

/* u64 rdpmc_pair(u64 ctrl, u32 index): what two reads differ by */
	.globl	rdpmc_pair
rdpmc_pair:
	start_counting
	mov	%esi, %ecx
	rdpmc
	mov	%eax, %r8d
	.rept	RDPMC_PAIR_DISTANCE - 2
	nop
	.endr
	rdpmc
	sub	%r8d, %eax
	mov	%eax, %r8d
	stop_counting
	mov	%r8d, %eax
	ret

/*
 * void pebs_regs(u64 ctrl): from pebs_regs_first on, PEBS_REGS_BEFORE counted
 * instructions after the start, RAX to RDI but RSP and R8 to R15 hold
 * REGS_VALUE() of numbers that differ, XMM0 and XMM15 it twice.
 */
	.globl	pebs_regs, pebs_regs_first, pebs_regs_rsp
pebs_regs:
	save_callee
	mov	%rsp, pebs_regs_rsp
	mov	%rdi, %rsi
	.macro	number reg, n
	movabs	$REGS_VALUE(\n), %\reg
	.endm
	number	r8, 8
	number	r9, 9
	number	r10, 10
	number	r11, 11
	number	r12, 12
	number	r13, 13
	number	r14, 14
	number	r15, 15
	number	rax, 16
	movq	%rax, %xmm0
	punpcklqdq %xmm0, %xmm0
	movq	%r15, %xmm15
	punpcklqdq %xmm15, %xmm15
	mov	%rsi, %rdx
	shr	$32, %rdx
	mov	%esi, %eax
	mov	$0x38f, %ecx
	number	rbx, 3
	number	rbp, 5
	number	rsi, 6
	number	rdi, 7
	wrmsr
	number	rcx, 1
	number	rdx, 2
	number	rax, 4
pebs_regs_first:
	.rept	32
	nop
	.endr
	stop_counting
	restore_callee
	ret

	.bss
pebs_regs_rsp:
	.skip	8

	.section .note.GNU-stack, "", @progbits
