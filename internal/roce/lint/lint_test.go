package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/internal/roce"
	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
	"weft/units"
)

// edit replaces every copy of old in a text, which has at least one.
type edit struct{ old, new string }

func edited(t *testing.T, text string, edits []edit) string {
	t.Helper()
	for _, e := range edits {
		if !strings.Contains(text, e.old) {
			t.Fatalf("the text has no %q", e.old)
		}
		text = strings.ReplaceAll(text, e.old, e.new)
	}
	return text
}

func load(t *testing.T, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sound changes the switch of sonic's tests so that it fits the host of host's tests: DSCP 26 is
// lossless.
var sound = edit{`"26": "1"`, `"26": "3"`}

// check judges the switch and the host of the packages' tests with changes.
func check(t *testing.T, config, listing []edit, o Options) *Report {
	t.Helper()
	return checkFiles(t, config, listings(t, listing), o)
}

// listings are the files of the host.
func listings(t *testing.T, listing []edit) []host.Source {
	t.Helper()
	var files []host.Source
	for _, name := range []string{"mlnx_qos.txt", "ethtool.txt", "ethtool-a.txt", "ecn.txt", "nccl.env"} {
		text := load(t, "..", "host", "testdata", name)
		for _, e := range listing {
			text = strings.ReplaceAll(text, e.old, e.new)
		}
		files = append(files, host.Source{Name: name, Text: text})
	}
	return files
}

func checkFiles(t *testing.T, config []edit, files []host.Source, o Options) *Report {
	t.Helper()
	return judge(t, readConfig(t, config), files, o)
}

func readConfig(t *testing.T, config []edit) *sonic.Config {
	t.Helper()
	text := edited(t, load(t, "..", "sonic", "testdata", "config_db.json"), config)
	cfg, err := sonic.Read("config_db.json", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func judge(t *testing.T, cfg *sonic.Config, files []host.Source, o Options) *Report {
	t.Helper()
	sw, problems := sonic.Examine(cfg)
	h, err := host.Read("node1", files)
	if err != nil {
		t.Fatal(err)
	}
	return checkOne(sw, problems, []*host.Host{h}, o)
}

func tell(r *Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %s %v %s (%s): %s; %v\n", f.Severity, f.Rule, f.At, f.Value, f.Ports(), f.Why, f.Fixes)
	}
	return b.String()
}

func TestASoundPairHasNoFindings(t *testing.T) {
	r := check(t, []edit{sound}, nil, Options{Buffer: 160 << 20})
	if len(r.Findings) > 0 || len(r.Unjudged) > 0 {
		t.Errorf("%s%v", tell(r), r.Unjudged)
	}
}

// mistake is a change of a sound pair, and the finding that it causes.
type mistake struct {
	name            string
	config, listing []edit
	options         Options
	rule            string
	severity        Severity
	line            string // "file: text of the line"
	why, fix        string
}

// mistakes are faults seen in practice. Each has the rule that finds it, a text of the faulty line,
// and texts of the reason and of the fix.
var mistakes = []mistake{
	{
		name: "NVIDIA's DSCP on SONiC's default map", rule: "dscp-lossy", severity: Error,
		line: `config_db.json: "26": "1"`, why: "in class 1, priority group 0, queue 1, and only 3,4 is protected",
		fix: `{"DSCP_TO_TC_MAP": {"AZURE": {"26": "3"}}}`,
	},
	{
		name: "NCCL without a traffic class", listing: []edit{{"NCCL_IB_TC=106", "NCCL_DEBUG=INFO"}}, rule: "dscp-lossy", severity: Error,
		line: "nccl.env: NCCL_DEBUG", why: "it sets no NCCL_IB_TC", fix: "NCCL_IB_TC=14",
	},
	{
		name: "PFC of the host on another priority", config: []edit{sound}, listing: []edit{{"0   0   0   1   0   0   0   0   \n\tbuffer", "0   0   0   0   0   1   0   0   \n\tbuffer"}},
		rule: "pfc-one-end", severity: Error, line: "mlnx_qos.txt: enabled", why: "the host has PFC on 5", fix: "mlnx_qos -i ens1f0np0 --pfc 0,0,0,1,0,1,0,0",
	},
	{
		name: "the data in another priority of the host", config: []edit{{`"26": "1"`, `"26": "4"`}}, rule: "pfc-priority", severity: Error,
		line: "mlnx_qos.txt: prio:3", why: "the host has it in priority 3; leaf1 pauses priority 4", fix: "--dscp2prio set,26,4",
	},
	{
		name: "a pause that stops another queue", config: []edit{sound, {`"MAP_PFC_PRIORITY_TO_QUEUE": {
        "AZURE": {
            "0": "0",
            "1": "1",
            "2": "2",
            "3": "3",`, `"MAP_PFC_PRIORITY_TO_QUEUE": {
        "AZURE": {
            "0": "0",
            "1": "1",
            "2": "2",
            "3": "2",`}},
		rule: "pfc-queue", severity: Error, line: `config_db.json: "3": "2"`, why: "waits in queue 3", fix: `{"MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {"3": "3"}}}`,
	},
	{
		name: "pauses without headroom", config: []edit{sound, {`"Ethernet4|3-4": {
            "profile": "pg_lossless_400000_40m_profile"`, `"Ethernet4|3-4": {
            "profile": "ingress_lossy_profile"`}},
		rule: "pfc-headroom", severity: Error, line: `config_db.json: "Ethernet4|3-4"`, why: "has no xoff", fix: `{"BUFFER_PG": {"Ethernet4|3-4": {"profile": "pg_lossless_400000_40m_profile"}}}`,
	},
	{
		name: "headroom without pauses", config: []edit{sound, {`"pfc_enable": "3,4"`, `"pfc_enable": "3"`}},
		rule: "pfc-headroom", severity: Error, line: `config_db.json: "pfc_enable"`, why: "never pauses", fix: `"pfc_enable": "3,4"`,
	},
	{
		name: "pauses of the whole link", config: []edit{sound}, listing: []edit{{"RX:\t\toff", "RX:\t\ton"}},
		rule: "pause-global", severity: Warning, line: "ethtool-a.txt: RX", why: "beside PFC on 3", fix: "ethtool -A ens1f0np0 rx off tx off",
	},
	{
		name: "a queue that nothing serves", config: []edit{sound, {`"Ethernet0|3": {
            "scheduler": "scheduler.1",`, `"Ethernet0|3": {`}},
		rule: "queue-unserved", severity: Error, line: `config_db.json: "3": "3"`, why: "class 3 leads to queue 3", fix: `{"QUEUE": {"Ethernet0|3": {"scheduler": "scheduler.1"}}}`,
	},
	{
		name: "the tag's priority on a link without tags", config: []edit{sound}, listing: []edit{{"state: dscp", "state: pcp"}},
		rule: "trust-pcp", severity: Error, line: "mlnx_qos.txt: Priority trust", why: "no tagged member of a VLAN: frames on it have no VLAN tag", fix: "mlnx_qos -i ens1f0np0 --trust dscp",
	},
	{
		name: "a routed port that looks at the tag", config: []edit{sound, {`"Ethernet0": {
            "dscp_to_tc_map": "AZURE",`, `"Ethernet0": {
            "dot1p_to_tc_map": "P",`}, {`"VLAN": {`, `"DOT1P_TO_TC_MAP": {"P": {"0": "0", "3": "3"}},
    "INTERFACE": {
        "Ethernet0": {}
    },
    "VLAN": {`}},
		rule: "trust-pcp", severity: Error, line: `config_db.json: "Ethernet0": {`, why: "its frames have no tag", fix: `"dscp_to_tc_map": "AZURE"`,
	},
	{
		name: "the tag's priority on a routed link", config: []edit{sound, {`"VLAN": {`, `"INTERFACE": {
        "Ethernet0": {}
    },
    "VLAN": {`}}, listing: []edit{{"state: dscp", "state: pcp"}},
		rule: "trust-pcp", severity: Error, line: "mlnx_qos.txt: Priority trust", why: "it is routed (line", fix: "mlnx_qos -i ens1f0np0 --trust dscp",
	},
	{
		name: "packets longer than the switch accepts", config: []edit{sound, {`"mtu": "9100"`, `"mtu": "1500"`}},
		rule: "mtu", severity: Error, line: "ecn.txt: mtu:9000", why: "leaf1 takes 1500", fix: `{"PORT": {"Ethernet0": {"mtu": "9000"}}}`,
	},
	{
		name: "lossless traffic without ECN marks", config: []edit{sound, {`,
            "wred_profile": "AZURE_LOSSLESS"`, ""}},
		rule: "ecn-missing", severity: Warning, line: `config_db.json: "Ethernet0|3"`, why: "nothing marks",
	},
	{
		name: "WRED that drops", config: []edit{sound, {"ecn_all", "ecn_none"}},
		rule: "ecn-missing", severity: Error, line: `config_db.json: "AZURE_LOSSLESS": {`, why: "WRED drops in queue 3 from 1048576 bytes on", fix: `"ecn": "ecn_all"`,
	},
	{
		name: "ECN without WRED on a chip that wants both", config: []edit{sound, {`"wred_green_enable": "true"`, `"wred_green_enable": "false"`}},
		rule: "ecn-missing", severity: Warning, line: `config_db.json: "AZURE_LOSSLESS": {`, why: "want both for the same colours", fix: `{"WRED_PROFILE": {"AZURE_LOSSLESS": {"wred_green_enable": "true"}}}`,
	},
	{
		name: "a profile that does nothing", config: []edit{sound, {"ecn_all", "ecn_none"}, {`"wred_green_enable": "true"`, `"wred_green_enable": "false"`}},
		rule: "ecn-missing", severity: Warning, line: `config_db.json: "AZURE_LOSSLESS": {`, why: "neither ECN nor WRED", fix: `"wred_green_enable": "true", "ecn": "ecn_all"`,
	},
	{
		name: "thresholds of red packets only", config: []edit{sound, {`"green_drop_probability": "5"`, `"red_drop_probability": "5"`}, {`"green_max`, `"red_max`}, {`"green_min`, `"red_min`}},
		rule: "ecn-missing", severity: Warning, line: `config_db.json: "AZURE_LOSSLESS": {`, why: "nothing is marked before it", fix: `"green_min_threshold": "1048576", "green_max_threshold": "2097152"`,
	},
	{
		name: "marks after the pause", config: []edit{sound, {`"dynamic_th": "0"`, `"dynamic_th": "-7"`}},
		rule: "ecn-above-pfc", severity: Error, line: `config_db.json: "AZURE_LOSSLESS": {`, why: "pauses at 823327 bytes at the latest", fix: `"green_min_threshold": "102915", "green_max_threshold": "411663"`,
	},
	{
		name: "marks with thresholds of their own after the pause", config: []edit{
			sound,
			{`"dynamic_th": "0"`, `"dynamic_th": "-7"`},
			{`"green_drop_probability": "5"`, `"green_drop_probability": "5", "ecn_green_min_threshold": "1048576", "ecn_green_max_threshold": "2097152"`},
		},
		rule: "ecn-above-pfc", severity: Error, line: `config_db.json: "AZURE_LOSSLESS": {`, why: "pauses at 823327 bytes at the latest", fix: `"ecn_green_min_threshold": "102915", "ecn_green_max_threshold": "411663"`,
	},
	{
		name: "marks only partly before the pause", config: []edit{sound, {`"dynamic_th": "0"`, `"dynamic_th": "-6"`}},
		rule: "ecn-above-pfc", severity: Warning, line: `config_db.json: "AZURE_LOSSLESS": {`, why: "only from 2097152 on",
	},
	{
		name: "a host that does not answer marks", config: []edit{sound}, listing: []edit{{"roce_rp/enable/3:1", "roce_rp/enable/3:0"}},
		rule: "ecn-host", severity: Error, line: "ecn.txt: roce_rp/enable/3", why: "whose reaction point is off", fix: "echo 1 > /sys/class/net/ens1f0np0/ecn/roce_rp/enable/3",
	},
	{
		name: "notifications behind the data", config: []edit{sound}, listing: []edit{{"cnp_dscp:48", "cnp_dscp:26"}},
		rule: "cnp-in-data", severity: Error, line: "ecn.txt: cnp_dscp", why: "in queue 3 with the data", fix: "echo 48 > /sys/class/net/ens1f0np0/ecn/roce_np/cnp_dscp",
	},
	{
		name: "headroom below the minimum of every chip", config: []edit{sound, {`"xoff": "283648"`, `"xoff": "80000"`}},
		rule: "headroom-small", severity: Error, line: `config_db.json: "pg_lossless`, why: "on any switch 87", fix: `"xoff": "`,
	},
	{
		name: "headroom for a shorter cable", options: Options{Cable: 300 * units.Metre},
		config: []edit{sound, {`"VLAN": {`, `"LOSSLESS_TRAFFIC_PATTERN": {"AZURE": {"mtu": "1024", "small_packet_percentage": "100"}},
    "VLAN": {`}},
		rule: "headroom-small", severity: Warning, line: `config_db.json: "pg_lossless`, why: "for 300 m of cable at 400 Gb/s, and the vendor's formula for NVIDIA Spectrum-4 with 100 % small", fix: `"xoff": "67`,
	},
	{
		name: "a host that keeps headroom for 7 m", config: []edit{sound}, listing: []edit{{"Cable len: 40", "Cable len: 7"}},
		rule: "cable-differs", severity: Warning, line: "mlnx_qos.txt: Cable len", why: "is configured for 40 m", fix: "mlnx_qos -i ens1f0np0 --cable_len=40",
	},
	{
		name: "more headroom than buffer", config: []edit{sound}, options: Options{Buffer: 64 << 20},
		rule: "headroom-total", severity: Error, line: `config_db.json: "ingress_lossless_pool": {`, why: "promised 1212416 bytes",
	},
	{
		name: "a watchdog that takes congestion for a storm", config: []edit{sound, {`"speed": "400000"`, `"speed": "1000"`}}, listing: []edit{{"400000Mb/s", "1000Mb/s"}},
		rule: "watchdog-short", severity: Error, line: `config_db.json: "Ethernet0": {`, why: "takes 536.9 ms to drain", fix: `{"PFC_WD": {"Ethernet0": {"detection_time": "600"}}}`,
	},
	{
		name: "an emergency stop that was left on", config: []edit{sound, {`"POLL_INTERVAL": "200"`, `"POLL_INTERVAL": "200",
            "BIG_RED_SWITCH": "enable"`}}, rule: "red-switch", severity: Error,
		line: `config_db.json: "BIG_RED_SWITCH"`, why: "drops every packet of the priorities with PFC", fix: `{"PFC_WD": {"GLOBAL": {"BIG_RED_SWITCH": "disable"}}}`,
	},
	{
		name: "a watchdog without its time", config: []edit{sound, {`            "detection_time": "200",
`, ""}}, rule: "invalid", severity: Error,
		line: `config_db.json: "Ethernet0": {`, why: "the switch refuses the entry", fix: `{"PFC_WD": {"Ethernet0": {"detection_time": "200"}}}`,
	},
	{
		name: "no watchdog", config: []edit{sound, {`"PFC_WD"`, `"OTHER"`}}, rule: "watchdog-missing", severity: Warning,
		line: `config_db.json: "pfc_enable"`, why: "no watchdog looks at it", fix: `{"PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "200", "restoration_time": "200"}}}`,
	},
	{
		name: "a watchdog on another priority", config: []edit{sound, {`"pfcwd_sw_enable": "3,4"`, `"pfcwd_sw_enable": "4"`}}, rule: "watchdog-missing", severity: Warning,
		line: `config_db.json: "pfcwd_sw_enable": "4"`, why: "a storm of pauses on priority 3 never ends", fix: `"pfcwd_sw_enable": "3,4"`,
	},
	{
		name: "a watchdog on no priority", config: []edit{sound, {`"pfcwd_sw_enable": "3,4"`, `"pfcwd_sw_enable": ""`}}, rule: "watchdog-missing", severity: Warning,
		line: `config_db.json: "pfcwd_sw_enable": ""`, why: "looks at none", fix: `"pfcwd_sw_enable": "3,4"`,
	},
	{
		name: "a watchdog that forwards", config: []edit{sound, {`"action": "drop"`, `"action": "forward"`}}, rule: "watchdog-action", severity: Warning,
		line: `config_db.json: "Ethernet0": {`, why: "ignores pauses and sends on", fix: `{"PFC_WD": {"Ethernet0": {"action": "drop"}}}`,
	},
	{
		name: "a watchdog that only tells", config: []edit{sound, {`"action": "drop"`, `"action": "alert"`}}, rule: "watchdog-action", severity: Warning,
		line: `config_db.json: "Ethernet0": {`, why: "is written to the log and goes on", fix: `{"PFC_WD": {"Ethernet0": {"action": "drop"}}}`,
	},
	{
		name: "a watchdog that waits for seconds", config: []edit{sound, {`"detection_time": "200"`, `"detection_time": "2000"`}}, rule: "watchdog-slow", severity: Warning,
		line: `config_db.json: "Ethernet0": {`, why: "stops the queue for 2 s", fix: `{"PFC_WD": {"Ethernet0": {"detection_time": "200"}}}`,
	},
	{
		name: "lossless queues with the profile of lossy ones", config: []edit{sound, {`"profile": "egress_lossless_profile"`, `"profile": "egress_lossy_profile"`}}, rule: "egress-lossy", severity: Warning,
		line: `config_db.json: "Ethernet0|3-4": {`, why: "has the profile of lossy queues", fix: `{"BUFFER_QUEUE": {"Ethernet0|3-4": {"profile": "egress_lossless_profile"}}}`,
	},
	{
		name: "lossless queues that hold less than arrives", config: []edit{sound, {`"egress_lossless_profile": {
            "dynamic_th": "7"`, `"egress_lossless_profile": {
            "dynamic_th": "-2"`}}, rule: "egress-lossy", severity: Error,
		line: `config_db.json: "Ethernet0|3-4": {`, why: "holds 26843545 bytes at most", fix: `{"BUFFER_PROFILE": {"egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "7"}}}`,
	},
	{
		name: "a queue with a pool of ingress", config: []edit{sound, {`"profile": "egress_lossless_profile"`, `"profile": "ingress_lossy_profile"`}}, rule: "egress-lossy", severity: Error,
		line: `config_db.json: "Ethernet0|3-4": {`, why: "a pool of packets on their way in", fix: `{"BUFFER_QUEUE": {"Ethernet0|3-4": {"profile": "egress_lossless_profile"}}}`,
	},
	{
		name: "a port without groups", config: []edit{sound, {`"Ethernet4|3-4": {
            "profile": "pg_lossless_400000_40m_profile"
        }`, `"Ethernet4|7": {
            "profile": "ingress_lossy_profile"
        }`}}, rule: "buffer-missing", severity: Error,
		line: `config_db.json: "Ethernet4": {`, why: "after a breakout", fix: `{"BUFFER_PG": {"Ethernet4|3": {"profile": "pg_lossless_400000_40m_profile"}}}`,
	},
	{
		name: "a cable without a length", config: []edit{sound, {`"Ethernet4|3-4": {
            "profile": "pg_lossless_400000_40m_profile"`, `"Ethernet4|3-4": {
            "profile": "NULL"`}, {`"Ethernet4": "40m"`, `"Ethernet4": "0m"`}}, rule: "buffer-missing", severity: Error,
		line: `config_db.json: "Ethernet4": "0m"`, why: "the switch makes none", fix: `{"CABLE_LENGTH": {"AZURE": {"Ethernet4": "40m"}}}`,
	},
	{
		name: "a port without queues", config: []edit{sound, {`"Ethernet4|3-4": {
            "profile": "egress_lossless_profile"
        },`, ``}}, rule: "buffer-missing", severity: Error,
		line: `config_db.json: "Ethernet4": {`, why: "no entry in BUFFER_QUEUE", fix: `{"BUFFER_QUEUE": {"Ethernet4|3": {"profile": "egress_lossless_profile"}}}`,
	},
	{
		name: "pauses of priorities with nothing to protect", config: []edit{sound, {`"pfc_enable": "3,4"`, `"pfc_enable": "3,4,5"`}}, rule: "pfc-headroom", severity: Error,
		line: `config_db.json: "pfc_enable"`, why: "nothing lossless is in it", fix: `"pfc_enable": "3,4"`,
	},
	{
		name: "pauses of the wrong priorities", config: []edit{sound, {`"pfc_enable": "3,4"`, `"pfc_enable": "5,6"`}}, rule: "pfc-headroom", severity: Error,
		line: `config_db.json: "pfc_enable"`, why: "never pauses", fix: `"pfc_enable": "3,4"`,
	},
	{
		name: "a class in a lossy group", config: []edit{sound, {`"TC_TO_PRIORITY_GROUP_MAP": {
        "AZURE": {
            "0": "0",
            "1": "0",
            "2": "0",
            "3": "3",`, `"TC_TO_PRIORITY_GROUP_MAP": {
        "AZURE": {
            "0": "0",
            "1": "0",
            "2": "0",
            "3": "0",`}}, rule: "dscp-lossy", severity: Error,
		line: `config_db.json: "26": "3"`, why: "in class 3, priority group 0", fix: `{"TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"3": "3"}}}`,
	},
	{
		name: "a class in a lossy queue", config: []edit{sound, {`"TC_TO_QUEUE_MAP": {
        "AZURE": {
            "0": "0",
            "1": "1",
            "2": "2",
            "3": "3",`, `"TC_TO_QUEUE_MAP": {
        "AZURE": {
            "0": "0",
            "1": "1",
            "2": "2",
            "3": "1",`}}, rule: "pfc-queue", severity: Error,
		line: `config_db.json: "3": "1"`, why: "such a pause stops queue 3, which has the settings of lossless traffic", fix: `{"TC_TO_QUEUE_MAP": {"AZURE": {"3": "3"}}}`,
	},
	{
		name: "marks at two packets", config: []edit{sound, {`"green_min_threshold": "1048576"`, `"green_min_threshold": "10000"`}}, rule: "ecn-early", severity: Warning,
		line: `config_db.json: "AZURE_LOSSLESS": {`, why: "which 400 Gb/s send in 200 ns", fix: `"green_min_threshold": "524288", "green_max_threshold": "2097152"`,
	},
	{
		name: "marks of every packet", config: []edit{sound, {`"green_drop_probability": "5"`, `"green_drop_probability": "100"`}}, rule: "ecn-early", severity: Warning,
		line: `config_db.json: "AZURE_LOSSLESS": {`, why: "up to 100 % of packets are marked", fix: `"green_drop_probability": "5"`,
	},
	{
		name: "400 Gb/s without FEC", config: []edit{sound, {`"speed": "400000"`, `"speed": "400000", "fec": "none"`}}, rule: "fec", severity: Error,
		line: `config_db.json: "fec": "none"`, why: "100 Gb/s a lane", fix: `{"PORT": {"Ethernet0": {"fec": "rs"}}}`,
	},
	{
		name: "pauses of all priorities", config: []edit{sound, {`"speed": "400000"`, `"speed": "400000", "pfc_asym": "on"`}}, rule: "pfc-asym", severity: Warning,
		line: `config_db.json: "pfc_asym": "on"`, why: "obeys those of all eight priorities", fix: `{"PORT": {"Ethernet0": {"pfc_asym": "off"}}}`,
	},
	{
		name: "a profile for a shorter cable", config: []edit{sound, {`"40m"`, `"300m"`}}, rule: "headroom-small", severity: Warning,
		line: `config_db.json: "pg_lossless`, why: "its name says that it was made for less", fix: `"xoff": "677888"`,
	},
	{
		name: "headroom for one group at a time", config: []edit{sound, {`"size": "67108864",`, `"size": "67108864", "xoff": "300000",`}}, rule: "headroom-total", severity: Warning,
		line: `config_db.json: "ingress_lossless_pool": {`, why: "when two pause at the same time", fix: `"xoff": "1134592", "size": "66274272"`,
	},
	{
		name: "a GID of RoCE v1", config: []edit{sound}, listing: []edit{{"NCCL_IB_GID_INDEX=3", "NCCL_IB_GID_INDEX=2"}}, rule: "gid-v1", severity: Error,
		line: "nccl.env: NCCL_IB_GID_INDEX", why: "takes RoCE v1", fix: "NCCL_IB_GID_INDEX=3",
	},
	{
		name: "a GID of the link", config: []edit{sound}, listing: []edit{{"NCCL_IB_GID_INDEX=3", "NCCL_IB_GID_INDEX=1"}}, rule: "gid-v1", severity: Warning,
		line: "nccl.env: NCCL_IB_GID_INDEX", why: "the address of the link", fix: "NCCL_IB_GID_INDEX=3",
	},
	{
		name: "RoCE v1 by name", config: []edit{sound}, listing: []edit{{"NCCL_IB_GID_INDEX=3", "NCCL_IB_ROCE_VERSION_NUM=1"}}, rule: "gid-v1", severity: Error,
		line: "nccl.env: NCCL_IB_ROCE_VERSION_NUM", why: "takes RoCE v1", fix: "NCCL_IB_ROCE_VERSION_NUM=2",
	},
	{
		name: "UCX with a class of ordinary traffic", config: []edit{sound}, listing: []edit{{"NCCL_IB_GID_INDEX=3", "UCX_IB_TRAFFIC_CLASS=0"}}, rule: "dscp-lossy", severity: Error,
		line: `config_db.json: "0": "1"`, why: "UCX on node1: DSCP 0", fix: "UCX_IB_TRAFFIC_CLASS=106",
	},
	{
		name: "clear-to-send messages in a lossy class", config: []edit{sound}, listing: []edit{{"NCCL_IB_GID_INDEX=3", "NCCL_IB_FIFO_TC=184"}}, rule: "dscp-lossy", severity: Warning,
		line: `config_db.json: "46": "5"`, why: "the data that a lost message announces waits", fix: "NCCL_IB_FIFO_TC=106",
	},
	{
		name: "packets lost on the way", config: []edit{sound}, listing: []edit{{"/sys/class/net/ens1f0np0/mtu:9000", "/sys/class/net/ens1f0np0/mtu:9000\n/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:12"}}, rule: "drops", severity: Warning,
		line: "ecn.txt: out_of_sequence", why: "out_of_sequence on node1 is 12",
	},
	{
		name: "Kmin above Kmax", config: []edit{sound, {`"green_min_threshold": "1048576"`, `"green_min_threshold": "9999999"`}},
		rule: "invalid", severity: Error, line: `config_db.json: "green_min_threshold"`, why: "Kmin", fix: `"green_min_threshold": "2097152"`,
	},
}

func TestEachMistakeIsFoundWithLineReasonAndFix(t *testing.T) {
	for _, m := range mistakes {
		r := check(t, m.config, m.listing, m.options)
		i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Rule == m.rule && f.Severity == m.severity })
		if i < 0 {
			t.Errorf("%s: no %s of %s in\n%s", m.name, m.severity, m.rule, tell(r))
			continue
		}
		f := r.Findings[i]
		var fixes []string
		for _, x := range f.Fixes {
			fixes = append(fixes, x.Lines...)
		}
		if !strings.Contains(f.Why, m.why) || !strings.Contains(strings.Join(fixes, "\n"), m.fix) {
			t.Errorf("%s: want %q and %q in\n%s", m.name, m.why, m.fix, tell(&Report{Findings: r.Findings[i : i+1]}))
		}
		file, text, _ := strings.Cut(m.line, ": ")
		if got := lineAt(t, m.config, m.listing, f.At); f.At.File != file || !strings.Contains(got, text) {
			t.Errorf("%s: its place is %v, which is %q; want %s", m.name, f.At, got, m.line)
		}
	}
}

