package preload

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weft/internal/live/emulate"
	"weft/internal/sim"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/units"
)

// TestPerftestsIncastIsTheSimulations has ib_write_bw of three senders write to one receiver through an emulated
// switch, and simulates the same messages from the times at which the programs began.
func TestPerftestsIncastIsTheSimulations(t *testing.T) {
	need(t, "ib_write_bw")
	folderOf(t)
	const senders, messages, dilation = 3, 128, 5000
	for _, c := range []struct{ name, fabric string }{
		{"PFC", "{preset: roce-v2-400g, cc: none, ethernet: {ecn: {enabled: false}, pfc: {xoff: 64KiB}}}"},
		{"DCQCN", "{preset: roce-v2-400g, ethernet: {ecn: {kmin: 100KB, kmax: 400KB}}}"},
		{"InfiniBand", "infiniband-ndr"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var flows []string
			for i := 1; i <= senders; i++ {
				for range messages {
					flows = append(flows, fmt.Sprintf("{src: %d, dst: 0, bytes: 64KiB}", i))
				}
			}
			text := fmt.Sprintf("cluster: {nodes: %d, node: {preset: dgx-h100, gpus: 1, nics: 1}}\ntopology: {shape: single-switch}\nfabrics: [%s]\nworkload: {pattern: flows, flows: [%s]}\n",
				senders+1, c.fabric, strings.Join(flows, ", "))
			report := perftests(t, text, senders, messages, dilation)
			// A program that gets no processor posts late, which the simulation cannot know: the fabric's slip shows it.
			for again := 0; again < 2 && report.Slip > report.Simulated/20; again++ {
				t.Logf("once more: the machine had a slip of %v", report.Slip)
				report = perftests(t, text, senders, messages, dilation)
			}
			resolved := simtest.Resolve(t, text)
			first := units.Forever
			for _, d := range report.Devices {
				first = min(first, d.First)
			}
			for _, d := range report.Devices {
				var node int
				if _, err := fmt.Sscanf(d.NIC, "node%d", &node); err != nil || node == 0 {
					continue
				}
				for i := range messages {
					resolved.Workload.Flows[(node-1)*messages+i].Start = d.First - first
				}
			}
			outcome, err := sim.Run(t.Context(), resolved, sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, want := &report.Results.Fabrics[0].Points[0], &outcome.Fabrics[0].Points[0]
			t.Logf("slip %v of %v", report.Slip, report.Simulated)
			for _, f := range []struct {
				what      string
				of        func(*results.Point) int64
				tolerance float64
			}{
				{"time in ps", func(p *results.Point) int64 { return int64(p.Time) }, 0.05},
				{"pauses", func(p *results.Point) int64 { return p.Counts.Pauses }, 0.10},
				{"marks", func(p *results.Point) int64 { return p.Counts.Marks }, 0.10},
				{"credit stalls", func(p *results.Point) int64 { return p.Counts.CreditStalls }, 0.10},
			} {
				emulated, simulated := float64(f.of(got)), float64(f.of(want))
				t.Logf("%s: %g emulated, %g simulated", f.what, emulated, simulated)
				if math.Abs(emulated-simulated) > f.tolerance*simulated {
					t.Errorf("%s: %g emulated, %g simulated, want within %.0f %%", f.what, emulated, simulated, 100*f.tolerance)
				}
			}
		})
	}
}

// emulated runs the fabric of a scenario under the programs that the test starts from now on, until end.
func emulated(t *testing.T, scenario string, dilation int64, commands <-chan string) (end func() *emulate.Report) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	socket, ready, done := filepath.Join(t.TempDir(), "fabric"), make(chan bool), make(chan *emulate.Report, 1)
	go func() {
		r, err := emulate.Run(ctx, simtest.Resolve(t, scenario), emulate.Options{
			Socket: socket, Dilation: dilation, Commands: commands, Tell: t.Logf, Ready: func([]emulate.NIC) { close(ready) },
		})
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	select {
	case <-ready:
	case <-done:
		t.FailNow()
	}
	t.Setenv("WEFT_EMULATOR", socket)
	return func() *emulate.Report {
		cancel()
		return <-done
	}
}

