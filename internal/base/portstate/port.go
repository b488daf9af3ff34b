package portstate

import (
	"fmt"
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/units"
)

// Place is a line of a file.
type Place = cabling.Place

// Port is every name and number that a file gives to a port. Missing ones are zero.
type Port struct {
	Node   units.GUID   // of the node: NodeGUID
	GUID   units.GUID   // of the port; of a switch, of its port 0
	LID    uint32       // of the port; of a switch, of its port 0
	Device string       // name of the node or switch
	Chip   string       // of a SONiC switch with several: its namespace, such as asic0; it only tells ports of one name apart
	Number int          // of InfiniBand, from 0; -1 if there is none
	Name   string       // of Ethernet: Ethernet0, ens6, mlx5_0/1
	Label  string       // on the housing: 1/26/2
	Role   cabling.Role // Switch or Host, as far as the file says it
}

// Numbered is a Port of InfiniBand with its number.
func Numbered(number int) Port { return Port{Number: number} }

// Named is a Port of Ethernet.
func Named(device, name string, role cabling.Role) Port {
	return Port{Device: device, Name: name, Number: -1, Role: role}
}

// String is the port in messages: "leaf7 port 12", "leaf7 Ethernet48", "LID 7 port 1".
func (p Port) String() string {
	port := p.Name
	switch {
	case port != "":
	case p.Number >= 0 && p.Label != "" && p.Label != strconv.Itoa(p.Number):
		port = fmt.Sprintf("port %d (%s)", p.Number, p.Label)
	case p.Number >= 0:
		port = fmt.Sprintf("port %d", p.Number)
	case p.Label != "":
		port = "port " + p.Label
	}
	device := p.Device
	switch {
	case device != "":
	case p.Node != 0:
		device = p.Node.String()
	case p.GUID != 0:
		device = p.GUID.String()
	case p.LID != 0:
		device = fmt.Sprintf("LID %d", p.LID)
	}
	device = strings.TrimSpace(device + " " + p.Chip)
	if device == "" || port == "" {
		return device + port
	}
	return device + " " + port
}

// Said is a value with its place. A Said without a place is an unknown value.
type Said[T any] struct {
	Value T
	At    Place
}

// Known reports whether a file gave the value.
func (s Said[T]) Known() bool { return s.At.File != "" }

// State is whether a link is up.
type State uint8

// The states.
const (
	StateUnknown State = iota
	Up
	Down     // without signal from the other end, or not yet trained
	Disabled // switched off by an operator
)

// String is the state's name.
func (s State) String() string {
	return [...]string{"unknown", "up", "down", "disabled"}[min(s, Disabled)]
}

// Link is the width and the speed of a link. A zero field is unknown.
type Link struct {
	Lanes int
	Lane  units.Rate // data rate of one lane, without coding and FEC
	Speed string     // name of the speed: "NDR"; empty on Ethernet
}

// Rate is the data rate of all lanes, 0 if it is unknown.
func (l Link) Rate() units.Rate { return units.Rate(l.Lanes) * l.Lane }

// String is the link in the tools' form: 4xNDR.
func (l Link) String() string {
	switch {
	case l.Speed != "":
		return fmt.Sprintf("%dx%s", l.Lanes, l.Speed)
	case l.Rate() > 0:
		return l.Rate().String()
	}
	return fmt.Sprintf("%dx", l.Lanes)
}

// Cable is what a port's transceiver or cable says of itself.
type Cable struct {
	Vendor, Part, Serial, Length string
}

// String is part and serial number, as far as they are known.
func (c Cable) String() string {
	text := c.Part
	if c.Serial != "" {
		text += " serial " + c.Serial
	}
	if c.Vendor != "" && text != "" {
		text = c.Vendor + " " + text
	}
	return text
}

// Limits is a measured value and the limits that the module itself states.
type Limits struct {
	Name                string // "temperature", "RX2 power", "supply voltage"
	Unit                string // "°C", "dBm", "V", "mA"
	Value               float64
	Low, High           float64 // warnings
	LowAlarm, HighAlarm float64
	HasLow, HasHigh     bool // the module states warnings
	HasLowAlarm         bool
	HasHighAlarm        bool
	At                  Place
}

// Reading is what one place of one file says of a port.
type Reading struct {
	Port     Port
	Peer     Port // at the other end of the cable
	HasPeer  bool
	Cabled   Said[bool] // a cable or module is in the port, or none is
	At       Place
	Reader   string // name of the file's kind
	Time     int64  // µs since 1970; 0 if the file does not say
	Counters []Counter
	State    Said[State]
	Physical string // state of the signal in the tool's word: "Polling"
	Link     Said[Link]
	Could    Said[Link] // the best that both ends support, if a tool says so
	Supports Said[Link] // the best that this port supports
	Chip     Said[Link] // the best that the chip of this port is able to; the port can be sold as slower
	Raw      Said[float64]
	// Effective and Symbol are the error rates behind FEC: of bits, and of symbols.
	Effective Said[float64]
	Symbol    Said[float64]
	// FrameLoss is the share of frames that were lost, as a switch counted it.
	FrameLoss Said[float64]
	Cable     Said[Cable]
	Measured  []Limits
	Verdicts  []Verdict // what the tool itself says against the port
}

// Verdict is what a tool says against a port.
type Verdict struct {
	Said[string]
	Isolated bool // the manager does not use the port
	Vague    bool // the tool does not say what is wrong
}

// Counter is the count of a port.
type Counter struct {
	Name  string // of the specification: SymbolErrorCounter, or of the tool: RX_ERR
	Value uint64
	// AtLeast says that the counter stands at the highest value of its width.
	AtLeast bool
	At      Place
}

// String is the counter in messages.
func (c Counter) String() string {
	if c.AtLeast {
		return fmt.Sprintf("%s at least %d (saturated)", c.Name, c.Value)
	}
	return fmt.Sprintf("%s %d", c.Name, c.Value)
}

// Count adds a counter.
func (r *Reading) Count(name string, value uint64, atLeast bool, at Place) {
	r.Counters = append(r.Counters, Counter{name, value, atLeast, at})
}
