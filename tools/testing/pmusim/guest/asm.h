/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the blocks of assembly have in common */
#ifndef ASM_H
#define ASM_H

	/* The registers that a function of C has to leave as they are */
	.macro	save_callee
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	.endm

	.macro	restore_callee
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	.endm

#endif
