package page

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/internal/sim/runstore"
)

// begun is a site with a run that goes on, and what was started.
func begun(t *testing.T) (s *Site, run string, out *runstore.Output, started *[]string) {
	t.Helper()
	run = filepath.Join(t.TempDir(), "run")
	out, err := runstore.Claim(run, runstore.Runs)
	if err == nil {
		_, err = out.Begin(runstore.Meta{Weft: "test"})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	f, err := Open(run)
	if err != nil {
		t.Fatal(err)
	}
	s, started = siteOf(f), new([]string)
	s.Check = func(_ string, text []byte) []Fault {
		if string(text) != "good" {
			return []Fault{{Line: 1, Column: 1, Text: "run.yaml:1:1: bad"}}
		}
		return nil
	}
	s.Start = func(name string, _ []byte) (string, *Child, error) {
		*started = append(*started, name)
		return filepath.Join(t.TempDir(), name), &Child{Alive: func() bool { return true }}, nil
	}
	return s, run, out, started
}

func post(s *Site, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://"+host+path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// What a page of another site, and another user of the machine, can send does nothing.
func TestNothingIsDoneWithoutTheToken(t *testing.T) {
	s, _, out, started := begun(t)
	for _, path := range []string{"/ask/0/pause", "/ask/0/stop", "/start/new", "/check/new"} {
		for _, headers := range [][]string{
			nil,
			{"Weft-Token", ""},
			{"Weft-Token", "guess"},
			{"Weft-Token", s.Token, "Origin", "http://evil.example"},
			{"Weft-Token", s.Token, "Origin", "null"},
			{"Weft-Token", s.Token, "Sec-Fetch-Site", "cross-site"},
		} {
			if w := post(s, path, "good", headers...); w.Code != http.StatusForbidden {
				t.Errorf("%s with %q: status %d, want 403", path, headers, w.Code)
			}
		}
		if w := ask(t, s.Handler(), path, "Weft-Token", s.Token); w.Code == http.StatusOK {
			t.Errorf("GET %s: status %d", path, w.Code)
		}
	}
	if asked := out.Requested(); asked != "" || len(*started) > 0 {
		t.Errorf("the run was asked to %q, and %v was started", asked, *started)
	}
	if w := post(s, "/ask/0/pause", "", "Weft-Token", s.Token); w.Code != http.StatusOK || out.Requested() != runstore.Pause {
		t.Errorf("with the token: status %d, the run is asked to %q", w.Code, out.Requested())
	}
	for _, path := range []string{"/ask/1/pause", "/ask/0/kill", "/ask/-1/stop"} {
		if w := post(s, path, "", "Weft-Token", s.Token); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", path, w.Code)
		}
	}
}

// A run is begun by a plain name only, with a scenario that has passed the check, and not without bound.
func TestARunBeginsOnlyIfItIsValid(t *testing.T) {
	s, _, _, started := begun(t)
	for _, c := range []struct{ path, body, want string }{
		{"/start/new", "wrong", `{"faults":[{"line":1,"column":1,"text":"run.yaml:1:1: bad"}],"run":-1}`},
		{"/start/..", "good", ""},
		{"/start/..%2Fnew", "good", "the name of the run"},
		{"/start/%2Ftmp%2Fnew", "good", "the name of the run"},
		{"/start/.hidden", "good", "the name of the run"},
		{"/start/" + strings.Repeat("n", 65), "good", "the name of the run"},
		{"/start/new", strings.Repeat(" ", mostScenario+1), "too large"},
	} {
		if w := post(s, c.path, c.body, "Weft-Token", s.Token); !strings.Contains(w.Body.String(), c.want) || len(*started) > 0 {
			t.Errorf("%s: status %d %s, want %q; started %v", c.path, w.Code, w.Body, c.want, *started)
		}
	}
	for i := range mostBegun + 1 {
		w := post(s, "/start/new", "good", "Weft-Token", s.Token)
		if begun := !strings.Contains(w.Body.String(), "wait for one of them"); begun != (i < mostBegun) {
			t.Errorf("run %d: %s", i, w.Body)
		}
	}
	if len(*started) != mostBegun {
		t.Errorf("%d runs were started, want %d", len(*started), mostBegun)
	}
	s.Check, s.Start = nil, nil
	if w := post(s, "/start/new", "good", "Weft-Token", s.Token); !strings.Contains(w.Body.String(), "no folder for new runs") {
		t.Errorf("without a folder: %s", w.Body)
	}
}

// A browser that goes away ends what the server does for it.
func TestEventsEndWithTheBrowser(t *testing.T) {
	s, run, out, _ := begun(t)
	if err := out.Show(runstore.Progress{State: runstore.Running, Done: 1, Total: 7}); err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/events", nil)
	w := httptest.NewRecorder()
	leave()
	r.Header.Set("Weft-Token", s.Token)
	s.Handler().ServeHTTP(w, r) // it returns
	if text := w.Body.String(); !strings.HasPrefix(text, "data: [") || !strings.Contains(text, `"done":1,"total":7`) {
		t.Errorf("the event is %q", text)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if f := s.look()[0]; f.Progress != nil || !strings.Contains(f.Note, "is not a run folder") {
		t.Errorf("after a run without results: %+v, note %q", f.Progress, f.Note)
	}
	if _, err := os.Stat(run); err == nil {
		t.Error("the run has left a folder")
	}
}

// A folder of runs is watched: runs that come, go on and end later are shown, and each once.
func TestAFolderShowsRunsThatComeLater(t *testing.T) {
	root := t.TempDir()
	s := NewSite(host, nil)
	s.Roots = []string{root}
	again := func() []*Folder {
		s.sought = time.Time{} // as if the period were over
		return s.look()
	}
	if got := again(); len(got) != 0 {
		t.Fatalf("an empty folder shows %d runs", len(got))
	}
	out, err := runstore.Claim(filepath.Join(root, "one"), runstore.Runs)
	if err == nil {
		_, err = out.Begin(runstore.Meta{Weft: "test"})
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := again(); len(got) != 1 || got[0].Name != "one" || got[0].Progress == nil {
		t.Fatalf("a run that goes on is shown as %+v", got)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(folder(t), filepath.Join(root, "two")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "no run"), 0o755); err != nil {
		t.Fatal(err)
	}
	got := again()
	if len(got) != 2 || got[0].Progress != nil || got[1].Name != "two" || len(got[1].Simulations) != 2 {
		t.Errorf("%d runs, want the first ended, and one that came with two simulations", len(got))
	}
	if got := again(); len(got) != 2 {
		t.Errorf("looked at again there are %d runs", len(got))
	}
}
