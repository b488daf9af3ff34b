package calibrate

import (
	"strings"
	"testing"
)

// The sockets that the log sets are the basis on TCP, by the line of each. Fewer than NCCL's guide has are hardware that
// the setting leaves unused. On InfiniBand they change nothing.
func TestTheLogStatesItsSockets(t *testing.T) {
	const table = "# Collective test starting: all_reduce_perf\n67108864 16777216 float sum -1 40000 1.68 3.15 0 40100 1.67 3.14 0\n"
	const run = " ./all_reduce_perf -b 64M -e 64M\n"
	for _, c := range []struct{ fabric, lines, over, unused string }{
		{"tcp-100g", "$ mpirun -np 16 -x NCCL_SOCKET_NTHREADS=1 -x NCCL_NSOCKS_PERTHREAD=1" + run, "{sockets: 1, threads: 1}", "1 socket of 1 thread"},
		{"tcp-100g", "$ NCCL_SOCKET_NTHREADS=2" + run, "{sockets: 2, threads: 2}", "2 sockets of 2 threads"},
		{"tcp-100g", "$ NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=4" + run, "{sockets: 16, threads: 4}", ""},
		{"tcp-100g", "$ NCCL_NSOCKS_PERTHREAD=4" + run, "{sockets: 1, threads: 0}", "the proxy's thread"}, // NCCL has no thread of its own then
		{"tcp-100g", "$ NCCL_SOCKET_NTHREADS=16 NCCL_NSOCKS_PERTHREAD=16" + run, "{sockets: 64, threads: 16}", ""},
		{"tcp-100g", "$ NCCL_SOCKET_NTHREADS=-2" + run, "", ""},
		{"infiniband-ndr", "$ NCCL_SOCKET_NTHREADS=1" + run, "", ""},
	} {
		cluster := describe(t, "cluster: {nodes: 2, node: {preset: dgx-h100, nics: 1}}\nfabric: "+c.fabric)
		tasks, notes := cluster.Tasks(read(t, c.lines+table)[0], Options{Nodes: 2})
		if len(tasks) != 1 {
			t.Fatalf("%q: %v", c.lines, notes)
		}
		over, unused := "", ""
		for _, s := range tasks[0].Stated {
			over, unused = over+s.over[0].Value, unused+s.Unused
		}
		if over != c.over || (unused == "") != (c.unused == "") || !strings.Contains(unused, c.unused) {
			t.Errorf("%q on %s: %q, unused %q, want %q, %q", c.lines, c.fabric, over, unused, c.over, c.unused)
		}
	}
}

// Interfaces of TCP that NCCL does not list are unused.
func TestTheInterfacesOfSocketsAreTheNICsOfTCP(t *testing.T) {
	cluster := describe(t, "cluster: {nodes: 2, node: dgx-h100}\nfabric: tcp-100g")
	log := read(t, "n1:7:7 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0> [1]eth1:fe80::1%eth1<0>\n# Collective test starting: all_reduce_perf\n67108864 16777216 float sum -1 40000 1.68 3.15 0 40100 1.67 3.14 0\n")[0]
	tasks, _ := cluster.Tasks(log, Options{Nodes: 2})
	if got := tasks[0].base.Cluster.Node.NICs; got != 2 || !strings.Contains(tasks[0].Stated[0].Text, "eth0, eth1") {
		t.Errorf("the base has %d NICs, by %+v, want the two of the log", got, tasks[0].Stated)
	}
}

// A log of TCP with one socket for a connection is explained by it: the same times are near to one socket, and far from
// the sockets that the guide names.
func TestFewSocketsOfTheLogAreTheCause(t *testing.T) {
	log := "$ mpirun -np 16 -x NCCL_SOCKET_NTHREADS=1 -x NCCL_NSOCKS_PERTHREAD=1 ./all_reduce_perf -b 4M -e 16M -f 4\n" +
		"# Collective test starting: all_reduce_perf\n" +
		"4194304 1048576 float sum -1 1560 2.69 5.04 0 1570 2.67 5.01 0\n16777216 4194304 float sum -1 5100 3.29 6.17 0 5120 3.28 6.14 0\n"
	d, err := describe(t, "cluster: {nodes: 2, node: {preset: dgx-h100, nics: 1}}\nfabric: tcp-100g").Diagnose(t.Context(), read(t, log)[0], Options{Simulate: simulateOnce, Nodes: 2, coarse: true})
	if err != nil {
		t.Fatal(err)
	}
	if d.Verdict != Explained || d.Explanations[0].ID != fewSocketsID || !strings.Contains(d.Explanations[0].Evidence, "NCCL_NSOCKS_PERTHREAD=1") {
		t.Errorf("%s, %s", d.Verdict, firstFew(d))
	}
}

// TCP through one interface of the host is told from NVLink that is off: it has the start of sockets at small sizes.
func TestTCPOverOneInterface(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Collective test starting: all_reduce_perf\n")
	for _, r := range []string{"1048576 262144 float sum -1 664.6 1.58 2.96", "4194304 1048576 float sum -1 1599 2.62 4.92", "16777216 4194304 float sum -1 4950 3.39 6.35", "67108864 16777216 float sum -1 17460 3.84 7.21"} {
		f := strings.Fields(r)
		b.WriteString(r + " 0 " + strings.Join(f[5:], " ") + " 0\n")
	}
	d, err := describe(t, "cluster: {nodes: 2, node: dgx-h100}\nfabric: infiniband-ndr").Diagnose(t.Context(), read(t, b.String())[0], Options{Simulate: simulateOnce, Nodes: 2, coarse: true})
	if err != nil {
		t.Fatal(err)
	}
	if d.Explanations[0].ID != "tcp" || !strings.Contains(d.Explanations[0].Label, "one interface") {
		t.Errorf("%s, %s", d.Verdict, firstFew(d))
	}
}
