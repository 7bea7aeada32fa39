// lines: +2 -0
@@ @@
#include "../perf_event.h"
+#include "acr.h"

@@ expression E; @@
intel_pmu_save_and_restart_reload(struct perf_event *event, int count)
{
	...
	old = E;
+	old = intel_acr_old_count(event, old, new, count);
	...
}
