// lines: +3 -0
@@ @@
#include "util/acr.h"
+#include "util/acr-words.h"

@@ @@
__cmd_record(...)
{
	<...
	evlist__config(rec->evlist, opts, &callchain_param);
+	if (verbose > 0)
+		evlist__fprintf_acr(rec->evlist, "", stderr);
	...>
}
