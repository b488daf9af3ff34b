package results

// Pauses is which ports paused which by PFC, and why, in a run that recorded it.
type Pauses struct {
	SlicePs int64        `json:"slice_ps"`        // length of a slice of the timelines
	Links   []PausedLink `json:"links"`           // the longest time first
	More    int          `json:"more,omitempty"`  // number of paused links that are not listed
	Flows   []PausedFlow `json:"flows,omitempty"` // of a pattern with few messages
}

// PausedLink is a sender on a link that was paused in a priority.
type PausedLink struct {
	Name     string `json:"name"`      // of the link
	Sender   string `json:"sender"`    // the node that was paused
	By       string `json:"by"`        // the node that sent the PFC frames
	Priority int    `json:"priority"`  // 802.1p
	Pauses   int64  `json:"pauses"`    // number of pauses
	PausedPs int64  `json:"paused_ps"` // time in pause
	FirstPs  int64  `json:"first_ps"`  // start of the first pause
	// Cause is the port of By that held the most bytes of the link when pauses began, and Share
	// their share, 0 to 1; both are empty if By is a NIC.
	Cause string `json:"cause,omitempty"`
	// CauseNIC is the NIC at the end of Cause; empty if it leads to a switch.
	CauseNIC string  `json:"cause_nic,omitempty"`
	Share    float64 `json:"cause_share,omitempty"`
	// After is the index of the link at which Cause itself was paused; -1 if Cause was not paused
	// for most of that time, so that its load is the reason.
	After int `json:"after"`
	// Circle says that the chain of causes leads back here: a circle of pauses.
	Circle bool `json:"circle,omitempty"`
	// Timeline is the share of each slice in pause, in percent.
	Timeline []int `json:"timeline"`
}

// Root reports whether no other pause is the cause of this one, or it is in a circle.
func (l *PausedLink) Root() bool { return l.After < 0 || l.Circle }

// PausedFlow is a message whose path has links that were paused.
type PausedFlow struct {
	Name   string `json:"name"`    // sender and receiver
	Bytes  int64  `json:"bytes"`   // its length
	TimePs int64  `json:"time_ps"` // from its posting to its arrival
	Links  []int  `json:"links"`   // indices of the paused links on its path
	// Victim says that no root of these pauses is on its path: other traffic delayed it.
	Victim bool `json:"victim,omitempty"`
}
