package sm

import (
	"weft/units"
)

// outbox is the time of a call and the batch for its datagrams and events.
type outbox struct {
	now     units.Time
	out     *Batch
	nextTID uint32
}

func (o *outbox) event(e Event) { o.out.Events = append(o.out.Events, e) }

func (o *outbox) send(p Packet) { o.out.Send = append(o.out.Send, p) }

// newTID is the transaction ID of a new request, never 0.
func (o *outbox) newTID() uint32 {
	tid := o.nextTID
	o.nextTID = max(tid+1, 1)
	return tid
}
