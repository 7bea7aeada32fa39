// lines: +2 -0
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
