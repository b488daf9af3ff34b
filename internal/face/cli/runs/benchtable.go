package runs

import (
	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/process"
	"weft/internal/face/report"
	"weft/results"
	"weft/scenario"
)

// benchTable prints the rows of a sweep in the order of the sizes: a size that finishes early waits
// for the smaller ones.
type benchTable struct {
	e       *process.Env
	header  report.NCCLTests
	r       *scenario.Resolved
	table   *report.NCCLTable // nil before the first row
	waiting map[int]results.Point
	held    []results.Point // sizes before the first row
	next    int             // next size to print
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

// row prints the next size. The heading and sizes without a result wait for the first size with one.
func (b *benchTable) row(p results.Point) {
	b.next++
	b.held = append(b.held, p)
	if p.Measured() || b.table != nil {
		b.flush()
	}
}

func (b *benchTable) flush() {
	if b.table == nil && b.err == nil {
		f := &b.r.Fabrics[0]
		b.table, b.err = b.header.Start(b.e.Stdout, b.r.Job().Ranks(), results.FabricResult{Name: f.Name, Rate: f.PortRate(&b.r.Cluster)})
	}
	for _, p := range b.held {
		if b.err == nil {
			b.err = b.table.Row(p)
		}
	}
	b.held = nil
}

// end prints the remaining sizes and the lines after the rows. A table of errors alone is an error.
func (b *benchTable) end(results *results.Results) error {
	for _, p := range results.Fabrics[0].Points[b.next:] {
		b.row(p)
	}
	if b.table == nil && len(b.held) > 0 && !results.Partial {
		p := b.held[0]
		return exit.Errorf(exit.Failed, "no size has a result; %v: %s", p.Bytes, p.Failure)
	}
	if b.flush(); b.err == nil {
		b.met, b.err = b.table.End(results.Partial, &results.Fabrics[0])
	}
	return b.err
}
