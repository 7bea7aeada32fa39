// lines: +1 -0
@@ @@
intel_pmu_enable_fixed(...)
{
	<...
+	bits |= intel_topdown_fixed_bits(event);
	idx = INTEL_PMC_IDX_FIXED_SLOTS;
	...>
}
