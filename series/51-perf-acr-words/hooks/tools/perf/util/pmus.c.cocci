// lines: +2 -0
@@ @@
#include "pmu.h"
+#include "acr-words.h"

@@ @@
perf_pmus__print_raw_pmu_events(...)
{
	<...
	strbuf_release(&format_args.long_string);
+	perf_pmu__list_acr(pmu, print_cb, print_state);
	...>
}
