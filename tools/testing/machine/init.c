// SPDX-License-Identifier: GPL-2.0
/*
 * init - PID 1 of the test machine
 *
 * Runs the shell text in /cmd, or an interactive shell when there is none,
 * and powers off. While a command runs, the second serial port carries
 * frames to the host: one byte type, four bytes length (little endian), data.
 *
 *	O	output of the command, as it comes
 *	F	name of a file below /results; the D frames after it are its data
 *	D	data
 *	V	verdict: "exit N" or "signal N", the last frame
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define TERMINAL	"/dev/ttyS0"
#define CHANNEL		"/dev/ttyS1"
#define COMMAND		"/cmd"
#define RESULTS		"/results"

static int channel = -1;

static void complain(const char *what)
{
	fprintf(stderr, "init: %s: %s\n", what, strerror(errno));
}

static void mount_all(void)
{
	static const struct {
		const char *type, *where;
	} mounts[] = {
		{ "devtmpfs",	"/dev" },
		{ "proc",	"/proc" },
		{ "sysfs",	"/sys" },
		{ "tmpfs",	"/tmp" },
		{ "tmpfs",	RESULTS },
	};
	size_t i;

	for (i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		if (mount(mounts[i].type, mounts[i].where, mounts[i].type, 0, NULL))
			complain(mounts[i].where);
	}
	mkdir("/dev/pts", 0755);
	mount("devpts", "/dev/pts", "devpts", 0, NULL);
}

static void set(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		complain(path);
	if (fd >= 0)
		close(fd);
}

/*
 * Nothing may throttle a sampled event: the limit has to be raised before
 * the measurement of handler time is turned off, the other order is refused.
 */
static void set_all(void)
{
	set("/proc/sys/kernel/perf_event_max_sample_rate", "1000000");
	set("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
	set("/proc/sys/kernel/perf_event_paranoid", "-1");
	set("/proc/sys/kernel/kptr_restrict", "0");
	set("/proc/sys/kernel/randomize_va_space", "0");
}

static void put(const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t done = write(channel, p, len);

		if (done < 0) {
			if (errno == EINTR)
				continue;
			complain(CHANNEL);
			return;
		}
		p += done;
		len -= done;
	}
}

static void frame(char type, const void *data, uint32_t len)
{
	uint8_t head[5] = { type, len, len >> 8, len >> 16, len >> 24 };

	put(head, sizeof(head));
	put(data, len);
}

static void open_channel(void)
{
	struct termios raw;

	channel = open(CHANNEL, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (channel < 0 || tcgetattr(channel, &raw)) {
		complain(CHANNEL);
		return;
	}
	cfmakeraw(&raw);
	raw.c_cflag |= CLOCAL;
	cfsetspeed(&raw, B115200);
	if (tcsetattr(channel, TCSANOW, &raw))
		complain(CHANNEL);
}

static void send_results(void)
{
	static char buf[65536];
	struct dirent *entry;
	DIR *dir = opendir(RESULTS);

	if (!dir || chdir(RESULTS))
		return;
	while ((entry = readdir(dir))) {
		struct stat st;
		ssize_t len;
		int fd;

		if (stat(entry->d_name, &st) || !S_ISREG(st.st_mode))
			continue;
		fd = open(entry->d_name, O_RDONLY);
		if (fd < 0)
			continue;
		frame('F', entry->d_name, strlen(entry->d_name));
		while ((len = read(fd, buf, sizeof(buf))) > 0)
			frame('D', buf, len);
		close(fd);
	}
	closedir(dir);
}

/* Move what @fd has to say to the host; false at its end. */
static int forward(int fd, int timeout)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	static char buf[4096];
	ssize_t len;

	while (poll(&poller, 1, timeout) > 0) {
		len = read(fd, buf, sizeof(buf));
		if (len <= 0)
			return 0;
		frame('O', buf, len);
	}
	return 1;
}

static void run_command(void)
{
	int fds[2], status = 0, open_end = 1;
	char verdict[32];
	pid_t child, pid;

	open_channel();
	if (pipe2(fds, O_CLOEXEC)) {
		complain("pipe");
		return;
	}
	child = fork();
	if (!child) {
		int null = open("/dev/null", O_RDONLY);

		setsid();
		dup2(null, 0);
		dup2(fds[1], 1);
		dup2(fds[1], 2);
		execl("/bin/sh", "sh", COMMAND, NULL);
		_exit(127);
	}
	close(fds[1]);

	/* Orphans end up here as well and are reaped on the way. */
	for (;;) {
		pid = waitpid(-1, &status, WNOHANG);
		if (pid == child || (pid < 0 && errno == ECHILD))
			break;
		if (open_end)
			open_end = forward(fds[0], 50);
		else
			usleep(10000);
	}
	if (open_end)
		forward(fds[0], 0);

	send_results();
	if (WIFSIGNALED(status))
		snprintf(verdict, sizeof(verdict), "signal %d", WTERMSIG(status));
	else
		snprintf(verdict, sizeof(verdict), "exit %d", WEXITSTATUS(status));
	frame('V', verdict, strlen(verdict));
	tcdrain(channel);
}

static void run_shell(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		int fd;

		setsid();
		fd = open(TERMINAL, O_RDWR);
		ioctl(fd, TIOCSCTTY, 0);
		dup2(fd, 0);
		dup2(fd, 1);
		dup2(fd, 2);
		execl("/bin/sh", "-sh", NULL);
		_exit(127);
	}
	while (waitpid(-1, &status, 0) != child)
		;
}

int main(void)
{
	mount_all();
	set_all();
	setenv("PATH", "/bin:/sbin:/usr/bin", 1);
	setenv("HOME", "/tmp", 1);
	setenv("TERM", "linux", 0);
	setenv("PAGER", "cat", 1);
	if (chdir("/tmp"))
		complain("/tmp");

	if (access(COMMAND, F_OK))
		run_shell();
	else
		run_command();

	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
