// lines: +4 -0
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
