// lines: +9 -0
@@ @@
#include "util/bpf-filter.h"
+#include "util/acr.h"

@@ @@
cmd_record(...)
{
	<...
	rec->opts.ignore_missing_thread = rec->opts.target.uid != UINT_MAX || rec->opts.target.pid;
+
+	err = evlist__acr_check_cpus(rec->evlist, rec->opts.target.cpu_list);
+	if (err)
+		goto out;
	...>
}

@@ statement S; @@
cmd_record(...)
{
	<...
	if (record_opts__config(&rec->opts)) S
+
+	err = evlist__acr_config(rec->evlist, &rec->opts);
+	if (err)
+		goto out;
	...>
}
