package sm

import (
	"maps"

	"weft/units"
)

// outbox is the time of a call and the batch for its datagrams and events.
type outbox struct {
	now     units.Time
	out     *Batch
	nextTID uint32
	sweeps  int            // heavy sweeps that have ended
	told    map[string]int // by text of a complaint: sweeps when it last came
}

func (o *outbox) event(e Event) { o.out.Events = append(o.out.Events, e) }

// complain reports a fault of the fabric. As long as each sweep finds it again, it is told once.
func (o *outbox) complain(e Event) {
	text := e.String()
	if _, told := o.told[text]; !told {
		o.event(e)
	}
	if o.told == nil {
		o.told = map[string]int{}
	}
	o.told[text] = o.sweeps
}

// swept ends a heavy sweep. If it brought the subnet up, complaints that it did not have are news if
// they come back. Otherwise the reason of one fault may change from sweep to sweep, because agents
// send traps seldom: a complaint is news after keepTold sweeps.
func (o *outbox) swept(up bool) {
	since := o.sweeps
	if !up {
		since -= keepTold
	}
	maps.DeleteFunc(o.told, func(_ string, last int) bool { return last < since })
	o.sweeps++
}

func (o *outbox) send(p Packet) { o.out.Send = append(o.out.Send, p) }

// newTID is the transaction ID of a new request, never 0.
func (o *outbox) newTID() uint32 {
	tid := o.nextTID
	o.nextTID = max(tid+1, 1)
	return tid
}
