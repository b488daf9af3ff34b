package runstore

// Pauses is who paused whom by PFC in a run that recorded it, and for whose sake.
type Pauses struct {
	SlicePs int64        `json:"slice_ps"` // length of a slice of the timelines
	Links   []PausedLink `json:"links"`    // those of the longest time first
	More    int          `json:"more,omitempty"`
	Flows   []PausedFlow `json:"flows,omitempty"` // of a pattern with few messages
}

// PausedLink is a sender on a link that was paused in a priority.
type PausedLink struct {
	Name     string `json:"name"`
	Sender   string `json:"sender"`
	By       string `json:"by"` // who sent the frames
	Priority int    `json:"priority"`
	Pauses   int64  `json:"pauses"`
	PausedPs int64  `json:"paused_ps"`
	FirstPs  int64  `json:"first_ps"` // when the first began
	// Cause is the port of By that held the most of what came by the link when
	// pauses began, and Share how much of it; both are empty where By is a NIC.
	Cause string  `json:"cause,omitempty"`
	Share float64 `json:"cause_share,omitempty"`
	// After is the index of the pause of Cause itself; -1 where Cause was not
	// paused for most of that time: then it got more than it carries.
	After int `json:"after"`
	// Circle says that following the causes leads back here: the links of the
	// circle are each other's root.
	Circle bool `json:"circle,omitempty"`
	// Timeline is the share of each slice that was spent in pause, in percent.
	Timeline []int `json:"timeline"`
}

// Root reports whether no other pause is behind this one, or those of a circle.
func (l *PausedLink) Root() bool { return l.After < 0 || l.Circle }

// PausedFlow is a message whose way has links that were paused.
type PausedFlow struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	TimePs int64  `json:"time_ps"` // from its posting to its arrival
	Links  []int  `json:"links"`   // indices of the paused links on its way
	// Victim says that none of the roots of those pauses is on its way: it
	// waited for what it has nothing to do with.
	Victim bool `json:"victim,omitempty"`
}
