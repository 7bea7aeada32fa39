// lines: +2 -0
#spatch --smpl-spacing
@@ @@
struct {
	...
	int last_cpu;
	int flags;
+	u64		acr_causes;
+	u8		acr_member;
	...
}
