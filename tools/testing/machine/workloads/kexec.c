// SPDX-License-Identifier: GPL-2.0
/*
 * kexec - boot another kernel without firmware in between
 *
 *	kexec load KERNEL INITRD COMMAND-LINE
 *	kexec go
 *	kexec on-crash KERNEL INITRD COMMAND-LINE
 */
#include <fcntl.h>
#include <linux/kexec.h>
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

static void load(char **names, unsigned long flags)
{
	if (syscall(SYS_kexec_file_load, open_file(names[0]), open_file(names[1]),
		    strlen(names[2]) + 1, names[2], flags))
		die("kexec_file_load");
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "load")) {
		load(argv + 2, 0);
	} else if (argc == 5 && !strcmp(argv[1], "on-crash")) {
		load(argv + 2, KEXEC_FILE_ON_CRASH);
	} else if (argc == 2 && !strcmp(argv[1], "go")) {
		syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
			LINUX_REBOOT_CMD_KEXEC, NULL);
		die("reboot");
	} else {
		fprintf(stderr,
			"usage: kexec load|on-crash KERNEL INITRD COMMAND-LINE | go\n");
		return 2;
	}
	return 0;
}
