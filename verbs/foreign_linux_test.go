package verbs

import (
	"testing"

	"golang.org/x/sys/unix"

	"weft/verbs/internal/foreign"
)

// unmapped registers a page that nobody can reach afterwards. It keeps its address, which something
// else would be mapped at.
func unmapped(t *testing.T, s *side) *MR {
	t.Helper()
	page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	mr, err := s.pd.RegMR(page, allAccess)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mprotect(page, unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(page) })
	return mr
}

// Whoever unmaps registered memory gets errors at both ends, and the process lives.
func TestWorkOnUnmappedMemoryEndsWithAnError(t *testing.T) {
	for name, c := range map[string]struct {
		wr   func(a, b *side, gone *MR) SendWR
		at   int // the side whose memory is gone
		want Status
	}{
		"send from it": {func(_, _ *side, gone *MR) SendWR {
			return SendWR{Opcode: Send, SGL: []SGE{gone.SGE(0, 64)}}
		}, 0, LocProtErr},
		"write to it": {func(a, _ *side, gone *MR) SendWR {
			return SendWR{Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 64)}, RemoteAddr: gone.Addr(), RKey: gone.RKey()}
		}, 1, RemAccessErr},
		"read from it": {func(a, _ *side, gone *MR) SendWR {
			return SendWR{Opcode: RDMARead, SGL: []SGE{a.mr.SGE(0, 64)}, RemoteAddr: gone.Addr(), RKey: gone.RKey()}
		}, 1, RemAccessErr},
		"atomic on it": {func(a, _ *side, gone *MR) SendWR {
			return SendWR{Opcode: AtomicFetchAndAdd, SGL: []SGE{a.mr.SGE(0, 8)}, RemoteAddr: gone.Addr(), RKey: gone.RKey()}
		}, 1, RemAccessErr},
		"receive into it": {func(a, b *side, gone *MR) SendWR {
			if err := b.qp.PostRecv(RecvWR{WRID: 7, SGL: []SGE{gone.SGE(0, 64)}}); err != nil {
				t.Fatal(err)
			}
			return SendWR{Opcode: Send, SGL: []SGE{a.mr.SGE(0, 64)}}
		}, 1, RemOpErr},
	} {
		p := newPair(t, Options{ForeignMemory: true}, QPInitAttr{}, 4096)
		wr := c.wr(p.on[0], p.on[1], unmapped(t, p.on[c.at]))
		wr.WRID = 1
		p.on[0].post(wr)
		if wc := p.on[0].wait(); wc.WRID != 1 || wc.Status != c.want {
			t.Errorf("%s: work request %d ended with %v, want %v", name, wc.WRID, wc.Status, c.want)
		}
	}
}

// A buffer whose protection changed takes no data, and says so.
func TestAFaultOfTheCopyIsSeen(t *testing.T) {
	page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(page) }()
	if foreign.Copy(page, make([]byte, 4096)) {
		t.Error("a copy to memory that is read-only went well")
	}
	if !foreign.Present(page) || !foreign.Copy(make([]byte, 4096), page) {
		t.Error("memory that can be read is not present")
	}
}
