#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# gcc, through ccache where that knows all that goes into an object. It does not
# see the files that .incbin names, unless it preprocesses each source first: the
# kernel's image would be that of another kernel with as many bytes.
for word; do
	case $word in
	*.S | */kernel/configs.c | */kernel/kheaders.c) exec gcc "$@" ;;
	esac
done
exec ccache gcc "$@"
