package metrics

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/transport"
	"weft/units"
)

// tool is the path of a program of Debian's packages prometheus and prometheus-node-exporter. Without it the
// test is skipped, and in CI it fails.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return path
	case os.Getenv("CI") != "":
		t.Fatalf("%s is not installed (bash .ci/run tools)", name)
	}
	t.Skipf("SKIPPED: %s is not installed (bash .ci/run tools)", name)
	return ""
}

// everything is a snapshot with a value in each metric that weft writes.
func everything() *Snapshot {
	counts := counts.Port{
		Sent: 1, Received: 2, CNPsSent: 3, CNPsHandled: 4, Marked: 5,
		Counters: transport.Counters{OutOfSequence: 6, Duplicates: 7, SequenceNAKs: 8, RNRNAKs: 9, Timeouts: 10, Reads: 11, Writes: 12, Atomics: 13},
	}
	for i := range counts.PausesSent {
		counts.PausesSent[i], counts.PausesTaken[i] = int64(20+i), int64(30+i)
	}
	return &Snapshot{
		Ports: []Port{
			{Fabric: "a", Protocol: "roce-v2", Instance: "node0", Device: "mlx5_0", Netdev: "eth0", Number: 1, State: 4, Rate: 400 * units.Gbps, Sent: 100, Received: 200, Counts: counts},
			{Fabric: "b", Protocol: "infiniband", Instance: `no"de\1`, Device: "mlx5_0", Netdev: "ib0", Number: 2, State: 1, CreditWait: units.Microsecond, Counts: counts},
			{Protocol: "roce-v2", Device: "weft_127.0.0.1", Number: 1, State: 4, Live: true},
		},
		Switches: []Port{
			{Fabric: "a", Protocol: "roce-v2", Instance: "leaf0", Device: "Ethernet8", Number: 2, Queues: [8]Queue{3: {100, 1, 50}}},
			{Fabric: "b", Protocol: "infiniband", Instance: "leaf0", GUID: "0x0200574500400000", Number: 1, Sent: 5, Received: 6, CreditWait: units.Microsecond},
			{Fabric: "b", Protocol: "infiniband", Instance: "leaf0", GUID: "0x0200574500400000", Number: 2},
		},
		GPUs:        []GPU{{Fabric: "a", Host: "node0", Index: 3, Sent: 1e9, Received: 2e9}},
		Collectives: []Collective{{Fabric: "a", Host: "node0", Name: "AllReduce", Algorithm: "RING_SIMPLE", Ranks: 16, Nodes: 2, Bytes: 4 << 30, BusBW: 370.5}},
		Simulated:   map[string]units.Time{"a": units.Millisecond, "b": units.Second},
		Events:      7, Done: 1, Total: 3,
	}
}

