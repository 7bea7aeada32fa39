// lines: +1 -0
#spatch --smpl-spacing
@@ @@
struct {
	...
	u64 last_tag;
+	u64		dyn_constraint;
	...
}
