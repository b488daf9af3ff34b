package cablehealth

import (
	"io"
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/cabling/planfile"
	"weft/internal/base/portstate"
)

// readPlan reads a plan of cables, or the neighbours that a switch sees, as the other ends of ports. ok is
// false for other files.
func readPlan(set *portstate.Set, s Source) (kind string, ok bool) {
	fabric, err := planfile.Read(s.Name, func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(s.Text)), nil
	})
	if err != nil || len(fabric.Cables) == 0 {
		return "", false
	}
	set.Notes = append(set.Notes, fabric.Notes...)
	for i := range fabric.Cables {
		c := &fabric.Cables[i]
		for _, ends := range [][2]cabling.End{{c.A, c.B}, {c.B, c.A}} {
			set.Add(&portstate.Reading{
				Port: plannedPort(fabric, ends[0]), Peer: plannedPort(fabric, ends[1]), HasPeer: true, At: c.Place, Reader: topologyKind,
				Cabled: portstate.Said[bool]{Value: true, At: c.Place},
			})
		}
	}
	return fabric.Format, true
}

// plannedPort is the names of an end of a cable. InfiniBand's ports are numbers.
func plannedPort(f *cabling.Fabric, e cabling.End) portstate.Port {
	d := &f.Devices[e.Device]
	p := portstate.Port{Node: d.GUID, Device: f.NameOf(e.Device), Number: -1, Label: e.Label, Role: d.Role}
	if n, err := strconv.Atoi(e.Port); err == nil && n >= 0 && n < 255 {
		p.Number = n
	} else {
		p.Name = e.Port
	}
	return p
}
