/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PMU_TYPE_H
#define PMU_TYPE_H

#include <stdio.h>
#include <stdlib.h>

#define DEVICES		"/sys/bus/event_source/devices/"

/* What attr.type is for the events of a PMU; the program ends if there is none */
static inline unsigned int pmu_type(const char *pmu)
{
	unsigned int type;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), DEVICES "%s/type", pmu);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%u", &type) != 1) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return type;
}

#endif
