// lines: +8 -0
@@ @@
#include "util/pfm.h"
+#include "util/acr.h"

@@ statement S; @@
perf_top__start_counters(...)
{
	<...
	if (perf_top__overwrite_check(top)) S
+
+	if (evlist__acr_config(evlist, opts))
+		goto out_err;
	...>
}

@@ statement S; @@
cmd_top(...)
{
	<...
	if (target__none(target)) S
+
+	status = evlist__acr_check_cpus(top.evlist, target->cpu_list);
+	if (status)
+		goto out_delete_evlist;
	...>
}
