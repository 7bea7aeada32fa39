// lines: +5 -0
#spatch --smpl-spacing
@@ @@
struct cpu_hw_events {
	...
	struct event_constraint *event_constraint[X86_PMC_IDX_MAX];
+
+	/* Events in event_list[] that x86_pmu_late_setup has to look at */
+	int			n_late_setup;
+	/* One of them may have to change although no event was added */
+	bool			late_setup_stale;
	...
};
