package tcp

import "weft/units"

// Snapshot is the state of a connection for observers.
type Snapshot struct {
	State    State
	Window   uint32      // congestion window in packets
	SSThresh uint32      // slow start threshold in packets
	InFlight uint32      // packets in the network
	Queued   units.Bytes // written and not sent yet
	SRTT     units.Time  // 0: no sample yet
	RTO      units.Time
	Alpha    uint32 // DCTCP's, in 2^-20
}

// Snapshot is the state of the connection now.
func (c *Conn) Snapshot() Snapshot {
	s := &c.snd
	v := Snapshot{
		State: s.state, Window: s.win.cwnd, SSThresh: s.win.ssthresh,
		InFlight: s.board.inFlight(), Queued: units.Bytes(s.written - s.nxt),
		SRTT: s.rtt.smoothed, RTO: s.rtt.timeout,
	}
	if d, ok := s.cc.(*dctcp); ok {
		v.Alpha = d.alpha
	}
	return v
}