// TestFixesOfOnePortDoNotUndoEachOther checks that the patches to pfc_enable may be applied in any
// order: each enables all priorities with headroom.
func TestFixesOfOnePortDoNotUndoEachOther(t *testing.T) {
	for _, has := range []string{"", "3", "4"} {
		got := tell(check(t, []edit{sound, {`"pfc_enable": "3,4"`, `"pfc_enable": "` + has + `"`}}, nil, Options{}))
		if n, all := strings.Count(got, `{"pfc_enable": "`), strings.Count(got, `{"pfc_enable": "3,4"`); n == 0 || n != all {
			t.Errorf("with pfc_enable %q, %d of %d patches have both priorities: %s", has, all, n, got)
		}
		if strings.Contains(got, `"26": "4"`) {
			t.Errorf("with pfc_enable %q a DSCP whose group has headroom is moved to another: %s", has, got)
		}
	}
}

// A fix lists priorities in ascending order, whichever was missing.
func TestAFixNamesPrioritiesInTheirOrder(t *testing.T) {
	for _, has := range []string{"3", "4"} {
		r := check(t, []edit{sound, {`"pfc_enable": "3,4"`, `"pfc_enable": "` + has + `"`}}, nil, Options{})
		if got := tell(r); !strings.Contains(got, `"pfc_enable": "3,4"`) || strings.Contains(got, `"pfc_enable": "4,3"`) {
			t.Errorf("with priority %s alone paused: %s", has, got)
		}
	}
}

