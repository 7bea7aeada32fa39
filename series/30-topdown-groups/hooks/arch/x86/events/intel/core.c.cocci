// lines: +4 -42
@@ typedef bool; @@
-static bool is_available_metric_event(...)
-{ ... }

@@ identifier ev; @@
intel_pmu_hw_config(struct perf_event *ev)
{
	<...
-	if (intel_pmu_has_cap(ev, PERF_CAP_METRICS_IDX) && is_topdown_event(ev)) { ... }
+	if (intel_pmu_has_cap(ev, PERF_CAP_METRICS_IDX) && is_topdown_event(ev)) {
+		ret = intel_topdown_hw_config(ev, x86_pmu.num_topdown_events);
+		if (ret)
+			return ret;
+	}
	...>
}
