// lines: +2 -0
@@ @@
__cmd_record(...)
{
	<...
	evlist__config(rec->evlist, opts, &callchain_param);
+	if (verbose > 0)
+		evlist__fprintf_acr(rec->evlist, "", stderr);
	...>
}