// lineAt is the line that a finding names, in the changed file.
func lineAt(t *testing.T, config, listing []edit, at Place) string {
	t.Helper()
	var text string
	if at.File == "config_db.json" {
		text = edited(t, load(t, "..", "sonic", "testdata", at.File), config)
	} else {
		text = load(t, "..", "host", "testdata", at.File)
		for _, e := range listing {
			text = strings.ReplaceAll(text, e.old, e.new)
		}
	}
	return strings.Split(text, "\n")[at.Line-1]
}

func TestEveryRuleIsTested(t *testing.T) {
	several := []string{"qos-missing", "switches-differ", "paths-few", "hash-addresses"} // several_test.go, paths_test.go
	for _, rule := range Rules {
		if slices.Contains(several, rule.Name) {
			continue
		}
		if !slices.ContainsFunc(mistakes, func(m mistake) bool { return m.rule == rule.Name }) {
			t.Errorf("no mistake tests %s", rule.Name)
		}
	}
}

func TestTheSameMistakeOfAllPortsIsOneFinding(t *testing.T) {
	r := check(t, nil, nil, Options{Buffer: 160 << 20})
	if len(r.Findings) != 1 || r.Findings[0].Ports() != "Ethernet0, Ethernet4" {
		t.Error(tell(r))
	}
}

