package verbs

import "testing"

func TestAPathMTUFitsTheInterfaceAsLinuxReckons(t *testing.T) {
	for _, c := range []struct{ want, path, link int }{
		{4096, 4096, 0}, // unknown
		{4096, 4096, 65536},
		{4096, 4096, 4192},
		{2048, 4096, 4191},
		{1024, 4096, 1500},
		{512, 512, 1500},
		{256, 4096, 100}, // no path MTU fits
	} {
		if got := fitting(c.path, c.link); got != c.want {
			t.Errorf("path MTU %d over an interface of %d bytes becomes %d, want %d", c.path, c.link, got, c.want)
		}
	}
}
