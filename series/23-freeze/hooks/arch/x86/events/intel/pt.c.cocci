// lines: +6 -1
@@ @@
#include "pt.h"
+#include "freeze.h"

@@ @@
pt_event_del(...)
{
	pt_event_stop(...);
+	intel_freeze_del_tracer();
}

@@ expression stopped; statement S; @@
pt_event_add(...)
{
	<...
+	intel_freeze_add_tracer();
	if (mode & PERF_EF_START) {
		pt_event_start(...);
		ret = -EINVAL;
-		if (stopped)
+		if (stopped) {
+			intel_freeze_del_tracer();
			goto fail;
+		}
	} else S
	...>
}