func TestUnknownSettingsAreReportedAndNotJudged(t *testing.T) {
	config := []edit{sound, {`"CABLE_LENGTH"`, `"OTHER"`}, {`"size": "67108864",
            "type": "ingress"`, `"type": "ingress"`}}
	r := checkFiles(t, config, []host.Source{{Name: "e", Text: "Settings for e:\nSpeed: 400000Mb/s"}}, Options{})
	all := strings.Join(r.Unjudged, "\n")
	for _, want := range []string{"which DSCP", "on which priorities it has PFC", "length of the cable is not known (PORT, CABLE_LENGTH, or --cable) (Ethernet0, Ethernet4)", "how long a legitimate pause may last", "its buffer is not known"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
}

func TestAHostIsComparedWithPortsOfItsSpeedOnly(t *testing.T) {
	r := check(t, nil, []edit{{"400000Mb/s", "100000Mb/s"}}, Options{})
	if slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Rule == "dscp-lossy" }) {
		t.Error(tell(r))
	}
}

// made is a switch that makes its lossless profiles itself, as most switches with a
// pg_profile_lookup.ini do.
var made = []edit{
	sound,
	{`"profile": "pg_lossless_400000_40m_profile"`, `"profile": "NULL"`},
	{`"pg_lossless_400000_40m_profile": {
            "dynamic_th": "0",
            "pool": "ingress_lossless_pool",
            "size": "303104",
            "xoff": "283648",
            "xon": "19456"
        }`, `"unused": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "0"}`},
}

