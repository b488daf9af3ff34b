package fabric

import (
	"fmt"
	"strconv"
	"strings"

	"weft/units"
)

// Waiting says, for a run that has come to a standstill, what waits for what:
// the ports with packets that may not go, and why.
func (n *Network) Waiting() string {
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

// maxWaiting bounds the ports that Waiting names.
const maxWaiting = 8

func (n *Network) whyWaiting(link int32) string {
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
		if l := &n.lanes[index]; l.need > 0 {
			return fmt.Sprintf("%s, lane %d wants %d credit blocks and has %d", what, class, l.need, l.available)
		}
	}
	return fmt.Sprintf("%s in %s", what, classList(o.nonEmpty))
}

// classList names a set of classes.
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
