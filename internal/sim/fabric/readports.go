package fabric

import "weft/units"

// maxReadPorts bounds the speed-up of a switch.
const maxReadPorts = 4

// reader is the state of two of an input buffer's read ports: the time at which each is free,
// Forever for a port that does not exist.
type reader [2]units.Time

// readable is the time at which the input buffer at the end of a link has a free read port.
func (n *Network) readable(link int32) units.Time {
	r := &n.inboxes[link].reader
	at := min(r[0], r[1])
	if n.readers != nil {
		at = min(at, n.readers[link][0], n.readers[link][1])
	}
	return at
}

// occupyReader takes a read port of the input buffer at the end of a link until a time.
func (n *Network) occupyReader(link int32, now, until units.Time) {
	if n.inboxes[link].reader.occupy(now, until) || n.readers == nil {
		return
	}
	n.readers[link].occupy(now, until)
}

// occupy takes one of two read ports; false if none is free.
func (r *reader) occupy(now, until units.Time) bool {
	switch {
	case r[0] <= now:
		r[0] = until
	case r[1] <= now:
		r[1] = until
	default:
		return false
	}
	return true
}

// setReadPorts sets up the read ports of a switch's input buffers.
func (n *Network) setReadPorts(nd *node) {
	ports := nd.infiniband.spec.ReadPorts
	if ports > len(reader{}) && n.readers == nil {
		n.readers = make([]reader, len(n.ports))
		for link := range n.readers {
			n.readers[link] = reader{units.Forever, units.Forever}
		}
	}
	for port := nd.base; port < nd.base+nd.ports; port++ {
		link := n.back[port]
		if link < 0 {
			continue
		}
		for j := range maxReadPorts {
			at := units.Time(0)
			if j >= ports {
				at = units.Forever
			}
			if j < len(reader{}) {
				n.inboxes[link].reader[j] = at
			} else if n.readers != nil {
				n.readers[link][j-len(reader{})] = at
			}
		}
	}
}
