// lines: +3 -0
@@ @@
+#include <asm/intel_freeze.h>
#include <asm/intel_pt.h>

@@ @@
 cpu_emergency_stop_pt();
+cpu_emergency_stop_freeze();
