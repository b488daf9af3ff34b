package pattern

import (
	"fmt"

	"weft/internal/sim/fabric"
	"weft/internal/sim/run/host"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/scenario"
	"weft/units"
)

// endsOf are the posting end of a message and the other end of its queue pairs.
func endsOf(v *network.Verbs, f *patternFlow) nicPair {
	if v.Reads() {
		return nicPair{f.to, f.from, f.sl}
	}
	return nicPair{f.from, f.to, f.sl}
}

// path is the host's path of the messages.
func path(v *network.Verbs, f *scenario.Fabric, n *scenario.Node) host.Path {
	path := host.PathOf(f, n)
	if v.Reads() {
		send, receive := host.ReadTerms(f, n)
		path.Send, path.Receive = host.Sum(send, false, 0), host.Sum(receive, false, 0)
	}
	return path
}

// sendTime is the time from the copier to the NIC for a piece. A READ request has no data.
func (r *patternRun) sendTime(bytes int64) units.Time {
	if r.verbs.Reads() {
		return r.path.Send
	}
	return r.path.SendTime(bytes)
}

// sendCopy is the time of the poster's copier for a piece: a READ request has no data.
func (r *patternRun) sendCopy(bytes int64) units.Time {
	if r.verbs.Reads() {
		return 0
	}
	return r.path.CopyTime(bytes)
}

// brings reports whether a completion means that a piece of a message has reached its receiver, and
// returns the message's number.
func brings(v *network.Verbs, c *transport.Completion) (flow uint32, ok bool) {
	if v.Reads() {
		return uint32(c.ID), !c.Recv
	}
	return c.Imm, c.Recv
}

// stock posts the initial receives of a queue pair.
func (r *patternRun) stock(nic int32, end units.QPN) error {
	for range r.verbs.Receives {
		if err := r.net.Partition(nic).PostRecv(nic, end, anyReceive); err != nil {
			return err
		}
	}
	return nil
}

// anyReceive has room for every message.
var anyReceive = transport.RecvRequest{Length: transport.MaxMessageBytes}

// again reposts a receive that a message has used, when the program has the message.
func (r *patternRun) again(p *fabric.Partition, nic int32, end units.QPN, arrival units.Time) {
	if r.verbs.Receives > 0 {
		t := host.Timer{Kind: host.TimerRepost, Transfer: host.Transfer{NIC: nic, End: end}}
		r.hosts[nic].timers.Schedule(p, uint32(nic), arrival+r.verbs.Repost, t)
	}
}

// allLost is the error of a run in which no message has arrived, by the packets that were refused because others
// of their message were missing.
func (r *patternRun) allLost(messages int, outOfTurn int64) error {
	if outOfTurn == 0 {
		return fmt.Errorf("all %d messages were lost: %s has no acknowledgements", messages, r.verbs.Service)
	}
	return fmt.Errorf("all %d messages were lost, and %d of their packets came out of turn: %s takes a message only if its packets come in turn, and none is sent again; several paths of one message (routing.mode) bring them out of turn, and so do drops",
		messages, outOfTurn, r.verbs.Service)
}

// lost reports whether the missing messages will never arrive, as with services without
// acknowledgement: no event is pending, and the network is empty.
func (r *patternRun) lost() bool {
	return r.verbs.Service != transport.RC && r.net.NextTime() == units.Forever && r.net.Empty()
}
