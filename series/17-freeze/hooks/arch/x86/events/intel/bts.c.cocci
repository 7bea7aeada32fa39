// lines: +6 -1
@@ @@
#include "../perf_event.h"
+#include "freeze.h"

@@ @@
bts_event_del(...)
{
	bts_event_stop(...);
+	intel_freeze_del_tracer();
}

@@ identifier hwc; @@
bts_event_add(...)
{
	<...
+	intel_freeze_add_tracer();
	if (mode & PERF_EF_START) {
		bts_event_start(...);
-		if (hwc->state & PERF_HES_STOPPED)
+		if (hwc->state & PERF_HES_STOPPED) {
+			intel_freeze_del_tracer();
			return -EINVAL;
+		}
	}
	...>
}
