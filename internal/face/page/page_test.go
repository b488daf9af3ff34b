package page

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"html"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/internal/sim/runstore/seriesfile"
	"weft/results"
)

// nasty is a name that would run as a script if a page took it as HTML, and has a comma.
const nasty = `</script><img src=x onerror=alert(1,2)>`

// folder is a run folder with two simulations.
func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := seriesfile.Create(filepath.Join(dir, results.SeriesFolder), seriesfile.About{Weft: "test", Scenario: nasty})
	if err != nil {
		t.Fatal(err)
	}
	for n, fabric := range []string{"a", nasty} {
		s := &results.Series{
			Simulation: results.SeriesSimulation{Simulation: int32(n), Fabric: fabric, DurationPs: 250, IntervalPs: 100, DetailPs: 50, Complete: true},
			Nodes:      []results.SeriesNode{{Fabric: fabric, Name: nasty}},
			Links:      []results.SeriesLink{{Fabric: fabric, Name: nasty}},
			Flows:      []results.SeriesFlow{{Connection: math.MaxInt64, Bytes: 7}},
		}
		s.Samples = func(yield func(results.SeriesSample) bool) {
			for i := range 3 {
				for lane := range 2 {
					if !yield(results.SeriesSample{
						Simulation: s.Simulation.Simulation, Link: 1, Lane: int32(lane), TimePs: int64(100 * i), Utilisation: 0.25 * float32(n+1),
						QueueMax: int32(10*i + lane), PausedPs: int64(20 * lane), CreditWaitPs: 5, Marks: 1, Drops: 1, ReceiveDrops: 2,
					}) {
						return
					}
				}
			}
		}
		s.Details = func(yield func(results.SeriesSample) bool) {
			for lane := range 2 {
				for i := range 2 {
					if !yield(results.SeriesSample{
						Simulation: s.Simulation.Simulation, Link: 1, Lane: int32(lane), TimePs: int64(150 + 50*i), Utilisation: 0.25,
						QueueMax: int32(10*i + lane), PausedPs: int64(20 * lane), CreditWaitPs: 5, Marks: 1, ReceiveDrops: int32(i),
					}) {
						return
					}
				}
			}
		}
		w.Add(s)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	meta, err := json.Marshal(runstore.Meta{Version: runstore.MetaVersion, Weft: "test"})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, runstore.MetaFile), meta, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

const host, token = "127.0.0.1:8080", "the token"

// siteOf is a site with folders, and with the token of the tests.
func siteOf(folders ...*Folder) *Site {
	s := NewSite(host, folders)
	s.Token = token
	return s
}

