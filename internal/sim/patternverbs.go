package sim

import (
	"weft/internal/fabric"
	"weft/internal/transport"
	"weft/scenario"
	"weft/units"
)

// ends are who posts a message and who is at the other side of its queue pairs.
func (v *verbs) ends(f *patternFlow) nicPair {
	if v.reads() {
		return nicPair{f.to, f.from, f.sl}
	}
	return nicPair{f.from, f.to, f.sl}
}

// path is the host's path of the messages.
func (v *verbs) path(f *scenario.Fabric, n *scenario.Node) hostPath {
	path := pathOf(f, n)
	if v.reads() {
		send, receive := readTerms(f, n)
		path.send, path.receive = sum(send, false, 0), sum(receive, false, 0)
	}
	return path
}

// sendCopy is how long the poster's copier is busy with a piece: a READ brings
// no data along.
func (r *patternRun) sendCopy(bytes int64) units.Time {
	if r.verbs.reads() {
		return 0
	}
	return r.path.copyTime(bytes)
}

// brings reports whether a completion says that a piece of a message is at its
// receiver, and gives the message's number.
func (v *verbs) brings(c *transport.Completion) (flow uint32, ok bool) {
	if v.reads() {
		return uint32(c.ID), !c.Recv
	}
	return c.Imm, c.Recv
}

// stock posts the receives that a queue pair begins with.
func (r *patternRun) stock(nic int32, end units.QPN) error {
	for range r.verbs.receives {
		if err := r.net.Partition(nic).PostRecv(nic, end, anyReceive); err != nil {
			return err
		}
	}
	return nil
}

// anyReceive has room for every message.
var anyReceive = transport.RecvRequest{Length: transport.MaxMessageBytes}

// again posts a receive that a message took, once the program has the message.
func (r *patternRun) again(p *fabric.Partition, nic int32, end units.QPN, arrival units.Time) {
	if r.verbs.receives > 0 {
		t := timer{kind: timerRepost, transfer: transfer{nic: nic, end: end}}
		r.hosts[nic].timers.schedule(p, uint32(nic), arrival+r.verbs.repost, t)
	}
}

// lost reports whether the messages that have not arrived never will, as those
// of services without acknowledgement: nothing is left to happen, and the
// network is empty.
func (r *patternRun) lost() bool {
	return r.verbs.service != transport.RC && r.net.NextTime() == units.Forever && r.net.Empty()
}
