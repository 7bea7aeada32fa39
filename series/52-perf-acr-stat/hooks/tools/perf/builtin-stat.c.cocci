// lines: +3 -0
@@ @@
#include "util/intel-tpebs.h"
+#include "util/acr-stat.h"

@@ @@
__run_perf_stat(...)
{
	...
	bool second_pass = false;
+
+	evlist__acr_drop(evsel_list);
	...
}
