package host

import (
	"testing"

	"weft/internal/sim/catalog"
	"weft/internal/test/simtest"
	"weft/scenario"
	"weft/units"
)

// A message whose data are inline is at the NIC two traversals of PCIe and an answer of memory earlier; a longer
// one, and a READ, are not.
func TestInlineDataAreNotReadByTheNIC(t *testing.T) {
	r, f := simtest.OneFabric(t, "infiniband-ndr", "rdma-host", "")
	n := &r.Cluster.Node
	read := PathOf(f, n)
	f.Host.MaxInlineData = 220
	p := PathOf(f, n)
	for bytes, saved := range map[int64]units.Time{
		0: 2*n.PCIe.Latency + n.CPU.MemoryLatency, 220: 2*n.PCIe.Latency + n.CPU.MemoryLatency, 221: 0,
	} {
		send, receive := TermsOf(f, n, bytes)
		if got := p.SendTime(bytes); got != read.Send-saved || Sum(send, false, bytes) != got || Sum(receive, false, bytes) != read.Receive {
			t.Errorf("%d bytes: %v, by terms %v, want %v", bytes, got, Sum(send, false, bytes), read.Send-saved)
		}
	}
	if got, want := ReadPath(f, n, 8), (Path{Send: read.Send - 2*n.PCIe.Latency - n.CPU.MemoryLatency}); got.Send != want.Send {
		t.Errorf("a READ: %v, want %v", got.Send, want.Send)
	}
	last := units.Time(0)
	if long, short := p.InTurn(&last, 1000+p.SendTime(4096)), p.InTurn(&last, 1001+p.SendTime(8)); short != long {
		t.Errorf("a short message is taken at %v, the longer one before it at %v", short, long)
	}
	f.Host.MaxInlineData = 0
	if none := PathOf(f, n); none.SendTime(0) != none.Send {
		t.Error("a message without data is inline though nothing may be")
	}
}

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
