// lines: +1 -1
@@ identifier status, ctrl; @@
handle_pmi_common(...)
{
	<...
-	status &= ctrl | GLOBAL_STATUS_TRACE_TOPAPMI;
+	status &= ctrl | GLOBAL_STATUS_TRACE_TOPAPMI |
+			  GLOBAL_STATUS_PERF_METRICS_OVF;
	...>
}
