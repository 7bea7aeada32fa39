// lines: +4 -0
@@ @@
#include "pmi.h"
+#include "freeze.h"

@@ @@
 intel_pmi_add_bts();
+intel_freeze_add_tracer();

@@ @@
 intel_pmi_del_bts();
+intel_freeze_del_tracer();
