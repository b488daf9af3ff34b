package counters

import (
	"regexp"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
)

// show lldp table gives the other ends of a switch's cables (tests/lldp_test.py). RemotePortID can be a MAC
// address; the name is then in RemotePortDescr. A port with two neighbours is no cable between two
// devices, and eth0 is the management's.

var macAddress = regexp.MustCompile(`^(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$`)

func readLLDP(in *portstate.Input) {
	type neighbour struct {
		peer portstate.Port
		at   portstate.Place
		more bool
	}
	seen := map[string]*neighbour{}
	var order []string
	rows(in, func(r row) {
		local := r.get("LocalPort")
		if !strings.HasPrefix(local, "Ethernet") {
			return
		}
		if n := seen[local]; n != nil {
			n.more = true
			return
		}
		name := r.get("RemotePortID")
		if macAddress.MatchString(name) {
			name = r.get("RemotePortDescr")
		}
		order = append(order, local)
		seen[local] = &neighbour{peer: portstate.Named(r.get("RemoteDevice"), name, cabling.Unknown), at: in.At()}
	})
	end := in.At().Line
	for _, local := range order {
		n := seen[local]
		in.AtLine(n.at.Line)
		if n.more {
			in.Note("%s has several neighbours: it is no cable between two devices and is left out", short(local))
			continue
		}
		if n.peer.Device == "" || n.peer.Name == "" {
			continue
		}
		reading := in.Reading(portstate.Named(in.Device, local, cabling.Switch))
		reading.Peer, reading.HasPeer, reading.Cabled = n.peer, true, portstate.Say(in, true)
	}
	in.AtLine(end)
}
