package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/simulator"
	"weft/internal/formats/metrics"
	"weft/results"
	"weft/scenario"
)

const measured = `
cluster: {nodes: 8, node: {gpu: h100, gpus: 4, nics: 4, nic: connectx-7}}
workload: {collective: all-reduce, sizes: [1MiB, 4MiB]}
fabrics: [{preset: roce-v2-400g, slow-links: [{nics: node3/nic1, rate: 100Gbps}]}, {preset: infiniband-ndr}]
`

// environmentOf is an environment that simulates by run; nil is weft's own.
func environmentOf(args []string, run simulator.Runner) *Program {
	e := environment(args)
	e.Run = run
	return e
}

// freeAddr is an address of loopback on which nobody listens.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func measuredFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "measured.yaml")
	if err := os.WriteFile(name, []byte(measured), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// The results are the same with metrics and without.
func TestResultsDoNotDependOnMetrics(t *testing.T) {
	file := measuredFile(t)
	_, alone, _ := invoke(environmentOf([]string{"run", file, "--json"}, nil))
	_, served, _ := invoke(environmentOf([]string{"run", file, "--json", "--metrics", ":0"}, nil))
	_, written, _ := invoke(environmentOf([]string{"run", file, "--json", "--metrics", filepath.Join(t.TempDir(), "x.prom")}, nil))
	if alone == "" || alone != served || alone != written {
		t.Errorf("%d bytes without metrics, %d served, %d with a textfile", len(alone), len(served), len(written))
	}
}

// seriesIn are the series of a file of metrics.
func seriesIn(t *testing.T, file string) []*metrics.Series {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d metrics.Data
	if err := d.Read(file, bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return d.Series
}

// The ranks of a collective are devices with their bytes.
func TestRanksOfACollectiveHaveMetrics(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ranks.prom")
	liveAllReduce(t, "--ranks", "3", "-b", "64K", "-e", "64K", "--addr", "127.4.0.1", "--metrics", file)
	sent := map[string]float64{}
	for _, s := range seriesIn(t, file) {
		if s.Name == "node_infiniband_port_data_transmitted_bytes_total" {
			sent[s.Labels["device"]] = s.Points[0].Value
		}
	}
	// Each rank of a ring sends 4/3 of the vector in each operation.
	for _, device := range []string{"weft_127.4.0.1", "weft_127.4.0.2", "weft_127.4.0.3"} {
		if sent[device] < 64<<10*4/3 {
			t.Errorf("%s sent %v bytes, want at least those of an operation; all: %v", device, sent[device], sent)
		}
	}
}

// A training step has the counters of its phases, and the same results.
func TestATrainingStepHasMetrics(t *testing.T) {
	file := filepath.Join(t.TempDir(), "step.prom")
	train := []string{"train", "../../../examples/llama3-8b-64.yaml", "--set", "cluster.nodes=2", "--set", "training.batch.global=32", "--fabric", "roce-v2-400g", "--json"}
	_, alone, errs := invoke(environmentOf(train, nil))
	_, shown, _ := invoke(environmentOf(append(train, "--metrics", file), nil))
	if alone == "" || alone != shown {
		t.Errorf("%d bytes of results without metrics, %d with them\n%s", len(alone), len(shown), errs)
	}
	sums := map[string]float64{}
	for _, s := range seriesIn(t, file) {
		sums[s.Name] += s.Points[0].Value
	}
	total, done := sums["weft_simulations"], sums["weft_simulations_done_total"]
	if total < 2 || total != done || sums["weft_events_total"] == 0 || sums["node_infiniband_port_packets_transmitted_total"] == 0 || sums["DCGM_FI_PROF_NVLINK_TX_BYTES"] == 0 {
		t.Errorf("%v of %v simulations, sums %v", done, total, sums)
	}
	if code, _, errs := invoke(environmentOf(append(train, "--metrics", file, "--scale", "16,32"), nil)); code == exit.OK || !strings.Contains(errs, "--scale") {
		t.Errorf("with --scale: %v, %s", code, errs)
	}
}

// prometheus runs Debian's Prometheus, which scrapes target, until the test ends, and returns its URL. Without
// the program the test is skipped, and in CI it fails.
func prometheus(t *testing.T, target string) string {
	t.Helper()
	path, err := exec.LookPath("prometheus")
	switch {
	case err != nil && os.Getenv("CI") != "":
		t.Fatal("prometheus is not installed (bash .ci/run tools)")
	case err != nil:
		t.Skip("SKIPPED: prometheus is not installed (bash .ci/run tools)")
	}
	dir, addr := t.TempDir(), freeAddr(t)
	config := fmt.Sprintf("scrape_configs: [{job_name: weft, honor_labels: true, scrape_interval: 1s, static_configs: [{targets: [%q]}]}]", target) //nolint:misspell // Prometheus's key
	if err := os.WriteFile(filepath.Join(dir, "c.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, path, "--config.file="+filepath.Join(dir, "c.yml"), "--storage.tsdb.path="+filepath.Join(dir, "db"), "--web.listen-address="+addr)
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s", log.String())
		}
	})
	return "http://" + addr
}

// query is the number of series and the sum of their values of an expression.
func query(t *testing.T, base, expr string) (n int, sum float64) {
	t.Helper()
	answer, err := http.Get(base + "/api/v1/query?query=" + url.QueryEscape(expr)) //nolint:noctx // the server is the test's
	if err != nil {
		return 0, 0 // it starts
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Status, Error string
		Data          struct{ Result []struct{ Value [2]any } }
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return 0, 0
	}
	if got.Status == "error" {
		t.Fatalf("%s: %s", expr, got.Error)
	}
	for _, r := range got.Data.Result {
		var v float64
		if _, err := fmt.Sscan(fmt.Sprint(r.Value[1]), &v); err == nil {
			sum += v
		}
	}
	return len(got.Data.Result), sum
}

// A real Prometheus scrapes a run: it has the bytes that the results' packets have, the dashboards show
// something, and diagnose finds the slow cable in it.
func TestPrometheusScrapesARun(t *testing.T) {
	target := freeAddr(t)
	base := prometheus(t, target)
	scraped, seen := make(chan struct{}), make(chan struct{})
	var outcome *results.Results
	e := environmentOf([]string{"run", measuredFile(t), "--metrics", target}, func(ctx context.Context, r *scenario.Resolved, o weft.Options) (out *results.Results, err error) {
		out, err = weft.Run(ctx, r, o)
		if outcome != nil {
			return out, err // a test of the run's order
		}
		outcome = out
		close(scraped) // the run goes on until the test has seen enough
		<-seen
		return out, err
	})
	done := make(chan exit.Code, 1)
	go func() {
		code, _, _ := invoke(e)
		done <- code
	}()
	select {
	case <-scraped:
	case code := <-done:
		t.Fatalf("the run ends with %v", code)
	}
	defer func() {
		close(seen)
		if code := <-done; code != exit.OK {
			t.Errorf("the run ends with %v", code)
		}
	}()
	deadline := time.Now().Add(40 * time.Second)
	for n := 0; n < 4; time.Sleep(200 * time.Millisecond) { // scrapes, for rates
		if _, sum := query(t, base, "sum(count_over_time(weft_simulations_done_total[1m]))"); sum > 0 {
			n = int(sum)
		}
		if time.Now().After(deadline) {
			t.Fatal("Prometheus scrapes nothing")
		}
	}
	if _, up := query(t, base, `up{job="weft"}`); up != 1 {
		t.Errorf("up is %v", up)
	}
	if n, _ := query(t, base, `node_infiniband_port_data_transmitted_bytes_total{instance="node3",device="mlx5_1",port="1"}`); n != 2 {
		t.Errorf("%d series of node3's mlx5_1, want one of each fabric", n)
	}
	// What NICs send comes in at the switches, whose names the GUIDs have.
	for _, c := range [][2]string{
		{`node_infiniband_port_data_transmitted_bytes_total{fabric="infiniband-ndr"}`, `infiniband_switch_port_receive_data_bytes_total * on (guid) group_left (switch) infiniband_switch_info`},
		{`node_infiniband_port_data_received_bytes_total{fabric="roce-v2-400g"}`, `sonic_queue_bytes_total{fabric="roce-v2-400g"}`},
	} {
		_, nics := query(t, base, "sum("+c[0]+")")
		if _, switches := query(t, base, "sum("+c[1]+")"); nics == 0 || switches != nics {
			t.Errorf("%s is %v, %s is %v", c[0], nics, c[1], switches)
		}
	}
	if _, done := query(t, base, "weft_simulations_done_total"); done != 4 {
		t.Errorf("%v simulations are done, want 4", done)
	}
	if _, bw := query(t, base, `nccl_bus_bandwidth_gbs{collective="AllReduce",message_size="4-5MB",fabric="infiniband-ndr"}`); bw-outcome.Fabrics[1].Points[1].BusBW > 1e-9 || bw == 0 {
		t.Errorf("the bus bandwidth is %v, want %v", bw, outcome.Fabrics[1].Points[1].BusBW)
	}
	all, err := metrics.Dashboards()
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, d := range all {
		var parsed struct {
			Panels []struct{ Targets []struct{ Expr string } }
		}
		if err := json.Unmarshal(d.JSON, &parsed); err != nil {
			t.Fatal(err)
		}
		for _, p := range parsed.Panels {
			for _, q := range p.Targets {
				expr := strings.NewReplacer("$instance", ".*", "$node", ".*", "$__rate_interval", "30s").Replace(q.Expr)
				if n, _ := query(t, base, expr); n > 0 {
					shown++
				} else {
					t.Errorf("%s shows nothing: %s", d.Name, expr)
				}
			}
		}
	}
	if shown < 20 {
		t.Errorf("%d diagrams show something", shown)
	}
	code, out, errs := invoke(environmentOf([]string{"diagnose", "--prometheus", base, "--last", "1m", "--until", time.Now().UTC().Format(time.RFC3339), "--match", `fabric="roce-v2-400g"`}, nil))
	if code != exit.Refuted || !strings.Contains(out, "node3 mlx5_1 (roce-v2-400g): `node_infiniband_rate_bytes_per_second` is 12.5 GB/s") {
		t.Errorf("diagnose ends with %v:\n%s%s", code, out, errs)
	}
}

// A destination that cannot be served is refused before anything is simulated.
func TestBadDestinationsAreRefused(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	file := measuredFile(t)
	for to, want := range map[string]string{
		"9400":                 "want HOST:PORT",
		"0.0.0.0:9400":         "is not on loopback",
		"[::]:9400":            "is not on loopback",
		"node7:9400":           "is no IP address",
		"127.0.0.1:99999":      "invalid port",
		l.Addr().String():      "address already in use",
		"/nowhere/at/all.prom": "cannot be written",
	} {
		run := func(context.Context, *scenario.Resolved, weft.Options) (*results.Results, error) {
			t.Errorf("--metrics %s: the run begins", to)
			return nil, nil
		}
		code, _, errs := invoke(environmentOf([]string{"run", file, "--metrics", to}, run))
		if code == exit.OK || !strings.Contains(errs, want) {
			t.Errorf("--metrics %s: %v, %s; want %q", to, code, errs, want)
		}
	}
}

// A Prometheus that does not answer as it should is named with the reason.
func TestAPrometheusThatFails(t *testing.T) {
	for answer, want := range map[string]string{
		`{"status":"error","errorType":"bad_data","error":"invalid parameter"}`: "400 Bad Request: the answer: Prometheus answers bad_data: invalid parameter",
		`<html>`: "400 Bad Request: the answer: no whole answer",
		`{"status":"success","data":{"resultType":"matrix","result":[]}}`: "has none of the metrics",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if !strings.Contains(answer, "success") {
				w.WriteHeader(http.StatusBadRequest)
			}
			_, _ = io.WriteString(w, answer)
		}))
		code, _, errs := invoke(environmentOf([]string{"diagnose", "--prometheus", server.URL}, nil))
		server.Close()
		if code != exit.Failed || !strings.Contains(errs, want) {
			t.Errorf("%s: %v, %s; want %q", answer, code, errs, want)
		}
	}
	if code, _, errs := invoke(environmentOf([]string{"diagnose", "--prometheus", "http://user:secret@" + freeAddr(t)}, nil)); code != exit.Failed || !strings.Contains(errs, "connection refused") || strings.Contains(errs, "secret") {
		t.Errorf("nobody listens: %v, %s", code, errs)
	}
}
