package metrics

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"

	"weft/internal/test/golden"
)

// The page has the table as the code has it (-update writes it).
func TestThePageHasTheTable(t *testing.T) {
	want := metricTable()
	if got := golden.Section(t, "../../../docs/METRICS.md", "<!-- metrics -->", "<!-- /metrics -->", want); got != want {
		t.Error(golden.Difference(want, got))
	}
}

// metricTable has the rows in their order, with a line above those of one source and subject.
func metricTable() string {
	var heads []string
	rows := map[string]string{}
	for i := range Rows {
		r := &Rows[i]
		head := fmt.Sprintf("| **%s, by %s** | | | |\n", r.Source, r.Of)
		if rows[head] == "" {
			heads = append(heads, head)
		}
		unit, counts := r.Unit, r.Counts
		if r.Only != "" {
			unit += ", " + r.Only
		}
		for _, also := range r.Also {
			if also != "rdma_"+path.Base(r.Counter)+"_total" { // the page says this rule
				counts += "; also read as `" + also + "`"
			}
		}
		rows[head] += fmt.Sprintf("| `%s` | %s | `%s` | %s |\n", page(r.Name), unit, page(r.Counter), counts)
	}
	out := "| metric | unit | counter of Linux or of the exporter | what weft counts |\n|---|---|---|---|\n"
	for _, head := range heads {
		out += head + rows[head]
	}
	return strings.ReplaceAll(out, "``", "")
}

// page is a name as the page has it.
func page(name string) string { return strings.ReplaceAll(name, "%d", "N") }

// The types are as the page says in a sentence.
func TestTypesFollowFromNames(t *testing.T) {
	for i := range Rows {
		r, want := &Rows[i], gauge
		switch {
		case strings.HasPrefix(r.Name, "node_ethtool") || r.Name == "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL":
			want = untyped
		case strings.HasSuffix(r.Name, "_total"):
			want = counter
		}
		if r.Type != want {
			t.Errorf("%s is a %s", r.Name, r.Type)
		}
	}
}

// A name belongs to one row, and each row has what the page needs.
func TestRowsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for i := range Rows {
		r := &Rows[i]
		for _, name := range append(r.names(), r.Also...) {
			if seen[name] {
				t.Errorf("%s is in two rows", name)
			}
			seen[name] = true
		}
		if r.Unit == "" || r.Help == "" || r.Source == "" || r.Counts == "" || r.Of == "" || r.Judged() != (r.Near > 0) {
			t.Errorf("%s: %+v", r.Name, r)
		}
	}
}

