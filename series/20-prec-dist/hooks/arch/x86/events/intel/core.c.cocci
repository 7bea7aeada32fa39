// lines: +2 -1
@@ identifier event; @@
intel_pebs_aliases_skl(struct perf_event *event)
{
-	if (event->attr.precise_ip < 3)
+	/* The cost of a precise distribution is that there is one counter */
+	if (event->attr.precise_ip < 2)
		return intel_pebs_aliases_core2(event);
	...
}