// perftests runs ib_write_bw from each of the senders' NICs to NIC 0 of an emulated fabric.
func perftests(t *testing.T, scenario string, senders, messages int, dilation int64) *emulate.Report {
	t.Helper()
	end := emulated(t, scenario, dilation, nil)
	program := func(nic, port string, more ...string) *running {
		t.Setenv("WEFT_NIC", nic)
		return start(t, append([]string{"ib_write_bw", "-n", fmt.Sprint(messages), "-p", port}, more...)...)
	}
	var all []*running
	var ports []string
	for range senders {
		ports = append(ports, freePort(t))
		server := program("node0/nic0", ports[len(ports)-1])
		server.listens(t, ports[len(ports)-1])
		all = append(all, server)
	}
	for i, port := range ports {
		all = append(all, program(fmt.Sprintf("node%d/nic0", i+1), port, "127.0.0.1"))
	}
	for _, p := range all {
		p.end(t)
	}
	return end()
}

// Programs of librdmacm find each other by the addresses of an emulated fabric.
func TestLibrdmacmConnectsThroughAnEmulatedFabric(t *testing.T) {
	need(t, "rping")
	folderOf(t)
	for _, fabric := range []string{"roce-v2-400g", "infiniband-ndr"} {
		t.Run(fabric, func(t *testing.T) {
			end := emulated(t, "cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1}}\nfabrics: ["+fabric+"]\nworkload: {collective: all-reduce, sizes: [1MiB]}\n", 1, nil)
			t.Setenv("WEFT_NIC", "node0/nic0")
			server := startOn(t, []string{"n=127.1.0.9"}, "rping", "-s", "-C", "3", "-v")
			t.Setenv("WEFT_NIC", "node1/nic0")
			out := ""
			for try := 0; try < 20 && !strings.Contains(out, "ping data: rdma-ping-2"); try++ { // until the server listens
				out, _ = start(t, "rping", "-c", "-C", "3", "-v", "-a", "127.1.0.9").wait()
			}
			if !strings.Contains(out, "ping data: rdma-ping-2") {
				t.Errorf("the client says:\n%s", out)
			}
			server.end(t)
			if r := end(); r.Results.Fabrics[0].Points[0].Counts.PacketHops == 0 {
				t.Error("no packet crossed the fabric")
			}
		})
	}
}

// A program that watches its device is told when the cable of its NIC breaks and works again, and when the fabric
// ends.
func TestAsyncwatchIsToldOfItsLink(t *testing.T) {
	need(t, "ibv_asyncwatch", "stdbuf")
	folderOf(t)
	commands := make(chan string)
	end := emulated(t, "cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1}}\nfabrics: [roce-v2-400g]\nworkload: {collective: all-reduce, sizes: [1MiB]}\n", 1, commands)
	t.Setenv("WEFT_NIC", "node1/nic0")
	watch := start(t, "stdbuf", "-oL", "ibv_asyncwatch")
	watch.says(t, "async event FD")
	commands <- "down node1/nic0"
	watch.says(t, "event_type IBV_EVENT_PORT_ERR (10), port 1")
	commands <- "up node1/nic0"
	watch.says(t, "event_type IBV_EVENT_PORT_ACTIVE (9), port 1")
	end()
	watch.says(t, "event_type IBV_EVENT_DEVICE_FATAL (8)")
}

