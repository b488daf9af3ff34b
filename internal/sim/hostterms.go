package sim

import (
	"fmt"

	"weft/internal/catalog"
	"weft/scenario"
	"weft/units"
)

// hostTerm is a named part of the host's path.
type hostTerm struct {
	name  string
	fixed units.Time
	rate  units.Rate // of a copy; 0 for what does not grow with the message
	work  hostWork
	facts []hostFact // where the numbers come from
}

// hostWork is who is busy meanwhile.
type hostWork uint8

const (
	workDevice    hostWork = iota // PCIe, memory, NIC: no CPU
	workCPU                       // a CPU, in user space or on behalf of it
	workCall                      // a CPU in a call of the kernel
	workInterrupt                 // a CPU, called by the NIC
	workStack                     // a CPU in the kernel's stack: the copier's turn
	workCPUCopy                   // a copy by a CPU: the copier's turn
	workGPUCopy                   // a copy by a GPU: the copier's turn
)

// turn reports whether the work takes turns at the copier of its side: pieces
// do it one after the other, and all else at the same time.
func (w hostWork) turn() bool { return w >= workStack }

// cpu reports whether a CPU is busy with it.
func (w hostWork) cpu() bool { return w != workDevice && w != workGPUCopy }

// time is the term's for a piece.
func (t *hostTerm) time(bytes int64) units.Time {
	if t.rate == 0 {
		return t.fixed
	}
	return t.fixed + units.Time(float64(bytes)*8*float64(units.Second)/float64(t.rate))
}

// hostTerms are the terms of a fabric's host path at both sides, in the order
// in which a host has them; those of no time are not there. The executor of
// collectives takes those of the copier first and the rest together: their sum
// is the same. The stack's time per segment comes with each copy of a segment.
func hostTerms(f *scenario.Fabric, n *scenario.Node) (send, receive []hostTerm) {
	h := &f.Host
	host := func(field string, t units.Time) []hostFact {
		return []hostFact{{catalog.Host, string(h.Path), field, t.Exact()}}
	}
	bus := []hostFact{{catalog.PCIe, n.PCIe.Generation, "latency", n.PCIe.Latency.Exact()}}
	memory := []hostFact{{catalog.Node, n.Preset, "cpu.memory-latency", n.CPU.MemoryLatency.Exact()}}
	nic := func(field string, t units.Time) hostFact {
		return hostFact{catalog.NIC, f.NIC.Model, field, t.Exact()}
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
	stack := hostTerm{"network stack and driver", inKernel * h.PerSegment, 0, workStack, host("per-segment", h.PerSegment)}
	send = terms(first, []hostTerm{
		{"send call into the kernel", inKernel * h.Syscall, 0, workCall, host("syscall", h.Syscall)},
	}, rest, []hostTerm{
		stack,
		{"post the work request", h.Post, 0, workCPU, host("post", h.Post)},
		{"doorbell over PCIe", n.PCIe.Latency, 0, workDevice, bus},
		{"NIC reads the data over PCIe", 2 * n.PCIe.Latency, 0, workDevice, bus},
		{"host memory answers", inHost, 0, workDevice, memory},
		{"NIC transmit pipeline", f.NIC.TxPipeline, 0, workDevice, []hostFact{nic("tx-pipeline", f.NIC.TxPipeline)}},
	})
	past := max(0, f.NIC.RxPipeline-f.NIC.AckPipeline)
	receive = terms([]hostTerm{
		{"NIC receive pipeline, rest", past, 0, workDevice, []hostFact{nic("rx-pipeline", f.NIC.RxPipeline), nic("ack-pipeline", f.NIC.AckPipeline)}},
		{"PCIe write to memory", n.PCIe.Latency, 0, workDevice, bus},
		{"host memory takes the write", inHost, 0, workDevice, memory},
		{"interrupt, wake-up of the reader", inKernel * h.Interrupt, 0, workInterrupt, host("interrupt", h.Interrupt)},
		{"poll of the completion queue", h.Poll, 0, workCPU, host("poll", h.Poll)},
		stack,
	}, backwards(rest), []hostTerm{
		{"receive call out of the kernel", inKernel * h.Syscall, 0, workCall, host("syscall", h.Syscall)},
	}, backwards(first))
	return send, receive
}

// terms joins lists and leaves out what takes no time, but for copies: they
// count all the same.
func terms(lists ...[]hostTerm) (out []hostTerm) {
	for _, l := range lists {
		for _, t := range l {
			if t.fixed > 0 || t.work >= workCPUCopy {
				out = append(out, t)
			}
		}
	}
	return out
}

// copyTerms are the copies at the sender, by a CPU on the path through it and
// by the GPU's stores on the others.
func copyTerms(h *scenario.Host) (out []hostTerm) {
	n, work := h.Copies, workGPUCopy
	if h.Path == scenario.PathCPU {
		n, work = max(1, n), workCPUCopy
	}
	for i := range n {
		name := fmt.Sprintf("copy %d of %d", i+1, n)
		switch {
		case n == 1 && work == workGPUCopy:
			name = "copy GPU memory to host memory"
		case n == 2 && i == 0:
			name = "copy GPU memory to host buffer"
		case n == 2:
			name = "copy host buffer to kernel"
		}
		facts := []hostFact{
			{catalog.Host, string(h.Path), "copy-start", h.CopyStart.Exact()},
			{catalog.Host, string(h.Path), "copy-rate", h.CopyRate.Exact()},
		}
		out = append(out, hostTerm{name, h.CopyStart, h.CopyRate, work, facts})
	}
	return out
}

// backwards are copies at the receiver: the sender's, the other way round.
func backwards(copies []hostTerm) (out []hostTerm) {
	opposite := map[string]string{
		"copy GPU memory to host memory": "copy host memory to GPU memory",
		"copy GPU memory to host buffer": "copy host buffer to GPU memory",
		"copy host buffer to kernel":     "copy kernel to host buffer",
	}
	for i := range copies {
		t := copies[len(copies)-1-i]
		if name := opposite[t.name]; name != "" {
			t.name = name
		}
		out = append(out, t)
	}
	return out
}

// sum is the time of the terms that take turns at the copier, or of the others,
// for a piece.
func sum(list []hostTerm, turn bool, bytes int64) (t units.Time) {
	for i := range list {
		if list[i].work.turn() == turn {
			t += list[i].time(bytes)
		}
	}
	return t
}
