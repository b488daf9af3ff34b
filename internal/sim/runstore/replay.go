package runstore

import (
	"bytes"
	"encoding/json"

	"weft/units"
)

// ReplayVersion is the version of the layout of a replay's results.
const ReplayVersion = 1

// Replay is what a workload that was read from files takes, fabric by fabric.
type Replay struct {
	Version  int            `json:"version"`
	Scenario string         `json:"scenario"`
	Nodes    int            `json:"nodes"`
	GPUs     int            `json:"gpus"`
	Seed     uint64         `json:"seed"`
	Source   ReplaySource   `json:"source"`
	Fabrics  []ReplayFabric `json:"fabrics"`
	Partial  bool           `json:"partial,omitempty"` // interrupted
}

// ReplaySource is what was read.
type ReplaySource struct {
	Format string   `json:"format"`
	Files  []string `json:"files"`
	Ranks  int      `json:"ranks"`
	// Operations are those of all ranks; Sends and Collectives are among them, the
	// latter once for each member.
	Operations  int64 `json:"operations"`
	Sends       int64 `json:"sends"`
	Collectives int64 `json:"collectives"`
	// SendBytes is what all sends carry, and CollectiveBytes the sum of the sizes of
	// collectives, once for each member.
	SendBytes       int64    `json:"send_bytes"`
	CollectiveBytes int64    `json:"collective_bytes"`
	ComputingPs     int64    `json:"computing_ps"` // of the rank that computes the longest
	Units           []string `json:"units"`
	Assumptions     []string `json:"assumptions"`
	// Stopped is why only a part was read, and LeftOut how many operations of it could
	// not be carried out without the rest.
	Stopped string `json:"stopped,omitempty"`
	LeftOut int    `json:"left_out,omitempty"`
}

// ReplayFabric is a workload on one fabric. Times are picoseconds, means over the ranks
// unless they say otherwise.
type ReplayFabric struct {
	Name     string     `json:"name"`
	Protocol string     `json:"protocol"`
	Rate     units.Rate `json:"rate"`
	TimePs   int64      `json:"time_ps"` // until the last operation is over
	// ComputingPs, ExposedPs, WaitingPs and IdlePs sum to the time.
	ComputingPs int64        `json:"computing_ps"`
	ExposedPs   int64        `json:"exposed_ps"` // moving data and computing nothing
	WaitingPs   int64        `json:"waiting_ps"` // for members of a collective that come later
	IdlePs      int64        `json:"idle_ps"`
	Kinds       []ReplayKind `json:"communication"`
	Flows       Distribution `json:"flows"` // messages between nodes
	Hottest     []HotLink    `json:"hottest_links"`
	HottestIn   string       `json:"hottest_links_in,omitempty"` // the phase; of the whole if empty
	Counts      Counts       `json:"counts"`
	// Simulated and Communications are how many distinct phases were simulated for how
	// many communications; 0 where all was simulated as it comes.
	Simulated      int64 `json:"simulated_phases,omitempty"`
	Communications int64 `json:"communications,omitempty"`
	// Reduction is nil where switches do not reduce.
	Reduction *Reduction `json:"reduction,omitempty"`
	Failure   string     `json:"failure,omitempty"`
}

// ReplayKind is the communication of a kind.
type ReplayKind struct {
	Purpose  string `json:"purpose"`
	Kind     string `json:"kind"`  // send, all-reduce, …
	Count    int64  `json:"count"` // a collective counts once for each member
	Bytes    int64  `json:"bytes"`
	MovingPs int64  `json:"moving_ps"`
}

// Encode is the results as JSON.
func (r *Replay) Encode() ([]byte, error) {
	own := *r
	own.Fabrics = append([]ReplayFabric(nil), r.Fabrics...)
	for i := range own.Fabrics {
		f := &own.Fabrics[i]
		f.Hottest = append([]HotLink(nil), f.Hottest...)
		for j := range f.Hottest {
			f.Hottest[j].Busy = rounded(f.Hottest[j].Busy, shareDigits)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(&own)
	return b.Bytes(), err
}
