package transport

import (
	"weft/units"
	"weft/wire"
)

// acks is the progress of a responder, and the part of it that its peer knows.
type acks struct {
	epsn    units.PSN     // the next expected
	msn     uint32        `state:"number"` // messages finished
	unacked uint32        // packets since the last acknowledgement
	echo    bool          // a mark waits for the next acknowledgement
	owedSyn wire.Syndrome // syndrome of the pending acknowledgement
	nakAt   units.Time    // a gap causes a NAK from this time on; Forever while one is in flight
	cnpAt   units.Time    `state:"until"` // the notification point may send a CNP
}

// step moves on to the next packet after an in-order arrival.
func (a *acks) step(e *endpoint) {
	a.epsn = a.epsn.Add(1)
	a.unacked++
	a.nakAt = 0
	if e.owed&owedNAK != 0 {
		e.owed = e.owed&^owedNAK | owedAck
	}
}

// pass skips the PSNs of the responses to a request: the responses acknowledge everything before
// it.
func (a *acks) pass(n int32) {
	a.nakAt, a.unacked = 0, 0
	a.msn = (a.msn + 1) & units.PSNMask
	a.epsn = a.epsn.Add(n)
}

// gap answers a packet behind a missing one with a single NAK.
func (a *acks) gap(e *endpoint, now units.Time, b *Batch) Verdict {
	if now < a.nakAt {
		return Dropped
	}
	a.nakAt = units.Forever
	if e.cfg.NAKInterval != 0 {
		a.nakAt = now + e.cfg.NAKInterval
	}
	a.nak(e, wire.NAKSequence, b)
	return Dropped
}

// notReady refuses a packet that needs a receive if none is posted. The packets behind it are
// dropped without an answer until it comes again.
func (a *acks) notReady(e *endpoint, b *Batch) Verdict {
	b.Refusals.RNRNAKs++
	a.nakAt = units.Forever
	a.nak(e, wire.RNRNAK(e.cfg.RNRTimer), b)
	return Dropped
}

// ackDue reports whether an acknowledgement is due although no packet requests one.
func (a *acks) ackDue(e *endpoint) bool {
	return a.unacked >= uint32(e.cfg.AckEvery) || a.echo && e.cfg.Marks == MarksAcked
}

// ack acknowledges everything before the expected PSN. Pending read responses must go before it.
func (a *acks) ack(e *endpoint, b *Batch) {
	a.unacked = 0
	if e.owed&owedReads != 0 {
		e.owed = owedReads | owedAck
		return
	}
	a.answer(e, b.packet(), a.epsn.Add(-1), wire.ACKNoLimit)
}

// nak refuses the expected packet, after the pending read responses.
func (a *acks) nak(e *endpoint, syndrome wire.Syndrome, b *Batch) {
	a.unacked = 0
	if e.owed&owedReads != 0 {
		e.owed, a.owedSyn = owedReads|owedNAK, syndrome
		return
	}
	a.answer(e, b.packet(), a.epsn, syndrome)
}

// answer makes the empty packet p an acknowledgement of any kind.
func (a *acks) answer(e *endpoint, p *Packet, psn units.PSN, syndrome wire.Syndrome) {
	p.Op, p.Syndrome = wire.RCAcknowledge, syndrome
	p.DestQP, p.SrcQP, p.PSN, p.MSN = e.remote, e.qpn, psn, a.msn
	if a.echo {
		a.echo = false
		p.Flags = FlagCNP
	}
}

// reportAhead answers a request ahead of the expected one. If read responses must go first, it does
// nothing: the next packet ahead causes the answer.
func (a *acks) reportAhead(e *endpoint, came units.PSN, b *Batch) {
	if e.owed&owedReads != 0 {
		return
	}
	p := b.packet()
	a.answer(e, p, a.epsn, wire.NAKSequence)
	p.Imm = uint32(came)
}
