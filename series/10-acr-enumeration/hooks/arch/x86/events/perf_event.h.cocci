// lines: +4 -0
#spatch --smpl-spacing
@@ @@
struct x86_hybrid_pmu {
	...
	struct event_constraint		unconstrained;
+	u64				acr_cntr_mask64;
+	u64				acr_cause_mask64;
	...
};

@@ @@
struct x86_pmu {
	...
	u64		cntval_mask;
+	u64		acr_cntr_mask64;
+	u64		acr_cause_mask64;
	...
};
