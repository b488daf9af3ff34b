package logfile

// Log is what could be read of a file.
type Log struct {
	Name   string
	Tables []*Table
	// Said is what NCCL told of itself between the rows.
	Said Said
	// Notes are places where something is wrong with the log, in its order. Unlisted
	// is how many more there were.
	Notes    []Note
	Unlisted int
}

// Note is a place in the log and what is to be said of it.
type Note struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Partial reports whether something of the log could not be read.
func (l *Log) Partial() bool {
	for _, t := range l.Tables {
		if t.Cut != "" {
			return true
		}
	}
	return len(l.Notes) > 0
}

// Format is the program that a table is from.
type Format string

// The formats.
const (
	NCCLTests  Format = "nccl-tests"
	Perftest   Format = "perftest"
	ClusterKit Format = "clusterkit"
)

// Table is the rows of one run of one test.
type Table struct {
	Format Format
	Line   int    // of the heading, from 1
	Test   string // as the log names it: all_reduce_perf, RDMA_Write BW; "" where it does not
	// Op is the operation by weft's name: all-reduce, all-gather, … of nccl-tests;
	// write, send or read of perftest. Inferred says that the columns alone tell it.
	Op       string
	Inferred bool

	// Of nccl-tests. Listed is the number of ranks by the list of devices, 0 where
	// there is none; Hosts are the nodes of that list, in its order, and PerHost the
	// most ranks of one.
	Listed  int
	Hosts   []string
	PerHost int
	GPU     string
	// Average is the line "# Avg bus bandwidth" in GB/s, 0 where it is missing.
	Average float64

	// Of perftest.
	Latency       bool
	Bidirectional bool
	GPUMemory     bool
	MTU           int64
	QPs           int
	Device        string
	LinkType      string // IB or Ethernet

	// Suspects are nodes that the log itself calls slow.
	Suspects []string

	// Rows are the sizes, in the order of the log.
	Rows []Row
	// Cut is why the table is not whole, "" if it is.
	Cut string
}

// Row is one size. Values that the log does not have are 0.
type Row struct {
	Line  int
	Bytes int64
	// Micros is the time of an operation in µs, of nccl-tests out of place and of a
	// latency the median (half a round trip). InPlace is the same in place.
	Micros, InPlace float64
	AlgGBps         float64 // GB/s of 10^9 bytes, out of place
	BusGBps         float64
	// Gbps is a bandwidth in Gb/s: perftest's average.
	Gbps float64
	// Least and Most are the extremes of what the row sums up: µs of a latency, Gb/s
	// of a bandwidth. LeastAt and MostAt say between whom.
	Least, Most     float64
	LeastAt, MostAt string
	Wrong           int64 // elements that came out wrong
}

// Said is what NCCL told of itself: facts of the log, whatever is simulated.
type Said struct {
	Version string   `json:"nccl_version,omitempty"`
	Ranks   int      `json:"ranks,omitempty"` // of the largest communicator
	Devices []string `json:"network_devices,omitempty"`
	Link    string   `json:"link_layer,omitempty"` // of the devices: IB or RoCE
	// Connections between nodes by what they go over.
	Direct  int `json:"connections_with_gpudirect,omitempty"`
	Bounced int `json:"connections_through_host_memory,omitempty"`
	Sockets int `json:"connections_over_sockets,omitempty"`
	// Forced are the settings of the environment that choose for NCCL.
	Forced   []string `json:"set_by_environment,omitempty"`
	Warnings []Note   `json:"warnings,omitempty"`
}
