package host_test

import (
	"fmt"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
)

// overSockets is the bus bandwidth of an all-reduce between two nodes over TCP, in GB/s.
func overSockets(t *testing.T, tcp, node string) float64 {
	t.Helper()
	r := simtest.Resolve(t, fmt.Sprintf(`
cluster: {nodes: 2, node: {preset: dgx-h100%s}}
fabrics: [{preset: tcp-400g%s}]
workload: {collective: all-reduce, algorithm: ring, sizes: [32MiB]}
`, node, tcp))
	return runtest.Run(t, r, 1).Fabrics[0].Points[0].BusBW
}

// A rank's one thread of NCCL copies for all its sockets, so more sockets change little.
// Threads of their own (NCCL_SOCKET_NTHREADS) copy at the same time, as far as there are
// cores, and messages are divided among their sockets.
func TestThreadsOfSocketsCopyBesideEachOther(t *testing.T) {
	one := overSockets(t, "", "")
	polled := overSockets(t, ", tcp: {sockets: 8, threads: 0}", "")
	eight := overSockets(t, ", tcp: {sockets: 8}", "")
	aws := overSockets(t, ", tcp: {sockets: 16, threads: 2}", "")
	crowded := overSockets(t, ", tcp: {sockets: 8}", ", cpu: {cores: 16}")
	t.Logf("GB/s: one %.2f, eight polled by one thread %.2f, 2 threads x 8 %.2f, 8 x 1 %.2f, 8 x 1 on two cores a GPU %.2f", one, polled, aws, eight, crowded)
	if polled > one*1.1 || polled < one*.9 {
		t.Errorf("one thread has %.2f GB/s over a socket and %.2f over eight", one, polled)
	}
	if eight < one*2 {
		t.Errorf("eight threads have %.2f GB/s, one has %.2f", eight, one)
	}
	if aws < one*1.2 || aws > eight*1.05 {
		t.Errorf("two threads to a connection have %.2f GB/s, one to a rank has %.2f and eight have %.2f", aws, one, eight)
	}
	if crowded > one*1.2 {
		t.Errorf("eight threads on the two cores of a GPU's share have %.2f GB/s; the two threads of a rank have %.2f", crowded, one)
	}
}
