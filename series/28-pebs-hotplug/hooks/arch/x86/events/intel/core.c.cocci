// lines: +7 -0
@@ @@
intel_pmu_cpu_starting(...)
{
	<...
	init_debug_store_on_cpu(cpu);
+
+	/* As intel_cpuc_prepare() has set the size of a record */
+	if (x86_pmu.intel_cap.pebs_baseline) {
+		cpuc->active_pebs_data_cfg = 0;
+		wrmsrl(MSR_PEBS_DATA_CFG, 0);
+	}
+
	...>
}
