/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Start-up of both CPUs, exception entry, the way to CPL 3 and back
 *
 * The boot CPU comes in at start32 as the PVH boot protocol says: protected
 * mode, flat segments, no paging. The second CPU comes in real mode at the
 * copy of ap_start in low memory.
 */
#include "asm.h"
#include "layout.h"

	.section .note.pvh, "a", @note
	.balign	4
	.long	4, 8, 18
	.asciz	"Xen"
	.quad	start32

	.text
	.code32
	.globl	start32
start32:
	cli
	cld
	mov	$_bss, %edi
	mov	$_end, %ecx
	sub	%edi, %ecx
	xor	%eax, %eax
	rep	stosb

	/* 4 GiB in 2 MiB pages, all of them open to CPL 3 */
	movl	$page_pdpt + PTE_ALL, page_pml4
	mov	$page_pd + PTE_ALL, %eax
	mov	$page_pdpt, %edi
	mov	$4, %ecx
1:	mov	%eax, (%edi)
	add	$0x1000, %eax
	add	$8, %edi
	loop	1b
	mov	$PTE_ALL | PTE_LARGE, %eax
	mov	$page_pd, %edi
	mov	$2048, %ecx
2:	mov	%eax, (%edi)
	add	$0x200000, %eax
	add	$8, %edi
	loop	2b
	/* One 2 MiB piece of it in 4 KiB pages, for the PEBS tests */
	movl	$page_small + PTE_ALL, page_pd + (SMALL_PAGES >> 21) * 8
	mov	$SMALL_PAGES | PTE_ALL, %eax
	mov	$page_small, %edi
	mov	$512, %ecx
3:	mov	%eax, (%edi)
	add	$0x1000, %eax
	add	$8, %edi
	loop	3b

	lgdt	gdtr
	xor	%esi, %esi
	ljmp	$SEL_CODE32, $common32

	.globl	common32
common32:
	mov	$SEL_DATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	/* PAE, OSFXSR, OSXMMEXCPT */
	mov	$0x620, %eax
	mov	%eax, %cr4
	mov	$page_pml4, %eax
	mov	%eax, %cr3
	/* EFER.LME */
	mov	$0xc0000080, %ecx
	rdmsr
	or	$0x100, %eax
	wrmsr
	/* PG, WP, NE, ET, MP, PE */
	mov	$0x80010033, %eax
	mov	%eax, %cr0
	ljmp	$SEL_CODE, $common64

	.code64
common64:
	xor	%eax, %eax
	mov	%eax, %fs
	mov	%eax, %gs
	mov	%esi, %edi
	lea	1(%rdi), %rsp
	shl	$STACK_SHIFT, %rsp
	add	$stacks, %rsp
	xor	%ebp, %ebp
	call	cpu_main
1:	cli
	hlt
	jmp	1b

	/* Copied to AP_START, where the second CPU begins */
	.code16
	.globl	ap_start, ap_end
ap_start:
	cli
	xor	%ax, %ax
	mov	%ax, %ds
	lgdtl	AP_START + ap_gdtr - ap_start
	mov	$0x11, %eax
	mov	%eax, %cr0
	mov	$1, %esi
	ljmpl	$SEL_CODE32, $common32
ap_gdtr:
	.word	gdt_end - gdt - 1
	.long	gdt
ap_end:
	.code64

/*
 * Exceptions and interrupts. Each entry leaves the same frame: struct regs.
 */
	.macro	entry vector, code=0
	.balign	TRAP_ENTRY_SIZE
	.if	\code == 0
	push	$0
	.endif
	push	$\vector
	jmp	trap_common
	.endm

	.balign	16
	.globl	trap_entries, pmi_entry, spurious_entry
trap_entries:
	.altmacro
	.set	n, 0
	.rept	32
	.if	n == 8 || n == 10 || n == 11 || n == 12 || n == 13 || n == 14 || n == 17 || n == 21
	entry	%n, 1
	.else
	entry	%n
	.endif
	.set	n, n + 1
	.endr
	.noaltmacro
