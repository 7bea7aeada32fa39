/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What to spend the slots of the pipeline on: one function for each category
 *
 *	retiring	arithmetic without dependence on memory
 *	bad_spec	a branch that follows a random bit
 *	fe_bound	jumps from line to line through more code than L1I holds
 *	be_bound	a chain of pointers through more memory than any cache
 *
 * Each takes its number of rounds in %ecx, goes on with what the last one left
 * in %eax and %rdi, and changes %rbx, %rdx and %r8 as well. link_chain makes
 * the chain of pointers and leaves its start in %rdi.
 */
#define CHAIN_LINES	131072
#define JUMPS		2048

	.globl	retiring, bad_spec, fe_bound, be_bound, link_chain, _end_of_code
	.text
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
