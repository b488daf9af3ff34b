package host

import (
	"fmt"

	"weft/internal/sim/catalog"
	"weft/scenario"
	"weft/units"
)

// Term is a named part of the host's path.
type Term struct {
	Name  string
	fixed units.Time
	Rate  units.Rate // rate of a copy; 0 for a time that does not grow with the message
	Work  Work
	Facts []Fact // the sources of the numbers
}

// Work is the part of the host that does the work of a term.
type Work uint8

// The kinds of work.
const (
	WorkDevice    Work = iota // PCIe, memory, NIC: no CPU
	WorkCPU                   // a CPU, in user space or on behalf of it
	WorkCall                  // a CPU in a call of the kernel
	WorkInterrupt             // a CPU, called by the NIC
	workStack                 // a CPU in the kernel's stack, on the copier
	WorkCPUCopy               // a copy by a CPU, on the copier
	WorkGPUCopy               // a copy by a GPU, on the copier
)

// turn reports whether the copier of a side does the work: it processes pieces one after the other.
// All other work runs in parallel.
func (w Work) turn() bool { return w >= workStack }

// CPU reports whether a CPU does the work.
func (w Work) CPU() bool { return w != WorkDevice && w != WorkGPUCopy }

// Time is the time of the term for a piece.
func (t *Term) Time(bytes int64) units.Time {
	if t.Rate == 0 {
		return t.fixed
	}
	return t.fixed + units.Time(float64(bytes)*8*float64(units.Second)/float64(t.Rate))
}

// Terms are the terms of a fabric's host path at both sides for a message that the NIC reads from
// memory, in the order in which a host has them, without terms of zero time. The executor of
// collectives adds the copier's terms first and the others together: the sum is the same. The stack's time per segment comes with each copy of a
// segment.
func Terms(f *scenario.Fabric, n *scenario.Node) (send, receive []Term) {
	return termsOf(f, n, false)
}

// TermsOf are Terms for a message of a number of bytes, whose data may be inline.
func TermsOf(f *scenario.Fabric, n *scenario.Node, bytes int64) (send, receive []Term) {
	return termsOf(f, n, isInline(bytes, int64(f.Host.MaxInlineData)))
}

// isInline reports whether a message's data are in its work request. longest is that of such messages; 0: none.
func isInline(bytes, longest int64) bool { return longest > 0 && bytes <= longest }

func termsOf(f *scenario.Fabric, n *scenario.Node, inRequest bool) (send, receive []Term) {
	h := &f.Host
	host := func(field string, t units.Time) []Fact {
		return []Fact{{catalog.Host, string(h.Path), field, t.Exact()}}
	}
	bus := []Fact{{catalog.PCIe, n.PCIe.Generation, "latency", n.PCIe.Latency.Exact()}}
	memory := []Fact{{catalog.Node, n.Preset, "cpu.memory-latency", n.CPU.MemoryLatency.Exact()}}
	nic := func(field string, t units.Time) Fact {
		return Fact{catalog.NIC, f.NIC.Model, field, t.Exact()}
	}
	inHost, inKernel := units.Time(0), units.Time(0)
	if h.Path != scenario.PathGPUDirectRDMA {
		inHost = n.CPU.MemoryLatency
	}
	if h.Path == scenario.PathCPU {
		inKernel = 1
	}
	copies := copyTerms(h)
	first, rest := copies[:min(1, len(copies))], copies[min(1, len(copies)):]
	stack := Term{"network stack and driver", inKernel * h.PerSegment, 0, workStack, host("per-segment", h.PerSegment)}
	doorbell := []Term{
		{"doorbell over PCIe", n.PCIe.Latency, 0, WorkDevice, bus},
		{"NIC reads the data over PCIe", 2 * n.PCIe.Latency, 0, WorkDevice, bus},
		{"host memory answers", inHost, 0, WorkDevice, memory},
	}
	if inRequest {
		doorbell = []Term{{"doorbell and inline data over PCIe", n.PCIe.Latency, 0, WorkDevice, bus}}
	}
	send = terms(first, []Term{
		{"send call into the kernel", inKernel * h.Syscall, 0, WorkCall, host("syscall", h.Syscall)},
	}, rest, []Term{
		stack,
		{"post the work request", h.Post, 0, WorkCPU, host("post", h.Post)},
	}, doorbell, []Term{
		{"NIC transmit pipeline", f.NIC.TxPipeline, 0, WorkDevice, []Fact{nic("tx-pipeline", f.NIC.TxPipeline)}},
	})
	past := max(0, f.NIC.RxPipeline-f.NIC.AckPipeline)
	receive = terms([]Term{
		{"NIC receive pipeline, rest", past, 0, WorkDevice, []Fact{nic("rx-pipeline", f.NIC.RxPipeline), nic("ack-pipeline", f.NIC.AckPipeline)}},
		{"PCIe write to memory", n.PCIe.Latency, 0, WorkDevice, bus},
		{"host memory takes the write", inHost, 0, WorkDevice, memory},
		{"interrupt, wake-up of the reader", inKernel * h.Interrupt, 0, WorkInterrupt, host("interrupt", h.Interrupt)},
		{"poll of the completion queue", h.Poll, 0, WorkCPU, host("poll", h.Poll)},
		stack,
	}, backwards(rest), []Term{
		{"receive call out of the kernel", inKernel * h.Syscall, 0, WorkCall, host("syscall", h.Syscall)},
	}, backwards(first))
	return send, receive
}

