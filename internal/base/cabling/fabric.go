package cabling

import (
	"fmt"
	"strings"

	"weft/units"
)

// Role is what a device is.
type Role uint8

// The roles.
const (
	Unknown Role = iota // the source does not say
	Switch
	Host       // a server, or one adapter of it
	Router     // a way out of the fabric
	Aggregator // the aggregation node of an InfiniBand switch (SHARP)
	Management // carries no traffic of the fabric: an out-of-band server
)

// String is the role's name.
func (r Role) String() string {
	return [...]string{"device", "switch", "host", "router", "aggregation node", "management"}[min(r, Management)]
}

// Device is a switch, a host, or an adapter of a host.
type Device struct {
	Name string     // as its source writes it; empty if it has none
	GUID units.GUID // 0 if there is none
	Role Role
	// Group is a larger thing that the device is a part of, by name: the host of an adapter, the
	// chassis of a chip. Empty for a device on its own.
	Group string
	Model string // part number or hardware SKU, as its source writes it
	// Firmware is the version of its firmware or operating system, as its source writes it.
	Firmware string
	// Ports is the number of external ports; 0 if it is not known.
	Ports int
	// Partial is whether the source need not list all cables of the device: other devices told of it, or the
	// source ends early.
	Partial bool
}

// End is a port of a device.
type End struct {
	Device int    // index into Fabric.Devices
	Port   string // "12" on InfiniBand, "Ethernet48" or "swp1s0" on Ethernet; empty if unknown
	// Label is the port's name on the housing if it differs: "L16/U2/20", "etp33a".
	Label string
}

// Cable is a cable between two ports.
type Cable struct {
	A, B   End
	Rate   units.Rate   // in use; 0 if it is not known
	Could  units.Rate   // that both ends support, if a tool said that Rate is less; else 0
	Link   string       // of InfiniBand: width and speed, "4xNDR"; else empty
	Length units.Length // 0 if it is not known
	Part   string       // part number of the cable, as its source writes it
	Serial string       // its serial number
	Place  Place        // where it is written
}

// Place is a line of a file. Line is 0 if the file has no lines.
type Place struct {
	File string
	Line int
}

// String is the place as file:line.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Fabric is devices and the cables between them, in the order of their source. No cable is listed twice.
type Fabric struct {
	Format  string // the format's name, in the words of its users: "containerlab topology"
	Devices []Device
	Cables  []Cable
	// Notes say what was left out or assumed, one sentence each, with the place.
	Notes []string
	// Contradictions say which lines contradict each other about a cable, one sentence each, with the places. Notes
	// have them, too.
	Contradictions []string
	// Disputed are the ports of such lines. Their cables are left out: whether they have one is not known.
	Disputed []End
}

// Note adds a sentence to the notes.
func (f *Fabric) Note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}

// NameOf is the name of a device in messages: its name, its GUID, or its number.
func (f *Fabric) NameOf(device int) string {
	switch d := &f.Devices[device]; {
	case d.Name != "":
		return d.Name
	case d.GUID != 0:
		return d.GUID.String()
	default:
		return fmt.Sprintf("device %d", device)
	}
}

// EndName is a port in messages: "leaf7 port 12", "leaf7 Ethernet48 (etp13)".
func (f *Fabric) EndName(e End) string {
	port, label := e.Port, e.Label
	if port == "" {
		port, label = label, ""
	}
	if port == "" {
		return f.NameOf(e.Device)
	}
	if strings.Trim(port, "0123456789/") == "" {
		port = "port " + port
	}
	if label != "" && label != e.Port {
		port += " (" + label + ")"
	}
	return f.NameOf(e.Device) + " " + port
}
