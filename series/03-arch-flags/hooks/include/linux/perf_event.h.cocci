// lines: +1 -1
@@ @@
 #define PERF_EVENT_FLAG_ARCH
- 0x000fffff
+ 0x0fffffff