// ReadTerms are the host's terms of a READ: the reader posts a request without data. The remote
// NIC's work has no time of its own in the fabric's NIC; it follows the response. The terms of the
// copier are the reader's.
func ReadTerms(f *scenario.Fabric, n *scenario.Node) (send, receive []Term) {
	out, in := Terms(f, n)
	remote := map[string]bool{"NIC reads the data over PCIe": true, "host memory answers": true}
	for _, t := range out {
		if !t.Work.turn() && !remote[t.Name] {
			send = append(send, t)
		}
		if remote[t.Name] || t.Name == "NIC transmit pipeline" {
			t.Name = "remote " + t.Name
			receive = append(receive, t)
		}
	}
	return send, append(receive, in...)
}

// terms joins lists and leaves out terms of zero time, except copies: they count all the same.
func terms(lists ...[]Term) (out []Term) {
	for _, l := range lists {
		for _, t := range l {
			if t.fixed > 0 || t.Work >= WorkCPUCopy {
				out = append(out, t)
			}
		}
	}
	return out
}

// copyTerms are the copies at the sender, by a CPU on the path through it and
// by the GPU's stores on the others.
func copyTerms(h *scenario.Host) (out []Term) {
	n, work := h.Copies, WorkGPUCopy
	if h.Path == scenario.PathCPU {
		n, work = max(1, n), WorkCPUCopy
	}
	for i := range n {
		name := fmt.Sprintf("copy %d of %d", i+1, n)
		switch {
		case n == 1 && work == WorkGPUCopy:
			name = "copy GPU memory to host memory"
		case n == 2 && i == 0:
			name = "copy GPU memory to host buffer"
		case n == 2:
			name = "copy host buffer to kernel"
		}
		facts := []Fact{
			{catalog.Host, string(h.Path), "copy-start", h.CopyStart.Exact()},
			{catalog.Host, string(h.Path), "copy-rate", h.CopyRate.Exact()},
		}
		out = append(out, Term{name, h.CopyStart, h.CopyRate, work, facts})
	}
	return out
}

// backwards are the copies at the receiver: the sender's copies, in reverse order.
func backwards(copies []Term) (out []Term) {
	opposite := map[string]string{
		"copy GPU memory to host memory": "copy host memory to GPU memory",
		"copy GPU memory to host buffer": "copy host buffer to GPU memory",
		"copy host buffer to kernel":     "copy kernel to host buffer",
	}
	for i := range copies {
		t := copies[len(copies)-1-i]
		if name := opposite[t.Name]; name != "" {
			t.Name = name
		}
		out = append(out, t)
	}
	return out
}

// Sum is the time of the copier's terms, or of the others, for a piece.
func Sum(list []Term, turn bool, bytes int64) (t units.Time) {
	for i := range list {
		if list[i].Work.turn() == turn {
			t += list[i].Time(bytes)
		}
	}
	return t
}
