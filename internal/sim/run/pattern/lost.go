package pattern

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/internal/sim/fabric"
	"weft/internal/sim/protocol"
	"weft/internal/sim/transport"
	"weft/units"
)

// brokenPair is a queue pair, or a socket, that abandoned a message.
type brokenPair struct {
	nic    int32
	end    units.QPN
	flow   int32 // the abandoned message
	at     units.Time
	status transport.Status
}

// namedBroken bounds the number of messages in an error: enough to show a common property.
const namedBroken = 8

// gaveUp records a work request that ended with an error. The flushed requests of a queue pair in
// error follow from the first.
func (r *patternRun) gaveUp(p *fabric.Partition, nic int32, c *transport.Completion) {
	switch {
	case c.Status == transport.WRFlushErr && !r.unreliable():
	case c.Recv || r.unreliable():
		r.fail(p, fmt.Errorf("queue pair %d of %s failed at %v: %v", c.QPN, r.net.NodeName(nic), p.Now(), c.Status))
	default:
		part := &r.parts[p.ID()]
		part.broken = append(part.broken, brokenPair{nic, c.QPN, int32(c.ID), p.Now(), c.Status})
	}
}

// unreliable reports whether messages may be lost without notice to their sender.
func (r *patternRun) unreliable() bool { return r.verbs.Service != transport.RC }

// abandoned is the reason why a run of reliable messages failed: the error statuses of connections,
// the messages that did not arrive, and the messages that arrived although their sender got an
// error. It is nil if no connection failed.
func (r *patternRun) abandoned(all *patternPart) error {
	if len(all.broken) == 0 {
		return nil
	}
	connection := "queue pair"
	if protocol.Of(r.net.Plan.Fabric.Kind).OnTCP() {
		connection = "socket"
	}
	var statuses []string
	by, ends := make(map[int32]*brokenPair), make(map[[2]uint32]bool) // messages, ends of connections
	for i := range all.broken {
		b := &all.broken[i]
		if text := r.statusText(b.status); !slices.Contains(statuses, text) {
			statuses = append(statuses, text)
		}
		by[b.flow] = cmp.Or(by[b.flow], b)
		ends[[2]uint32{uint32(b.nic), uint32(b.end)}] = true
	}
	var lost, untold []string
	for i := range r.flows {
		f, b := &r.flows[i], by[int32(i)]
		text := r.net.NodeName(f.from) + " to " + r.net.NodeName(f.to)
		if b != nil {
			text += fmt.Sprintf(" (%s %d of %s gave up at %v)", connection, b.end, r.net.NodeName(b.nic), b.at)
		}
		switch {
		case r.left[i] > 0 && !r.isBarred(int32(i)):
			if poster := uint32(endsOf(&r.verbs, f).from); b == nil && slices.ContainsFunc(f.ends, func(q qpPair) bool { return ends[[2]uint32{poster, uint32(q.end)}] }) {
				text += " (posted behind it: WR_FLUSH_ERR)"
			} else if b == nil {
				text += " (still at its NIC)"
			}
			lost = append(lost, text)
		case b != nil:
			untold = append(untold, text)
		}
	}
	text := fmt.Sprintf("%s: %d of %d reliable messages did not arrive", strings.Join(statuses, ", "), len(lost), len(r.flows))
	if len(lost) > 0 {
		text += ": " + some(lost)
	}
	if len(untold) > 0 {
		text += fmt.Sprintf(". %d arrived, but the acknowledgement did not, and the sender has an error: %s", len(untold), some(untold))
	}
	return errors.New(text)
}

// statusText is a status as the program that posted the message sees it.
func (r *patternRun) statusText(s transport.Status) string {
	if s == transport.RetryExcErr && protocol.Of(r.net.Plan.Fabric.Kind).OnTCP() {
		return "ETIMEDOUT" // tcp(7)
	}
	return s.String()
}

// some are the first entries of a list, with the number of further ones.
func some(all []string) string {
	if more := len(all) - namedBroken; more > 0 {
		all = append(slices.Clone(all[:namedBroken]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; ")
}

// inOrder are the failed queue pairs, in the order of failure, for any number of simulation
// partitions.
func inOrder(all []brokenPair) []brokenPair {
	slices.SortFunc(all, func(a, b brokenPair) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.nic, b.nic), cmp.Compare(a.end, b.end))
	})
	return all
}
