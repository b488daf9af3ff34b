package isolation

import "weft/units"

// The traps of key violations (IBA vol. 1, 14.2.5.1).
const (
	TrapHCA    = 257 // an HCA: the P_Key of a packet differs from its queue pair's
	TrapQKey   = 258 // an HCA: the Q_Key of a datagram differs from its queue pair's
	TrapSwitch = 259 // a switch: the P_Key of a packet is not in the port's table
)

// Violation is a manager's information about packets that were discarded for their P_Key or Q_Key:
// one record for each discarding port and each sending queue pair.
type Violation struct {
	Trap         int
	Port         string     // that discarded
	Node         int32      // node of the discarding port
	NodePort     int32      // its number at the node, from 0
	In           bool       // discarded on input; else on output
	First, Last  units.Time // times of the first and the last of them
	Packets      int64
	From, To     int32     // NICs
	FromQP, ToQP units.QPN // queue pairs
	PKey         uint16    // of the packets
	QKey         uint32    // likewise, if the Q_Key was wrong
	SL           units.SL
}

// maxSenders is the maximum number of senders that each port records: it counts the packets of further
// senders without their names. A real port remembers one.
const maxSenders = 64

// Log is the violations of which the packets were discarded by one port.
type Log []Violation

// Count counts a packet that is discarded now. v describes it, without a count and times.
func (l *Log) Count(v Violation, now units.Time) {
	for i := range *l {
		o := &(*l)[i]
		if o.From == v.From && o.FromQP == v.FromQP && o.To == v.To && o.Trap == v.Trap && o.QKey == v.QKey {
			o.Packets++
			o.Last = now
			return
		}
	}
	if len(*l) < maxSenders {
		v.First, v.Last, v.Packets = now, now, 1
		*l = append(*l, v)
	}
}
