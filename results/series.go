package results

import (
	"iter"
	"slices"
	"sync"
)

// SeriesVersion is the version of the layout of the files of series.
const SeriesVersion = 2 // since 2 pauses have storms

// SeriesFolder is the folder of the files of series in a run folder.
const SeriesFolder = "series"

// StepOperations is the phase of the simulation whose steps are the operations of a training step.
const StepOperations = "operations of the step"

// ScaleUpTier is the tier of the links between GPUs and NICs of a node.
const ScaleUpTier = "scale-up"

// Series is what one simulation recorded over its time. The tags of its rows are the columns of the
// Parquet files, which docs/UI.md describes. Times are simulated picoseconds from the beginning of
// the simulation.
type Series struct {
	Simulation SeriesSimulation
	Nodes      []SeriesNode
	Links      []SeriesLink
	// Samples are the samples of links, by link, lane and time. They may be walked more than once.
	Samples iter.Seq[SeriesSample]
	// Details are samples of DetailPs, of links around what happened in them, in the same order. nil: none.
	Details iter.Seq[SeriesSample]
	Flows   []SeriesFlow
	Hops    []SeriesHop
	Pauses  []SeriesPause
	Steps   []SeriesStep
}

// Difference names the first table in which two series differ; it is empty if they are equal.
func (s *Series) Difference(t *Series) string {
	switch {
	case s == nil || t == nil:
		if s != t {
			return "all tables"
		}
		return ""
	case s.Simulation != t.Simulation:
		return "simulations"
	case !slices.Equal(s.Nodes, t.Nodes):
		return "nodes"
	case !slices.Equal(s.Links, t.Links):
		return "links"
	case !sameRows(s.Samples, t.Samples):
		return "link_samples"
	case (s.Details == nil) != (t.Details == nil) || s.Details != nil && !sameRows(s.Details, t.Details):
		return "link_details"
	case !slices.Equal(s.Flows, t.Flows):
		return "flows"
	case !slices.Equal(s.Hops, t.Hops):
		return "flow_hops"
	case !slices.Equal(s.Pauses, t.Pauses):
		return "pauses"
	case !slices.Equal(s.Steps, t.Steps):
		return "steps"
	}
	return ""
}

// sameRows reports whether two sequences are equal.
func sameRows[T comparable](a, b iter.Seq[T]) bool {
	next, stop := iter.Pull(b)
	defer stop()
	for x := range a {
		if y, more := next(); !more || x != y {
			return false
		}
	}
	_, more := next()
	return !more
}

// SeriesSimulation is a simulation with a series.
type SeriesSimulation struct {
	Simulation  int32  `parquet:"simulation" json:"simulation"` // number, from 0
	Fabric      string `parquet:"fabric,dict" json:"fabric"`
	Protocol    string `parquet:"protocol,dict" json:"protocol"`
	Bytes       int64  `parquet:"size_bytes" json:"size_bytes"`   // of the collective or message; of a phase the largest
	Phase       string `parquet:"phase" json:"phase"`             // of a training step; empty otherwise
	DurationPs  int64  `parquet:"duration_ps" json:"duration_ps"` // until the workload was complete
	IntervalPs  int64  `parquet:"interval_ps" json:"interval_ps"` // of the samples
	DetailPs    int64  `parquet:"detail_ps" json:"detail_ps"`     // length of an interval of the details; 0: it has none
	Intervals   int32  `parquet:"intervals_max" json:"intervals_max"`
	Flows       int64  `parquet:"flows" json:"flows"`               // messages between NICs
	FlowsKept   int64  `parquet:"flows_kept" json:"flows_kept"`     // of them the slowest, in flows.parquet
	StepsMerged int32  `parquet:"steps_merged" json:"steps_merged"` // steps of a collective in a row of steps.parquet
	Complete    bool   `parquet:"complete" json:"complete"`         // false if it failed or was stopped
}

// SeriesNode is a node of a fabric's topology.
type SeriesNode struct {
	Fabric   string `parquet:"fabric,dict"`
	Node     int32  `parquet:"node"` // number, from 0
	Name     string `parquet:"name"`
	Kind     string `parquet:"kind,dict"` // nic, switch, gpu, scale-up-switch, middlebox
	Layer    int32  `parquet:"layer"`     // 0: NIC, 1: leaf, 2: spine, 3: core; -1: GPU; -2: scale-up switch
	Position int32  `parquet:"position"`  // in its layer, from 0
	Group    int32  `parquet:"group"`     // pod or group; -1: none
	Rail     int32  `parquet:"rail"`      // -1: none
	Plane    int32  `parquet:"plane"`     // -1: none
	Host     int32  `parquet:"host"`      // node of the cluster of a NIC or GPU; -1: none
}

// SeriesLink is one direction of a cable, at its sending port.
type SeriesLink struct {
	Fabric        string `parquet:"fabric,dict"`
	Link          int32  `parquet:"link"` // number
	Name          string `parquet:"name"`
	Tier          string `parquet:"tier,dict"` // leaf to spine, …
	From          int32  `parquet:"from_node"`
	FromPort      int32  `parquet:"from_port"` // from 1
	To            int32  `parquet:"to_node"`
	ToPort        int32  `parquet:"to_port"`
	Back          int32  `parquet:"back"` // the link in the other direction
	RateBps       int64  `parquet:"rate_bps"`
	PropagationPs int64  `parquet:"propagation_ps"`
}

