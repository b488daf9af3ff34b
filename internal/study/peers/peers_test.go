package peers

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/internal/formats/metrics"
)

// cluster is a text dump of hosts with 8 ports, at two times. A change is by "host device metric".
func cluster(hosts int, changes map[string]float64) string { return clusterOf(hosts, 1, changes) }

func clusterOf(hosts int, seed uint64, changes map[string]float64) string {
	chance := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	value := map[string]func() float64{
		"node_infiniband_rate_bytes_per_second":                     func() float64 { return 5e10 },
		"node_infiniband_port_data_transmitted_bytes_total":         func() float64 { return 1e12 * (1 + 0.03*chance.NormFloat64()) },
		"node_infiniband_symbol_error_total":                        func() float64 { return 0 },
		"node_infiniband_np_cnp_packets_sent_total":                 func() float64 { return 1000 * chance.ExpFloat64() },
		"node_infiniband_rx_write_requests_total":                   func() float64 { return 1e6 * chance.Float64() },
		"node_infiniband_packet_sequence_errors_total":              func() float64 { return float64(chance.IntN(4)) },
		"node_infiniband_local_ack_timeout_errors_total":            func() float64 { return 0 },
		"node_infiniband_port_transmit_wait_total":                  func() float64 { return 1e6 * (1 + 0.2*chance.NormFloat64()) },
		"node_infiniband_np_ecn_marked_roce_packets_received_total": func() float64 { return 1e4 * chance.ExpFloat64() },
		"node_ethtool_received_prio3_pause":                         func() float64 { return 50 * chance.ExpFloat64() },
		"node_infiniband_out_of_sequence_packets_received_total":    func() float64 { return float64(chance.IntN(4)) },
		"node_infiniband_port_packets_received_total":               func() float64 { return 1e9 * chance.Float64() },
		"node_infiniband_port_discards_received_total":              func() float64 { return 0 },
		"node_infiniband_duplicate_requests_packets_total":          func() float64 { return 0 },
		"node_infiniband_rnr_nak_retry_packets_received_total":      func() float64 { return 0 },
		"node_infiniband_rp_cnp_packets_handled_total":              func() float64 { return 1000 * chance.ExpFloat64() },
		"node_infiniband_link_downed_total":                         func() float64 { return 0 },
		"node_infiniband_port_data_received_bytes_total":            func() float64 { return 1e12 * (1 + 0.03*chance.NormFloat64()) },
	}
	for host := range hosts {
		for nic := range 8 {
			for _, name := range slices.Sorted(maps.Keys(value)) {
				x := value[name]()
				if c, is := changes[fmt.Sprintf("n%d mlx5_%d %s", host, nic, name)]; is {
					x = c
				}
				labels := fmt.Sprintf(`{device="mlx5_%d",port="1",instance="n%d"}`, nic, host)
				start, end := 1e6*chance.Float64(), x
				if name != metrics.RateName {
					end += start
				} else {
					start = x
				}
				fmt.Fprintf(&b, "%s%s %v 1700000000000\n%s%s %v 1700003600000\n", name, labels, start, name, labels, end)
			}
		}
	}
	return b.String()
}