func TestProfilesThatTheSwitchMakesAreJudgedByItsTable(t *testing.T) {
	r := check(t, made, nil, Options{Buffer: 160 << 20})
	if len(r.Findings) > 0 || len(r.Unjudged) != 1 || !strings.Contains(r.Unjudged[0], "give --profiles") {
		t.Errorf("without the table: %s%v", tell(r), r.Unjudged)
	}
	_, table, err := roce.Lookup("tomahawk-5")
	if err != nil {
		t.Fatal(err)
	}
	if r := check(t, made, nil, Options{Buffer: 160 << 20, Profiles: table.Rows}); len(r.Findings) > 0 || len(r.Unjudged) > 0 {
		t.Errorf("with it: %s%v", tell(r), r.Unjudged)
	}
	small := []roce.Row{{Speed: 400 * units.Gbps, Cable: 40 * units.Metre, Profile: roce.Profile{Size: 18796, Xoff: 50_000}}}
	r = check(t, made, nil, Options{Buffer: 160 << 20, Profiles: small})
	if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Rule == "headroom-small" && f.Severity == Error }) {
		t.Errorf("50,000 bytes for 40 m at 400 Gb/s: %s", tell(r))
	}
}

// The switch makes a profile for the length of a cable, and none without a length, or for 0 m
// (sonic-swss, buffermgr, doSpeedUpdateTask).
func TestAGroupWithoutProfileNeedsTheLengthOfTheCable(t *testing.T) {
	noRow := func(n string) edit {
		return edit{`"Ethernet` + n + `|3-4": {
            "profile": "pg_lossless_400000_40m_profile"
        }`, `"Ethernet` + n + `|7": {
            "profile": "ingress_lossy_profile"
        }`}
	}
	bare := []edit{sound, noRow("0"), noRow("4")}
	small := []roce.Row{{Speed: 400 * units.Gbps, Cable: 300 * units.Metre, Profile: roce.Profile{Size: 697344, Xon: 19456, Xoff: 677888}}}
	for _, c := range []struct {
		name    string
		config  []edit
		options Options
		where   string // "": no finding
		why     string
		fix     string
	}{
		{"no length at all", []edit{{`"CABLE_LENGTH"`, `"OTHER"`}}, Options{}, "Ethernet0, Ethernet4", "CABLE_LENGTH has none", `{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m"}}}`},
		{"no length, and one is given", []edit{{`"CABLE_LENGTH"`, `"OTHER"`}}, Options{Cable: 7 * units.Metre}, "Ethernet0, Ethernet4", "CABLE_LENGTH has none", `{"Ethernet0": "7m"}`},
		{"0m", []edit{{`"40m"`, `"0m"`}}, Options{}, "Ethernet0, Ethernet4", "or 0m", `{"CABLE_LENGTH": {"AZURE": {"Ethernet4": "40m"}}}`},
		{"None", []edit{{`"40m"`, `"None"`}}, Options{}, "Ethernet0, Ethernet4", "or 0m", `{"CABLE_LENGTH": {"AZURE": {"Ethernet4": "40m"}}}`},
		{"one port without", []edit{{`"Ethernet4": "40m"`, `"Ethernet8": "None"`}}, Options{}, "Ethernet4", "CABLE_LENGTH has none", `{"CABLE_LENGTH": {"AZURE": {"Ethernet4": "40m"}}}`},
		{"no pool of that name", []edit{{"ingress_lossless_pool", "ingress_pool"}}, Options{}, "Ethernet0, Ethernet4", "which BUFFER_POOL does not have", "config qos reload"},
		{"a table without the length", nil, Options{Profiles: small}, "Ethernet0, Ethernet4", "no row for 400 Gb/s and 40 m of cable", `{"Ethernet0": "300m"}`},
		{"all lengths", nil, Options{}, "", "", ""},
		{"dynamic, without a row", []edit{{`"localhost": {`, `"localhost": {"buffer_model": "dynamic",`}, {`"40m"`, `"0m"`}}, Options{}, "", "", ""},
	} {
		r := check(t, append(slices.Clone(bare), c.config...), nil, c.options)
		told := tell(r)
		i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Rule == "buffer-missing" })
		if c.where == "" {
			if i >= 0 {
				t.Errorf("%s: %s", c.name, told)
			}
			continue
		}
		if i < 0 || r.Findings[i].Ports() != c.where || r.Findings[i].Severity != Error || !strings.Contains(r.Findings[i].Why, c.why) ||
			!strings.Contains(tell(&Report{Findings: r.Findings[i : i+1]}), c.fix) {
			t.Errorf("%s: want %s, %q, %q in\n%s", c.name, c.where, c.why, c.fix, told)
		}
		if all := strings.Join(r.Unjudged, " "); strings.Contains(all, "the switch makes one") || strings.Contains(told, "breakout") {
			t.Errorf("%s: a profile that nobody makes is said to be made, or a breakout is blamed: %s%s", c.name, told, all)
		}
	}
	// A group with a profile of its own needs no length.
	if r := check(t, []edit{sound, {`"CABLE_LENGTH"`, `"OTHER"`}}, nil, Options{}); len(r.Findings) > 0 {
		t.Error(tell(r))
	}
}

