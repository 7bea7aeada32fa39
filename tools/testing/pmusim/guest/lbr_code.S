/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branches whose addresses are known. Each function begins with the WRMSR that
 * starts recording, (u32 msr, u64 value), and ends with the one that writes 0.
 */
#include "asm.h"
#include "layout.h"

	.text

	.macro	start_recording
	mov	%edi, %ecx
	mov	%edi, %r8d
	mov	%rsi, %rdx
	shr	$32, %rdx
	mov	%esi, %eax
	wrmsr
	.endm

	.macro	stop_recording
	mov	%r8d, %ecx
	xor	%eax, %eax
	xor	%edx, %edx
	wrmsr
	.endm

	/* One line of lbr_walk_list */
	.macro	branch from, to, type
	.pushsection .rodata
	.quad	\from, \to, \type
	.popsection
	.endm

	.pushsection .rodata
	.balign	8
	.globl	lbr_walk_list, lbr_walk_list_end
lbr_walk_list:
	.popsection

/* void lbr_walk(u32 msr, u64 value): one branch of every type */
	.globl	lbr_walk
lbr_walk:
	start_recording
walk_jmp:
	jmp	walk_1
	nop
walk_1:
	xor	%eax, %eax
	/* Not taken, hence not recorded */
	jnz	walk_2
walk_jcc:
	jz	walk_2
	nop
walk_2:
walk_call:
	call	walk_function
walk_3:
	lea	walk_4(%rip), %rax
walk_ind_jmp:
	jmp	*%rax
	nop
walk_4:
	lea	walk_function_2(%rip), %rax
walk_ind_call:
	call	*%rax
walk_5:
	push	$SEL_CODE
	push	$walk_6
walk_far:
	lretq
	nop
walk_6:
	stop_recording
	ret

walk_function:
	nop
walk_ret:
	ret

walk_function_2:
	nop
	nop
walk_ret_2:
	ret

	branch	walk_jmp, walk_1, LBR_REL_JMP
	branch	walk_jcc, walk_2, LBR_JCC
	branch	walk_call, walk_function, LBR_REL_CALL
	branch	walk_ret, walk_3, LBR_RET
	branch	walk_ind_jmp, walk_4, LBR_IND_JMP
	branch	walk_ind_call, walk_function_2, LBR_IND_CALL
	branch	walk_ret_2, walk_5, LBR_RET
	branch	walk_far, walk_6, LBR_FAR
	.pushsection .rodata
lbr_walk_list_end:
	.popsection

/* void lbr_loop(u32 msr, u64 value, u32 count): one Jcc, taken count - 1 times */
	.globl	lbr_loop, lbr_loop_from, lbr_loop_to
lbr_loop:
	mov	%edx, %r9d
	start_recording
lbr_loop_to:
	dec	%r9d
lbr_loop_from:
	jnz	lbr_loop_to
	stop_recording
	ret

/*
 * void lbr_flip(u32 msr, u64 value, u32 count): the last branch recorded is a
 * Jcc that was not taken count - 1 times before
 */
	.globl	lbr_flip, lbr_flip_from, lbr_flip_to
lbr_flip:
	mov	%edx, %r9d
	start_recording
1:	cmp	$1, %r9d
lbr_flip_from:
	je	lbr_flip_to
	dec	%r9d
	jmp	1b
lbr_flip_to:
	stop_recording
	ret

/* void lbr_nested(u32 msr, u64 value): stops within three calls */
	.globl	lbr_nested, nested_a, nested_b, nested_c
	.globl	nested_a_to, nested_b_to, nested_c_to
lbr_nested:
	start_recording
nested_a:
	call	nested_a_to
	ret
nested_a_to:
nested_b:
	call	nested_b_to
	ret
nested_b_to:
	lea	nested_c_to(%rip), %rax
nested_c:
	call	*%rax
	ret
nested_c_to:
	stop_recording
	ret

/* void lbr_popped(u32 msr, u64 value): stops within the first call only */
	.globl	lbr_popped, popped_a, popped_a_to
lbr_popped:
	start_recording
popped_a:
	call	popped_a_to
	ret
popped_a_to:
	call	popped_leaf
	call	popped_inner
	/* To the next instruction: no call */
	call	1f
1:	pop	%rax
	stop_recording
	ret
popped_inner:
	call	popped_leaf
	ret
popped_leaf:
	ret

/* void lbr_user(u32 msr, u64 value): three branches at CPL 3 */
	.globl	lbr_user, lbr_user_entry, lbr_user_code, lbr_user_code_end
lbr_user:
	save_callee
	mov	%rsp, lbr_user_saved
	push	$SEL_USER_DATA
	push	$lbr_user_stack_top
	push	$2
	push	$SEL_USER_CODE
	push	$lbr_user_code
	start_recording
	iretq
lbr_user_code:
	mov	$3, %ecx
	jmp	1f
	nop
1:	loop	1b
	int	$VECTOR_LBR_USER
lbr_user_code_end:
lbr_user_entry:
	stop_recording
	mov	lbr_user_saved, %rsp
	restore_callee
	ret

	.bss
	.balign	16
	.skip	1024
lbr_user_stack_top:
lbr_user_saved:
	.skip	8

	.section .note.GNU-stack, "", @progbits
