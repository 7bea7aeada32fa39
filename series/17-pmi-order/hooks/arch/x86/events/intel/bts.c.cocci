// lines: +6 -1
@@ @@
#include "../perf_event.h"
+#include "pmi.h"

@@ @@
bts_event_del(...)
{
	bts_event_stop(...);
+	intel_pmi_del_bts();
}

@@ identifier hwc; @@
bts_event_add(...)
{
	<...
+	intel_pmi_add_bts();
	if (mode & PERF_EF_START) {
		bts_event_start(...);
-		if (hwc->state & PERF_HES_STOPPED)
+		if (hwc->state & PERF_HES_STOPPED) {
+			intel_pmi_del_bts();
			return -EINVAL;
+		}
	}
	...>
}
