package simulator

import (
	"bytes"
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/spf13/cobra"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/formats/metrics"
	"weft/scenario"
)

// metricsToken is the variable with the token that scrapes must carry.
const metricsToken = "WEFT_METRICS_TOKEN" // #nosec: the name of a variable

// textfileEvery is the period of a textfile: node exporters are scraped every 15 s and less often.
const textfileEvery = 5 * time.Second

// MetricsFlag registers the flag for counters that Prometheus reads during the run.
func MetricsFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "metrics", "", "serve counters to Prometheus at this address, such as :9400 on loopback, or write FILE.prom for the node exporter (docs/METRICS.md)")
}

// exporter gives the counters to Prometheus.
type exporter struct {
	take  func() *metrics.Snapshot
	token string
	own   bool // it listens on loopback

	mu sync.Mutex // one answer is made at a time

	sending sync.Mutex // guards sent
	sent    []*http.ResponseController
}

// mostScrapes bounds the answers that readers have not taken yet: more readers than Prometheus has, and little memory.
const mostScrapes = 32

// ExportMetrics serves counters at an address, or writes them into a textfile, until end is called. An empty
// destination does nothing.
func ExportMetrics(e *process.Env, to string, take func() *metrics.Snapshot) (end func() error, err error) {
	x := &exporter{take: take, token: e.Getenv(metricsToken)}
	switch {
	case to == "":
		return func() error { return nil }, nil
	case strings.HasSuffix(to, ".prom"):
		return x.textfile(e, to)
	}
	host, port, err := net.SplitHostPort(to)
	if err != nil {
		return nil, errors.New("--metrics " + flags.Abridged(to) + ": want HOST:PORT, :PORT for loopback, or a file whose name ends in .prom, as the textfile collector wants it")
	}
	addr, err := netip.ParseAddr(cmp.Or(strings.ReplaceAll(host, "localhost", "127.0.0.1"), "127.0.0.1"))
	if err != nil {
		return nil, errors.New("--metrics " + flags.Abridged(to) + ": " + flags.Abridged(host) + " is no IP address")
	}
	if x.own = addr.IsLoopback(); !x.own && len(x.token) < 16 {
		return nil, errors.New("--metrics " + flags.Abridged(to) + " is not on loopback: put a token of 16 characters or more into " + metricsToken + ", and into authorization.credentials of Prometheus")
	}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", net.JoinHostPort(addr.String(), port))
	if err != nil {
		return nil, exit.Errorf(exit.Failed, "--metrics %s: %w: name another port, or 0 for a free one", flags.Abridged(to), err)
	}
	server := &http.Server{Handler: x, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute, MaxHeaderBytes: 1 << 14}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) })
	e.Note("metrics at http://%s/metrics\n", l.Addr())
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			_ = server.Close()
		}
		serving.Wait()
		return nil
	}, nil
}

// ServeHTTP answers a scrape. ?instance= names one host.
func (x *exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case x.own && !ownHost(r.Host):
		http.Error(w, "this address answers to localhost and to IP addresses alone", http.StatusForbidden)
	case x.token != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+x.token)) != 1:
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "want the token of "+metricsToken+" as Authorization: Bearer", http.StatusUnauthorized)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "want GET", http.StatusMethodNotAllowed)
	case r.URL.Path != "/metrics":
		http.Error(w, "the counters are at /metrics", http.StatusNotFound)
	default:
		x.answer(w, r)
	}
}

func (x *exporter) answer(w http.ResponseWriter, r *http.Request) {
	format := expfmt.NegotiateIncludingOpenMetrics(r.Header)
	text, err := x.text(format, r.URL.Query().Get("instance"))
	if err != nil {
		code := http.StatusInternalServerError
		if errors.As(err, &metrics.TooMany{}) {
			code = http.StatusRequestEntityTooLarge
		}
		http.Error(w, err.Error(), code)
		return
	}
	w.Header().Set("Content-Type", string(format))
	defer x.begin(http.NewResponseController(w))()
	_, _ = w.Write(text)
}

// text is an answer.
func (x *exporter) text(format expfmt.Format, instance string) ([]byte, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var text bytes.Buffer
	err := x.take().Write(&text, format, instance)
	return text.Bytes(), err
}

// begin begins to send an answer, until the result is called. It holds up no other, however slow its reader is. If too many
// have not been taken, the oldest makes room.
func (x *exporter) begin(answer *http.ResponseController) (end func()) {
	x.sending.Lock()
	defer x.sending.Unlock()
	if len(x.sent) == mostScrapes {
		_ = x.sent[0].SetWriteDeadline(time.Now()) // it fails only if the reader has gone
		x.sent = slices.Delete(x.sent, 0, 1)
	}
	x.sent = append(x.sent, answer)
	return func() {
		x.sending.Lock()
		defer x.sending.Unlock()
		x.sent = slices.DeleteFunc(x.sent, func(other *http.ResponseController) bool { return other == answer })
	}
}

// ownHost reports whether a Host header names this machine: another name may be a site's that points to
// loopback.
func ownHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || host == "localhost"
}

// textfile writes the counters into a file, whole or not at all, now, every few seconds, and at the end.
func (x *exporter) textfile(e *process.Env, name string) (end func() error, err error) {
	write := func() error {
		return e.WriteFile(name, func(w io.Writer) error {
			return x.take().Write(w, expfmt.NewFormat(expfmt.TypeTextPlain), "")
		})
	}
	if err := write(); err != nil {
		return nil, err
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(textfileEvery)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				_ = write() // the last one reports
			}
		}
	}()
	return func() error {
		close(quit)
		<-done
		return write()
	}, nil
}

// RunMetrics are the counters of a run.
type RunMetrics struct {
	Live     weft.Live
	scenario *scenario.Resolved

	mu    sync.Mutex
	ended []metrics.Collective
}

// watch makes a run show itself.
func (m *RunMetrics) watch(o *weft.Options) {
	o.Live = &m.Live
	each := o.Finished
	o.Finished = func(f weft.Finished) {
		if each != nil {
			each(f)
		}
		if p := &f.Point; p.BusBW > 0 {
			r := m.scenario
			m.mu.Lock()
			defer m.mu.Unlock()
			m.ended = append(m.ended, metrics.Collective{
				Fabric: r.Fabrics[f.Fabric].Name, Host: r.Cluster.HostName(0), Name: metrics.CollectiveName(r.Workload.Name()),
				Algorithm: strings.ToUpper(p.Algorithm + "_" + p.Wire), Ranks: r.Job().Ranks(), Nodes: r.Job().Nodes, Bytes: p.Bytes, BusBW: p.BusBW,
			})
		}
	}
}

// Snapshot is what the run has counted so far.
func (m *RunMetrics) Snapshot() *metrics.Snapshot {
	s := new(metrics.Snapshot)
	for _, c := range m.Live.Counters() {
		s.Add(c)
	}
	p := m.Live.Progress()
	s.Events, s.Done, s.Total = p.Events, p.Done, p.Total
	m.mu.Lock()
	defer m.mu.Unlock()
	s.Collectives = append(s.Collectives, m.ended...)
	return s
}
