// lines: +3 -0
@@ @@
#include "util/intel-tpebs.h"
+#include "util/acr.h"

@@ @@
evlist__ctlfd_enable(...)
{
	<...
	evsel = evlist__find_evsel_by_str(evlist, name);
+	if (evsel && evsel__acr_check_switch(evsel))
+		return -1;
	...>
}
