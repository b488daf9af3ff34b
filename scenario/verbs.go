package scenario

import (
	"slices"

	"weft/internal/sim/protocol"
	"weft/units"
)

// deriveVerbs sets the default operation of a pattern's messages: RDMA WRITE on a reliable
// connection, and SEND if the service has no other.
func (r workloadRules) deriveVerbs() {
	w := &r.Workload
	if w.Transport == "" {
		w.Transport = RC
	}
	if w.Operation == "" {
		w.Operation = Write
		if w.Transport == UD {
			w.Operation = Send
		}
	}
	if w.Transport == UD && w.QKey == 0 {
		w.QKey = usualQKey
	}
}

// operationsOf lists the operations of each service (IBA vol. 1, table 38). Atomics are left out.
var operationsOf = map[Service][]Operation{
	RC: {Write, Read, Send},
	UC: {Write, Send},
	UD: {Send},
}

// checkVerbs checks that service, operation and receive queue fit each other and every fabric.
func (r workloadRules) checkVerbs() {
	w := &r.Workload
	if valid := operationsOf[w.Transport]; !slices.Contains(valid, w.Operation) {
		r.complain("workload.operation", "%s has no %s: want %s", w.Transport, w.Operation, oneOf(texts(valid)))
		return
	}
	r.checkQKeys()
	if w.Operation == Read && w.ReceiveQueue > 0 {
		r.complain("workload.receive-queue", "a read takes no receive: leave receive-queue out")
	}
	if w.Repost > 0 && w.ReceiveQueue == 0 {
		r.complain("workload.repost", "receives are posted again only if their number is given: give receive-queue as well")
	}
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		p := protocol.Of(f.Kind)
		switch {
		case !p.RDMA() && (w.Transport != RC || w.Operation == Read):
			r.complain("workload.transport", "%s has no %s %s: a socket carries a stream of bytes; take the fabric out, or transport: rc and operation: write or send", f.Name, w.Transport, w.Operation)
		case !p.RDMA() && w.ReceiveQueue > 0:
			r.complain("workload.receive-queue", "%s has sockets, and those have no receive queue: take the fabric or the field out", f.Name)
		case !p.Reads && (w.Transport != RC || w.Operation == Read || w.ReceiveQueue > 0):
			r.complain("workload.transport", "%s: %s has reliable writes and sends here, whose receives are always there: take the fabric out, or transport: rc, operation: write or send and no receive-queue", f.Name, p.Title)
		case !p.OnTCP() && w.Operation == Read && f.Host.Path == PathCPU:
			r.complain("workload.operation", "%s: a read of memory through the remote CPU is no RDMA READ: take another host.path", f.Name)
		case w.Transport == UD && r.longestMessage() > f.MTU:
			r.complain("workload.transport", "a message of %s is more than a datagram can be: %s has an MTU of %s, and ud does not cut messages", r.longestMessage().Exact(), f.Name, f.MTU.Exact())
		default:
			continue
		}
		return
	}
}

// longestMessage is the longest message of a pattern.
func (r workloadRules) longestMessage() (most units.Bytes) {
	for _, s := range r.Workload.Sizes {
		most = max(most, s)
	}
	for _, f := range r.Workload.Flows {
		most = max(most, f.Bytes)
	}
	return most
}

// texts are names as strings.
func texts[T ~string](names []T) (out []string) {
	for _, n := range names {
		out = append(out, string(n))
	}
	return out
}
