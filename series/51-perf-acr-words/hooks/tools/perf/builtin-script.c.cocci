// lines: +5 -0
#spatch --smpl-spacing
@@ @@
#include "util/cgroup.h"
+#include "util/acr-words.h"

@@ statement S; @@
cmd_script(...)
{
	<...
	err = perf_session__check_output_opt(session);
	if (err < 0) S
+
+	/* Who chooses fields reads them with a program */
+	if (!script_name && !header && !output_set_by_user())
+		evlist__fprintf_acr(session->evlist, "# auto counter reload: ", stdout);
	...>
}