// The dashboards ask for metrics of the table alone.
func TestDashboardsUseTheTable(t *testing.T) {
	all, err := Dashboards()
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`\b(?:node|DCGM|nccl|weft|rdma)_\w+`)
	for _, d := range all {
		var parsed struct {
			Panels []struct {
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal(d.JSON, &parsed); err != nil {
			t.Fatal(err)
		}
		for _, p := range parsed.Panels {
			for _, q := range p.Targets {
				found := names.FindAllString(q.Expr, -1)
				if len(found) == 0 {
					t.Errorf("%s: %s has no metric", d.Name, q.Expr)
				}
				for _, name := range found {
					if rowsByName[name] == nil {
						t.Errorf("%s: %s is not in the table", d.Name, name)
					}
				}
			}
		}
	}
}

func read(text string) (*Data, error) {
	d := new(Data)
	return d, d.Read("f", strings.NewReader(text))
}

const line = `node_infiniband_link_downed_total{device="mlx5_0",port="1",instance="a"} `

// A counter that goes back was reset: what it counted before and after is added.
func TestResetsAndValuesWithoutANumber(t *testing.T) {
	d, err := read(line + "5 1700000000000\n" + line + "NaN 1700000005000\n" + line + "9 1700000010000\n" + line + "2 1700000020000\n" + line + "+Inf 1700000021000\n" + line + "3 1700000030000\n")
	if err != nil {
		t.Fatal(err)
	}
	value, resets := d.Series[0].Value()
	if value != 4+2+1 || resets != 1 || d.Invalid != 2 || d.Seconds() != 30 {
		t.Errorf("an increase of %v with %d resets, %d values without a number, over %v s; want 7, 1, 2, 30", value, resets, d.Invalid, d.Seconds())
	}
}

const (
	oneCollective = `{"header":{"id":"0x1","rank":2,"n_ranks":8,"nnodes":1},"metadata":{"dump_timestamp_us":1748030377748202,"hostname":"h"},"coll_perf":{"coll":"AllReduce","coll_sn":1,"coll_msg_size_bytes":17179869184,"coll_exec_time_us":61974,"coll_algobw_gbs":277.2,"coll_busbw_gbs":485.1}}`
	oneAnswer     = `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"rdma_np_cnp_sent_total","device":"mlx5_1","port":"1"},"values":[[1700000000,"3"],[1700000015.5,"9"]]}]}}`
)

// Each kind of file is recognised; a cut end is left out and reported.
func TestFilesAreRecognised(t *testing.T) {
	for _, c := range []struct {
		text, name string
		value      float64
		notes      int
	}{
		{line + "7\n", "node_infiniband_link_downed_total", 7, 0},
		{"# TYPE node_infiniband_link_downed counter\n" + line + "7 1700000000.5\n# EOF\n", "node_infiniband_link_downed_total", 7, 0},
		{line + "7\nnode_infiniband_link_do", "node_infiniband_link_downed_total", 7, 1},
		{"\xef\xbb\xbf\n" + oneAnswer, "rdma_np_cnp_sent_total", 6, 0},
		{oneCollective + "\n" + oneCollective, busBandwidth, 485.1, 0},
		{oneCollective + "\n" + oneCollective[:100], busBandwidth, 485.1, 1},
	} {
		d, err := read(c.text)
		if err != nil {
			t.Errorf("%.60q: %v", c.text, err)
			continue
		}
		if value, _ := d.Series[0].Value(); len(d.Series) != 1 || d.Series[0].Name != c.name || math.Abs(value-c.value) > 1e-9 || len(d.Notes) != c.notes {
			t.Errorf("%.60q: %s is %v, notes %q", c.text, d.Series[0].Name, value, d.Notes)
		}
	}
}

// Bad files are refused with the place and what would be right.
func TestBadFilesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "the file is empty",
		"up 1\n":                     "no metric of the table",
		"nonsense\n":                 `f:1: "nonsense" is no sample`,
		line + "x\n" + line + "1\n":  `f:1: "x" is no number`,
		line + "1 -5\n" + line + "1": `f:1: "-5" is no time`,
		`a{b="c` + "\n" + line + "1": "has no end",
		`{"status":"error","errorType":"bad_data","error":"parse error"}`:                   "Prometheus answers bad_data: parse error",
		`{"status":"success","data":{"resultType":"string"}}`:                               "want the answer to query_range",
		`{"status":"success","data":{`:                                                      "no whole answer",
		`{"header":{"rank":1},"coll_perf":{"coll":""}}`:                                     "object 1 has no rank",
		`{"status":"success","data":{"resultType":"matrix","result":[{"values":[[1,2]]}]}}`: "want [seconds",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// A snapshot of more series than the bound is refused, and one host of it is not.
func TestTooManySeriesAreRefused(t *testing.T) {
	s := &Snapshot{Ports: make([]Port, MaxSeries/10)}
	for i := range s.Ports {
		s.Ports[i] = Port{Protocol: "roce-v2", Instance: fmt.Sprint("node", i), Device: "mlx5_0", Netdev: "eth0", Number: 1}
	}
	var b strings.Builder
	if err := s.Write(&b, expfmt.NewFormat(expfmt.TypeTextPlain), ""); err == nil || b.Len() > 0 {
		t.Errorf("%d bytes and the error %v", b.Len(), err)
	}
	if err := s.Write(&b, expfmt.NewFormat(expfmt.TypeTextPlain), "node5"); err != nil || strings.Count(b.String(), RateName+"{") != 1 {
		t.Errorf("one host: %v, %d rates", err, strings.Count(b.String(), RateName+"{"))
	}
}

// Sizes have Inspector's buckets.
func TestSizesHaveInspectorsBuckets(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0B", 5: "5-6B", 1024: "1-2KB", 4 << 30: "4-5GB", 134 << 20: "134-135MB", 1 << 50: "1024-1025TB"} {
		if got := sizeRange(bytes); got != want {
			t.Errorf("%d bytes are %s, want %s", bytes, got, want)
		}
	}
}

// Whatever is in a file, it is read or refused.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		line + "7 1\n" + line + "3 2 # {trace=\"x\"} 1\n# EOF\n", line + "1e308\n" + line + "-1e308\n", `{"a.b"} 1` + "\n" + line + "9\n",
		oneCollective, oneCollective + oneCollective[:90], `{"header":{"rank":-1},"coll_perf":{"coll":"A","coll_busbw_gbs":1e-9,"coll_msg_size_bytes":-1}}`,
		oneAnswer, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"nccl_bus_bandwidth_gbs"},"value":[1,"NaN"]}]},"warnings":["w"]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := read(text)
		if err != nil {
			return
		}
		if sec := d.Seconds(); !(sec >= 0 && sec <= 2*maxTime) && len(d.Series) > 0 {
			t.Errorf("the range is %v s", sec)
		}
		for _, s := range d.Series {
			if v, _ := s.Value(); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s is %v", s.Name, v)
			}
		}
	})
}
