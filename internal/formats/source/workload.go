package source

import (
	"io"

	"weft/internal/sim/workload"
)

// File is an open file.
type File struct {
	Name string // for people
	io.Reader
}

// Workload is a file, or the files of one job, as read.
type Workload struct {
	Format string // for people, such as "GOAL schedule"
	Files  []string
	// Ranks is how many the files have.
	Ranks int
	// Graph is what they do; nil where Folded is.
	Graph *workload.Graph
	// Folded is what they do where all do the same.
	Folded *workload.Folded
	// Hosts says that each rank is a host by itself, with a NIC of its own: a cluster that
	// the user does not give has nodes of one GPU.
	Hosts bool
	// Units say what the numbers in the files mean.
	Units []string
	// Assumptions are what the format leaves open and weft takes it to mean, and what
	// weft does otherwise than the program that the format belongs to.
	Assumptions []string
	// Where is the place of an operation of Graph in the files; nil where none is known.
	Where func(rank, op int) string
	// Stopped is why reading came to an early end; nil if all was read.
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
