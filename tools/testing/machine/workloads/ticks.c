// SPDX-License-Identifier: GPL-2.0
/*
 * ticks - does a counter of conditional branches stay exact?
 *
 *	ticks [-s STOPS] [-p PERIOD] [-t THREADS] [-r SEED] [-c] [-j] [-m]
 *
 * Does what record-and-replay debuggers do: runs the threads of another process
 * one at a time, by ptrace, until a counter of the thread's conditional
 * branches that was programmed to a random target overflows, or until a system
 * call; then reads the counter. The threads run a loop of which the registers
 * at a stop tell exactly how many conditional branches have retired. Everything
 * runs on CPU 0, and so does a sampler there that agrees to be frozen.
 *
 *	-s	stops (default 1000)
 *	-p	period of the sampler, in branches; 0: none (default 251)
 *	-t	threads (default 3)
 *	-r	seed of the pseudo-random choices (default 1)
 *	-c	the counter of ticks agrees to be frozen, too
 *	-j	others join on CPU 0 and leave: samplers and counters, some of which
 *		agree. They are opened from CPU 1.
 *	-m	compare with the emulated PMU's own truth as well
 *
 * Prints "name number" lines; leaves with 1 if a count was wrong.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulated_msr.h"
#include "others.h"

#define THREADS_MAX	16

struct thread {
	pid_t tid;
	int fd;
	uint64_t ticks;
};

static struct {
	unsigned long stops, period, threads, seed;
	int consent, join, truth;
} option = { .stops = 1000, .period = 251, .threads = 3, .seed = 1 };

static struct {
	unsigned long overflows, syscalls, wrong, shown, skid;
	long lost, most;
} result;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/*
 * The threads. Each round has three conditional branches: one that alternates,
 * one around a system call, and one at the end. %r12 counts the rounds begun.
 */
asm("	.text\n"
"round_trap:\n"
"	xor	%r12d, %r12d\n"
"	xor	%r13d, %r13d\n"
"	int3\n"
"round_begin:\n"
"	inc	%r12\n"
"	test	$1, %r12b\n"
"	jz	1f\n"
"round_first:\n"
"	lea	(%r13, %r12), %r13\n"
"1:	test	$0x7ff, %r12d\n"
"	jnz	2f\n"
"round_second:\n"
"	mov	$39, %eax\n"
"	syscall\n"
"2:	nop\n"
"	nop\n"
"	test	%r12, %r12\n"
"	jnz	round_begin\n"
"	ud2\n"
"round_end:\n");

/* Addresses in it: of the loop's first instruction, and behind branches */
static struct {
	uintptr_t begin, first, second, end;
} place;

static void find_places(void)
{
	asm("lea	round_begin(%%rip), %0\n\t"
	    "lea	round_first(%%rip), %1\n\t"
	    "lea	round_second(%%rip), %2\n\t"
	    "lea	round_end(%%rip), %3"
	    : "=r" (place.begin), "=r" (place.first), "=r" (place.second),
	      "=r" (place.end));
}

static uint64_t ticks_at(const struct user_regs_struct *regs)
{
	uintptr_t ip = regs->rip;

	if (ip < place.begin || ip >= place.end) {
		fprintf(stderr, "ticks: stopped at %#lx\n", (unsigned long)ip);
		exit(2);
	}
	if (ip == place.begin)
		return 3 * regs->r12;
	return 3 * (regs->r12 - 1) + (ip >= place.first) + (ip >= place.second);
}

static void *run_rounds(void *unused)
{
	asm volatile("jmp round_trap" : : : "memory");
	return unused;
}

static void be_traced(void)
{
	pthread_t thread;
	unsigned long i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		die("ticks: PTRACE_TRACEME");
	raise(SIGSTOP);
	for (i = 1; i < option.threads; i++) {
		if (pthread_create(&thread, NULL, run_rounds, NULL))
			die("ticks: pthread_create");
	}
	run_rounds(NULL);
}

/*
 * Events
 */

/* As debuggers open theirs */
static int open_ticks(pid_t tid)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = tid };
	struct attr attr = {
		.base.config		= EVENT_TICKS,
		.base.sample_period	= 0xffffffff,
		.base.exclude_guest	= 1,
		.base.pinned		= 1,
		.base.disabled		= 1,
		.config3		= option.consent ? CONSENT : 0,
	};
	int fd = open_event(&attr, tid, -1);

	if (fd < 0)
		die("ticks: perf_event_open");
	if (fcntl(fd, F_SETFL, O_ASYNC) || fcntl(fd, F_SETSIG, SIGSTKFLT) ||
	    fcntl(fd, F_SETOWN_EX, &owner))
		die("ticks: fcntl");
	return fd;
}

/*
 * The debugger
 */

static void check(struct thread *thread, uint64_t target, int overflow)
{
	struct user_regs_struct regs;
	uint64_t count, now, happened;
	long lost;

	if (ptrace(PTRACE_GETREGS, thread->tid, NULL, &regs))
		die("ticks: PTRACE_GETREGS");
	if (read(thread->fd, &count, sizeof(count)) != sizeof(count))
		die("ticks: read");
	now = ticks_at(&regs);
	happened = now - thread->ticks;
	thread->ticks = now;

	lost = happened - count;
	if (lost) {
		result.wrong++;
		result.lost += lost;
		if (labs(lost) > labs(result.most))
			result.most = lost;
		if (result.shown++ < 5)
			printf("stop at %#llx: %llu branches, counted %llu\n",
			       regs.rip, (unsigned long long)happened,
			       (unsigned long long)count);
	}
	/* A signal of the time before may come now; the target is far then */
	if (overflow && happened >= target && happened - target > result.skid)
		result.skid = happened - target;
}