// What a profile with an unreadable value means is not known: it is one defect, and no other finding
// takes the value for 0.
func TestAnUnreadableThresholdIsOneDefect(t *testing.T) {
	for _, field := range []string{"green_min_threshold", "green_max_threshold", "green_drop_probability"} {
		value := map[string]string{"green_min_threshold": "1048576", "green_max_threshold": "2097152", "green_drop_probability": "5"}[field]
		r := check(t, []edit{sound, {`"` + field + `": "` + value + `"`, `"` + field + `": "1M"`}}, nil, Options{})
		if len(r.Findings) != 1 || r.Findings[0].Rule != "invalid" || !strings.Contains(r.Findings[0].Why, field+` of WRED_PROFILE|AZURE_LOSSLESS is "1M"`) || len(r.Findings[0].Fixes) > 0 {
			t.Errorf("%s: %s", field, tell(r))
		}
	}
}

// The switch refuses a profile with a field that it does not know (sonic-swss, qosorch).
func TestAnUnknownFieldOfWREDIsTold(t *testing.T) {
	r := check(t, []edit{sound, {`"wred_green_enable": "true"`, `"wred_green_enable": "true",
            "green_min_treshold": "1"`}}, nil, Options{})
	if len(r.Findings) != 1 || r.Findings[0].Rule != "ecn-missing" || !strings.Contains(r.Findings[0].Why, "the field green_min_treshold") || r.Findings[0].At.Line == 0 {
		t.Error(tell(r))
	}
	all := `"wred_green_enable": "true", "wred_yellow_enable": "true", "wred_red_enable": "true", "yellow_min_threshold": "1", "red_max_threshold": "2", "red_drop_probability": "5", "ecn_red_min_threshold": "1", "ecn_yellow_mark_probability": "1"`
	if r := check(t, []edit{sound, {`"wred_green_enable": "true"`, all}}, nil, Options{}); len(r.Findings) > 0 {
		t.Errorf("fields that SONiC has: %s", tell(r))
	}
}

