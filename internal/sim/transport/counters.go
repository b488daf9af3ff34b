package transport

import "weft/wire"

// Counters are what a NIC counts of its queue pairs beside packets and bytes. Linux shows them among the
// hw_counters of a device, and as rdma statistic.
type Counters struct {
	OutOfSequence, Duplicates int64 `state:"count"` // requests ahead of and behind the expected PSN
	SequenceNAKs, RNRNAKs     int64 `state:"count"` // that arrived
	Timeouts                  int64 `state:"count"` // of acknowledgements
	Reads, Writes, Atomics    int64 `state:"count"` // requests that arrived: of WRITEs the first packet of each message
}

// Arrived counts a packet that q is about to receive.
func (c *Counters) Arrived(q *QP, p *Packet) {
	switch p.Op {
	case wire.RCAcknowledge:
		switch {
		case p.Syndrome == wire.NAKSequence:
			c.SequenceNAKs++
		case p.Syndrome.Kind() == wire.SyndromeRNR:
			c.RNRNAKs++
		}
	case wire.RCReadRequest:
		c.Reads++
	case wire.RCWriteFirst, wire.RCWriteOnly, wire.RCWriteOnlyImm:
		c.Writes++
	case wire.RCCompareSwap, wire.RCFetchAdd:
		c.Atomics++
	}
	if q.Service() != RC || p.Op.Response() || p.Op == wire.CNP {
		return
	}
	switch d := p.PSN.Sub(q.Expected()); {
	case d > 0:
		c.OutOfSequence++
	case d < 0:
		c.Duplicates++
	}
}

// Add adds what has been counted elsewhere.
func (c *Counters) Add(o *Counters) {
	c.OutOfSequence += o.OutOfSequence
	c.Duplicates += o.Duplicates
	c.SequenceNAKs += o.SequenceNAKs
	c.RNRNAKs += o.RNRNAKs
	c.Timeouts += o.Timeouts
	c.Reads += o.Reads
	c.Writes += o.Writes
	c.Atomics += o.Atomics
}

// Since is what has been counted since an earlier time.
func (c *Counters) Since(o *Counters) Counters {
	return Counters{
		OutOfSequence: c.OutOfSequence - o.OutOfSequence, Duplicates: c.Duplicates - o.Duplicates,
		SequenceNAKs: c.SequenceNAKs - o.SequenceNAKs, RNRNAKs: c.RNRNAKs - o.RNRNAKs, Timeouts: c.Timeouts - o.Timeouts,
		Reads: c.Reads - o.Reads, Writes: c.Writes - o.Writes, Atomics: c.Atomics - o.Atomics,
	}
}
