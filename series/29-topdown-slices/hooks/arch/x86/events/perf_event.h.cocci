// lines: +4 -0
#spatch --smpl-spacing
@@ @@
struct cpu_hw_events {
	...
	u64 active_fixed_ctrl_val;
+
+	/* Fixed counter 3 and PERF_METRICS, as last read or written */
+	u64			topdown_slots;
+	u64			topdown_metrics;
	...
};
