/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown WHAT [forever] - spend the slots of the pipeline on one thing
 *
 *	retiring	arithmetic without dependence on memory
 *	bad-spec	a branch that follows a random bit
 *	fe-bound	jumps from line to line through more code than L1I holds
 *	be-bound	a chain of pointers through more memory than any cache
 *
 * No C library, so that a profile has these loops and nothing else.
 */
#define SYS_exit	60
#define CHAIN_LINES	131072
#define JUMPS		2048

	.globl	_start, retiring, bad_spec, fe_bound, be_bound
	.text
_start:
	mov	(%rsp), %r15
	cmp	$2, %r15
	jb	usage
	mov	16(%rsp), %rsi
	movb	(%rsi), %al
	movb	1(%rsi), %ah
	lea	retiring(%rip), %r14
	cmpb	$'r', %al
	je	again
	lea	fe_bound(%rip), %r14
	cmpb	$'f', %al
	je	again
	lea	bad_spec(%rip), %r14
	cmpb	$'a', %ah
	je	again
	lea	be_bound(%rip), %r14
	cmpb	$'e', %ah
	jne	usage
again:
	call	*%r14
	cmp	$2, %r15
	ja	again
	xor	%edi, %edi
	mov	$SYS_exit, %eax
	syscall
usage:
	mov	$2, %edi
	mov	$SYS_exit, %eax
	syscall

	.type	retiring, @function
retiring:
	mov	$100000, %ecx
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

	/* The multiplier and increment of a linear congruential generator */
	.type	bad_spec, @function
bad_spec:
	mov	$1000000, %ecx
	mov	$1, %eax
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
	mov	$1000, %ecx
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
	.type	be_bound, @function
be_bound:
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

	mov	$2000000, %ecx
1:	mov	(%rdi), %rdi
	dec	%ecx
	jnz	1b
	ret
	.size	be_bound, . - be_bound

	.bss
	.balign	64
chain:
	.skip	CHAIN_LINES * 64
	.section .note.GNU-stack, "", @progbits