// Programs that know a peer by its LID need no option on an InfiniBand fabric.
func TestProgramsUseTheLIDsOfAnInfiniBandFabric(t *testing.T) {
	folderOf(t)
	end := emulated(t, "cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1}}\nfabrics: [infiniband-ndr]\nworkload: {collective: all-reduce, sizes: [1MiB]}\n", 1, nil)
	need(t, "ibv_devinfo")
	out := start(t, "ibv_devinfo", "-v").end(t)
	for _, want := range []string{`sm_lid:\s+1\b`, `port_lid:\s+[1-9]`, `link_layer:\s+InfiniBand`, `GID\[  0\]:\s+fe80:0000:0000:0000:0277:6600:7f01:0001`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("ibv_devinfo -v shows no %s:\n%s", want, out)
		}
	}
	for _, c := range []struct{ argv, row string }{
		{"ibv_rc_pingpong -n 100 -c", `remote address: LID 0x0[^,]*[1-9a-f],(?s:.*)100 iters`},
		{"ibv_uc_pingpong -n 100 -c", `100 iters`},
		{"ibv_ud_pingpong -n 100 -c", `100 iters`},
		{"ibv_srq_pingpong -n 100 -c", `100 iters`},
		{"ibv_xsrq_pingpong", `success`},
		{"ibv_rc_pingpong -n 100 -c -g 0", `GID fe80::277:6600:7f01:1(?s:.*)100 iters`},
		{"ib_write_bw -n 100", `Link type +: IB(?s:.*) 65536 +100 `},
		{"ib_send_bw -n 100 -c UD", ` 4096 +100 `},
		{"ib_send_lat -n 100 -c UC", ` 2 +100 `},
		{"ib_read_bw -n 20 -c XRC", ` 65536 +20 `},
		{"ib_atomic_lat -n 50", ` 8 +50 `},
	} {
		t.Run(c.argv, func(t *testing.T) {
			server, client := pairOn(t, []string{"node0/nic0", "node1/nic0"}, strings.Fields(c.argv)...)
			if !regexp.MustCompile(c.row).MatchString(client) {
				t.Errorf("no %s:\n%s\n%s", c.row, server, client)
			}
		})
	}
	t.Run("mckey", func(t *testing.T) {
		need(t, "mckey")
		t.Setenv("WEFT_NIC", "node0/nic0")
		member := startOn(t, []string{"n=127.1.0.1"}, "stdbuf", "-oL", "mckey", "-m", "239.1.2.3", "-b", "127.1.0.1")
		member.says(t, "joined dgid: ff12:4001:ffff::f01:203 mlid 0xc203")
		t.Setenv("WEFT_NIC", "node1/nic0")
		startOn(t, []string{"n=127.1.1.1"}, "mckey", "-m", "239.1.2.3", "-s", "-b", "127.1.1.1").end(t)
		member.end(t)
	})
	t.Run("udaddy", func(t *testing.T) {
		need(t, "udaddy")
		t.Setenv("WEFT_NIC", "node0/nic0")
		server := startOn(t, []string{"n=127.1.0.1"}, "udaddy")
		t.Setenv("WEFT_NIC", "node1/nic0")
		startOn(t, []string{"n=127.1.1.1"}, "udaddy", "-s", "127.1.0.1").end(t)
		server.end(t)
	})
	t.Run("ucx_perftest", func(t *testing.T) {
		ucx := func(nic string, more ...string) *running {
			t.Setenv("WEFT_NIC", nic)
			return start(t, append([]string{"ucx_perftest"}, more...)...)
		}
		need(t, "ucx_perftest")
		t.Setenv("UCX_TLS", "rc_v,ud_v")
		port := freePort(t)
		server := ucx("node0/nic0", "-p", port)
		server.listens(t, port)
		client := ucx("node1/nic0", "-p", port, "-t", "tag_lat", "-n", "10", "-w", "1", "127.0.0.1").end(t)
		if server.end(t); !regexp.MustCompile(`Final: +10 `).MatchString(client) {
			t.Errorf("no row of 10:\n%s", client)
		}
	})
	end()
}