func compared(t *testing.T, text string) *Result {
	t.Helper()
	var d metrics.Data
	if err := d.Read("dump", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return Compare(&d)
}

// In a healthy cluster whose congestion is exponential and whose traffic varies by 3 %, no link is accused of
// a fault.
func TestAHealthyClusterHasNoFaults(t *testing.T) {
	for _, hosts := range []int{4, 64} {
		r := compared(t, cluster(hosts, nil))
		for _, f := range r.Findings {
			t.Errorf("%d hosts: %s %s %v beside %v", hosts, f.Subject, f.Metric, f.Value, f.Median)
		}
		if r.Seconds != 3600 || len(r.Groups) == 0 {
			t.Errorf("%v s, %d groups", r.Seconds, len(r.Groups))
		}
	}
}

// Congestion comes in bursts: of healthy groups with exponential counts few have a port that is accused. The
// bounds are twice what the package's description says.
func TestBurstsAreNoFaults(t *testing.T) {
	for peers, most := range map[int]int{8: 80, 16: 10, 32: 2, 64: 2} {
		const groups = 20000
		chance, accused := rand.New(rand.NewPCG(3, uint64(peers))), 0
		for range groups {
			g := &group{row: &metrics.Row{More: "more", Name: "count"}, values: make([]value, peers)}
			for i := range g.values {
				g.values[i].x = 1000 * chance.ExpFloat64()
			}
			var r Result
			if r.judge(g); len(r.Findings) > 0 {
				accused++
			}
		}
		if accused > most {
			t.Errorf("%d of %d healthy groups of %d have a finding, want at most %d", accused, groups, peers, most)
		}
	}
}

// Planted faults are found, the metric that is nearest to the cause first, and nothing else.
func TestPlantedFaultsAreFound(t *testing.T) {
	traffic := "n3 mlx5_2 node_infiniband_port_data_transmitted_bytes_total"
	planted := map[string]float64{
		"n3 mlx5_2 node_infiniband_rate_bytes_per_second": 1.25e10,
		traffic: 2.4e11,
		"n1 mlx5_7 node_infiniband_symbol_error_total":           400,
		"n1 mlx5_7 node_infiniband_packet_sequence_errors_total": 90,
		"n0 mlx5_0 node_infiniband_link_downed_total":            12,
	}
	for _, hosts := range []int{4, 64} {
		r := compared(t, cluster(hosts, planted))
		first := map[string]string{}
		for _, f := range r.Findings {
			if first[f.Subject] == "" {
				first[f.Subject] = f.Metric
			}
			if _, is := planted[f.Subject+" "+f.Metric]; !is {
				t.Errorf("%d hosts: %s %s was not planted", hosts, f.Subject, f.Metric)
			}
			if f.Fits == "" {
				t.Errorf("%s says nothing", f.Metric)
			}
		}
		want := len(planted)
		if hosts < railHosts {
			want-- // a port of another rate has no peers in traffic
		}
		if len(r.Findings) != want {
			t.Errorf("%d hosts: %d findings of %d planted: %+v", hosts, len(r.Findings), len(planted), r.Findings)
		}
		for subject, metric := range map[string]string{
			"n3 mlx5_2": metrics.RateName, "n1 mlx5_7": "node_infiniband_symbol_error_total", "n0 mlx5_0": "node_infiniband_link_downed_total",
		} {
			if first[subject] != metric {
				t.Errorf("%d hosts, %s: first is %q, want %q", hosts, subject, first[subject], metric)
			}
		}
	}
}

// A device that is slower on every host has another role, and is no outlier.
func TestAnotherRoleIsNoOutlier(t *testing.T) {
	changes := map[string]float64{}
	for host := range 32 {
		changes[fmt.Sprintf("n%d mlx5_7 %s", host, metrics.RateName)] = 1.25e10
		changes[fmt.Sprintf("n%d mlx5_7 node_infiniband_port_data_transmitted_bytes_total", host)] = 1e9 + float64(host)
	}
	if r := compared(t, cluster(32, changes)); len(r.Findings) > 0 {
		t.Errorf("%+v", r.Findings)
	}
}

// The rank that spends the least time in a collective came last.
func TestTheLastRankIsNamed(t *testing.T) {
	var b strings.Builder
	for rank := range 16 {
		for call := range 5 {
			busbw := 300 + float64(rank%3)
			if rank == 11 {
				busbw = 460
			}
			fmt.Fprintf(&b, `{"header":{"id":"0x1","rank":%d,"n_ranks":16,"nnodes":2},"metadata":{"dump_timestamp_us":%d,"hostname":"h%d"},"coll_perf":{"coll":"AllReduce","coll_msg_size_bytes":1073741824,"coll_busbw_gbs":%v}}`+"\n", rank, 1700000000000000+call*1000000, rank/8, busbw)
		}
	}
	r := compared(t, b.String())
	if len(r.Findings) != 1 || r.Findings[0].Subject != "h1 rank 11" || !strings.Contains(r.Findings[0].Fits, "comes last") {
		t.Errorf("%+v", r.Findings)
	}
}

// Few peers are not judged.
func TestFewPeersAreNotJudged(t *testing.T) {
	text := ""
	for i, v := range []string{"0", "0", "0", "500"} {
		text += fmt.Sprintf("node_infiniband_np_cnp_packets_sent_total{device=\"mlx5_0\",instance=\"n%d\"} %s\n", i, v)
	}
	r := compared(t, text)
	if len(r.Findings) > 0 || len(r.Groups) != 1 || r.Groups[0].Why == "" || r.Judged != 0 {
		t.Errorf("%+v", r)
	}
}

// A sound link has no damage, so few ports suffice to see one that has a hundred times the next's.
func TestDamageIsSeenAmongFewPeers(t *testing.T) {
	for _, c := range []struct {
		name   string
		errors []int
		out    string // the port that stands out
		judged int
	}{
		{"one of four", []int{0, 3, 91823, 0}, "n2 mlx5_0", 4},
		{"one of two", []int{0, 5000}, "n1 mlx5_0", 2},
		{"none", []int{0, 10, 2, 0}, "", 4},
		{"two of four", []int{0, 70000, 91823, 0}, "", 0},
		{"one alone", []int{91823}, "", 0},
	} {
		text := ""
		for i, n := range c.errors {
			text += fmt.Sprintf("node_infiniband_symbol_error_total{device=\"mlx5_0\",instance=\"n%d\"} %d\n", i, n)
		}
		r := compared(t, text)
		out := ""
		for _, f := range r.Findings {
			out += f.Subject
		}
		if out != c.out || r.Judged != c.judged {
			t.Errorf("%s: %q stands out, %d ports were judged; want %q and %d", c.name, out, r.Judged, c.out, c.judged)
		}
	}
}

// Ports of switches and of adapters are known by the GUIDs of infiniband_exporter.
func TestPortsOfSwitchesAreCompared(t *testing.T) {
	for metric, subject := range map[string]string{
		"infiniband_switch_port_transmit_discards_total":   "switch 0xa0 port 2",
		"infiniband_switch_port_symbol_error_total":        "switch 0xa0 port 2",
		"infiniband_hca_port_receive_errors_total":         "0xa0 port 2",
		"infiniband_switch_port_transmit_wait_total":       "switch 0xa0 port 2",
		"infiniband_switch_port_link_error_recovery_total": "switch 0xa0 port 2",
	} {
		text := ""
		for port := 1; port <= 9; port++ {
			value := 0
			if port == 2 {
				value = 1918230
			}
			text += fmt.Sprintf("%s{guid=\"0xa0\",port=\"%d\"} %d\n", metric, port, value)
		}
		r := compared(t, text)
		if len(r.Findings) != 1 || r.Findings[0].Subject != subject || r.Judged != 9 {
			t.Errorf("%s: %d ports judged, %+v", metric, r.Judged, r.Findings)
		}
	}
}

// What means nothing beside peers, and what is in no table, is named.
func TestWhatWasNotComparedIsNamed(t *testing.T) {
	r := compared(t, "infiniband_switch_port_transmit_data_bytes_total{guid=\"0xa0\",port=\"1\"} 5\nsome_counter_total 7\n")
	if r.Judged != 0 || !slices.Equal(r.Without, []string{"infiniband_switch_port_transmit_data_bytes_total"}) || !slices.Equal(r.Unknown, []string{"some_counter_total"}) {
		t.Errorf("%+v", r)
	}
}

// An exporter of unknown labels: a port is named by all of them.
func TestAPortWithoutAKnownLabelIsNamedByAllItsLabels(t *testing.T) {
	text := cluster(4, map[string]float64{"n3 mlx5_2 node_infiniband_symbol_error_total": 90000})
	known := regexp.MustCompile(`device="(mlx5_\d)",port="1",instance="(n\d)"`)
	r := compared(t, known.ReplaceAllString(text, `ca="$2 $1",site="a"`))
	if len(r.Findings) == 0 {
		t.Fatalf("nothing is found: %+v", r.Groups)
	}
	for _, f := range r.Findings {
		if want := "ca=n3 mlx5_2 site=a"; f.Subject != want {
			t.Errorf("%s of %q, want %q", f.Metric, f.Subject, want)
		}
	}
}
