// lines: +3 -181
@@ @@
#include "perfmon_ext.h"
+#include "topdown.h"

@@ @@
-static int icl_set_topdown_event_period(...)
-{ ... }

@@ type T; @@
-static inline T icl_get_metrics_event_value(...)
-{ ... }

@@ type T; @@
-static T icl_get_topdown_value(...)
-{ ... }

@@ @@
-static void __icl_update_topdown_event(...)
-{ ... }

@@ @@
-static void update_saved_topdown_regs(...)
-{ ... }

@@ type T; @@
-static T intel_update_topdown_event(...)
-{ ... }

@@ type T; @@
-static T icl_update_topdown_event(...)
-{ ... }

@@ @@
-x86_pmu.num_topdown_events = 8;
-static_call_update(intel_pmu_update_topdown_event, &icl_update_topdown_event);
-static_call_update(intel_pmu_set_topdown_event_period, &icl_set_topdown_event_period);
+intel_topdown_init(INTEL_TOPDOWN_LEVEL2_METRICS);

@@ @@
-x86_pmu.num_topdown_events = 4;
-static_call_update(intel_pmu_update_topdown_event, &icl_update_topdown_event);
-static_call_update(intel_pmu_set_topdown_event_period, &icl_set_topdown_event_period);
+intel_topdown_init(INTEL_TOPDOWN_LEVEL1_METRICS);

@@ symbol leader; @@
-leader->hw.flags |= PERF_X86_EVENT_TOPDOWN;
