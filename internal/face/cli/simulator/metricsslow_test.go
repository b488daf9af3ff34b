package simulator

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"weft/internal/formats/metrics"
)

// stalled is a reader of an answer that takes nothing until its connection is cut.
type stalled struct {
	http.ResponseWriter
	begun, cut chan struct{}
}

func (s *stalled) Write([]byte) (int, error) {
	close(s.begun)
	<-s.cut
	return 0, http.ErrHandlerTimeout
}

func (s *stalled) SetWriteDeadline(time.Time) error {
	close(s.cut)
	return nil
}

// Readers that take nothing hold up no scrape; where there are many, the oldest is cut.
func TestAStalledReaderHoldsUpNoScrape(t *testing.T) {
	x := &exporter{take: func() *metrics.Snapshot { return new(metrics.Snapshot) }, own: true}
	scrape := func(w http.ResponseWriter) {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/metrics", nil)
		x.ServeHTTP(w, r)
	}
	var readers []*stalled
	ended := make(chan int, mostScrapes+1)
	for i := range mostScrapes + 1 {
		s := &stalled{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
		readers = append(readers, s)
		go func() {
			scrape(s)
			ended <- i
		}()
		select {
		case <-s.begun:
		case <-time.After(time.Minute):
			t.Fatalf("%d stalled readers stop the next scrape", i)
		}
	}
	if first := <-ended; first != 0 {
		t.Errorf("reader %d is cut first, want 0, the oldest", first)
	}
	for _, s := range readers[2:] { // the next one makes room for a scrape
		defer close(s.cut)
	}
	w := httptest.NewRecorder()
	scrape(w)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") == "" {
		t.Errorf("a scrape beside %d stalled readers: status %d, headers %v", mostScrapes, w.Code, w.Header())
	}
}
