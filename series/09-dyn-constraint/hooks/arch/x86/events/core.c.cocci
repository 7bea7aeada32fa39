// lines: +8 -0
@@ @@
#include "perf_event.h"
+#include "constraint.h"

@@ identifier ev; @@
__x86_pmu_event_init(struct perf_event *ev)
{
	...
	ev->hw.branch_reg.idx = EXTRA_REG_NONE;
+
+	ev->hw.dyn_constraint = ~0ULL;
	...
}

@@ identifier cpuc, n, assign; expression E; @@
x86_schedule_events(struct cpu_hw_events *cpuc, int n, int *assign)
{
	<...
	unsched = perf_assign_events(...);
+		if (unsched && (x86_pmu.flags & PMU_FL_DYN_CONSTRAINT))
+			unsched = x86_match_events(cpuc->event_constraint, n,
+						   assign);
	...>
}

@@ identifier fake_cpuc; @@
validate_event(struct perf_event *event)
{
	...
	fake_cpuc = allocate_fake_cpuc(event->pmu);
	...
+	fake_cpuc->event_list[0] = event;
+	ret = x86_validate_constraints(fake_cpuc, 1, event, ret);
	free_fake_cpuc(fake_cpuc);
	...
}