// SeriesSample is a lane of a link in an interval. Lanes at rest have none.
type SeriesSample struct {
	Simulation   int32   `parquet:"simulation"`
	Link         int32   `parquet:"link"`
	Lane         int32   `parquet:"lane"` // 802.1p priority or virtual lane
	TimePs       int64   `parquet:"time_ps"`
	Bytes        int64   `parquet:"bytes"`
	Utilisation  float32 `parquet:"utilisation"`
	QueueMean    float32 `parquet:"queue_mean_bytes"`
	QueueMax     int32   `parquet:"queue_max_bytes"`
	Pauses       int32   `parquet:"pauses"`
	PausedPs     int64   `parquet:"paused_ps"`
	CreditWaits  int32   `parquet:"credit_waits"`
	CreditWaitPs int64   `parquet:"credit_wait_ps"`
	Marks        int32   `parquet:"marks"`
	Drops        int32   `parquet:"drops"`
	ReceiveDrops int32   `parquet:"receive_drops"`
}

// SeriesFlow is a message between two NICs, on one queue pair or socket.
type SeriesFlow struct {
	Simulation      int32   `parquet:"simulation"`
	From            int32   `parquet:"src_node"` // the NIC that posted it
	To              int32   `parquet:"dst_node"` // its peer
	Connection      int64   `parquet:"connection"`
	Lane            int32   `parquet:"lane"`
	Bytes           int64   `parquet:"bytes"`
	StartPs         int64   `parquet:"start_ps"` // posted
	EndPs           int64   `parquet:"end_ps"`   // complete at the poster
	Retransmissions int32   `parquet:"retransmissions"`
	RateGbps        float32 `parquet:"rate_gbps"`
}

// SeriesHop is a link on the path of one of the slowest messages.
type SeriesHop struct {
	Simulation  int32 `parquet:"simulation"`
	From        int32 `parquet:"src_node"` // with connection and start_ps the message of SeriesFlow
	Connection  int64 `parquet:"connection"`
	StartPs     int64 `parquet:"start_ps"`
	Hop         int32 `parquet:"hop"` // from 0, at the NIC
	Link        int32 `parquet:"link"`
	QueueWaitPs int64 `parquet:"queue_wait_ps"` // the link's mean queue during the message, at its rate
	StoppedPs   int64 `parquet:"stopped_ps"`    // pauses and waits for credits of the lane during the message
}

// SeriesPause is a lane of a link that PFC paused, with the cause.
type SeriesPause struct {
	Simulation int32   `parquet:"simulation"`
	Link       int32   `parquet:"link"` // whose sender was paused
	Lane       int32   `parquet:"lane"`
	Pauses     int64   `parquet:"pauses"`
	PausedPs   int64   `parquet:"paused_ps"`
	FirstPs    int64   `parquet:"first_ps"`
	Cause      int32   `parquet:"cause_link"`  // held most of the link's bytes when pauses began; -1: a NIC
	Share      float32 `parquet:"cause_share"` // of these bytes
	After      int32   `parquet:"after_link"`  // cause_link, if its pauses are the cause; -1: this is the root
	Circle     bool    `parquet:"circle"`      // the chain of causes leads back here
	StormPs    int64   `parquet:"storm_ps"`    // the PFC watchdog first found a storm; -1: it found none
	RestoredPs int64   `parquet:"restored_ps"` // and first restored the queue; -1: it did not
}

// SeriesStep is a step of a rank: of a collective, or an operation of a training step.
type SeriesStep struct {
	Simulation int32  `parquet:"simulation"`
	Rank       int32  `parquet:"rank"`
	Step       int32  `parquet:"step"`
	Iteration  int32  `parquet:"iteration"`
	Lane       int32  `parquet:"lane"` // of the collective's schedule: a channel, or a part of one; -1: all
	Name       string `parquet:"name,dict"`
	Stream     string `parquet:"stream,dict"`
	Phase      string `parquet:"phase,dict"` // of a training step's communication
	Bytes      int64  `parquet:"bytes"`
	StartPs    int64  `parquet:"start_ps"`
	EndPs      int64  `parquet:"end_ps"`
}

// SeriesOrder passes series on in the order of their simulations, one at a time.
type SeriesOrder struct {
	Pass func(*Series)

	mu      sync.Mutex
	next    int
	waiting map[int]*Series
}

// Ended gives the series of a simulation by its number; nil if it has none. Each number comes once.
func (o *SeriesOrder) Ended(number int, s *Series) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting == nil {
		o.waiting = make(map[int]*Series)
	}
	o.waiting[number] = s
	for {
		s, ended := o.waiting[o.next]
		if !ended {
			return
		}
		delete(o.waiting, o.next)
		if s != nil {
			s.Simulation.Simulation = int32(o.next)
			o.Pass(s)
		}
		o.next++
	}
}
