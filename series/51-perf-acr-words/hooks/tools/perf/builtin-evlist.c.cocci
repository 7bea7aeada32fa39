// lines: +3 -0
@@ @@
#include "util/evlist.h"
+#include "util/acr-words.h"

@@ iterator name evlist__for_each_entry; statement S; @@
__cmd_evlist(...)
{
	<...
	evlist__for_each_entry(session->evlist, pos) S
+	if (details->verbose)
+		evlist__fprintf_acr(session->evlist, "", stdout);
	...>
}
