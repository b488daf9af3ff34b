package cablehealth

// Report is the judgement of a fabric's cables and ports.
type Report struct {
	Files    []File    `json:"files"`
	Findings []Finding `json:"findings"` // ranked: the most costly first
	Judged   int       `json:"ports_judged"`
	JudgedBy []string  `json:"judged_by"`
	Parts    int       `json:"parts_judged,omitempty"`    // fans, power supplies, sensors
	Sessions int       `json:"sessions_judged,omitempty"` // neighbours of BGP
	// NotJudged counts ports by the reason why they were not judged.
	NotJudged []Reason `json:"not_judged,omitempty"`
	// Down are ports that are down, and of which no file says whether a cable belongs there.
	Down      []string `json:"down_without_a_known_cable,omitempty"`
	Waiting   []string `json:"waiting,omitempty"`   // congestion
	Elsewhere []string `json:"elsewhere,omitempty"` // counters that are no fault of a cable
	Remarks   []string `json:"remarks,omitempty"`
	// Within is the number of counters that are not 0 and within what is allowed, or as their peers.
	Within int      `json:"counters_within"`
	Notes  []string `json:"notes,omitempty"`
}

// Reason is a number of ports that were not judged.
type Reason struct {
	Reason string `json:"reason"`
	Ports  int    `json:"ports"`
}

// Blank reports whether nothing was judged.
func (r *Report) Blank() bool {
	return r.Judged == 0 && r.Parts == 0 && r.Sessions == 0 && len(r.Findings) == 0
}
