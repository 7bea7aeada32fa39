// lines: +6 -0
@@ @@
#include "bts.h"
+#include "freeze.h"

@@ identifier ev; @@
intel_pmu_hw_config(struct perf_event *ev)
{
	<...
	ret = intel_acr_hw_config(ev);
	if (ret)
		return ret;
+
+	ret = intel_freeze_hw_config(ev);
+	if (ret)
+		return ret;
	...>
}

@@ @@
intel_pmu_init(...)
{
	<...
	intel_pmi_init();
+	intel_freeze_init();
	...>
}
