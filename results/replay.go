package results

import (
	"weft/internal/base/jsontext"
	"weft/units"
)

// ReplayVersion is the version of the layout of a replay's results.
const ReplayVersion = 1

// Replay is the result of a workload from files, fabric by fabric.
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

// Skipped is the part of the whole run that was not simulated.
func (r *Replay) Skipped() (s Skipped) {
	for i := range r.Fabrics {
		s.Add(r.Fabrics[i].Counts.Skipped)
	}
	return s
}

// ReplaySource describes the workload files.
type ReplaySource struct {
	Format string   `json:"format"`
	Files  []string `json:"files"`
	Ranks  int      `json:"ranks"`
	// Operations is the number of operations of all ranks. Sends and Collectives are among them; a
	// collective counts once for each member.
	Operations  int64 `json:"operations"`
	Sends       int64 `json:"sends"`
	Collectives int64 `json:"collectives"`
	// SendBytes is the bytes of all sends, and CollectiveBytes the sum of the sizes of collectives,
	// once for each member.
	SendBytes       int64    `json:"send_bytes"`
	CollectiveBytes int64    `json:"collective_bytes"`
	ComputingPs     int64    `json:"computing_ps"` // of the rank with the longest computation
	Units           []string `json:"units"`
	Assumptions     []string `json:"assumptions"`
	// Stopped is the reason why only a part was read, and LeftOut the number of its operations that
	// depend on the rest and were left out.
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
	ExposedPs   int64        `json:"exposed_ps"` // moving data without computing
	WaitingPs   int64        `json:"waiting_ps"` // for members of a collective that arrive later
	IdlePs      int64        `json:"idle_ps"`
	Kinds       []ReplayKind `json:"communication"`
	Flows       Distribution `json:"flows"` // messages between nodes
	Hottest     []HotLink    `json:"hottest_links"`
	HottestIn   string       `json:"hottest_links_in,omitempty"` // the phase; empty for the whole
	Counts      Counts       `json:"counts"`
	// Simulated is the number of simulated distinct phases, Communications the number of
	// communications that they stand for; 0 if everything was simulated in full.
	Simulated      int64 `json:"simulated_phases,omitempty"`
	Communications int64 `json:"communications,omitempty"`
	// Reduction is nil if switches do not reduce.
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
	return jsontext.Encode(&own)
}
