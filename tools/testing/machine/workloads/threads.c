// SPDX-License-Identifier: GPL-2.0
/*
 * threads - a program that no two runs do alike
 *
 *	threads [ROUNDS]
 *
 * Four threads compute, branch on what they find, and take turns by a mutex and
 * a condition. Some signals of a timer, and those that the threads send each
 * other, come at any instruction; their handler mixes what it interrupted into the
 * result. Prints what came out of it: a recording is replayed right only if that
 * is the same, to the bit.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#define THREADS		4
#define STEPS		20000
#define ALARMS		30

static pthread_t threads[THREADS];
static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static unsigned long turn, turns, rounds = 20;
static uint64_t total = 1;
static volatile unsigned long signals, mixed;

/* What a thread has in hand, and how far it is */
static __thread volatile uint64_t state, step;

static uint64_t mix(uint64_t a, uint64_t b)
{
	a ^= b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2);
	return a;
}

static void wait_for_alarm(void)
{
	static const struct itimerval soon = { .it_value.tv_usec = 3000 };

	setitimer(ITIMER_REAL, &soon, NULL);
}

/* Not every few milliseconds: recorded, the program may be much slower */
static void handle(int sig)
{
	static volatile int alarms;

	signals++;
	if (sig == SIGALRM && ++alarms < ALARMS)
		wait_for_alarm();
	mixed = mix(mixed, mix(state, step));
}

static void compute(void)
{
	for (step = 0; step < STEPS; step++) {
		uint64_t x = state;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (x & 1)
			x += turns;
		if (x % 3 == 1)
			x ^= step;
		state = x;
	}
}

static void *run(void *arg)
{
	unsigned long number = (uintptr_t)arg, round;

	state = number + 1;
	pthread_barrier_wait(&barrier);
	for (round = 0; round < rounds; round++) {
		compute();
		if (state % 5 == 0)
			pthread_kill(threads[state / 5 % THREADS], SIGUSR1);
		pthread_mutex_lock(&mutex);
		/* Any order will do, but not the same thread all the time */
		if (turn == number && turns < THREADS * rounds / 2)
			pthread_cond_wait(&condition, &mutex);
		turn = number;
		turns++;
		total = mix(total, state);
		pthread_cond_broadcast(&condition);
		pthread_mutex_unlock(&mutex);
	}

	pthread_mutex_lock(&mutex);
	turn = THREADS;
	pthread_cond_broadcast(&condition);
	pthread_mutex_unlock(&mutex);
	/* Until all have ended, everyone can be sent a signal */
	pthread_barrier_wait(&barrier);
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct itimerval never;
	sigset_t alarm;
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
	uintptr_t i;

	if (argc > 1)
		rounds = strtoul(argv[1], NULL, 0);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	/* For those that compute */
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	wait_for_alarm();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("total %016llx mixed %016lx signals %lu\n",
	       (unsigned long long)total, mixed, signals);
	return 0;
}
