package subnet

import (
	"math"
	"strconv"
	"strings"

	"weft/units"
)

// Width is the number of lanes of a link: 1, 2, 4, 8 or 12; 0 if unknown (IBA vol. 1, 14.2.5.6,
// PortInfo.LinkWidthActive).
type Width uint8

// Speed is the signalling of each lane of a link.
type Speed uint8

// The speeds, in the order of generations.
const (
	SpeedUnknown Speed = iota
	SDR
	DDR
	QDR
	FDR10
	FDR
	EDR
	HDR
	NDR
	XDR
)

// State is what a tool said of a port that is not as it should be (IBA vol. 1, 14.2.5.6, PortState and
// PortPhysicalState).
type State uint8

// The states.
const (
	StateUsual State = iota // nothing said, Down without a cable, or Active
	Disabled                // the physical state: it was switched off
	Init                    // up, and not taken into service by a Subnet Manager
	Armed                   // between Init and Active
)

// String is the state's name.
func (s State) String() string {
	return [...]string{"usual", "Disabled", "Init", "Armed"}[min(s, Armed)]
}

// Link is the width and speed of a cable.
type Link struct {
	Width Width
	Speed Speed
	// Megabits is the data rate in Mb/s of a link that has no width and speed of InfiniBand, such as one of Ethernet; else 0.
	Megabits uint32
}

// speeds is the name and the data rate of a lane in Mb/s, without coding and FEC (IBTA roadmap; IBA
// vol. 2, 5.2: 8b/10b up to QDR, 64b/66b from FDR10; from EDR on, the marketed rate of a lane).
var speeds = [...]struct {
	name string
	mbps int64
}{
	SpeedUnknown: {"???", 0},
	SDR:          {"SDR", 2_000},
	DDR:          {"DDR", 4_000},
	QDR:          {"QDR", 8_000},
	FDR10:        {"FDR10", 10_000},
	FDR:          {"FDR", 13_636},
	EDR:          {"EDR", 25_000},
	HDR:          {"HDR", 50_000},
	NDR:          {"NDR", 100_000},
	XDR:          {"XDR", 200_000},
}

// String is the speed's name, "???" if it is not known.
func (s Speed) String() string {
	if int(s) < len(speeds) {
		return speeds[s].name
	}
	return speeds[SpeedUnknown].name
}

// ParseSpeed reads a speed's name, in any case.
func ParseSpeed(text string) (Speed, bool) {
	for s := SDR; int(s) < len(speeds); s++ {
		if strings.EqualFold(text, speeds[s].name) {
			return s, true
		}
	}
	return SpeedUnknown, false
}

// ParseWidth reads a width of InfiniBand: "1x" to "12x".
func ParseWidth(text string) (Width, bool) {
	switch strings.ToLower(text) {
	case "1x":
		return 1, true
	case "2x":
		return 2, true
	case "4x":
		return 4, true
	case "8x":
		return 8, true
	case "12x":
		return 12, true
	}
	return 0, false
}

// String is the number of lanes in the tools' form, "??" if it is unknown.
func (w Width) String() string {
	if w == 0 {
		return "??"
	}
	return strconv.Itoa(int(w)) + "x"
}

// String is width and speed in ibnetdiscover's form, 4xEDR, or the bare rate.
func (l Link) String() string {
	if l.Megabits > 0 {
		return l.Rate().String()
	}
	return l.Width.String() + l.Speed.String()
}

// Bare is a link of a data rate, without width and speed.
func Bare(rate units.Rate) Link { return Link{Megabits: uint32(min(rate/units.Mbps, math.MaxUint32))} }

// LinkAt is the link of a rate that is most like another: fewer lanes of the same speed, else a lower speed on as many
// lanes, else the bare rate.
func LinkAt(rate units.Rate, like Link) Link {
	if rate == 0 || rate == like.Rate() {
		return like
	}
	for _, w := range []Width{8, 4, 2, 1} {
		if l := (Link{Width: w, Speed: like.Speed}); l.Rate() == rate && w < like.Width {
			return l
		}
	}
	for s := SDR; s < like.Speed; s++ {
		if l := (Link{Width: like.Width, Speed: s}); l.Rate() == rate {
			return l
		}
	}
	return Bare(rate)
}

// Rate is the data rate of the link, 0 if width or speed is unknown.
func (l Link) Rate() units.Rate {
	if l.Megabits > 0 {
		return units.Rate(l.Megabits) * units.Mbps
	}
	if int(l.Speed) >= len(speeds) {
		return 0
	}
	return units.Rate(int64(l.Width) * speeds[l.Speed].mbps * 1_000_000)
}