func text(t *testing.T, s *Snapshot, format expfmt.Format) string {
	t.Helper()
	var b strings.Builder
	if err := s.Write(&b, format, ""); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// promtool finds nothing to say about what weft serves.
func TestPromtoolFindsNothing(t *testing.T) {
	cmd := exec.Command(tool(t, "promtool"), "check", "metrics")
	cmd.Stdin = strings.NewReader(text(t, everything(), expfmt.NewFormat(expfmt.TypeTextPlain)))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
}

// Every metric that is written is read again with its value, in both formats.
func TestWhatIsWrittenIsRead(t *testing.T) {
	for _, format := range []expfmt.FormatType{expfmt.TypeTextPlain, expfmt.TypeOpenMetrics} {
		var d Data
		if err := d.Read("dump", strings.NewReader(text(t, everything(), expfmt.NewFormat(format)))); err != nil {
			t.Fatal(err)
		}
		read := map[string]int{}
		for _, s := range d.Series {
			read[s.Row.Name]++
			if s.Row.Of == OfPort && s.Labels["instance"] == `no"de\1` && s.Row.Name == RateName && s.Points[0].Value != 0 {
				t.Errorf("%s is %v", s.Name, s.Points)
			}
			if want, is := map[string]float64{"sonic_queue_bytes_total": 100, "sonic_queue_shared_watermark_bytes_total": 50}[s.Name]; is && (s.Points[0].Value != want || s.Labels["queue"] != "3" || s.Labels["device"] != "Ethernet8") {
				t.Errorf("%s%v is %v, want %v", s.Name, s.Labels, s.Points, want)
			}
			if s.Name == "node_ethtool_received_prio5_pause" && s.Points[0].Value != 35 {
				t.Errorf("%s is %v, want 35", s.Name, s.Points)
			}
		}
		for i := range Rows {
			r := &Rows[i]
			if written := r.Counts != "read, not written"; written != (read[r.Name] > 0) {
				t.Errorf("%v: %s is written: %v, and read %d times", format, r.Name, written, read[r.Name])
			}
		}
		if read["infiniband_switch_info"] != 1 || read["infiniband_switch_port_transmit_wait_total"] != 2 {
			t.Errorf("%v: the switch of two ports has %v", format, read)
		}
		if d.Others != 0 || d.Invalid != 0 {
			t.Errorf("%v: %d unknown metrics, %d values without a number", format, d.Others, d.Invalid)
		}
	}
}

// serve runs a program that serves metrics on a port of loopback, and returns what it serves.
func serve(t *testing.T, program string, args ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(args, "--web.listen-address="+addr)...)
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = cmd.Wait()
	}()
	for ctx.Err() == nil {
		answer, err := http.Get("http://" + addr + "/metrics")
		if err != nil {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	t.Fatalf("%s serves nothing:\n%s", program, log.String())
	return ""
}

// The node exporter serves the counters of an adapter in sysfs under the names, types, help and labels of the
// table.
func TestTheNodeExporterHasTheSameNames(t *testing.T) {
	program := tool(t, "prometheus-node-exporter")
	sys := t.TempDir()
	port := filepath.Join(sys, "class/infiniband/mlx5_0/ports/1")
	for name, value := range map[string]string{
		"../../board_id": "MT_0000000838", "../../fw_ver": "28.39.1002", "../../hca_type": "MT4129",
		"state": "4: ACTIVE", "phys_state": "5: LinkUp", "rate": "400 Gb/sec (4X NDR)",
	} {
		writeSys(t, filepath.Join(port, name), value)
	}
	for i := range Rows {
		if r := &Rows[i]; r.Source == nodeInfiniband && r.Type == counter {
			folder := "counters"
			if strings.Contains(r.Counter, "/") {
				folder = ""
			}
			writeSys(t, filepath.Join(port, folder, r.Counter), "7")
		}
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	theirs, err := parser.TextToMetricFamilies(strings.NewReader(serve(t, program, "--path.sysfs="+sys, "--collector.disable-defaults", "--collector.infiniband")))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for i := range Rows {
		r := &Rows[i]
		f := theirs[r.Name]
		if f == nil && strings.HasPrefix(r.Counter, "hw_counters/") || r.Source != nodeInfiniband {
			continue // releases before 1.10 have no hw_counters
		}
		if f == nil {
			t.Errorf("the node exporter has no %s", r.Name)
			continue
		}
		compared++
		if f.GetType() != r.Type || f.GetHelp() != r.Help {
			t.Errorf("%s is a %v, %q; the table has %v, %q", r.Name, f.GetType(), f.GetHelp(), r.Type, r.Help)
		}
		for _, l := range f.Metric[0].Label {
			if want := map[string]string{"device": "mlx5_0", "port": "1"}[l.GetName()]; want != l.GetValue() {
				t.Errorf("%s has the label %s=%q", r.Name, l.GetName(), l.GetValue())
			}
		}
		if len(f.Metric[0].Label) != 2 {
			t.Errorf("%s has %d labels, want device and port", r.Name, len(f.Metric[0].Label))
		}
	}
	if compared < 14 {
		t.Errorf("%d metrics were compared", compared)
	}
}

func writeSys(t *testing.T, path, value string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(value+"\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The node exporter's textfile collector serves weft's file.
func TestTheTextfileCollectorTakesTheFile(t *testing.T) {
	program, dir := tool(t, "prometheus-node-exporter"), t.TempDir()
	writeSys(t, filepath.Join(dir, "weft.prom"), text(t, everything(), expfmt.NewFormat(expfmt.TypeTextPlain)))
	served := serve(t, program, "--collector.disable-defaults", "--collector.textfile", "--collector.textfile.directory="+dir)
	if !strings.Contains(served, "node_textfile_scrape_error 0") {
		t.Error("the collector reports an error")
	}
	var theirs, ours Data
	if err := theirs.Read("served", strings.NewReader(served)); err != nil {
		t.Fatal(err)
	}
	if err := ours.Read("written", strings.NewReader(text(t, everything(), expfmt.NewFormat(expfmt.TypeTextPlain)))); err != nil {
		t.Fatal(err)
	}
	if len(theirs.Series) != len(ours.Series) {
		t.Errorf("%d series are served of %d written", len(theirs.Series), len(ours.Series))
	}
}
