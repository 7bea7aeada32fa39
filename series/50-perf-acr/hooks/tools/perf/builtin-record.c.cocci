// lines: +6 -0
@@ @@
#include "util/bpf-filter.h"
+#include "util/acr.h"

@@ @@
__cmd_record(...)
{
	<...
	evlist__uniquify_name(rec->evlist);
+
+	if (evlist__acr_config(rec->evlist, opts)) {
+		err = -1;
+		goto out_free_threads;
+	}
	...>
}
