package cablediff

import "weft/internal/base/cabling"

// Kind is what is wrong.
type Kind string

// The kinds, in the order of the report.
const (
	NoDevice  Kind = "device-missing" // a planned device with several cables is not there
	Missing   Kind = "missing"        // a planned cable
	Swapped   Kind = "swapped"        // two cables, or more, have each other's plugs
	WrongUnit Kind = "wrong-unit"     // a host's cable, or all of a host's, on switches of another unit
	WrongRail Kind = "wrong-rail"     // a host's cable on the switch of another of its NICs
	Moved     Kind = "moved"          // a plug in another port than planned
	OtherName Kind = "other-device"   // at a device's place is one of another name
	NewDevice Kind = "device-extra"   // a device with several cables that is not planned
	Extra     Kind = "extra"          // a cable that is not planned
	Slower    Kind = "slower"         // less bits a second than planned
	Narrower  Kind = "narrower"       // fewer lanes than planned
	OtherPart Kind = "other-part"     // another cable, or another model of a device
	Firmware  Kind = "firmware"       // another version than planned
)

// Kinds are the kinds in the order of the report, with their names in tables.
var Kinds = []struct {
	Kind Kind
	Name string
}{
	{NoDevice, "missing device"},
	{Missing, "missing cable"},
	{Swapped, "swapped cables"},
	{WrongUnit, "wrong unit"},
	{WrongRail, "wrong rail"},
	{Moved, "moved plug"},
	{OtherName, "other device"},
	{NewDevice, "extra device"},
	{Extra, "extra cable"},
	{Slower, "slower link"},
	{Narrower, "narrower link"},
	{OtherPart, "other part"},
	{Firmware, "other firmware"},
}

// Finding is a difference, and what mends it.
type Finding struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	// Ends are the ports concerned, by their names.
	Ends []string `json:"ends,omitempty"`
	// Hosts says that cables of hosts are by this fault in another unit or on another rail: "unit", "rail" or empty.
	Hosts    string   `json:"hosts,omitempty"`
	Evidence []string `json:"evidence"` // places in the files, with what stands there
	Action   string   `json:"action"`
}

// Side is one of the two fabrics.
type Side struct {
	Name    string   `json:"file"`
	Format  string   `json:"format"`
	Devices int      `json:"devices"`
	Cables  int      `json:"cables"`
	Notes   []string `json:"notes,omitempty"` // of its reader
}

// Report is the comparison.
type Report struct {
	Plan Side `json:"plan"`
	Real Side `json:"real"`
	// Judged is the planned cables that were compared, AsPlanned those that are where they should be.
	Judged    int `json:"judged"`
	AsPlanned int `json:"as_planned"`
	// Listed says that another tool has compared, and that the files have nothing but its differences.
	Listed bool `json:"differences_alone,omitempty"`
	// Covers says what the plan covers, if it is not everything.
	Covers    []string `json:"covers,omitempty"`
	NotJudged []string `json:"not_judged,omitempty"`
	// Assumed says what was matched on less than a name or a GUID.
	Assumed  []string     `json:"assumed,omitempty"`
	Counts   map[Kind]int `json:"counts"`
	Findings []Finding    `json:"findings"`
}

// Blank is whether nothing was judged.
func (r *Report) Blank() bool { return r.Judged == 0 && len(r.Findings) == 0 && !r.Listed }

func sideOf(name string, f *cabling.Fabric) Side {
	return Side{name, f.Format, len(f.Devices), len(f.Cables), f.Notes}
}