// On a chip of another vendor, ECN alone may do: it is not judged.
func TestECNWithoutWREDIsNotJudgedOnOtherChips(t *testing.T) {
	r := check(t, []edit{sound, {"Mellanox-SN5600-V256", "Other-1"}, {`"wred_green_enable": "true"`, `"red_max_threshold": "2097152"`}}, nil, Options{})
	all := strings.Join(r.Unjudged, "\n")
	if strings.Contains(tell(r), "ecn-missing") || !strings.Contains(all, "ECN without wred_green_enable") {
		t.Errorf("%s%s", tell(r), all)
	}
}

// SONiC fills in pfcwd_sw_enable when it migrates tables from before version_3_0_5, and a switch
// without it watches no priority.
func TestAWatchdogWithoutPrioritiesLooksAtNone(t *testing.T) {
	for version, want := range map[string]string{
		"": "note", "version_3_0_4": "note", "version_2_0_9": "note",
		"version_3_0_5": "finding", "version_4_0_0": "finding", "version_202405_01": "finding", "version_master_01": "finding",
	} {
		config := []edit{sound, {`            "pfcwd_sw_enable": "3,4",
`, ""}}
		if version != "" {
			config = append(config, edit{`"DEVICE_METADATA": {`, `"VERSIONS": {"DATABASE": {"VERSION": "` + version + `"}}, "DEVICE_METADATA": {`})
		}
		r := check(t, config, nil, Options{})
		noted := strings.Contains(strings.Join(r.Unjudged, "\n"), "pfcwd_sw_enable is missing")
		found := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Rule == "watchdog-missing" })
		if noted != (want == "note") || found != (want == "finding") {
			t.Errorf("%q: want a %s: %s%v", version, want, tell(r), r.Unjudged)
		}
	}
}

