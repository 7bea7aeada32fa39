// lines: +2 -0
@@ @@
#include "clockid.h"
+#include "acr-words.h"

@@ iterator name evlist__for_each_entry; statement S; @@
print_group_desc(...)
{
	<...
	evlist__for_each_entry(session->evlist, evsel) S
+	evlist__fprintf_acr(session->evlist, "# auto counter reload: ", fp);
	...>
}
