package router

import "testing"

// TestACommandIsObeyedInItsFile: read again, the file has the new value; a command for another kind of file changes nothing.
func TestACommandIsObeyedInItsFile(t *testing.T) {
	more := Configure("router bgp 65101", "address-family ipv4 unicast", "maximum-paths 64")
	relax := Configure("router bgp 65101", "bgp bestpath as-path multipath-relax")
	const policy = "sysctl -w net.ipv4.fib_multipath_hash_policy=1"
	text, ok := Obey("leaf1/frr.conf", leafConf, more)
	if r, errs := ReadFRR("f", text); !ok || r.MaxPaths.Value != 64 || r.ASN.Value != 65101 || len(errs) > 0 {
		t.Errorf("%v: %s; %v", ok, said(r), errs)
	}
	text, ok = Obey("leaf1/frr.conf", "router bgp 65101\n", relax)
	if r, _ := ReadFRR("f", text); !ok || !r.Relax.Value {
		t.Errorf("%v: %s", ok, said(r))
	}
	for _, file := range []string{"leaf1/sysctl.conf", "leaf1/etc/sysctl.d/9.conf", "leaf1/fib_multipath_hash_policy"} {
		before := "net.ipv4.fib_multipath_hash_policy = 0"
		if file == "leaf1/fib_multipath_hash_policy" {
			before = "0\n"
		}
		text, ok := Obey(file, before, policy)
		if r, _ := ReaderOf(file)("f", text); !ok || r.Policy.Value != 1 {
			t.Errorf("%s: %v: %q", file, ok, text)
		}
	}
	for _, c := range [][2]string{{"leaf1/frr.conf", policy}, {"leaf1/sysctl.conf", more}, {"leaf1/frr.conf", `{"PORT": {}}`}} {
		if text, ok := Obey(c[0], "text\n", c[1]); ok || text != "text\n" {
			t.Errorf("%s obeys %s: %q", c[0], c[1], text)
		}
	}
}
