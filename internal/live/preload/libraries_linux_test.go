package preload

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The communication libraries that stand on the verbs: UCX, Open MPI over UCX, libfabric.

// over runs a program as server and client with UCX on some transports.
func over(t *testing.T, transports string, argv ...string) string {
	t.Helper()
	need(t, argv[0])
	argv = append([]string{"env", "UCX_TLS=" + transports, "UCX_NET_DEVICES=weft0:1"}, argv...)
	port := freePort(t)
	s := start(t, append(argv, "-p", port)...)
	s.listens(t, port)
	out := start(t, append(argv, "-p", port, "127.0.0.1")...).end(t)
	s.end(t)
	return out
}

func TestUCXRunsOnTheVerbs(t *testing.T) {
	need(t, "ucx_info")
	out := start(t, "ucx_info", "-d").end(t)
	for _, transport := range []string{"rc_verbs", "ud_verbs"} {
		if !strings.Contains(out, "Transport: "+transport) {
			t.Errorf("ucx_info -d shows no %s", transport)
		}
	}
	for _, c := range []struct{ transports, test string }{
		{"rc_v", "-t tag_lat -n 1000"},
		{"rc_v", "-t tag_bw -n 500 -s 65536"},
		{"rc_v", "-t ucp_get -n 200 -s 1048576"},
		{"ud_v", "-t tag_lat -n 1000"},
		{"ud_v", "-t tag_bw -n 200 -s 65536"},
		{"rc_v,ud_v", "-t tag_bw -n 200 -s 1048576"},
	} {
		t.Run(c.transports+" "+c.test, func(t *testing.T) {
			out := over(t, c.transports, append([]string{"ucx_perftest"}, strings.Fields(c.test)...)...)
			if !regexp.MustCompile(`Final: +\d+ +[\d.]+`).MatchString(out) {
				t.Errorf("no final row:\n%s", out)
			}
		})
	}
}

func TestCollectivesOfOpenMPIAreRight(t *testing.T) {
	need(t, "mpirun", "mpicc")
	const ranks = 4
	program := filepath.Join(t.TempDir(), "collectives")
	if out, err := exec.Command("mpicc", "-O2", "-o", program, "testdata/collectives.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	argv := []string{
		"mpirun", "--oversubscribe", "-n", fmt.Sprint(ranks), "--mca", "pml", "ucx", "--mca", "btl", "self",
		"-x", "UCX_TLS=rc_v,ud_v,self", "-x", "UCX_NET_DEVICES=weft0:1", program,
	}
	if os.Geteuid() == 0 {
		argv = append([]string{argv[0], "--allow-run-as-root"}, argv[1:]...)
	}
	out := start(t, argv...).end(t)
	if n := strings.Count(out, fmt.Sprintf("of %d: 0 wrong", ranks)); n != ranks {
		t.Errorf("%d of %d ranks found all elements right:\n%s", n, ranks, out)
	}
}

func TestLibfabricRunsOnTheVerbs(t *testing.T) {
	need(t, "fi_info", "fi_pingpong")
	if out := start(t, "fi_info", "-p", "verbs").end(t); !strings.Contains(out, "domain: weft0") {
		t.Errorf("fi_info -p verbs shows no weft0:\n%s", out)
	}
	argv := []string{"fi_pingpong", "-p", "verbs;ofi_rxd", "-e", "rdm", "-c", "-I", "20"}
	port := freePort(t)
	s := start(t, append(argv, "-B", port)...)
	s.listens(t, port)
	out := start(t, append(argv, "-P", port, "127.0.0.1")...).end(t)
	s.end(t)
	if !regexp.MustCompile(`(?m)^1m +20 +=20 `).MatchString(out) {
		t.Errorf("no row of 1 MiB with 20 transfers, all of them right:\n%s", out)
	}
}
