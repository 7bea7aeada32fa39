/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown WHAT [forever] - spend the slots of the pipeline on one thing
 *
 *	retiring, bad-spec, fe-bound, be-bound
 *			see phases.S
 *	phases		all of them in turn, in pieces between which other
 *			programs get the CPU, 13700 times
 *
 * No C library, so that a profile has these loops and nothing else.
 */
#define SYS_sched_yield	24
#define SYS_exit	60

	.globl	_start
	.text
_start:
	mov	(%rsp), %r15
	cmp	$2, %r15
	jb	usage
again:
	mov	16(%rsp), %rsi
	movb	(%rsi), %al
	cmpb	$'p', %al
	je	4f
	cmpb	$'r', %al
	je	1f
	movb	1(%rsi), %ah
	cmpb	$'f', %al
	je	3f
	cmpb	$'a', %ah
	je	2f
	cmpb	$'e', %ah
	jne	usage
	call	link_chain
	mov	$2000000, %ecx
	call	be_bound
	jmp	done
1:	mov	$400000, %ecx
	call	retiring
	jmp	done
2:	mov	$1, %eax
	mov	$1000000, %ecx
	call	bad_spec
	jmp	done
3:	mov	$1000, %ecx
	call	fe_bound
	jmp	done
4:	call	phases
done:
	cmp	$2, %r15
	ja	again
	xor	%edi, %edi
	mov	$SYS_exit, %eax
	syscall
usage:
	mov	$2, %edi
	mov	$SYS_exit, %eax
	syscall

	/* Call @what for @rounds, @pieces times: %rdi and %eax are its own */
	.macro	piecemeal what, pieces, rounds
	mov	$\pieces, %r12d
1:	mov	$\rounds, %ecx
	mov	%r13d, %eax
	call	\what
	mov	%eax, %r13d
	mov	$SYS_sched_yield, %eax
	syscall
	dec	%r12d
	jnz	1b
	.endm

	.type	phases, @function
phases:
	call	link_chain
	mov	$1, %r13d
	piecemeal retiring, 4800, 200
	piecemeal bad_spec, 4100, 400
	piecemeal fe_bound, 1400, 1
	piecemeal be_bound, 3400, 100
	ret
	.size	phases, . - phases
	.section .note.GNU-stack, "", @progbits
