package page

import (
	"errors"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/internal/sim/runstore/seriesfile"
	"weft/schema"
)

// policy is the Content-Security-Policy of the page: its own scripts, its own data, and nothing else.
// report.html comes in a frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// reportPolicy is the policy of a folder's report.html, which anybody may have written: no scripts.
const reportPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// Handler serves the page of a site. The page alone, which has no data, needs no token.
func (s *Site) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.withToken(s.contents()))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		d := doc.Document{Brand: "look", Title: "weft ui", Sections: []doc.Section{{In: doc.Page, Blocks: []doc.Block{
			doc.Live(shell("views alone") + `<script src="page.js"></script>`),
		}}}}
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = d.HTML(w) // the browser has gone
	})
	mux.HandleFunc("GET /page.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write([]byte(script))
	})
	return guarded(mux, s.Host)
}

// contents serves the runs, and what is done to them.
func (s *Site) contents() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /report/{run}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", reportPolicy)
		s.serveFile(w, r, runstore.ReportFile, "text/html; charset=utf-8", withoutViews)
	})
	mux.HandleFunc("GET /scenario/{run}", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("as") == "written" {
			s.serveWritten(w, r)
			return
		}
		s.serveFile(w, r, runstore.ScenarioFile, "text/plain; charset=utf-8", "")
	})
	mux.HandleFunc("GET /schema", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(schema.Scenario)
	})
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("POST /ask/{run}/{request}", s.ask)
	mux.HandleFunc("POST /check/{name}", s.check)
	mux.HandleFunc("POST /start/{name}", s.start)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		s.serveData(w, strings.TrimPrefix(r.URL.Path, "/"), r.URL.Query())
	})
	return mux
}

// run is the run of a request; nil if there is none.
func (s *Site) run(r *http.Request) *Folder {
	for i, f := range s.look() {
		if r.PathValue("run") == itoa(i) {
			return f
		}
	}
	return nil
}

// withoutViews hides the views of a report in its frame, where no script runs: they are the other tabs.
const withoutViews = `<style>#weft, h2:has(+ .note + style + #weft), .note:has(+ style + #weft) { display: none; }</style>`

// serveFile serves a file of a run that has ended, and a text after it.
func (s *Site) serveFile(w http.ResponseWriter, r *http.Request, name, kind, after string) {
	f := s.run(r)
	if f == nil {
		http.NotFound(w, r)
		return
	}
	text, err := f.meta.Read(f.dir, name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(text)
	_, _ = io.WriteString(w, after)
}

// serveWritten serves the scenario of a run as its user wrote it.
func (s *Site) serveWritten(w http.ResponseWriter, r *http.Request) {
	f := s.run(r)
	if f == nil {
		http.NotFound(w, r)
		return
	}
	text, err := f.written()
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(text)
}

func (s *Site) serveData(w http.ResponseWriter, path string, query url.Values) {
	text, err := s.answer(path, query)
	switch {
	case errors.Is(err, seriesfile.ErrQuery):
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if strings.HasPrefix(path, "matrix/") {
		w.Header().Set("Content-Type", "application/octet-stream")
	}
	_, _ = w.Write(text)
}

// guarded refuses what a page of another site could make a browser send: another name of the host, which
// such a site can let point to loopback, and other origins.
func guarded(next http.Handler, host string) http.Handler {
	_, port, _ := strings.Cut(host[strings.LastIndex(host, "]")+1:], ":")
	names := map[string]bool{host: true, "localhost:" + port: true}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
		switch {
		case !names[r.Host]:
			http.Error(w, "weft answers requests for "+host+" only", http.StatusForbidden)
		case origin != "" && origin != "http://"+r.Host, site != "" && site != "same-origin" && site != "none":
			http.Error(w, "weft refuses requests from other origins", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// shell is the place of the views in a page.
func shell(class string) template.HTML {
	return template.HTML("<style>" + style + `</style><div id="weft" class="` + class + `"><noscript><p class="note">The views need JavaScript.</p></noscript></div>`)
}
