package route

import (
	"sync"

	"weft/internal/ib/subnet"
	"weft/units"
)

// columnWriter fills forwarding tables target by target, for engines that find
// the ports of all switches to one target at a time. The ports to one target are in the tables of
// all switches, far apart in memory. So it gathers columns, and writes many of them switch by
// switch, on another core if there is one, while it gathers the next.
type columnWriter struct {
	lft     [][]uint8
	cores   int
	now     *columns
	spare   *columns
	writing sync.WaitGroup
}

// columns is the ports to some targets.
type columns struct {
	lids  []units.LID
	ports []uint8 // by target, then by switch
}

const (
	columnsAtOnce = 256 // a megabyte for 4,000 switches
	tile          = 64  // switches whose ports to a target share a cache line
)

func newColumnWriter(lft [][]uint8, cores int) *columnWriter {
	w := &columnWriter{lft: lft, cores: cores, now: &columns{}, spare: &columns{}}
	w.now.ports = make([]uint8, columnsAtOnce*len(lft))
	w.spare.ports = make([]uint8, columnsAtOnce*len(lft))
	return w
}

// column is a new column for the ports to a target, by switch, all NoPort. It is valid until the
// next call.
func (w *columnWriter) column(lid units.LID) []uint8 {
	if len(w.now.lids) == columnsAtOnce {
		w.write()
	}
	n := len(w.lft)
	at := len(w.now.lids) * n
	w.now.lids = append(w.now.lids, lid)
	ports := w.now.ports[at : at+n : at+n]
	for i := range ports {
		ports[i] = subnet.NoPort
	}
	return ports
}

// write starts the writing of the columns so far.
func (w *columnWriter) write() {
	w.writing.Wait() // until the spare columns are free
	full := w.now
	w.now, w.spare = w.spare, full
	w.now.lids = w.now.lids[:0]
	if w.cores > 1 {
		w.writing.Go(func() { full.scatter(w.lft) })
	} else {
		full.scatter(w.lft)
	}
}

// flush writes all remaining columns and waits for the end.
func (w *columnWriter) flush() {
	w.write()
	w.writing.Wait()
}

// scatter copies columns into tables.
func (c *columns) scatter(lft [][]uint8) {
	for first := 0; first < len(lft); first += tile {
		for sw := first; sw < min(first+tile, len(lft)); sw++ {
			row := lft[sw]
			for i, lid := range c.lids {
				row[lid] = c.ports[i*len(lft)+sw]
			}
		}
	}
}
