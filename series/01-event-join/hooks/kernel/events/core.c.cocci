// lines: +7 -0
@@ @@
	if (!exclusive_event_installable(event, ctx)) {
		err = -EBUSY;
		goto err_context;
	}
+
+	/* Siblings that came since event_init() are linked now */
+	if (group_leader && event->pmu->event_join) {
+		err = event->pmu->event_join(event);
+		if (err)
+			goto err_context;
+	}

	WARN_ON_ONCE(ctx->parent_ctx);
