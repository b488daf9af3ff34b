package logfile

import "slices"

// Log is the content of a log file.
type Log struct {
	Name   string
	Tables []*Table
	// Said holds NCCL's own messages between the rows.
	Said Said
	// Notes are places where the log is defective, in its order. Unlisted is the number of further
	// ones.
	Notes    []Note
	Unlisted int
}

// Note is a place in the log with a remark.
type Note struct {
	File string `json:"file,omitempty"` // of several; "" if the log is one file
	Line int    `json:"line"`
	Text string `json:"text"`
	// Kept says that nothing is left out there: it tells how something was read.
	Kept bool `json:"kept,omitempty"`
}

// Partial reports whether some part of the log could not be read.
func (l *Log) Partial() bool {
	for _, t := range l.Tables {
		if t.Cut != "" {
			return true
		}
	}
	return slices.ContainsFunc(l.Notes, func(n Note) bool { return !n.Kept })
}

// Format is the program that printed a table.
type Format string

// The formats.
const (
	NCCLTests  Format = "nccl-tests"
	Perftest   Format = "perftest"
	ClusterKit Format = "clusterkit"
	Cells      Format = "named columns" // Markdown, CSV or JSON
	DeepEP     Format = "deepep"        // of the tests of DeepEP's kernels
	OSU        Format = "osu"           // of the OSU Micro-Benchmarks
	UCXPerf    Format = "ucx_perftest"

	NIXLBench      Format = "nixlbench"
	TransferEngine Format = "transfer_engine_bench" // Mooncake's
)

// Table is the rows of one run of one test.
type Table struct {
	Format Format
	File   string // of several; "" if the log is one file
	Line   int    // of the heading, from 1
	Test   string // as the log names it: all_reduce_perf, RDMA_Write BW; "" if it does not
	// Op is the operation by weft's name: all-reduce, all-gather, … for nccl-tests; write, send or
	// read for perftest. Inferred says that only the columns tell it.
	Op       string
	Inferred bool

	// For nccl-tests. Listed is the number of ranks in the list of devices, 0 without a list; Hosts
	// are the nodes of that list, in its order, and PerHost the maximum of ranks on one node.
	Listed  int
	Hosts   []string
	PerHost int
	GPUs    []string // their names as the driver prints them, each once
	// Harness is the way of launch: process, thread or for-all, as the heading of nccl-tests says, or
	// torch; "" if it is not known. Nodes is the number of nodes if the table says it.
	Harness string
	Nodes   int
	// Version is NCCL's release, if nccl-tests says it of the run of this table; "" if it does not.
	Version string

	// For perftest.
	Latency       bool
	Bidirectional bool
	GPUMemory     bool
	Pairs         int // of processes whose bandwidths are summed up; 0 or 1: one
	MTU           int64
	LinkType      string // IB or Ethernet
	// Settings are what holds for this table: its command line and exports above it, what NCCL says in its run, and the
	// parameters that the test's own banner states, as it spells them (Number of qps, PCIe relax order).
	Settings []Setting

	// MoE is the parameters of an exchange of tokens with experts; nil for other tests.
	MoE *MoE

	// Copies is the parameters of a test that copies blocks between two processes; nil for other tests.
	Copies *Copies

	// Suspects are nodes that the log itself calls slow.
	Suspects []string

	// Rows are the sizes, in the order of the log.
	Rows []Row
	// Cut is the reason why the table is incomplete, "" if it is complete.
	Cut string
}

// Row is one size. Values that the log does not have are 0: tests of DeepEP may print a rate (AlgGBps) alone, without
// bytes and time.
type Row struct {
	Line  int
	Bytes int64
	// Micros is the time of an operation in µs: for nccl-tests out of place, for a latency the
	// median (half a round trip). InPlace is the same in place.
	Micros, InPlace float64
	AlgGBps         float64 // GB/s of 10^9 bytes, out of place
	BusGBps         float64
	// Gbps is a bandwidth in Gb/s: perftest's average.
	Gbps float64
	// Least and Most are the extremes of the row: µs of a latency, Gb/s of a bandwidth.
	Least, Most float64
	Wrong       int64 // wrong elements
}

// Wrong is the number of elements that came out wrong.
func (t *Table) Wrong() (n int64) {
	for i := range t.Rows {
		n += t.Rows[i].Wrong
	}
	return n
}

// Said holds NCCL's own messages: facts of the log, independent of a simulation.
type Said struct {
	Version string   `json:"nccl_version,omitempty"`
	Ranks   int      `json:"ranks,omitempty"` // of the largest communicator
	Devices []string `json:"network_devices,omitempty"`
	// Interfaces are those of the host that NCCL uses for sockets, by NET/Socket : Using.
	Interfaces []string `json:"interfaces,omitempty"`
	Link       string   `json:"link_layer,omitempty"` // of the devices: IB or RoCE
	// Connections between nodes, by their transport.
	Direct  int `json:"connections_with_gpudirect,omitempty"`
	Bounced int `json:"connections_through_host_memory,omitempty"`
	Sockets int `json:"connections_over_sockets,omitempty"`
	// Settings are what the user or the environment chose, in the order of the log.
	Settings []Setting `json:"settings,omitempty"`
	// Signs are lines of the log that say themselves what is slow.
	Signs    []Sign `json:"signs,omitempty"`
	Warnings []Note `json:"warnings,omitempty"`
}
