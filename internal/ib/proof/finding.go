package proof

import (
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
)

// Kind is what a finding is about.
type Kind uint8

// The kinds of finding. Those up to Loop are why packets do not arrive; LostLane,
// LIDClash and NoLID refute the tables too.
const (
	none Kind = iota
	// MissingEntry: a switch has no port for a LID that somebody owns.
	MissingEntry
	// NoSuchPort: an entry names a port that the switch does not have.
	NoSuchPort
	// PortWithoutCable: an entry names a port to which nothing is cabled.
	PortWithoutCable
	// WrongEnd: an entry hands packets to a node that is not their destination.
	WrongEnd
	// Loop: packets for a LID come back to a switch where they were.
	Loop
	// ForeignLID: a switch forwards a LID that nobody owns.
	ForeignLID
	// LostLane: a SL2VL table drops packets of a path's service level.
	LostLane
	// LIDClash: a port claims a LID that is another's.
	LIDClash
	// NoLID: an end with a cable has no LID, so that no path leads to it.
	NoLID
	// Unsaid: the tables leave a LID out, so that nothing is said of paths to it.
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

// String says what the finding is about.
func (k Kind) String() string {
	if k == none || k >= kinds {
		return "nothing"
	}
	return kindNames[k]
}

// Place is where something is wrong: a port of a switch (its port 0 where the
// switch as a whole is meant), or of an adapter, and the destination that
// packets have there.
type Place struct {
	Port subnet.End
	LID  units.LID // 0: no destination in particular
}

// Finding is one kind of fault, how often it was seen, and the first places in
// the order of LIDs and nodes, at most maxExamples.
type Finding struct {
	Kind   Kind
	Count  int64
	Places []Place
}

// findings collect by kind.
type findings [kinds]Finding

func (f *findings) add(k Kind, at subnet.End, lid int) {
	x := &f[k]
	x.Kind = k
	x.Count++
	if len(x.Places) < maxExamples {
		x.Places = append(x.Places, Place{at, units.LID(lid)})
	}
}

// merge adds what another core found. Each core goes through LIDs upwards, so
// that the least of all are among the first of each.
func (f *findings) merge(g *findings) {
	for k := range f {
		x := &f[k]
		x.Kind = max(x.Kind, g[k].Kind)
		x.Count += g[k].Count
		x.Places = append(x.Places, g[k].Places...)
		slices.SortFunc(x.Places, func(a, b Place) int {
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

// list is what was found, in the order of kinds.
func (f *findings) list() []Finding {
	var out []Finding
	for k := range f {
		if f[k].Count > 0 {
			out = append(out, f[k])
		}
	}
	return out
}