// perftest joins the group of a multicast by a management datagram, and infiniband-diags lives on them.
func TestManagementDatagramsReachTheSubnetManagerOfAnInfiniBandFabric(t *testing.T) {
	folderOf(t)
	commands := make(chan string)
	end := emulated(t, "cluster: {nodes: 40, node: {preset: dgx-h100, gpus: 1, nics: 1}}\ntopology: {shape: single-switch}\nfabrics: [infiniband-ndr]\nworkload: {collective: all-reduce, sizes: [1MiB]}\n", 1, commands)
	for _, c := range []struct{ argv, row string }{
		{"ib_send_bw -c UD -g -n 200", `MGID: 255:01(?s:.*) 4096 +200 `},
		{"ib_send_lat -c UD -g -n 200", ` 2 +200 `},
	} {
		t.Run(c.argv, func(t *testing.T) {
			server, client := pairOn(t, []string{"node0/nic0", "node1/nic0"}, strings.Fields(c.argv)...)
			if !regexp.MustCompile(c.row).MatchString(client) {
				t.Errorf("no %s:\n%s\n%s", c.row, server, client)
			}
		})
	}
	need(t, "ibstat", "saquery", "ibnetdiscover")
	t.Setenv("WEFT_NIC", "node39/nic0")
	out := start(t, "ibstat").end(t)
	says := func(argv, want string) {
		t.Helper()
		if out := start(t, strings.Fields(argv)...).end(t); !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%s shows no %s:\n%s", argv, want, out)
		}
	}
	lid := regexp.MustCompile(`CA '\w+'(?s:.*)State: Active(?s:.*)Rate: 400\n\s+Base lid: (\d+)\n(?s:.*)SM lid: 1\n(?s:.*)Link layer: InfiniBand`).FindStringSubmatch(out)
	if lid == nil {
		t.Fatalf("ibstat shows no active port of InfiniBand:\n%s", out)
	}
	says("ibaddr", `GID fe80::\S+ LID start 0x[1-9a-f]`)
	says("sminfo", `sm lid 1 (?s:.*)SMINFO_MASTER`)
	says("ibtracert 1 "+lid[1], `To ca \{\S+\} portnum 1 lid \d+-\d+ "node39/nic0"`)
	says("perfquery "+lid[1]+" 1", `PortXmitPkts:\.+[1-9]`)
	if records := start(t, "saquery").end(t); strings.Count(records, "NodeRecord dump") != 41 {
		t.Errorf("saquery shows %d nodes, want 41:\n%s", strings.Count(records, "NodeRecord dump"), records)
	}
	hosts := func() int { return strings.Count(start(t, "ibnetdiscover").end(t), "\nCa\t1 ") }
	if n := hosts(); n != 40 {
		t.Errorf("ibnetdiscover finds %d hosts, want 40", n)
	}
	commands <- "down node17/nic0"
	for try := 0; try < 50 && hosts() != 39; try++ { // until the command is carried out
	}
	if n := hosts(); n != 39 {
		t.Errorf("ibnetdiscover finds %d hosts with a cable down, want 39", n)
	}
	end()
}

// pairOn runs a program as server on the first NIC of an emulated fabric, and as client on the second.
func pairOn(t *testing.T, nics []string, argv ...string) (server, client string) {
	t.Helper()
	need(t, argv[0])
	port := freePort(t)
	argv = append(argv, "-p", port)
	t.Setenv("WEFT_NIC", nics[0])
	s := start(t, argv...)
	s.listens(t, port)
	t.Setenv("WEFT_NIC", nics[1])
	client = start(t, append(argv, "127.0.0.1")...).end(t)
	return s.end(t), client
}

// A cluster has no 127.0.0.1: who asks there is told at once.
func TestLocalhostIsNoAddressOfAnEmulatedFabric(t *testing.T) {
	need(t, "rping")
	folderOf(t)
	defer emulated(t, "cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1}}\nfabrics: [roce-v2-400g]\nworkload: {collective: all-reduce, sizes: [1MiB]}\n", 1, nil)()
	out, err := start(t, "rping", "-c", "-C", "1", "-a", "127.0.0.1").wait()
	if err == nil || !strings.Contains(out, "RDMA_CM_EVENT_ADDR_ERROR") {
		t.Errorf("rping to 127.0.0.1: %v\n%s", err, out)
	}
}