// ask is an answer of the page's server, to a request as a browser sends it, with the token.
func ask(t *testing.T, h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://"+host+path, nil)
	r.Header.Set("Weft-Token", token)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func handler(t *testing.T) http.Handler {
	t.Helper()
	f, err := Open(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	return siteOf(f).Handler()
}

func TestRequestsFromElsewhereAreRefused(t *testing.T) {
	h := handler(t)
	for _, c := range []struct {
		headers []string
		want    int
	}{
		{nil, 200},
		{[]string{"Host", "localhost:8080", "Origin", "http://localhost:8080"}, 200},
		{[]string{"Sec-Fetch-Site", "same-origin"}, 200},
		{[]string{"Host", "evil.example:8080"}, 403},
		{[]string{"Host", "127.0.0.1:81"}, 403},
		{[]string{"Origin", "http://evil.example"}, 403},
		{[]string{"Origin", "null"}, 403},
		{[]string{"Origin", "http://127.0.0.1:81"}, 403},
		{[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		{[]string{"Sec-Fetch-Site", "same-site"}, 403},
	} {
		for _, path := range []string{"/", "/runs", "/page.js", "/data/0/flows.parquet", "/report/0"} {
			if got := ask(t, h, path, c.headers...).Code; got != c.want && (path != "/report/0" || got != 404) {
				t.Errorf("%s with %v: status %d, want %d", path, c.headers, got, c.want)
			}
		}
	}
	r := httptest.NewRequest(http.MethodPost, "http://"+host+"/runs", nil)
	r.Header.Set("Weft-Token", token)
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != 405 {
		t.Errorf("POST: status %d, want 405", w.Code)
	}
}

// Another user of the machine, who does not know the token, reads nothing of a run.
func TestNothingIsReadWithoutTheToken(t *testing.T) {
	h := handler(t)
	for _, path := range []string{
		"/runs", "/events", "/report/0", "/scenario/0", "/data/0/flows.parquet", "/matrix/0/1/queue", "/causes/0/0", "/nothing",
		"/ask/0/pause", "//", "/./x", "/runs?token=guess", "/runs?token=",
	} {
		for _, given := range []string{"", "guess"} {
			if w := ask(t, h, path, "Weft-Token", given); w.Code != http.StatusForbidden && w.Code/100 != 3 {
				t.Errorf("%s with the token %q: status %d, want 403", path, given, w.Code)
			}
		}
	}
	if w := ask(t, h, "/runs?token="+url.QueryEscape(token), "Weft-Token", ""); w.Code != http.StatusOK {
		t.Errorf("with the token in the address: status %d", w.Code)
	}
	for _, path := range []string{"/", "/page.js"} {
		if w := ask(t, h, path, "Weft-Token", ""); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "pfc") {
			t.Errorf("%s, which has no data: status %d", path, w.Code)
		}
	}
}

func TestPathsThatDoNotExistAreNotFound(t *testing.T) {
	h := handler(t)
	for _, path := range []string{
		"/data/1/flows.parquet", "/data/-1/flows.parquet", "/data/0/meta.json", "/data/0/..%2Fmeta.json", "/data/0/flows.parquet?nothing=1",
		"/matrix/0/9/queue", "/matrix/0/0/nothing", "/details/0/9/queue", "/details/0/0/nothing", "/matrix/0/x/queue", "/etc/passwd", "/report/7", "/report/x",
	} {
		if w := ask(t, h, path); w.Code != 404 {
			t.Errorf("%s: status %d %s, want 404", path, w.Code, w.Body)
		}
	}
}

func TestAMatrixHasTheValuesOfTheSamples(t *testing.T) {
	h := handler(t)
	for quantity, want := range map[string][]float32{
		"utilisation": {0, 0, 0, 1, 1, 1}, "queue": {0, 0, 0, 1, 11, 21}, "stopped": {0, 0, 0, 0.25, 0.25, 0.25}, "marks": {0, 0, 0, 2, 2, 2}, "drops": {0, 0, 0, 6, 6, 6},
	} {
		text := ask(t, h, "/matrix/0/1/"+quantity).Body.Bytes()
		if len(text) != 8+4*len(want) || binary.LittleEndian.Uint32(text) != 2 || binary.LittleEndian.Uint32(text[4:]) != 3 {
			t.Fatalf("%s: %v, want 2 links and 3 intervals", quantity, text)
		}
		for i, v := range want {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(text[8+4*i:])); got != v {
				t.Errorf("%s: cell %d is %v, want %v", quantity, i, got, v)
			}
		}
	}
}

// Details are the links and the short intervals that are kept, with the values over the lanes.
func TestDetailsHaveTheValuesOfTheirRows(t *testing.T) {
	h := handler(t)
	for quantity, want := range map[string][2]float32{"utilisation": {0.5, 0.5}, "queue": {1, 11}, "stopped": {0.5, 0.5}, "marks": {2, 2}, "drops": {0, 2}} {
		text := ask(t, h, "/details/0/1/"+quantity).Body.Bytes()
		numbers := make([]uint32, len(text)/4)
		for i := range numbers {
			numbers[i] = binary.LittleEndian.Uint32(text[4*i:])
		}
		if wanted := []uint32{2, 1, 1, 3, 4, math.Float32bits(want[0]), math.Float32bits(want[1])}; !slices.Equal(numbers, wanted) {
			t.Errorf("%s: %v, want %v: link 1 in the intervals 3 and 4", quantity, numbers, wanted)
		}
	}
}

// The first drops of a link are at the time of its details, which have them.
func TestMomentsHaveTheTimeOfDetails(t *testing.T) {
	text := ask(t, handler(t), "/moments/0/1").Body.String()
	for _, want := range []string{`"time_ps":200,"kind":"drop"`, `"time_ps":150,"kind":"mark"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the moments are %s, want %s", text, want)
		}
	}
}

func TestATableIsFilteredByItsColumns(t *testing.T) {
	h := handler(t)
	w := ask(t, h, "/data/0/link_samples.parquet?simulation=1&time_ps=100&time_ps=200")
	var c struct {
		Rows, Matched int
		Names         []string
		Values        []json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &c); err != nil || c.Rows != 4 || c.Matched != 4 {
		t.Fatalf("%v, %+v: want 4 rows", err, c)
	}
	for i, name := range c.Names {
		if name == "time_ps" && string(c.Values[i]) != "[100,100,200,200]" {
			t.Errorf("times %s", c.Values[i])
		}
	}
	if text := ask(t, h, "/data/0/links.parquet?fabric="+url.QueryEscape(nasty)).Body.String(); !strings.Contains(text, `"rows":1,`) {
		t.Errorf("the links of %s, whose name has a comma: %s", nasty, text)
	}
	if text := ask(t, h, "/data/0/flows.parquet?simulation=0").Body.String(); !strings.Contains(text, `"9223372036854775807"`) {
		t.Errorf("an integer beyond 2^53 is no text: %s", text)
	}
}

// The operations of a training step are an entry without samples: its matrix has one interval and no link, however
// long the step is.
func TestAnEntryWithoutSamplesHasNoMatrixOfZeros(t *testing.T) {
	dir := t.TempDir()
	w, err := seriesfile.Create(filepath.Join(dir, results.SeriesFolder), seriesfile.About{Weft: "test"})
	if err != nil {
		t.Fatal(err)
	}
	w.Add(&results.Series{Simulation: results.SeriesSimulation{Phase: results.StepOperations, DurationPs: 2e12}, Samples: func(func(results.SeriesSample) bool) {}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f := &Folder{dir: dir, Simulations: []results.SeriesSimulation{{Phase: results.StepOperations, DurationPs: 2e12}}}
	m, err := f.matrix(0, "utilisation")
	if err != nil || m.Links != 0 || m.Intervals != 1 || len(m.Cells) != 0 {
		t.Errorf("the matrix is %+v, %v, want one interval without links", m, err)
	}
}

// The names of an untrusted folder are nowhere in the document, and its report runs no scripts.
func TestNamesOfAFolderAreNoHTML(t *testing.T) {
	dir := folder(t)
	named := filepath.Join(filepath.Dir(dir), "<img src=x onerror=alert(1)>")
	if err := os.Rename(dir, named); err != nil {
		t.Fatal(err)
	}
	f, err := Open(named)
	if err != nil {
		t.Fatal(err)
	}
	h := siteOf(f).Handler()
	page := ask(t, h, "/")
	if strings.Contains(page.Body.String(), "img src=x") {
		t.Error("the name of the folder is in the page, which everybody gets")
	}
	if got := page.Header().Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'; script-src 'self';") {
		t.Errorf("the policy of the page is %q", got)
	}
	if text := ask(t, h, "/runs").Body.String(); strings.ContainsAny(text, "<>") {
		t.Errorf("JSON has the signs of HTML: %s", text)
	}
}

// A page with its data inside takes no name as HTML, allows its own script alone, and keeps its bound.
func TestDataInsideAPageAreNoHTML(t *testing.T) {
	page := func() string {
		d := doc.Document{Title: "run", Sections: []doc.Section{{Verdict: true, Blocks: doc.Paragraphs("the verdict")}}}
		if note, err := Embed(&d, folder(t), nasty); err != nil || note != "" {
			t.Fatal(note, err)
		}
		var b strings.Builder
		if err := d.HTML(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := page()
	if strings.Contains(text, "<img") || strings.Count(text, "<script") != 2 || strings.Count(text, "</script>") != 2 {
		t.Error("a name of the run is HTML in the page")
	}
	_, run, _ := strings.Cut(text, "</script><script>")
	run, _, _ = strings.Cut(run, "</script>")
	if !strings.Contains(html.UnescapeString(text), "script-src 'sha256-"+digest(run)+"'") {
		t.Error("the policy does not name the script of the page")
	}
	if strings.Index(text, "the verdict") > strings.Index(text, `id="weft"`) {
		t.Error("the views stand above the verdict")
	}
	if len(text) > 300_000 {
		t.Errorf("the page has %d bytes with nearly no data", len(text))
	}
	if text != page() {
		t.Error("equal runs make different pages")
	}
}

func TestTheReportOfAFolderRunsNoScripts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	text := []byte("<script>alert(1)</script>")
	out, err := runstore.Claim(dir, runstore.Runs)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Seal([]runstore.File{{Name: runstore.ReportFile, Text: text}}, runstore.Meta{Weft: "test"}); err != nil {
		t.Fatal(err)
	}
	_ = out.Close()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	w := ask(t, siteOf(f).Handler(), "/report/0")
	if got := w.Header().Get("Content-Security-Policy"); w.Code != 200 || !strings.HasPrefix(got, "sandbox; default-src 'none'") {
		t.Errorf("status %d, policy %q", w.Code, got)
	}
	if err := os.WriteFile(filepath.Join(dir, runstore.ReportFile), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if w := ask(t, siteOf(f).Handler(), "/report/0"); w.Code != 404 || !strings.Contains(w.Body.String(), "is not the file that was written") {
		t.Errorf("a changed report: status %d, %s", w.Code, w.Body)
	}
}

func TestFoldersThatCannotBeShownAreRefused(t *testing.T) {
	empty := t.TempDir()
	newer, cut, bare := folder(t), folder(t), folder(t)
	killed := filepath.Join(empty, "run")
	if err := os.Mkdir(filepath.Join(empty, ".run.weft-new"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(newer, runstore.MetaFile), []byte(`{"version": 99, "weft": "later"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(cut, results.SeriesFolder, seriesfile.Simulations), 100); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		empty: "is not a run folder", filepath.Join(empty, "missing"): "is not a run folder",
		filepath.Join(cut, runstore.MetaFile): "is a file", newer: "is of version 99", cut: "cut short",
		killed: "was killed",
	} {
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", dir, err, want)
		}
	}
	if err := os.RemoveAll(filepath.Join(bare, results.SeriesFolder)); err != nil {
		t.Fatal(err)
	}
	if f, err := Open(bare); err != nil || !strings.Contains(f.Note, "--series") {
		t.Errorf("a run without series: %+v, %v; want a note with the flag", f, err)
	}
}

// A file that weft cannot have written is refused with its name, in every view that reads it.
func TestFilesThatCannotBeShownAreRefused(t *testing.T) {
	far := results.SeriesSample{TimePs: math.MaxInt64}
	wrong := results.SeriesSample{Utilisation: float32(math.NaN())}
	for _, c := range []struct {
		file  string
		put   func(t *testing.T, name string)
		paths []string
		want  string
	}{
		{seriesfile.LinkSamples, put(far), []string{"/matrix/0/0/queue"}, "a matrix has at most"},
		{seriesfile.LinkDetails, put(results.SeriesSample{Link: -1}), []string{"/details/0/0/queue"}, "want a link below"},
		{seriesfile.LinkSamples, put(wrong), []string{"/matrix/0/0/utilisation", "/data/0/link_samples.parquet"}, "a value is no number"},
		{seriesfile.Pauses, put(far), []string{"/causes/0/0", "/data/0/pauses.parquet"}, "the column pauses is of type INT(32,true)"},
		{seriesfile.Nodes, put(far), []string{"/causes/0/0", "/data/0/nodes.parquet"}, "the column fabric is missing"},
	} {
		dir := folder(t)
		c.put(t, filepath.Join(dir, results.SeriesFolder, c.file))
		f, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		f.Simulations[0].IntervalPs = 1
		for _, path := range c.paths {
			if w := ask(t, siteOf(f).Handler(), path); w.Code != 422 || !strings.Contains(w.Body.String(), c.want) || !strings.Contains(w.Body.String(), c.file) {
				t.Errorf("%s: status %d, %s; want 422 with %s and %q", path, w.Code, w.Body, c.file, c.want)
			}
		}
	}
}

// put writes a file of series with one row of samples, whatever its name.
func put(row results.SeriesSample) func(t *testing.T, name string) {
	return func(t *testing.T, name string) {
		t.Helper()
		var b bytes.Buffer
		w := parquet.NewGenericWriter[results.SeriesSample](&b, parquet.KeyValueMetadata("weft.series_version", "1"))
		_, err := w.Write([]results.SeriesSample{row})
		if err == nil {
			err = w.Close()
		}
		if err == nil {
			err = os.WriteFile(name, b.Bytes(), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// What has no room in a page is named, in the page and to the caller.
func TestAPageSaysWhatItHasNoRoomFor(t *testing.T) {
	dir := t.TempDir()
	w, err := seriesfile.Create(filepath.Join(dir, results.SeriesFolder), seriesfile.About{Weft: "test"})
	if err != nil {
		t.Fatal(err)
	}
	rough := rand.New(rand.NewPCG(1, 2))
	for n, links := range []int{1, 8000} {
		s := &results.Series{Simulation: results.SeriesSimulation{Simulation: int32(n), Fabric: "a", Bytes: int64(1 + n), DurationPs: 128, IntervalPs: 1}}
		s.Samples = func(yield func(results.SeriesSample) bool) {
			for i := range 128 * links {
				if !yield(results.SeriesSample{Simulation: s.Simulation.Simulation, Link: int32(i / 128), TimePs: int64(i % 128), Utilisation: rough.Float32()}) {
					return
				}
			}
		}
		if n == 0 {
			s.Steps = make([]results.SeriesStep, stepsShown+1)
		}
		w.Add(s)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var d doc.Document
	note, err := Embed(&d, dir, "run")
	if want := "report.html has no room for 1 of 2 simulations (a 2 B), and the steps of 1 of the others (more than 12000 rows): weft ui shows them."; err != nil || note != want {
		t.Errorf("%v, %q; want %q", err, note, want)
	}
	if len(d.Sections) != 1 || !strings.Contains(d.Sections[0].Caption, note) {
		t.Errorf("the page does not say so: %+v", d.Sections)
	}
}
