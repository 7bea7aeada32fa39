// lines: +6 -0
@@ @@
account_event(struct perf_event *event)
{
	...
	if (event->parent)
		return;
+
+	if (event->pmu->event_account)
+		event->pmu->event_account(event, true);
	...
}

@@ @@
unaccount_event(struct perf_event *event)
{
	...
	if (event->parent)
		return;
+
+	if (event->pmu->event_account)
+		event->pmu->event_account(event, false);
	...
}