pmi_entry:
	entry	VECTOR_PMI
spurious_entry:
	iretq

trap_common:
	push	%rax
	push	%rbx
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%rbp
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	cld
	mov	%rsp, %rdi
	call	trap
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rbp
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rbx
	pop	%rax
	add	$16, %rsp
	iretq

	.macro	user_frame ip
	push	$SEL_USER_DATA
	push	$user_stack + USER_STACK_SIZE
	push	$2
	push	$SEL_USER_CODE
	push	$\ip
	.endm

/* unsigned long user_call(unsigned long (*fn)(unsigned long), unsigned long) */
	.globl	user_call, user_return_entry
user_call:
	save_callee
	mov	%rsp, user_saved
	mov	%rdi, %rax
	mov	%rsi, %rdi
	user_frame user_entry
	iretq
user_entry:
	call	*%rax
	int	$VECTOR_USER_RETURN
user_return_entry:
	mov	user_saved, %rsp
	restore_callee
	ret

/*
 * void user_payload(u64 ctrl): counts, goes to CPL 3, comes back, stops
 *
 * At CPL 0: IRETQ and the four instructions that stop, USER_PAYLOAD_OS. At
 * CPL 3: 1 + 10 * 3 + INT, USER_PAYLOAD_USR, of which 11 are branches.
 */
	.globl	user_payload, user_payload_entry
user_payload:
	save_callee
	mov	%rsp, user_saved
	user_frame user_payload_code
	mov	%rdi, %rdx
	shr	$32, %rdx
	mov	%edi, %eax
	mov	$0x38f, %ecx
	wrmsr
	iretq
user_payload_code:
	mov	$10, %ecx
1:	nop
	nop
	loop	1b
	int	$VECTOR_USER_PAYLOAD
user_payload_entry:
	mov	$0x38f, %ecx
	xor	%eax, %eax
	xor	%edx, %edx
	wrmsr
	mov	user_saved, %rsp
	restore_callee
	ret

/*
 * int context_save(struct context *) returns 0; context_restore() of it makes
 * it return 1.
 */
	.globl	context_save, context_restore
context_save:
	mov	(%rsp), %rax
	mov	%rax, (%rdi)
	lea	8(%rsp), %rax
	mov	%rax, 8(%rdi)
	mov	%rbx, 16(%rdi)
	mov	%rbp, 24(%rdi)
	mov	%r12, 32(%rdi)
	mov	%r13, 40(%rdi)
	mov	%r14, 48(%rdi)
	mov	%r15, 56(%rdi)
	xor	%eax, %eax
	ret
context_restore:
	mov	8(%rdi), %rsp
	mov	16(%rdi), %rbx
	mov	24(%rdi), %rbp
	mov	32(%rdi), %r12
	mov	40(%rdi), %r13
	mov	48(%rdi), %r14
	mov	56(%rdi), %r15
	mov	$1, %eax
	jmp	*(%rdi)

	.data
	.balign	16
	.globl	gdt
gdt:
	.quad	0
	.quad	0x00af9b000000ffff
	.quad	0x00cf93000000ffff
	.quad	0x00affb000000ffff
	.quad	0x00cff3000000ffff
	.quad	0x00cf9b000000ffff
	/* SEL_TSS: filled in by cpu_main(), 16 bytes a CPU */
	.quad	0, 0, 0, 0
gdt_end:
gdtr:
	.word	gdt_end - gdt - 1
	.quad	gdt

	.bss
	.balign	4096
	.globl	page_small
page_pml4:
	.skip	4096
page_pdpt:
	.skip	4096
page_pd:
	.skip	4 * 4096
page_small:
	.skip	4096
stacks:
	.skip	2 << STACK_SHIFT
user_stack:
	.skip	USER_STACK_SIZE
user_saved:
	.skip	8

	.section .note.GNU-stack, "", @progbits
