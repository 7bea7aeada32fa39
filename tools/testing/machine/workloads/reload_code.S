/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of "reload" that is counted: each instruction has a number, which
 * scripts/checks/acr_truth.py knows, too.
 *
 * reload_run(rdi = steps, rsi = counters, rdx = values, rcx = number of them)
 * first reads the counters. A step is the address of what to do and how often;
 * the last one is reload_done.
 */
	.macro insn text:vararg
777:	\text
	.pushsection .rodata.insns, "a"
	.quad	777b
	.popsection
	.endm

	.section .rodata.insns, "a"
	.globl	reload_insns, reload_insns_end
	.balign	8
reload_insns:
	.text

	.globl	reload_run, reload_many, reload_few, reload_yield, reload_done
reload_run:
	push	%rbx
	push	%r12
	push	%r13
	push	%r14
	mov	%rdi, %rbx
	mov	%rsi, %r12
	mov	%rdx, %r13
	mov	%rcx, %r14
read:
	insn	mov	(%r12), %ecx
	insn	rdpmc
	insn	shl	$32, %rdx
	insn	or	%rdx, %rax
	insn	mov	%rax, (%r13)
	insn	add	$4, %r12
	insn	add	$8, %r13
	insn	dec	%r14
	insn	jnz	read
next:
	insn	mov	(%rbx), %rax
	insn	mov	8(%rbx), %rcx
	insn	add	$16, %rbx
	insn	jmp	*%rax
reload_many:
	.rept	20
	insn	nop
	.endr
	insn	dec	%rcx
	insn	jnz	reload_many
	insn	jmp	next
reload_few:
	insn	nop
	insn	dec	%rcx
	insn	jnz	reload_few
	insn	jmp	next
/* sched_yield() */
reload_yield:
	insn	mov	$24, %eax
	insn	syscall
	insn	jmp	next
reload_done:
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	ret

	.section .rodata.insns, "a"
reload_insns_end:

	.section .note.GNU-stack, "", @progbits
