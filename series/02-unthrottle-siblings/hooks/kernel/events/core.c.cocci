// lines: +2 -0
@@ identifier event, hwc; @@
perf_adjust_freq_unthr_events(...)
{
	<...
	if (!event_filter_match(event))
		continue;
+
+	perf_unthrottle_siblings(event);
	...>
}
