// lines: +9 -4
@@ @@
#include "bts.h"
+#include "pmi.h"

@@ @@
-static void __intel_pmu_enable_all(int added, bool pmi)
+void __intel_pmu_enable_all(int added, bool pmi)
 { ... }

@r@ identifier regs, status; @@
-static int handle_pmi_common(struct pt_regs *regs, u64 status)
+int intel_pmu_handle_overflows(struct pt_regs *regs, u64 status)
 { ... }

@depends on r@ @@
-handle_pmi_common
+intel_pmu_handle_overflows

@@ @@
-static void intel_pmu_reset(void)
+void intel_pmu_reset(void)
 { ... }

@@ @@
intel_pmu_reset(void)
{
	<...
+	intel_pmi_reset();
	local_irq_restore(...);
	...>
}

@@ statement S; @@
intel_pmu_handle_overflows(...)
{
	<...
	if (!intel_pmu_save_and_restart(...) && !intel_acr_hides_overflow(...)) S
+	intel_pmi_new_period();
	...>
}

@@ @@
intel_pmu_cpu_starting(...)
{
	<...
	intel_pmu_lbr_reset();
+	intel_pmi_cpu_starting();
	...>
}

@@ @@
intel_pmu_init(...)
{
	<...
+	intel_pmi_init();
	intel_acr_init();
	...>
}
