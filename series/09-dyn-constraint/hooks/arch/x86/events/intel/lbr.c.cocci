// lines: +1 -1
@@ @@
-x86_pmu.flags |= PMU_FL_BR_CNTR;
+x86_pmu.flags |= PMU_FL_BR_CNTR | PMU_FL_DYN_CONSTRAINT;
