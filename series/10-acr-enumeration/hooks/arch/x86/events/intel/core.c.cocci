// lines: +3 -0
@@ @@
#include "../perf_event.h"
+#include "perfmon_ext.h"

@@ identifier pmu; @@
init_hybrid_pmu(int cpu)
{
	<...
	intel_pmu_check_hybrid_pmus(pmu);
+	intel_perfmon_ext_init(&pmu->pmu);
	...>
}

@@ @@
intel_pmu_init(...)
{
	<...
+	intel_perfmon_ext_init(NULL);
	x86_dyn_constraint_init();
	...>
}
