package fabric

import (
	"weft/internal/sim/fabric/pauses"
	"weft/internal/sim/fabric/watchdog"
	"weft/units"
)

// RecordPauses makes the network record pauses and their causes. It is called before the run; a
// network without a record pays a comparison with nil at each pause.
func (n *Network) RecordPauses() {
	n.pauseLogs = make([]*pauses.Log, len(n.ingress))
	n.storms = make([]pauses.Storm, len(n.watched))
}

// recordStorm records when a watchdog found a queue in a storm, or restored it, for the first time.
func (s *pauseState) recordStorm(p *Partition, index int32, found watchdog.Finding) {
	if s.storms == nil {
		return
	}
	at := &s.storms[index].Found
	if found == watchdog.Restored {
		at = &s.storms[index].Restored
	}
	if *at == 0 {
		*at = p.now
	}
}

// pauseBegins records the start of a sender's pause, and its cause.
func (s *pauseState) pauseBegins(p *Partition, link int32, class uint8) {
	n := p.net
	if s.pauseLogs == nil {
		return
	}
	l := &s.pauseLogs[int(link)*n.classes+int(class)]
	if *l == nil {
		*l = pauses.NewLog(p.now)
	}
	if (*l).Begin(p.now) {
		p.examineCauses(*l, link, class)
	}
}

// pauseEnds records the end of a sender's pause.
func (s *pauseState) pauseEnds(p *Partition, link int32, class uint8) {
	if s.pauseLogs == nil {
		return
	}
	if l := s.pauseLogs[int(link)*p.net.classes+int(class)]; l != nil {
		l.End(p.now)
	}
}

// examineCauses counts the bytes from a link at each port of the switch at its end.
func (p *Partition) examineCauses(l *pauses.Log, link int32, class uint8) {
	n := p.net
	nd := &n.nodes[n.inboxes[link].node]
	if nd.kind != kindEthernet {
		return
	}
	count := func(port, i int32) {
		if k := &p.pool.hot[i]; k.in == link && k.class == class {
			l.AddCause(port, int64(k.size))
		}
	}
	for port := nd.base; port < nd.base+nd.ports; port++ {
		if single := n.ports[port].single; single >= 0 {
			count(port, single)
			continue
		}
		for i := n.egress[int(port)*n.classes+int(class)].packets.head; i >= 0; i = p.pool.hot[i].next {
			count(port, i)
		}
	}
}

// Pausings are the records of all links and classes that were paused, the longest time first. now
// is not earlier than any recorded pause.
func (n *Network) Pausings(now units.Time) []pauses.Pausing {
	all := pauses.All(n.pauseLogs, n.classes, now)
	for i := range all {
		all[i].By = n.inboxes[all[i].Link].node
		if len(n.storms) > 0 {
			all[i].Storm = n.storms[int(all[i].Link)*n.classes+int(all[i].Class)]
		}
	}
	return all
}
