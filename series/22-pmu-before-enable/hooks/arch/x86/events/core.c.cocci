// lines: +1 -0
@@ identifier cpuc; @@
x86_pmu_enable(struct pmu *pmu)
{
	<...
	static_call_cond(x86_pmu_late_setup)(cpuc);
+	static_call_cond(x86_pmu_before_enable)(cpuc);
	...>
}
