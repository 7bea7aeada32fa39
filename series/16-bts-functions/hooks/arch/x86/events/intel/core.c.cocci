// lines: +4 -11
@@ @@
#include "acr.h"
+#include "bts.h"

@@ identifier bts, cpuc; @@
__intel_pmu_disable_all(...)
{
	...
-	if (bts && test_bit(INTEL_PMC_IDX_FIXED_BTS, cpuc->active_mask))
-		intel_pmu_disable_bts();
+	if (bts)
+		intel_pmu_stop_bts_event(cpuc);
}

@@ identifier cpuc; @@
__intel_pmu_enable_all(...)
{
	...
	wrmsrl(MSR_CORE_PERF_GLOBAL_CTRL, ...);
-	if (test_bit(INTEL_PMC_IDX_FIXED_BTS, cpuc->active_mask)) { ... }
+	intel_pmu_start_bts_event(cpuc);
}
