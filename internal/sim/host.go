package sim

import (
	"weft/internal/fabric"
	"weft/scenario"
	"weft/units"
)

// hostPath is what lies between a GPU's memory and the wire: fixed times, and
// the copies that a CPU or copy engine makes one after the other.
//
// A message is cut into pieces where the CPU copies it, so that its copy and its
// sending overlap; each piece takes its turn at the copier of its GPU's side.
type hostPath struct {
	send, receive units.Time
	piece         int64 // bytes; 0 is the whole message
	copies        int
	copyFixed     units.Time
	copyRate      units.Rate
}

// copyTime is how long the copier of one side is busy with a piece.
func (h *hostPath) copyTime(bytes int64) units.Time {
	if h.copies == 0 {
		return 0
	}
	t := h.copyFixed
	if h.copyRate > 0 {
		t += units.Time(float64(bytes) * 8 * float64(units.Second) / float64(h.copyRate))
	}
	return units.Time(h.copies) * t
}

// pathOf is the host's path of a fabric in a cluster's nodes. The NIC's own
// pipelines to and from the wire are the fabric's; the software between a GPU
// and the thread that drives its NIC is the collective's.
func pathOf(f *scenario.Fabric, n *scenario.Node) hostPath {
	h := &f.Host
	bus := n.PCIe.Latency
	out := hostPath{
		// Doorbell; the NIC reads the data and has its answer; its pipeline.
		send: h.Post + bus + 2*bus + f.NIC.TxPipeline,
		// From the acknowledgement's point in the pipeline to memory; poll.
		receive:   max(0, f.NIC.RxPipeline-f.NIC.AckPipeline) + bus + h.Poll,
		copies:    h.Copies,
		copyFixed: h.CopyStart,
		copyRate:  h.CopyRate,
	}
	if h.Path != scenario.PathGPUDirectRDMA {
		out.send += n.CPU.MemoryLatency
		out.receive += n.CPU.MemoryLatency
	}
	if h.Path == scenario.PathCPU {
		out.send += h.Syscall
		out.receive += h.Interrupt + h.Syscall
		out.piece = int64(f.TCP.Segment)
		out.copies = max(1, out.copies)
		out.copyFixed += h.PerSegment
	}
	return out
}

// timer is something that a rank does later.
type timer struct {
	at       units.Time
	order    uint64 // of being scheduled: among equals the first
	transfer transfer
	tag      uint32
	kind     timerKind
}

type timerKind uint8

const (
	timerBegin  timerKind = iota // an iteration
	timerStep                    // the software time of a step has passed; tag is its lane
	timerPost                    // a piece reaches the NIC
	timerArrive                  // a message is in memory
)

// timers is a heap of a rank's timers, earliest first.
type timers struct {
	heap  []timer
	order uint64
	next  units.Time // the earliest event asked for; 0 if none
}

func (a *timer) before(b *timer) bool {
	return a.at < b.at || a.at == b.at && a.order < b.order
}

// schedule has a rank do something later than now: at least a picosecond, so
// that nothing happens between two of one instant's events.
func (r *collectiveRun) schedule(p *fabric.Partition, rank int, at units.Time, t timer) {
	h := &r.ranks[rank].timers
	t.at = max(at, p.Now()+1)
	t.order = h.order
	h.order++
	h.push(t)
	r.arm(p, rank)
}

// arm asks for the event of a rank's earliest timer.
func (r *collectiveRun) arm(p *fabric.Partition, rank int) {
	h := &r.ranks[rank].timers
	if len(h.heap) == 0 {
		return
	}
	if at := h.heap[0].at; h.next == 0 || at < h.next {
		h.next = at
		p.At(at, uint32(rank))
	}
}

// Timer is called when a rank's timer is due. One that an earlier one has
// overtaken finds nothing to do.
func (r *collectiveRun) Timer(p *fabric.Partition, source uint32) {
	rank := int(source)
	h := &r.ranks[rank].timers
	for len(h.heap) > 0 && h.heap[0].at <= p.Now() {
		t := h.pop()
		switch t.kind {
		case timerBegin:
			r.begin(p, rank)
		case timerStep:
			r.resume(p, rank, int(t.tag))
		case timerPost:
			r.handOver(p, &t.transfer)
		case timerArrive:
			r.arrived(p, rank, t.tag, true)
		}
	}
	if h.next == p.Now() { // only now: what is scheduled meanwhile asks for no event of its own
		h.next = 0
	}
	r.arm(p, rank)
}

func (h *timers) push(t timer) {
	s := append(h.heap, t)
	i := len(s) - 1
	for i > 0 && t.before(&s[(i-1)/2]) {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = t
	h.heap = s
}

func (h *timers) pop() timer {
	s := h.heap
	top, last := s[0], len(s)-1
	t := s[last]
	s = s[:last]
	for i := 0; ; {
		c := 2*i + 1
		if c >= last {
			if last > 0 {
				s[i] = t
			}
			break
		}
		if c+1 < last && s[c+1].before(&s[c]) {
			c++
		}
		if !s[c].before(&t) {
			s[i] = t
			break
		}
		s[i] = s[c]
		i = c
	}
	h.heap = s
	return top
}