static void run(struct thread *thread)
{
	uint64_t target = choose(200, choose(0, 3) ? 5000 : 40000);
	int request = choose(0, 3) ? PTRACE_CONT : PTRACE_SYSCALL;
	int status, sig;

	if (ioctl(thread->fd, PERF_EVENT_IOC_RESET, 0) ||
	    ioctl(thread->fd, PERF_EVENT_IOC_PERIOD, &target) ||
	    ioctl(thread->fd, PERF_EVENT_IOC_ENABLE, 0))
		die("ticks: ioctl");
	if (ptrace(request, thread->tid, NULL, NULL))
		die("ticks: ptrace");
	if (waitpid(thread->tid, &status, __WALL) != thread->tid ||
	    !WIFSTOPPED(status))
		die("ticks: waitpid");
	if (ioctl(thread->fd, PERF_EVENT_IOC_DISABLE, 0))
		die("ticks: ioctl");

	sig = WSTOPSIG(status);
	if (sig == SIGSTKFLT) {
		result.overflows++;
	} else if (sig == (SIGTRAP | 0x80)) {
		result.syscalls++;
	} else {
		fprintf(stderr, "ticks: stopped by signal %d\n", sig);
		exit(2);
	}
	check(thread, target, sig == SIGSTKFLT);
}

/* Until each thread stands at the begin of its first round */
static void start_threads(pid_t child, struct thread *threads)
{
	unsigned long ready = 0;
	int status;
	pid_t tid;

	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		die("ticks: waitpid");
	if (ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACECLONE |
		   PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) ||
	    ptrace(PTRACE_CONT, child, NULL, NULL))
		die("ticks: ptrace");

	while (ready < option.threads) {
		tid = waitpid(-1, &status, __WALL);
		if (tid < 0 || !WIFSTOPPED(status))
			die("ticks: waitpid");
		if (status >> 8 == SIGTRAP) {
			threads[ready].tid = tid;
			threads[ready].fd = open_ticks(tid);
			ready++;
		} else if (ptrace(PTRACE_CONT, tid, NULL, NULL)) {
			die("ticks: PTRACE_CONT");
		}
	}
}

static uint64_t truth(void)
{
	return rdmsr(MSR_TRUTH0 + LANE_CONDITIONALS);
}

static void set_range(int on)
{
	wrmsr(MSR_RANGE0 + 3, 0);
	if (!on)
		return;
	wrmsr(MSR_RANGE0, place.begin);
	wrmsr(MSR_RANGE0 + 1, place.end);
	wrmsr(MSR_RANGE0 + 2, 0);
	wrmsr(MSR_RANGE0 + 3, RANGE_USR);
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "s:p:t:r:cjm")) != -1) {
		unsigned long number = optarg ? strtoul(optarg, NULL, 0) : 0;

		switch (c) {
		case 's':
			option.stops = number;
			break;
		case 'p':
			option.period = number;
			break;
		case 't':
			option.threads = number;
			break;
		case 'r':
			option.seed = number;
			break;
		case 'c':
			option.consent = 1;
			break;
		case 'j':
			option.join = 1;
			break;
		case 'm':
			option.truth = 1;
			break;
		default:
			exit(2);
		}
	}
	if (optind < argc || !option.threads || option.threads > THREADS_MAX) {
		fprintf(stderr, "ticks: see the beginning of ticks.c\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct thread threads[THREADS_MAX] = {};
	uint64_t happened = 0, before = 0, pmis;
	struct joiner nobody = {}, *joiner = &nobody;
	pid_t child, other = 0;
	unsigned long i;

	parse(argc, argv);
	find_places();
	set_seed(option.seed);
	msr_file = open("/dev/cpu/0/msr", O_RDWR | O_CLOEXEC);
	if (msr_file < 0)
		die("/dev/cpu/0/msr");

	if (option.join)
		joiner = start_joiner(&other);
	pin(0);
	child = fork();
	if (!child)
		be_traced();
	if (child < 0)
		die("ticks: fork");
	start_threads(child, threads);

	if (option.truth) {
		before = truth();
		set_range(1);
	}
	if (option.period)
		open_sampler(option.period);
	pmis = rdmsr(MSR_STATISTIC0 + STATISTIC_PMIS);
	for (i = 0; i < option.stops; i++)
		run(&threads[choose(0, option.threads - 1)]);
	pmis = rdmsr(MSR_STATISTIC0 + STATISTIC_PMIS) - pmis;

	for (i = 0; i < option.threads; i++)
		happened += threads[i].ticks;
	if (option.truth) {
		set_range(0);
		printf("truth %llu\n", (unsigned long long)(truth() - before));
		result.wrong += truth() - before != happened;
	}
	if (other)
		kill(other, SIGKILL);
	kill(child, SIGKILL);

	printf("stops %lu\noverflows %lu\nsyscalls %lu\nticks %llu\npmis %llu\n",
	       option.stops, result.overflows, result.syscalls,
	       (unsigned long long)happened, (unsigned long long)pmis);
	printf("joined %lu\nlooks %lu\nactive %lu\nskid %lu\n", joiner->joined,
	       joiner->looks, joiner->active, result.skid);
	printf("wrong %lu\nlost %ld\nmost %ld\n", result.wrong, result.lost,
	       result.most);
	return !!result.wrong;
}
