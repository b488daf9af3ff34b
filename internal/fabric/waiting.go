package fabric

import (
	"fmt"
	"strings"
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
	if o.blocked&o.nonEmpty != 0 {
		return fmt.Sprintf("%d bytes, paused by PFC in classes %#x", o.queued, o.blocked)
	}
	for class := range n.classes {
		index := int(link)*n.classes + class
		if index >= len(n.lanes) {
			break // not a credit-based fabric
		}
		if l := &n.lanes[index]; l.need > 0 {
			return fmt.Sprintf("%d bytes, lane %d wants %d credit blocks and has %d", o.queued, class, l.need, l.available)
		}
	}
	return fmt.Sprintf("%d bytes in classes %#x", o.queued, o.nonEmpty)
}
