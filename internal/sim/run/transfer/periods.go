package transfer

import (
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/host"
	"weft/internal/sim/state"
)

// Repeating is a program that may send the same messages again, such as a courier that sends a model's layers one by one.
type Repeating interface {
	Program
	// WalkState visits the program's state.
	WalkState(w *state.Walk)
	// FurtherPeriods is the number of periods for which the program will do the same again.
	FurtherPeriods(compared *state.Walk) uint64
	// Beats is about the number of beats of a run (Board.Beat).
	Beats() int64
}

// skipPeriods makes the network look for periods, if the state has all on which the run depends.
func (b *Board) skipPeriods() {
	if r, ok := b.program.(Repeating); ok && b.jitter == nil && !b.path.Inlines() {
		b.repeating = r
		b.net.SkipPeriods(b, r.Beats())
	}
}

// Beat says that the program is where its state may have come back.
func (b *Board) Beat() {
	if b.repeating != nil {
		b.p.Beat()
	}
}

// Anew says that the program will not come back to an earlier state.
func (b *Board) Anew() {
	if b.repeating != nil {
		b.p.DropRecord()
	}
}

// FurtherPeriods asks the program: hosts and network have no plan of their own.
func (b *Board) FurtherPeriods(w *state.Walk) uint64 { return b.repeating.FurtherPeriods(w) }

// Survey does nothing: a program records no steps.
func (b *Board) Survey() {}

// WalkTag is not called: no message is on the scale-up network.
func (b *Board) WalkTag(w *state.Walk, _ *fabric.Partition, _ *uint64) {
	w.Refuse("message on the scale-up network")
}

// WalkState visits the state of the hosts, of the messages in flight, and of the program.
func (b *Board) WalkState(w *state.Walk) {
	if b.failure != nil || len(b.waiting) > 0 {
		w.Refuse("failure, or slices without room in a send queue")
		return
	}
	b.repeating.WalkState(w)
	w.Part("messages")
	w.Word(uint64(b.open))
	w.Word(uint64(len(b.links)))
	w.Word(uint64(len(b.messages)))
	w.Time(&b.ended)
	for i := range b.messages {
		m := &b.messages[i] // whose ranks stay, and with them whether it is read
		w.Word(uint64(m.left)<<32 | uint64(m.unacked))
	}
	tag := func(t *host.Timer) { w.Word(t.Tag) }
	w.Part("program's timers")
	b.own.Walk(w, tag)
	w.Part("hosts")
	for i := range b.hosts {
		if w.Differs() {
			return
		}
		h := &b.hosts[i]
		h.timers.Walk(w, tag)
		w.Visit(&h.cores)
		w.Until(&h.posted)
		w.Until(&h.sending)
		w.Until(&h.receiving)
	}
}

var _ fabric.Periodic = (*Board)(nil)
