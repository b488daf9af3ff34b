package sim

import (
	"weft/internal/transport"
	"weft/scenario"
	"weft/units"
)

// verbs is how the messages of a workload go: by which service and operation,
// and with how many receives ready for them. The zero value is what collectives
// have: RC, and a receive whenever one is needed.
type verbs struct {
	service  transport.Service
	op       transport.Op
	receives int // posted by each queue pair at the start; 0 is always enough
	repost   units.Time
	qkey     uint32 // of the queue pairs of UD
}

var services = map[scenario.Service]transport.Service{
	scenario.RC: transport.RC, scenario.UC: transport.UC, scenario.UD: transport.UD,
}

// operations of messages carry immediate data where they can: it names the
// message to its receiver.
var verbOps = map[scenario.Operation]transport.Op{
	scenario.Write: transport.OpWriteImm, scenario.Read: transport.OpRead, scenario.Send: transport.OpSendImm,
}

func verbsOf(w *scenario.Workload) verbs {
	if w.Pattern == "" {
		return verbs{}
	}
	return verbs{services[w.Transport], verbOps[w.Operation], w.ReceiveQueue, w.Repost, uint32(w.QKey)}
}

// reads reports whether the receiver of a message asks for it.
func (v *verbs) reads() bool { return v.op == transport.OpRead }
