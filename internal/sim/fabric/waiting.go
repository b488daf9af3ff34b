package fabric

import (
	"fmt"
	"strconv"
	"strings"

	"weft/units"
)

// Waiting describes the waiting ports of a run that has ended early: a circle of ports that wait
// for one another, else the ports with packets that may not go, each with its reason; and the
// senders that wait for a retransmission timeout.
func (n *Network) Waiting() string { return standstill{n}.explain() }

// standstill is a network that has come to a standstill, and is asked why.
type standstill struct{ *Network }

// explain is the text of Waiting.
func (n standstill) explain() string {
	text := n.standing()
	if circle := n.circle(); circle != nil {
		text = n.deadlock(circle)
	}
	if silence := n.silence(); silence != "" {
		text += "; " + silence
	}
	if sums := n.incomplete(); sums > 0 {
		text += fmt.Sprintf("; packets of reductions that wait in switches for the contributions of others: %d", sums)
	}
	return text
}

// incomplete is the number of packets of reductions without all contributions.
func (n standstill) incomplete() (sums int) {
	for _, p := range n.parts {
		sums += p.sums.Open()
	}
	return sums
}

// deadlock describes a circle: each port with its reason for waiting, in the order of waiting.
func (n standstill) deadlock(circle []waiter) string {
	lines := []string{fmt.Sprintf("deadlock: %d ports wait for one another in a circle, each for the next and the last for the first:", len(circle))}
	for _, w := range circle[:min(len(circle), maxCircle)] {
		lines = append(lines, fmt.Sprintf("%s: %s", n.LinkName(w.link), n.whyWaiting(w.link)))
	}
	if more := len(circle) - maxCircle; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n  ")
}

// standing describes some of the ports with packets.
func (n standstill) standing() string {
	var lines []string
	count := 0
	for link := range int32(len(n.ports)) {
		o := &n.ports[link]
		if o.nonEmpty == 0 {
			continue
		}
		count++
		if len(lines) < maxWaiting {
			lines = append(lines, fmt.Sprintf("%s: %s", n.LinkName(link), n.whyWaiting(link)))
		}
	}
	if count == 0 {
		return "no packet waits in the network"
	}
	if count > len(lines) {
		lines = append(lines, fmt.Sprintf("and %d more ports", count-len(lines)))
	}
	return "packets wait at " + strings.Join(lines, "; ")
}

// maxWaiting bounds the number of ports, and of senders, in Waiting: enough to show a common
// property. maxCircle bounds the ports of a circle, where each one counts.
const (
	maxWaiting = 8
	maxCircle  = 32
)

func (n standstill) whyWaiting(link int32) string {
	o := &n.ports[link]
	what := "packets of queue pairs"
	if o.queued > 0 {
		what = units.Bytes(o.queued).String()
	}
	if held := o.blocked & o.nonEmpty; held != 0 {
		if n.nodes[o.node].kind == kindInfiniBand {
			return fmt.Sprintf("%s, stalled in %s", what, classList(held))
		}
		return fmt.Sprintf("%s, paused by PFC in %s", what, classList(held))
	}
	for class := range n.classes {
		index := int(link)*n.classes + class
		if index >= len(n.lanes) {
			break // not a credit-based fabric
		}
		if l := &n.lanes[index]; l.Need > 0 {
			has := n.creditsBy(link, int32(index), n.Partition(o.node).now)
			return fmt.Sprintf("%s, lane %d needs %d credit blocks and has %d", what, class, l.Need, has)
		}
	}
	return fmt.Sprintf("%s in %s", what, classList(o.nonEmpty))
}

// classList is the list of a set of classes.
func classList(set uint16) string {
	var names []string
	for class := range MaxClasses {
		if set>>class&1 != 0 {
			names = append(names, strconv.Itoa(class))
		}
	}
	if len(names) == 1 {
		return "class " + names[0]
	}
	return "classes " + strings.Join(names, ", ")
}
