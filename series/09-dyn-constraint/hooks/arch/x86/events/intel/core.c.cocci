// lines: +7 -8
@@ @@
#include "../perf_event.h"
+#include "../constraint.h"

@@ @@
intel_get_event_constraints(...)
{
	...
-	if (branch_sample_counters(event)) { ... }
	return c2;
}

@@ identifier ev; @@
intel_pmu_hw_config(struct perf_event *ev)
{
	<...
	if (num > fls(x86_pmu.lbr_counters))
		return -EINVAL;
+
+	/* Not all counters support the branch counter feature. */
+	ev->hw.dyn_constraint &= x86_pmu.lbr_counters;
+
	...>
}

@@ @@
intel_cpuc_prepare(...)
{
	<...
(
-	PMU_FL_BR_CNTR
+	PMU_FL_DYN_CONSTRAINT
)
	...>
}

@@ @@
intel_pmu_init(...)
{
	<...
+	x86_dyn_constraint_init();
	intel_aux_output_init();
	...>
}
