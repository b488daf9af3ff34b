package host

import (
	"testing"

	"weft/internal/sim/catalog"
	"weft/internal/sim/scenario"
	"weft/internal/sim/simtest"
	"weft/units"
)

// The terms add up to the path that collectives take.
func TestTermsAreTheExecutorsPath(t *testing.T) {
	for _, host := range catalog.Names(catalog.Host) {
		for _, copies := range []int{0, 1, 2, 5} {
			r, f := simtest.OneFabric(t, "tcp-400g", host, "")
			f.Host.Copies, f.NIC.RxPipeline = copies, f.NIC.RxPipeline+7*units.Nanosecond
			h, n := &f.Host, &r.Cluster.Node
			send, receive := h.Post+3*n.PCIe.Latency+f.NIC.TxPipeline, 7*units.Nanosecond+n.PCIe.Latency+h.Poll
			perCopy, stack, piece := h.CopyStart, units.Time(0), int64(0)
			if h.Path != scenario.PathGPUDirectRDMA {
				send, receive = send+n.CPU.MemoryLatency, receive+n.CPU.MemoryLatency
			}
			if h.Path == scenario.PathCPU {
				copies, piece = max(1, copies), int64(f.TCP.Segment)
				send, receive, stack = send+h.Syscall, receive+h.Interrupt+h.Syscall, h.PerSegment
			}
			p := PathOf(f, n)
			if p.Send != send || p.Receive != receive || p.Piece != piece {
				t.Errorf("%s: %+v, want %d ps, %d ps and pieces of %d", host, p, send, receive, piece)
			}
			for _, bytes := range []int64{1, 1000, 65536} {
				one := units.Time(0)
				if h.CopyRate > 0 {
					one = units.Time(float64(bytes) * 8 * float64(units.Second) / float64(h.CopyRate))
				}
				out, in := Terms(f, n)
				want := units.Time(copies)*(perCopy+one) + stack
				if got := p.CopyTime(bytes); got != want || Sum(out, true, bytes) != want || Sum(in, true, bytes) != want {
					t.Errorf("%s, %d copies of %d bytes: %d ps, %d ps and %d ps, want %d ps", host, copies, bytes, got, Sum(out, true, bytes), Sum(in, true, bytes), want)
				}
			}
		}
	}
}
