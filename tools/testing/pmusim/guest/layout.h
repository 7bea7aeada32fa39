/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers that assembly and C share */
#ifndef LAYOUT_H
#define LAYOUT_H

#define SEL_CODE		0x08
#define SEL_DATA		0x10
#define SEL_USER_CODE		0x1b
#define SEL_USER_DATA		0x23
#define SEL_CODE32		0x28
#define SEL_TSS			0x30

#define VECTOR_NMI		2
#define VECTOR_GP		13
#define VECTOR_PMI		0x40
#define VECTOR_USER_RETURN	0x80
#define VECTOR_USER_PAYLOAD	0x81
#define VECTOR_LBR_USER		0x82
#define VECTOR_SPURIOUS		0xff

/* Present, writable, open to CPL 3 */
#define PTE_PRESENT		1
#define PTE_WRITE		2
#define PTE_SUPERVISOR		(PTE_PRESENT | PTE_WRITE)
#define PTE_ALL			7
#define PTE_LARGE		0x80
/* Linear and physical address of 512 pages of 4 KiB */
#define SMALL_PAGES		0x2000000

#define TRAP_ENTRY_SIZE		16
#define AP_START		0x8000
#define STACK_SHIFT		16
#define USER_STACK_SIZE		0x4000

/* What the blocks of payload.S and start.S retire while they are counted */
#define PAYLOAD_INSNS		35
#define PAYLOAD_BRANCHES	10
#define LOCKED_ACCESSES		10
#define STRAIGHT_NOPS		64
#define STRAIGHT_INSNS		(STRAIGHT_NOPS + 4)
#define REWRITE_INSNS_AFTER	24
#define RDPMC_PAIR_DISTANCE	22
#define USER_PAYLOAD_OS		5
#define USER_PAYLOAD_OS_BRANCHES 1
#define USER_PAYLOAD_USR	32
#define USER_PAYLOAD_USR_BRANCHES 11

#define PEBS_REGS_BEFORE	3
/* For what registers hold in pebs_regs() */
#define REGS_VALUE(n)		(0x0101010101010101 * (n))

/* Types of branch, as LBR_INFO[59:56] numbers them */
#define LBR_JCC			0
#define LBR_IND_JMP		1
#define LBR_REL_JMP		2
#define LBR_IND_CALL		3
#define LBR_REL_CALL		4
#define LBR_RET			5
#define LBR_FAR			8

#endif
