/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_TOPDOWN_WRITTEN_H
#define __PERF_TOPDOWN_WRITTEN_H

#include <stdbool.h>

struct evlist;
struct list_head;

void topdown_written__note(struct list_head *list);
bool topdown_written__restore(struct evlist *evlist);
char *topdown_written__changed(struct evlist *evlist);
void topdown_written__tell(struct evlist *evlist);

#endif
