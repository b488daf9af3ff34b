package network

import (
	"weft/internal/sim/transport"
	"weft/scenario"
	"weft/units"
)

// Verbs is the service and the operation of a workload's messages, and the number of posted
// receives. The zero value is for collectives: RC, and always enough receives.
type Verbs struct {
	Service  transport.Service
	Op       transport.Op
	Receives int // posted by each queue pair at the start; 0 is always enough
	Repost   units.Time
	QKey     uint32 // of the queue pairs of UD
}

var services = map[scenario.Service]transport.Service{
	scenario.RC: transport.RC, scenario.UC: transport.UC, scenario.UD: transport.UD,
}

// verbOps are the operations of messages. They carry immediate data if possible: it identifies the
// message to its receiver.
var verbOps = map[scenario.Operation]transport.Op{
	scenario.Write: transport.OpWriteImm, scenario.Read: transport.OpRead, scenario.Send: transport.OpSendImm,
}

func verbsOf(w *scenario.Workload) Verbs {
	if w.Pattern == "" {
		return Verbs{}
	}
	return Verbs{services[w.Transport], verbOps[w.Operation], w.ReceiveQueue, w.Repost, uint32(w.QKey)}
}

// Reads reports whether the receiver requests a message by READ.
func (v *Verbs) Reads() bool { return v.Op == transport.OpRead }
