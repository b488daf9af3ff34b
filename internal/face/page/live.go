package page

import (
	"bytes"
	"cmp"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"

	"weft/internal/sim/runstore"
)

// lookEvery is the period in which the server looks at the folders of runs that go on.
const lookEvery = 250 * time.Millisecond

// watchEvery is the period, in looks, in which it asks them for their series so far.
const watchEvery = 8

// events tells a browser about changes, as server-sent events, until it goes away. An event is the list of runs,
// with the progress of those that go on.
func (s *Site) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	_ = flush.SetReadDeadline(time.Time{}) // the request is read; its answer has no end
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var last []byte
	for n := 0; ; n++ {
		type run struct {
			Name     string             `json:"name"`
			Note     string             `json:"note"`
			Progress *runstore.Progress `json:"progress"`
		}
		runs := []run{}
		for _, f := range s.look() {
			if f.Progress != nil && n%watchEvery == 0 {
				runstore.Watch(f.dir)
			}
			runs = append(runs, run{f.Name, f.Note, f.Progress})
		}
		text, err := json.Marshal(runs)
		if err == nil && !bytes.Equal(text, last) {
			last = text
			if _, err = fmt.Fprintf(w, "data: %s\n\n", text); err == nil {
				err = flush.Flush()
			}
		}
		if err != nil {
			return // the browser has gone
		}
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
	}
}

// withToken refuses requests without the token, which a page of another site and another user of the machine do not
// know. A browser sends no header of ours with a frame and for events: these have it in their address.
func (s *Site) withToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := cmp.Or(r.Header.Get("Weft-Token"), r.URL.Query().Get("token"))
		if subtle.ConstantTimeCompare([]byte(given), []byte(s.Token)) != 1 {
			http.Error(w, "this needs the address that weft ui printed, with its token", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ask passes a request to a run that goes on.
func (s *Site) ask(w http.ResponseWriter, r *http.Request) {
	f, request := s.run(r), runstore.Request(r.PathValue("request"))
	switch request {
	case runstore.Pause, runstore.Continue, runstore.Cancel:
	default:
		f = nil
	}
	if f == nil {
		http.NotFound(w, r)
		return
	}
	if err := runstore.Ask(f.dir, request); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
	}
}

// newRun is the pattern of the name of a new run, which is a folder below the site's and a file beside it.
var newRun = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// mostScenario bounds the text of a scenario; the reader of scenarios has a lower limit and gives the message.
const mostScenario = 4 << 20

// checked is the scenario of a request, with what is wrong with it or with the name of the run.
func (s *Site) checked(w http.ResponseWriter, r *http.Request) (name string, text []byte, faults []Fault) {
	name = r.PathValue("name")
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostScenario))
	switch {
	case err != nil:
		return name, nil, []Fault{{Text: err.Error()}}
	case s.Check == nil:
		return name, nil, []Fault{{Text: "weft ui was given no folder for new runs"}}
	case !newRun.MatchString(name):
		return name, nil, []Fault{{Text: "the name of the run: want 1 to 64 letters, digits, - and _, the first a letter or a digit"}}
	}
	return name, text, s.Check(name, text)
}

// check answers with what is wrong with a scenario.
func (s *Site) check(w http.ResponseWriter, r *http.Request) {
	_, _, faults := s.checked(w, r)
	answerStart(w, -1, faults)
}

// start begins a run, if nothing is wrong with its scenario.
func (s *Site) start(w http.ResponseWriter, r *http.Request) {
	name, text, faults := s.checked(w, r)
	if full := s.full(); full != "" {
		faults = append(faults, Fault{Text: full})
	}
	if len(faults) > 0 {
		answerStart(w, -1, faults)
		return
	}
	dir, child, err := s.Start(name, text)
	if err != nil {
		answerStart(w, -1, []Fault{{Text: err.Error()}})
		return
	}
	answerStart(w, s.add(dir, child), nil)
}

func answerStart(w http.ResponseWriter, run int, faults []Fault) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"run": run, "faults": append([]Fault{}, faults...)})
}
