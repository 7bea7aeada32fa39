// lines: +6 -0
@@ @@
#include "perfmon_ext.h"
+#include "acr.h"

@@ identifier ev; @@
intel_pmu_hw_config(struct perf_event *ev)
{
	<...
	ret = intel_pmu_bts_config(ev);
	if (ret)
		return ret;
+
+	ret = intel_acr_hw_config(ev);
+	if (ret)
+		return ret;
	...>
}

@@ @@
intel_pmu_init(...)
{
	<...
+	intel_acr_init();
	x86_dyn_constraint_init();
	...>
}
