package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
)

// fabricOf is switches of the same file with changes, and the host of the tests.
func fabricOf(t *testing.T, listing []edit, switches ...[]edit) ([]Subject, []*sonic.Config, []*host.Host) {
	t.Helper()
	var all []Subject
	var configs []*sonic.Config
	for _, edits := range switches {
		cfg := readConfig(t, edits)
		sw, problems := sonic.Examine(cfg)
		all, configs = append(all, Subject{sw, problems}), append(configs, cfg)
	}
	h, err := host.Read("node1", listings(t, listing))
	if err != nil {
		t.Fatal(err)
	}
	return all, configs, []*host.Host{h}
}

// spine is another name and another class of NCCL's DSCP.
var (
	leaf  = []edit{sound}
	spine = []edit{{`"hostname": "leaf1"`, `"hostname": "spine1"`}, {`"26": "1"`, `"26": "4"`}}
)

// The host agrees with the leaf. So the spine is wrong, in whatever order the files are given, and
// its fix leaves nothing behind.
func TestOfTwoSwitchesThatDifferTheOneThatTheHostContradictsIsWrong(t *testing.T) {
	for _, order := range [][][]edit{{leaf, spine}, {spine, leaf}} {
		all, configs, hosts := fabricOf(t, nil, order...)
		reports := CheckAll(all, hosts, Options{})
		for i, r := range reports {
			want := []string{}
			if r.Name == "spine1" {
				want = []string{"switches-differ"}
			}
			if got := rulesOf(r); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v: %s", r.Name, got, want, tell(r))
			}
			if err := r.Mend(configs[i]); err != nil {
				t.Fatal(err)
			}
			all[i].Switch, all[i].Problems = sonic.Examine(configs[i])
		}
		for _, r := range CheckAll(all, hosts, Options{}) {
			if len(r.Findings) > 0 {
				t.Errorf("mended: %s", tell(r))
			}
		}
	}
}

// Three switches without a host: the two that agree are right.
func TestMostSwitchesAreRightWithoutAHost(t *testing.T) {
	third := []edit{sound, {`"hostname": "leaf1"`, `"hostname": "leaf2"`}}
	all, _, _ := fabricOf(t, nil, spine, leaf, third)
	for _, r := range CheckAll(all, nil, Options{}) {
		want := []string{}
		if r.Name == "spine1" {
			want = []string{"switches-differ"}
		}
		if got := rulesOf(r); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v: %s", r.Name, got, want, tell(r))
		}
	}
}

// A DSCP that one switch protects and the other drops is a fault of the other.
func TestADSCPThatOnlyOneSwitchProtectsIsFound(t *testing.T) {
	lossy := []edit{{`"hostname": "leaf1"`, `"hostname": "spine1"`}}
	all, _, hosts := fabricOf(t, nil, leaf, lossy)
	if r := CheckAll(all, nil, Options{})[1]; !slices.Equal(rulesOf(r), []string{"switches-differ"}) || !strings.Contains(tell(r), `{"DSCP_TO_TC_MAP": {"AZURE": {"26": "3"}}}`) {
		t.Errorf("without a host: %s", tell(r))
	}
	if r := CheckAll(all, hosts, Options{})[1]; !slices.Equal(rulesOf(r), []string{"dscp-lossy"}) {
		t.Errorf("with a host: %s", tell(r))
	}
}

