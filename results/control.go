package results

import (
	"bytes"
	"encoding/json"

	"weft/units"
)

// Control is the work of a fabric's control plane: bringing the fabric up, and recovering from
// faults. Times are picoseconds.
type Control struct {
	// Plane is the control plane: the Subnet Manager, or BGP.
	Plane      string     `json:"plane"`
	BringUp    *BringUp   `json:"bring_up,omitempty"`   // nil with BGP
	Recoveries []Recovery `json:"recoveries,omitempty"` // of each fault and each repair, by time
}

// BringUp is a Subnet Manager's bring-up of its subnet, from power-on, phase by phase. The times of
// the phases add up to Time.
type BringUp struct {
	Time      units.Time
	Discovery units.Time // until all nodes and links were known
	Compute   units.Time // until the tables were computed
	Tables    units.Time // until LIDs and keys, and then all tables, were written
	Activate  units.Time // until all ports were active
	Datagrams int        // sent by the manager
	Blocks    int        // table blocks that were written
}

// Recovery is the reaction of a control plane to a fault or to a repair. All times except At count
// from At; the time of a step that did not happen is [Never].
type Recovery struct {
	What     string     // the link, switch or manager
	Repaired bool       // a repair, not a fault
	At       units.Time // of the run
	How      string     // detected by: trap, sweep, loss-of-signal, bfd, …
	Detected units.Time // until the manager, or the first switch, detected it
	Swept    units.Time // until the manager knew the current fabric
	Computed units.Time // until the manager had computed tables
	First    units.Time // until the first switch had new entries
	// Open is the time to recovery: until every path from a leaf to a host that can be open is
	// open. For a repair it is 0.
	Open     units.Time
	Last     units.Time // until the last switch had new entries
	Switches int        // with new entries
	Entries  int        // new entries of all switches
	Cut      int        // paths from a leaf to a host that stay closed
	// LaneTables is the number of changed SL2VL tables (each for a pair of ports), and LastLanes
	// the time until the last change; 0 if none changed.
	LaneTables int
	LastLanes  units.Time
	// Circle is the ports of a credit loop with the new tables, possible because connections keep
	// their service levels; "" if there is none.
	Circle string
}

// Never is the time of an event that did not happen.
const Never units.Time = -1

// FaultPoint is the effect of faults on the traffic of a size.
type FaultPoint struct {
	// Clean is the time without faults; 0 if that run failed.
	Clean units.Time
	// LastLoss is the time at which a fault lost its last packet; 0 if it lost none.
	LastLoss units.Time
	// Arrived is the bytes that arrived at NICs in each part of the run, headers and repeated
	// packets included, and Slice the length of a part.
	Arrived []int64
	Slice   units.Time
}

type bringUpJSON struct {
	Time      int64 `json:"time_ps"`
	Discovery int64 `json:"discovery_ps"`
	Compute   int64 `json:"compute_ps"`
	Tables    int64 `json:"tables_ps"`
	Activate  int64 `json:"activate_ps"`
	Datagrams int   `json:"datagrams"`
	Blocks    int   `json:"table_blocks"`
}

type recoveryJSON struct {
	What     string `json:"what"`
	Repaired bool   `json:"repaired,omitempty"`
	At       int64  `json:"at_ps"`
	How      string `json:"how"`
	Detected int64  `json:"detected_ps"`
	Swept    int64  `json:"swept_ps"`
	Computed int64  `json:"computed_ps"`
	First    int64  `json:"first_table_ps"`
	Open     int64  `json:"recovered_ps"`
	Last     int64  `json:"last_table_ps"`
	Switches int    `json:"switches"`
	Entries  int    `json:"entries"`
	Cut      int    `json:"ways_cut,omitempty"`
	Lanes    int    `json:"sl2vl_tables,omitempty"`
	LastLane int64  `json:"last_sl2vl_table_ps,omitempty"`
	Circle   string `json:"can_stand_still,omitempty"`
}

type faultPointJSON struct {
	Clean    int64 `json:"time_without_faults_ps"`
	LastLoss int64 `json:"last_loss_ps"`

	Slice   int64   `json:"slice_ps,omitempty"`
	Arrived []int64 `json:"arrived_bytes,omitempty"`
}

// MarshalJSON writes times as integer picoseconds.
func (x BringUp) MarshalJSON() ([]byte, error) {
	return json.Marshal(bringUpJSON{
		Time:      int64(x.Time),
		Discovery: int64(x.Discovery),
		Compute:   int64(x.Compute),
		Tables:    int64(x.Tables),
		Activate:  int64(x.Activate),
		Datagrams: x.Datagrams,
		Blocks:    x.Blocks,
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (x *BringUp) UnmarshalJSON(text []byte) error {
	var y bringUpJSON
	if err := strictly(text, &y); err != nil {
		return err
	}
	*x = BringUp{
		Time:      units.Time(y.Time),
		Discovery: units.Time(y.Discovery),
		Compute:   units.Time(y.Compute),
		Tables:    units.Time(y.Tables),
		Activate:  units.Time(y.Activate),
		Datagrams: y.Datagrams,
		Blocks:    y.Blocks,
	}
	return nil
}

// MarshalJSON writes times as integer picoseconds.
func (x Recovery) MarshalJSON() ([]byte, error) {
	return json.Marshal(recoveryJSON{
		At:       int64(x.At),
		Detected: int64(x.Detected),
		Swept:    int64(x.Swept),
		Computed: int64(x.Computed),
		First:    int64(x.First),
		Open:     int64(x.Open),
		Last:     int64(x.Last),
		What:     x.What,
		Repaired: x.Repaired,
		How:      x.How,
		Switches: x.Switches,
		Entries:  x.Entries,
		Cut:      x.Cut,
		Lanes:    x.LaneTables,
		LastLane: int64(x.LastLanes),
		Circle:   x.Circle,
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (x *Recovery) UnmarshalJSON(text []byte) error {
	var y recoveryJSON
	if err := strictly(text, &y); err != nil {
		return err
	}
	*x = Recovery{
		At:       units.Time(y.At),
		Detected: units.Time(y.Detected),
		Swept:    units.Time(y.Swept),
		Computed: units.Time(y.Computed),
		First:    units.Time(y.First),
		Open:     units.Time(y.Open),
		Last:     units.Time(y.Last),
		What:     y.What,
		Repaired: y.Repaired,
		How:      y.How,
		Switches: y.Switches,
		Entries:  y.Entries,
		Cut:      y.Cut,
		Circle:   y.Circle,

		LaneTables: y.Lanes,
		LastLanes:  units.Time(y.LastLane),
	}
	return nil
}

// MarshalJSON writes times as integer picoseconds.
func (x FaultPoint) MarshalJSON() ([]byte, error) {
	return json.Marshal(faultPointJSON{
		Clean:    int64(x.Clean),
		LastLoss: int64(x.LastLoss),
		Slice:    int64(x.Slice),
		Arrived:  x.Arrived,
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (x *FaultPoint) UnmarshalJSON(text []byte) error {
	var y faultPointJSON
	if err := strictly(text, &y); err != nil {
		return err
	}
	*x = FaultPoint{
		Clean:    units.Time(y.Clean),
		LastLoss: units.Time(y.LastLoss),
		Slice:    units.Time(y.Slice),
		Arrived:  y.Arrived,
	}
	return nil
}

// strictly reads JSON and refuses unknown fields.
func strictly(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}
