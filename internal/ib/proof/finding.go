package proof

import (
	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
	"weft/units"
)

// Kind is the kind of a finding.
type Kind uint8

// The kinds of finding. With kinds up to Loop, packets do not arrive. LostLane, LIDClash and NoLID
// refute the tables too.
const (
	none Kind = iota
	// MissingEntry: a switch has no port for a LID that has an owner.
	MissingEntry
	// NoSuchPort: an entry names a port that the switch does not have.
	NoSuchPort
	// PortWithoutCable: an entry names a port to which nothing is cabled.
	PortWithoutCable
	// WrongEnd: an entry hands packets to a node that is not their destination.
	WrongEnd
	// Loop: packets for a LID come back to a switch where they were.
	Loop
	// ForeignLID: a switch forwards a LID without an owner.
	ForeignLID
	// LostLane: a SL2VL table drops packets of a path's service level.
	LostLane
	// LIDClash: a port has a LID of another port.
	LIDClash
	// NoLID: an end with a cable has no LID, so no path leads to it.
	NoLID
	// Unsaid: the tables leave a LID out, so paths to it are not judged.
	Unsaid
	kinds
)

var kindNames = [kinds]string{
	MissingEntry:     "switch has no entry for a LID",
	NoSuchPort:       "entry names a port that the switch does not have",
	PortWithoutCable: "entry names a port without a cable",
	WrongEnd:         "entry leads to a node that is not the destination",
	Loop:             "packets come back to a switch",
	ForeignLID:       "entry for a LID that nobody has",
	LostLane:         "SL2VL table drops a path's service level",
	LIDClash:         "LID that two ports claim",
	NoLID:            "port without a LID",
	Unsaid:           "LID that the dump leaves out",
}

// String is the kind in words.
func (k Kind) String() string {
	if k == none || k >= kinds {
		return "nothing"
	}
	return kindNames[k]
}

// MarshalText is String.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Place is the place of a fault: a port of a switch (port 0 stands for the whole switch)
// or of an adapter, and the destination of the packets.
type Place struct {
	Port subnet.End `json:"-"`
	LID  units.LID  `json:"lid,omitempty"` // 0: no destination in particular
}

// Finding is one kind of fault with its count and its first places in the order of LIDs and nodes,
// at most maxExamples.
type Finding struct {
	Kind   Kind    `json:"what"`
	Count  int64   `json:"count"`
	Places []Place `json:"-"`
}

// findings is the findings by kind.
type findings [kinds]Finding

func (f *findings) add(k Kind, at subnet.End, lid int) {
	x := &f[k]
	x.Kind = k
	x.Count++
	if len(x.Places) < maxExamples {
		x.Places = append(x.Places, Place{at, units.LID(lid)})
	}
}

// merge adds the findings of another worker. Each worker checks LIDs in rising order, so the lowest
// LIDs are among its first places.
func (f *findings) merge(g *findings) {
	for k := range f {
		x := &f[k]
		x.Kind = max(x.Kind, g[k].Kind)
		x.Count += g[k].Count
		x.Places = append(x.Places, g[k].Places...)
		sorting.Func(x.Places, func(a, b Place) int {
			if a.LID != b.LID {
				return int(a.LID) - int(b.LID)
			}
			if a.Port.Node != b.Port.Node {
				return int(a.Port.Node) - int(b.Port.Node)
			}
			return int(a.Port.Port) - int(b.Port.Port)
		})
		x.Places = x.Places[:min(len(x.Places), maxExamples)]
	}
}

// list is the findings in the order of kinds.
func (f *findings) list() []Finding {
	var out []Finding
	for k := range f {
		if f[k].Count > 0 {
			out = append(out, f[k])
		}
	}
	return out
}
