package fault

import (
	"cmp"
	"slices"

	"weft/units"
)

// Row is the changes of a row of the tables, and of its switch's SL2VL table, in order of time.
type Row struct {
	entries []Entry
	entry   int // the next
	lanes   []LaneChange
	lane    int // the next
}

// Entry is a new entry of a row: the port of static routing, and the number of the set of ports.
type Entry struct {
	At        units.Time
	Dst       int32
	Port, Set uint16
}

// AddEntry adds a change of an entry, AddLanes one of the SL2VL table, in any order.
func (r *Row) AddEntry(e Entry) { r.entries = append(r.entries, e) }

// AddLanes adds a change of the SL2VL table.
func (r *Row) AddLanes(c LaneChange) { r.lanes = append(r.lanes, c) }

// Sort orders the changes by time. Changes at the same time keep their order.
func (r *Row) Sort() {
	slices.SortStableFunc(r.entries, func(a, b Entry) int { return cmp.Compare(a.At, b.At) })
	slices.SortStableFunc(r.lanes, func(a, b LaneChange) int { return cmp.Compare(a.At, b.At) })
}

// Next is the time of the next change; Forever after the last.
func (r *Row) Next() units.Time {
	at := units.Forever
	if r.entry < len(r.entries) {
		at = r.entries[r.entry].At
	}
	if r.lane < len(r.lanes) {
		at = min(at, r.lanes[r.lane].At)
	}
	return at
}

// PassEntries are the changes of entries that are due now, and processed from now on.
func (r *Row) PassEntries(now units.Time) []Entry {
	first := r.entry
	for r.entry < len(r.entries) && r.entries[r.entry].At <= now {
		r.entry++
	}
	return r.entries[first:r.entry]
}

// PassLanes are the changes of the SL2VL table that are due now, and processed from now on.
func (r *Row) PassLanes(now units.Time) []LaneChange {
	first := r.lane
	for r.lane < len(r.lanes) && r.lanes[r.lane].At <= now {
		r.lane++
	}
	return r.lanes[first:r.lane]
}
