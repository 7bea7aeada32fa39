// lines: +1 -13
@@ identifier c1, c2; expression E; @@
intel_get_event_constraints(...)
{
	...
-	c1 = cpuc->event_constraint[idx];
-	c2 = E;
-	if (c1) { ... }
+	/* Not what the last pass left: entries move when an event is deleted */
+	c2 = E;
	...
}
