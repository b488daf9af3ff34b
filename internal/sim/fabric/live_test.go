package fabric_test

import (
	"sync"
	"testing"

	"weft/internal/sim/fabric/series"
	"weft/units"
)

// What has been recorded so far can be read while the network runs, and is a part of what it has at the end.
func TestARecordIsReadDuringTheRun(t *testing.T) {
	g := fatTree(t, 8)
	w := &flows{pattern: incast(32, 512<<10)}
	n, err := build(g, "roce", nil, w)
	if err == nil {
		err = w.load(n)
	}
	if err != nil {
		t.Fatal(err)
	}
	if n.RecordedSoFar() != nil {
		t.Error("a network records without being asked")
	}
	n.Record(0)
	var during []*series.Recording
	var reader sync.WaitGroup
	done := make(chan struct{})
	reader.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				during = append(during[max(0, len(during)-9):], n.RecordedSoFar())
			}
		}
	})
	err = n.Run(units.Second, 1, nil)
	close(done)
	reader.Wait()
	if err != nil {
		t.Fatal(err)
	}
	sum := func(r *series.Recording) (bytes int64) {
		for i := range r.Samples {
			bytes += r.Samples[i].Bytes
		}
		return bytes
	}
	last := int64(0)
	for _, r := range append(during, n.Recorded()) {
		if bytes := sum(r); bytes < last {
			t.Errorf("%d bytes are recorded after %d", bytes, last)
		} else {
			last = bytes
		}
	}
	if last == 0 {
		t.Error("nothing is recorded")
	}
}
