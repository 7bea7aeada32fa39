// lines: +7 -0
#spatch --smpl-spacing
@@ @@
struct cpu_hw_events {
	...
	struct event_constraint *event_constraint[X86_PMC_IDX_MAX];
+
+	/* Events in event_list[] that x86_pmu.late_setup has to look at */
+	int			n_late_setup;
+	/* One of them may have to change although no event was added */
+	bool			late_setup_stale;
	...
};

@@ @@
struct x86_pmu {
	...
	u64 (*update)(struct perf_event *event);
+	/* With the PMU off, after scheduling and before any event starts */
+	void		(*late_setup)(struct cpu_hw_events *cpuc);
	...
};
