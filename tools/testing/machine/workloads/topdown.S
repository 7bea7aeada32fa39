/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown WHAT [forever] - spend the slots of the pipeline on one thing
 *
 *	retiring	arithmetic without dependence on memory
 *	bad-spec	a branch that follows a random bit
 *	fe-bound	jumps from line to line through more code than L1I holds
 *	be-bound	a chain of pointers through more memory than any cache
 *	phases		all of them in turn, in pieces between which other
 *			programs get the CPU, 11000 times
 *
 * No C library, so that a profile has these loops and nothing else.
 */
#define SYS_sched_yield	24
#define SYS_exit	60
#define CHAIN_LINES	131072
#define JUMPS		2048

	.globl	_start, retiring, bad_spec, fe_bound, be_bound, _end_of_code
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
	piecemeal retiring, 3850, 200
	piecemeal bad_spec, 3300, 400
	piecemeal fe_bound, 1100, 1
	piecemeal be_bound, 2750, 100
	ret
	.size	phases, . - phases

	/* Each function takes its number of rounds in %ecx */
	.type	retiring, @function
retiring:
1:
	.rept	16
	add	$1, %rax
	add	$2, %rdx
	xor	%rax, %rbx
	lea	3(%rsi,%rdi), %r8
	.endr
	dec	%ecx
	jnz	1b
	ret
	.size	retiring, . - retiring

	/* Multiplier and increment of a generator whose state is in %eax */
	.type	bad_spec, @function
bad_spec:
1:	imul	$1664525, %eax, %eax
	add	$1013904223, %eax
	test	$0x40000000, %eax
	jz	2f
	inc	%edx
2:	dec	%ecx
	jnz	1b
	ret
	.size	bad_spec, . - bad_spec

	.type	fe_bound, @function
	.balign	64
fe_bound:
1:
	.rept	JUMPS
	jmp	2f
	.balign	64
2:
	.endr
	dec	%ecx
	jnz	1b
	ret
	.size	fe_bound, . - fe_bound

	/* Line n points to line n + 40503 modulo their number: all of them */
	.type	link_chain, @function
link_chain:
	lea	chain(%rip), %rdi
	xor	%eax, %eax
	mov	$CHAIN_LINES, %ecx
1:	lea	40503(%rax), %edx
	and	$(CHAIN_LINES - 1), %edx
	mov	%rax, %rsi
	shl	$6, %rsi
	mov	%rdx, %r8
	shl	$6, %r8
	add	%rdi, %r8
	mov	%r8, (%rdi,%rsi)
	inc	%eax
	dec	%ecx
	jnz	1b
	ret
	.size	link_chain, . - link_chain

	/* Goes on in %rdi */
	.type	be_bound, @function
be_bound:
1:	mov	(%rdi), %rdi
	dec	%ecx
	jnz	1b
	ret
	.size	be_bound, . - be_bound
_end_of_code:

	.bss
	.balign	64
chain:
	.skip	CHAIN_LINES * 64
	.section .note.GNU-stack, "", @progbits
