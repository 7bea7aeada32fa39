// lines: +3 -0
@@ @@
x86_pmu_enable(struct pmu *pmu)
{
	...
	if (cpuc->enabled)
		return;
+
+	static_call_cond(x86_pmu_late_setup)(cpuc);
	...
}

@@ @@
x86_pmu_static_call_update(void)
{
	...
	static_call_update(x86_pmu_update, x86_pmu.update);
+	static_call_update(x86_pmu_late_setup, x86_pmu.late_setup);
	...
}
