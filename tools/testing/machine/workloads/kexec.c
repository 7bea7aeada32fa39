// SPDX-License-Identifier: GPL-2.0
/*
 * kexec - boot another kernel without firmware in between
 *
 *	kexec load KERNEL INITRD COMMAND-LINE
 *	kexec go
 */
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		die(path);

	return fd;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "load")) {
		if (syscall(SYS_kexec_file_load, open_file(argv[2]),
			    open_file(argv[3]), strlen(argv[4]) + 1, argv[4], 0))
			die("kexec_file_load");
	} else if (argc == 2 && !strcmp(argv[1], "go")) {
		syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
			LINUX_REBOOT_CMD_KEXEC, NULL);
		die("reboot");
	} else {
		fprintf(stderr, "usage: kexec load KERNEL INITRD COMMAND-LINE | go\n");
		return 2;
	}
	return 0;
}
