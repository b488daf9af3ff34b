package portstate

import (
	"fmt"

	"weft/units"
)

// Set is everything that the files say.
type Set struct {
	Readings   []*Reading
	Devices    []Device
	Events     []Event
	Names      map[units.GUID]string // by NodeGUID: node-name-map
	Thresholds map[string]uint64     // of counters: error_thresholds
	Sessions   []Session
	Pauses     []Pauses
	Remarks    []Said[string] // what a file says beside the ports, for the reader of a report
	Notes      []string       // what was left out or assumed, with the place
	// Unlisted is the number of ports that tools checked and did not list, since they have no error
	// beyond a threshold.
	Unlisted int
	left     int // readings beyond the bound
}

// Device is what a file says of a switch or an adapter as a whole.
type Device struct {
	GUID   units.GUID
	Name   string
	Facts  []Said[string] // faults in words: "fan status is ERROR"
	Judged int            // the number of sensors and parts that the file shows
	At     Place
}

// Event is a change of a link's state from a log.
type Event struct {
	Port Port
	Time string // as in the log
	From string
	To   string
	At   Place
}

// Session is a neighbour of BGP.
type Session struct {
	Device, Neighbour, Name, AS string
	State                       string // "Established", or the state in the tool's word
	Since                       string // "never", or a time in the tool's form
	At                          Place
}

// Pauses is the pause frames of a host's port, of all priorities.
type Pauses struct {
	Port               Port
	Sent, Received     uint64
	SentAt, ReceivedAt Place
}

// NewSet is a Set without anything.
func NewSet() *Set {
	return &Set{Names: map[units.GUID]string{}, Thresholds: map[string]uint64{}}
}

// Add adds a reading.
func (s *Set) Add(r *Reading) {
	if len(s.Readings) >= maxReadings {
		s.left++
		return
	}
	s.Readings = append(s.Readings, r)
}

// Finish says what was left out because of a bound.
func (s *Set) Finish() {
	if s.left > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d readings of ports beyond the first %d are left out", s.left, maxReadings))
		s.left = 0
	}
}
