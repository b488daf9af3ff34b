package source

import (
	"io"

	"weft/internal/sim/workload"
)

// File is an open file.
type File struct {
	Name string // display name
	io.Reader
}

// Workload is the content of a file, or of the files of one job.
type Workload struct {
	Format string   // display name, such as "GOAL schedule"
	Files  []string // names of the files; formats.Read fills them
	// Ranks is the number of ranks; the least that there can be if Sized is set.
	Ranks int
	// Sized gives the workload the ranks of a cluster, if the files do not say how many there are; else it is
	// nil.
	Sized func(gpus int) *Problem
	// Graph is the ranks' work; nil if Folded is set.
	Graph *workload.Graph
	// Folded is the ranks' work if all ranks do the same.
	Folded *workload.Folded
	// Hosts says that each rank is a separate host with its own NIC: without a cluster from the
	// user, nodes have one GPU.
	Hosts bool
	// Units explain the numbers of the files.
	Units []string
	// Assumptions are weft's interpretations where the format is open, and weft's differences from
	// the format's own program.
	Assumptions []string
	// Where is the place of an operation of Graph in the files; nil if unknown.
	Where func(rank, op int) string
	// Stopped is the reason why reading ended early; nil if all was read.
	Stopped *Problem
}

// Whole is the graph of all ranks.
func (w *Workload) Whole() *workload.Graph {
	if w.Graph == nil && w.Folded != nil {
		return w.Folded.Whole()
	}
	return w.Graph
}

// Assume adds a sentence to the assumptions.
func (w *Workload) Assume(sentence string) { w.Assumptions = append(w.Assumptions, sentence) }

// Ops is the number of operations of all ranks.
func (w *Workload) Ops() int {
	switch {
	case w.Graph != nil:
		return w.Graph.Ops()
	case w.Folded != nil:
		return w.Folded.Ops()
	}
	return 0
}