func TestASwitchIsJudgedWithoutHosts(t *testing.T) {
	sw, problems := sonic.Examine(readConfig(t, []edit{sound, {"ecn_all", "ecn_none"}}))
	r := checkOne(sw, problems, nil, Options{})
	if len(r.Findings) != 2 || r.Findings[0].Rule != "ecn-missing" { // queues 3 and 4
		t.Error(tell(r))
	}
}

func TestProfilesThatTheSwitchComputesAreJudgedByTheFormula(t *testing.T) {
	dynamic := append([]edit{{`"localhost": {`, `"localhost": {"buffer_model": "dynamic",`}}, made...)
	if r := check(t, dynamic, nil, Options{Buffer: 160 << 20}); len(r.Findings) > 0 || len(r.Unjudged) > 0 {
		t.Errorf("%s%v", tell(r), r.Unjudged)
	}
	late := append([]edit{{`"green_max_threshold": "2097152"`, `"green_max_threshold": "62097152"`}}, dynamic...)
	if r := check(t, late, nil, Options{Buffer: 160 << 20}); len(r.Findings) != 1 || r.Findings[0].Rule != "ecn-above-pfc" {
		t.Errorf("marks above the threshold: %s", tell(r))
	}
}

// checkOne finds faults between one switch and its hosts.
func checkOne(sw *sonic.Switch, problems []*sonic.Error, hosts []*host.Host, o Options) *Report {
	return CheckAll([]Subject{{sw, problems}}, hosts, o)[0]
}
