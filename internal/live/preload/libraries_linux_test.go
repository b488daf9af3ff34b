package preload

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/verbs"
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
	const together = "127.0.9.21"
	s, err := verbs.Share(netip.MustParseAddrPort(together + ":0"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, devices := range map[string][]string{"an address for each": nil, "one address for all": {together}} {
		t.Run(name, func(t *testing.T) {
			out := startOn(t, devices, argv...).end(t)
			if n := strings.Count(out, fmt.Sprintf("of %d: 0 wrong", ranks)); n != ranks {
				t.Errorf("%d of %d ranks found all elements right:\n%s", n, ranks, out)
			}
		})
	}
}

// Servers at one address are reached by their ports, with and without librdmacm, from their own address and another one.
func TestServersShareAnAddress(t *testing.T) {
	need(t, "ib_write_bw", "rping")
	const there = "127.0.9.22"
	s, err := verbs.Share(netip.MustParseAddrPort(there + ":0"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const row = `(?m)^ 65536 +500 +[\d.]+ +[\d.]*[1-9]`
	var servers []*running
	for i, c := range []struct{ server, client, row string }{
		{"ib_write_bw -n 500", "ib_write_bw -n 500", row},
		{"ib_read_bw -R -n 500", "ib_read_bw -R -n 500", row},
		{"ib_send_bw -R -n 500", "ib_send_bw -R -n 500", row},
		{"rping -s -C 20 -a " + there, "rping -c -C 20 -v -a", "ping data: rdma-ping-19: "},
	} {
		here := []string{there}
		if i%2 == 1 {
			here = []string{"127.0.9.23"}
		}
		port := freePort(t)
		server := startOn(t, []string{there}, append(strings.Fields(c.server), "-p", port)...)
		servers = append(servers, server)
		if !strings.Contains(c.server, "-R") && c.row == row {
			server.listens(t, port)
		} else {
			listensAt(t, there, port)
		}
		argv := strings.Fields(c.client)
		argv = append(slices.Insert(argv, 1, "-p", port), there)
		out := startOn(t, here, argv...).end(t)
		if !regexp.MustCompile(c.row).MatchString(out) {
			t.Errorf("%s: no row %q:\n%s", c.client, c.row, out)
		}
	}
	for _, s := range servers {
		s.end(t)
	}
}

// listensAt waits until a program of librdmacm listens at a port of an address of the loopback.
func listensAt(t *testing.T, address, port string) {
	t.Helper()
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		names, err := os.ReadFile("/proc/net/unix")
		if err != nil {
			t.Fatal(err)
		}
		if regexp.MustCompile(`@weft-listener/rc\d+/` + port + `/` + regexp.QuoteMeta(address) + `/`).Match(names) {
			return
		}
	}
	t.Fatalf("nobody listens at port %s of %s", port, address)
}

func TestLibfabricRunsOnTheVerbs(t *testing.T) {
	need(t, "fi_info", "fi_pingpong")
	if out := start(t, "fi_info", "-p", "verbs").end(t); !strings.Contains(out, "domain: weft0") {
		t.Errorf("fi_info -p verbs shows no weft0:\n%s", out)
	}
	for _, c := range []struct{ provider, endpoint, longest string }{
		{"verbs;ofi_rxd", "rdm", "1m"},
		{"verbs", "dgram", "4k"},
	} {
		t.Run(c.endpoint, func(t *testing.T) {
			pingPong(t, nil, nil, "127.0.0.1", c.longest, "fi_pingpong", "-p", c.provider, "-e", c.endpoint, "-c", "-I", "20")
		})
	}
}

// pingPong runs fi_pingpong between two devices, and looks for the row of its longest message.
func pingPong(t *testing.T, there, here []string, to, longest string, argv ...string) {
	t.Helper()
	port := freePort(t)
	s := startOn(t, there, append(argv, "-B", port)...)
	s.listens(t, port)
	out := startOn(t, here, append(argv, "-P", port, to)...).end(t)
	s.end(t)
	if !regexp.MustCompile(`(?m)^` + longest + ` +20 +=20 `).MatchString(out) {
		t.Errorf("no row of %s with 20 transfers, all of them right:\n%s", longest, out)
	}
}

// Connections of libfabric leave out the loopback's interface, and bind to its address all the same. They
// ask for as many READs as the device can serve.
func TestLibfabricConnectsByLibrdmacm(t *testing.T) {
	need(t, "fi_pingpong", "ip", "nsenter")
	folderOf(t)
	const there, here = "10.77.9.1", "10.77.9.2"
	in := alone(t, there, here)
	pingPong(t, []string{there}, []string{here}, there, "1m", append(in, "fi_pingpong", "-p", "verbs", "-e", "msg", "-c", "-I", "20")...)
}

// alone is the beginning of a command that runs in a network of its own, with an interface beside the
// loopback's that has addresses.
func alone(t *testing.T, addresses ...string) (in []string) {
	t.Helper()
	in = network(t)
	inside(t, in, "link set lo up", "tuntap add dev weft0 mode tap")
	for _, a := range addresses {
		inside(t, in, "addr add "+a+"/24 dev weft0")
	}
	inside(t, in, "link set weft0 up")
	return in
}

// network is the beginning of a command that runs in a network of its own, which ends with the test.
func network(t *testing.T) (in []string) {
	t.Helper()
	holder := exec.Command("sleep", "infinity")
	holder.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if err := holder.Start(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("no network of its own: %v", err)
	}
	t.Cleanup(func() {
		_ = holder.Process.Kill()
		_ = holder.Wait()
	})
	return []string{"nsenter", "-t", fmt.Sprint(holder.Process.Pid), "-n", "--"}
}

// inside runs ip in a network.
func inside(t *testing.T, in []string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		argv := append(slices.Clone(in), append([]string{"ip"}, strings.Fields(line)...)...)
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v: %s", line, err, out)
		}
	}
}