// A switch of a fabric that was left out, wholly or in its PFC, is found beside one that was not.
func TestASwitchThatWasLeftOutIsFound(t *testing.T) {
	name := edit{`"hostname": "leaf1"`, `"hostname": "spine1"`}
	unpaused := []edit{sound, name, {`"pfc_enable": "3,4"`, `"pfc_enable": ""`}, {`"profile": "pg_lossless_400000_40m_profile"`, `"profile": "ingress_lossy_profile"`}}
	all, configs, _ := fabricOf(t, nil, leaf, unpaused)
	reports := CheckAll(all, nil, Options{})
	if !slices.Contains(rulesOf(reports[1]), "switches-differ") || len(reports[0].Findings) > 0 {
		t.Errorf("a spine without PFC: %s%s", tell(reports[0]), tell(reports[1]))
	}
	if err := reports[1].Mend(configs[1]); err != nil {
		t.Fatal(err)
	}
	all[1].Switch, all[1].Problems = sonic.Examine(configs[1])
	for _, r := range CheckAll(all, nil, Options{}) {
		if len(r.Findings) > 0 {
			t.Errorf("mended: %s", tell(r))
		}
	}
	bare, err := sonic.Read("spine.json", strings.NewReader(`{"PORT": {"Ethernet0": {"admin_status": "up", "speed": "400000"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	sw, problems := sonic.Examine(bare)
	if r := CheckAll([]Subject{all[0], {sw, problems}}, nil, Options{})[1]; !slices.Equal(rulesOf(r), []string{"qos-missing"}) || !strings.Contains(tell(r), "leaf1 pauses 3,4") {
		t.Errorf("a spine without QoS: %s", tell(r))
	}
}

func TestSwitchesThatAgreeHaveNoFindings(t *testing.T) {
	all, _, hosts := fabricOf(t, nil, leaf, []edit{sound, {`"hostname": "leaf1"`, `"hostname": "leaf2"`}}, leaf)
	for _, with := range [][]*host.Host{hosts, nil} {
		for _, r := range CheckAll(all, with, Options{Buffer: 160 << 20}) {
			if len(r.Findings) > 0 {
				t.Errorf("%s: %s", r.Name, tell(r))
			}
		}
	}
}

// A host is not blamed for a switch of an upper tier, to which no host is cabled.
func TestAHostIsComparedWithSwitchesThatHaveHosts(t *testing.T) {
	far := []edit{{`"hostname": "leaf1"`, `"hostname": "spine1"`}, sound, {`"40m"`, `"300m"`}}
	upper := append(slices.Clone(far), edit{`"type": "ToRRouter"`, `"type": "SpineRouter"`})
	for _, other := range [][]edit{far, upper} {
		all, _, hosts := fabricOf(t, nil, leaf, other)
		for _, r := range CheckAll(all, hosts, Options{}) {
			if slices.Contains(rulesOf(r), "cable-differs") {
				t.Errorf("%s: the host's room is compared with the cables between switches: %s", r.Name, tell(r))
			}
		}
	}
	r := check(t, far[1:], nil, Options{})
	if !slices.Contains(rulesOf(r), "cable-differs") {
		t.Errorf("a host with too little room at its own switch: %s", tell(r))
	}
}

// The ports of a breakout have no rows: they get those of the others, with headroom for their own
// speed.
func TestPortsOfABreakoutAreFound(t *testing.T) {
	for _, speed := range []string{"400000", "200000"} {
		made := []edit{sound, {`"PORT": {`, `"PORT": {
        "Ethernet8": {"admin_status": "up", "lanes": "8,9", "mtu": "9100", "speed": "` + speed + `"},`}, {`"CABLE_LENGTH": {
        "AZURE": {`, `"CABLE_LENGTH": {
        "AZURE": {"Ethernet8": "40m",`}}
		cfg, h := pair(t, made, nil)
		before, after := mended(t, cfg, h, Options{})
		if got := rulesOf(before); !slices.Equal(got, []string{"qos-missing"}) || before.Findings[0].Ports() != "Ethernet8" {
			t.Errorf("%s: %s", speed, tell(before))
		}
		if len(after.Findings) > 0 {
			t.Errorf("%s, mended: %s", speed, tell(after))
		}
	}
}

// Without QoS on any port, the rows are made of the maps and profiles of the file. Without these, the
// switch has to make them.
func TestASwitchWithoutQoSIsFound(t *testing.T) {
	unloaded := []edit{{`"PORT_QOS_MAP"`, `"NO_MAP"`}, {`"QUEUE"`, `"NO_QUEUE"`}, {`"PFC_WD"`, `"NO_WD"`}}
	cfg, h := pair(t, unloaded, nil)
	before, after := mended(t, cfg, h, Options{})
	if got := rulesOf(before); !slices.Equal(got, []string{"qos-missing"}) || !strings.Contains(before.Findings[0].Why, "NCCL") {
		t.Errorf("%s", tell(before))
	}
	if len(after.Findings) > 0 {
		t.Errorf("mended: %s", tell(after))
	}
	bare, err := sonic.Read("f", strings.NewReader(`{"PORT": {"Ethernet0": {"admin_status": "up", "speed": "400000"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	sw, problems := sonic.Examine(bare)
	if r := checkOne(sw, problems, []*host.Host{h}, Options{}); !slices.Equal(rulesOf(r), []string{"qos-missing"}) || !strings.Contains(tell(r), "config qos reload") {
		t.Errorf("without maps: %s", tell(r))
	}
	if r := checkOne(sw, problems, nil, Options{}); len(r.Findings) > 0 || r.Ports > 0 || !strings.Contains(strings.Join(r.Unjudged, " "), "Ethernet0") {
		t.Errorf("without a host: %s%v", tell(r), r.Unjudged)
	}
}

// SONiC's templates leave the lossless groups to the switch, and older ones give egress a threshold for
// a quarter of the chip. Both are sound.
func TestWhatSONiCsTemplatesMakeIsSound(t *testing.T) {
	later := []edit{sound, {`"Ethernet0|3-4": {
            "profile": "pg_lossless_400000_40m_profile"
        },`, ``}, {`,
        "Ethernet4|3-4": {
            "profile": "pg_lossless_400000_40m_profile"
        }`, ``}}
	quarter := []edit{sound, {`"egress_lossless_profile": {
            "dynamic_th": "7",`, `"egress_lossless_profile": {
            "static_th": "33554432",`}}
	for name, edits := range map[string][]edit{"groups that the switch makes": later, "a quarter of the buffer": quarter} {
		if r := check(t, edits, nil, Options{Buffer: 160 << 20}); len(r.Findings) > 0 {
			t.Errorf("%s: %s", name, tell(r))
		}
	}
}

// A part of a configuration does not say which ports are up: buffers.json lists the cables of all.
func TestPortsOfAPartAreNotSaidToLackQoS(t *testing.T) {
	c, err := sonic.Read("buffers.json", strings.NewReader(`{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "40m"}},
		"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "67108864"}},
		"BUFFER_PROFILE": {"p": {"pool": "ingress_lossless_pool", "size": "303104", "xoff": "283648", "xon": "19456"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	sw, problems := sonic.Examine(c)
	r := checkOne(sw, problems, nil, Options{})
	if len(r.Findings) > 0 || r.Ports > 0 || !strings.Contains(strings.Join(r.Unjudged, " "), "parts of a configuration") {
		t.Errorf("%s%v", tell(r), r.Unjudged)
	}
}

func TestAHostAtNoPortIsNotSaidToBeJudged(t *testing.T) {
	r := check(t, []edit{sound}, []edit{{"400000Mb/s", "100000Mb/s"}}, Options{Buffer: 160 << 20})
	if len(r.Hosts) > 0 || r.Ports != 2 || len(r.Unjudged) != 1 || !strings.Contains(r.Unjudged[0], "100 Gb/s") {
		t.Errorf("%v, %d ports, %v", r.Hosts, r.Ports, r.Unjudged)
	}
}

// Drops of a priority that nobody protects are how a lossy class works.
func TestDropsOfLossyPrioritiesAreNoFinding(t *testing.T) {
	counters := func(text string) []host.Source {
		return append(listings(t, nil), host.Source{Name: "stats", Text: "NIC statistics:\n" + text})
	}
	for text, want := range map[string]int{
		"     rx_prio3_discards: 7\n": 1, "     rx_prio0_discards: 7\n": 0, "     rx_prio3_discards: 0\n": 0, "     rx_discards_phy: 1\n": 1,
		"     rx_packets: 5\n": 0, "     rx_prio3_pause: 99\n": 0, "     rx_crc_errors_phy: 3\n": 1, "     tx_pause_storm_error_events: 1\n": 1,
	} {
		r := checkFiles(t, []edit{sound}, counters(text), Options{})
		if got := rulesOf(r); len(got) != want || want > 0 && got[0] != "drops" {
			t.Errorf("%q: %s", text, tell(r))
		}
	}
}

// A table of GIDs that the host shows comes before the usual order.
func TestAHostsOwnTableOfGIDsIsBelieved(t *testing.T) {
	const table = "DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4\t\tVER\tDEV\n---\t----\t-----\t---\t\t\t\t\t----\t\t---\t---\n" +
		"mlx5_0\t1\t0\tfe80:0000:0000:0000:0a00:27ff:fe00:0001\t\t\tv2\tens1f0np0\n" +
		"mlx5_0\t1\t1\t0000:0000:0000:0000:0000:ffff:0a00:0001\t10.0.0.1\tv2\tens1f0np0\n" +
		"mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:0a00:0001\t10.0.0.1\tv1\tens1f0np0\n"
	for index, want := range map[string]bool{"0": true, "1": false, "3": true, "-1": false} {
		files := append(listings(t, []edit{{"NCCL_IB_GID_INDEX=3", "NCCL_IB_GID_INDEX=" + index}}), host.Source{Name: "show_gids", Text: table})
		r := checkFiles(t, []edit{sound}, files, Options{})
		if got := slices.Contains(rulesOf(r), "gid-v1"); got != want || want && !strings.Contains(tell(r), "NCCL_IB_GID_INDEX=1") {
			t.Errorf("index %s: %s", index, tell(r))
		}
	}
}

func rulesOf(r *Report) []string {
	rules := []string{}
	for _, f := range r.Findings {
		rules = append(rules, f.Rule)
	}
	return rules
}

func TestACheckThatSeveralSwitchesLackIsOneText(t *testing.T) {
	r := &Report{Unjudged: []string{"leaf1: the buffer", "leaf2: the buffer", "leaf2: the chip", "leaf3: the buffer", "leaf4: the buffer", "anything"}}
	if got, want := fmt.Sprint(r.Together()), "[leaf1, leaf2, leaf3 and 1 more: the buffer leaf2: the chip anything]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
