package cli

import (
	"weft"
	"weft/internal/face/report"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
)

// benchTable prints the rows of a sweep in the order of the sizes: a size that finishes early waits
// for the smaller ones.
type benchTable struct {
	e       *Env
	header  report.NCCLTests
	r       *scenario.Resolved
	table   *report.NCCLTable // nil before the first row
	waiting map[int]runstore.Point
	next    int // next size to print
	met     bool
	err     error // the first write error
}

// finished adds a size with a result.
func (b *benchTable) finished(f weft.Finished) {
	b.waiting[f.Size] = f.Point
	for {
		p, ok := b.waiting[b.next]
		if !ok {
			return
		}
		delete(b.waiting, b.next)
		b.row(p)
	}
}

// row prints the next size, after the heading if it is the first.
func (b *benchTable) row(p runstore.Point) {
	b.next++
	if b.start(); b.err == nil {
		b.err = b.table.Row(p)
	}
}

func (b *benchTable) start() {
	if b.table != nil || b.err != nil {
		return
	}
	f := &b.r.Fabrics[0]
	b.table, b.err = b.header.Start(b.e.Stdout, b.r.Job().Ranks(), runstore.FabricResult{Name: f.Name, Rate: f.Link.Rate()})
}

// end prints the remaining sizes and the lines after the rows.
func (b *benchTable) end(results *runstore.Results) error {
	for _, p := range results.Fabrics[0].Points[b.next:] {
		b.row(p)
	}
	if b.start(); b.err == nil {
		b.met, b.err = b.table.End(results.Partial, &results.Fabrics[0])
	}
	return b.err
}