// Two networks with a cable between them are two machines: nothing but packets goes from one to the other.
func TestProgramsOnTwoMachinesMeetByTheAddressesOfInterfaces(t *testing.T) {
	need(t, "ip", "nsenter", "ib_write_bw", "rping")
	folderOf(t)
	const there, here = "10.78.13.1", "10.78.13.2"
	server, client := network(t), network(t)
	inside(t, server, "link set lo up", "link add weft0 type veth peer name weft1 netns "+client[2])
	inside(t, server, "addr add "+there+"/24 dev weft0", "link set weft0 up")
	inside(t, client, "addr add "+here+"/24 dev weft1", "link set weft1 up")
	for _, c := range []struct{ argv, row string }{
		{"ib_write_bw -n 200", ` 65536 +200 +`},
		{"ib_read_lat -n 100", ` 2 +100 +`},
		{"ib_send_bw -n 200 -c UD", ` 1024 +200 +`},
		{"ib_send_bw -q 16 -n 50", ` 65536 +800 +`},
	} {
		t.Run(c.argv, func(t *testing.T) {
			argv := append(strings.Fields(c.argv), "-p", "18515")
			s := startOn(t, []string{there}, append(slices.Clone(server), argv...)...)
			s.listens(t, "18515")
			out := startOn(t, []string{here}, append(append(slices.Clone(client), argv...), there)...).end(t)
			if s.end(t); !regexp.MustCompile(`(?m)^` + c.row + `[\d.]+ +[\d.]*[1-9]`).MatchString(out) {
				t.Errorf("no row %q:\n%s", c.row, out)
			}
		})
	}
	t.Run("rping", func(t *testing.T) {
		s := startOn(t, []string{there}, append(slices.Clone(server), "rping", "-s", "-C", "3", "-v")...)
		out := ""
		for try := 0; try < 20 && !strings.Contains(out, "ping data: rdma-ping-2"); try++ { // until the server listens
			out, _ = startOn(t, []string{here}, append(slices.Clone(client), "rping", "-c", "-C", "3", "-v", "-a", there)...).wait()
		}
		s.end(t)
	})
}

// fio's engine rdma writes, reads and sends. Its server is the side that reads from the engine.
func TestFioMovesItsBlocksByRDMA(t *testing.T) {
	need(t, "fio")
	job := func(line string) []string {
		return append(strings.Fields("fio --name=job --ioengine=rdma --bs=64k --size=16m --output-format=terse"), strings.Fields(line)...)
	}
	for _, verb := range []string{"write", "read", "send"} {
		t.Run(verb, func(t *testing.T) {
			port := freePort(t)
			s, address := server(t, job("--rw=read --iodepth=16 --port="+port)...)
			out := start(t, job("--rw=write --iodepth=4 --iodepth_batch_complete=1 --verb="+verb+" --hostname="+address+" --port="+port)...).end(t)
			s.end(t)
			// The fields of version 3 are error (5) and KiB written (47).
			line := regexp.MustCompile(`(?m)^3;fio-.*$`).FindString(out)
			if f := strings.Split(line, ";"); len(f) < 47 || f[4] != "0" || f[46] != "16384" {
				t.Errorf("fio has not written 16 MiB without an error:\n%s", out)
			}
		})
	}
}
