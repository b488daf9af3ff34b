package roceexport

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/roce"
	"weft/internal/roce/host"
	"weft/internal/roce/sonic"
	"weft/internal/test/golden"
	"weft/scenario"
	"weft/units"
)

// resolved is the only fabric of a scenario.
func resolved(t *testing.T, fabric string) (*scenario.Resolved, *scenario.Fabric) {
	t.Helper()
	f, err := scenario.Decode("test.yaml", []byte("cluster: {nodes: 4}\nfabric: {"+fabric+"}\nworkload: {pattern: incast, fan-in: 2, sizes: [1MiB]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return r, &r.Fabrics[0]
}

func planOf(t *testing.T, fabric string) *Plan {
	t.Helper()
	r, f := resolved(t, fabric)
	p, err := Of(r, f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func written(t *testing.T, p *Plan, target string) map[string]string {
	t.Helper()
	i := slices.Index(Names(), target)
	out, err := Targets()[i].Write(p)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range out.Files {
		files[f.Name] = f.Text
	}
	return files
}

// topRole is the SONiC configuration of the switches of the highest level, all of whose cables are of
// one length.
func topRole(t *testing.T, p *Plan) string {
	t.Helper()
	files := written(t, p, "sonic")
	for _, name := range []string{"config_db.json", "config_db-core.json", "config_db-spine.json"} {
		if text := files[name]; text != "" {
			return text
		}
	}
	t.Fatalf("no switch is written: %v", files)
	return ""
}

// plain is a fabric whose numbers differ from every default.
const plain = `preset: roce-v2-400g, topology: {shape: single-switch, radix: 32, cables: {node-leaf: 40m}}, ethernet: {dscp: 34, cnp-dscp: 46,
  data-priority: 4, ack-priority: 4, cnp-priority: 5,
  queues: [{priority: 0, schedule: dwrr, weight: 20}, {priority: 4, schedule: dwrr, weight: 80}, {priority: 5, schedule: strict, weight: 0}],
  pfc: {priorities: [4], alpha: 1/4, reserve: 19456B, xon: 19456B, xon-offset: 0, watchdog: {enabled: true, detection: 200ms, restoration: 300ms, poll: 100ms}}, ecn: {kmin: 500000B, kmax: 2000000B, pmax: 7%}, egress-alpha: 2}`

// twoQueues serve two priorities that may be lossless.
const twoQueues = "queues: [{priority: 0, schedule: dwrr, weight: 50}, {priority: 3, schedule: dwrr, weight: 30}, {priority: 4, schedule: dwrr, weight: 20}, {priority: 6, schedule: strict, weight: 0}], "

func TestSONiCWrittenAndReadAgainIsTheSameFabric(t *testing.T) {
	for name, fabric := range map[string]string{
		"the preset":       "preset: roce-v2-400g",
		"at 100 Gb/s":      "preset: roce-v2-100g",
		"other numbers":    plain,
		"fixed thresholds": "preset: roce-v2-400g, ethernet: {pfc: {xoff: 200KiB}}",
		"two lossless":     "preset: roce-v2-400g, ethernet: {" + twoQueues + "pfc: {priorities: [3, 4], headroom: 100KiB}}",
		"shared headroom":  "preset: roce-v2-400g, ethernet: {pfc: {headroom-pool: 4MiB}}",
		"a watchdog":       "preset: roce-v2-400g, ethernet: {pfc: {watchdog: {enabled: true, detection: 400ms, restoration: 600ms, poll: 100ms, action: forward}}}",
		"another queue":    "preset: roce-v2-400g, ethernet: {" + twoQueues + "pfc: {priorities: [3, 4], headroom: 100KiB, stops: [{priority: 3, queue: 4}]}}",
		"no queue":         "preset: roce-v2-400g, ethernet: {pfc: {stops: [{priority: 3, queue: -1}]}}",
		"no PFC":           "preset: roce-v2-400g, ethernet: {pfc: {enabled: false, priorities: [], headroom: 0}}",
		"no marks":         "preset: roce-v2-400g, ethernet: {ecn: {enabled: false}}",
		"weights above":    "preset: roce-v2-400g, ethernet: {queues: [{priority: 0, schedule: dwrr, weight: 300}, {priority: 3, schedule: dwrr, weight: 700}, {priority: 6, schedule: strict, weight: 0}]}",
	} {
		r, f := resolved(t, fabric)
		p, err := Of(r, f)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "config_db.json")
		if err := os.WriteFile(path, []byte(topRole(t, p)), 0o600); err != nil {
			t.Fatal(err)
		}
		// Only the host's files have the DSCPs of the classes.
		want := f.Ethernet
		preset := "preset: " + f.Preset + ", switch: {sonic: " + path + "}, ethernet: {dscp: " + strconv.Itoa(want.DSCP) + ", cnp-dscp: " + strconv.Itoa(want.CNPDSCP) + "}"
		_, again := resolved(t, preset)
		got := again.Ethernet
		want.Shared = p.Shared
		if !want.ECN.Enabled {
			want.ECN, got.ECN = scenario.ECN{}, scenario.ECN{} // the marks, if ECN were on
		}
		if name == "weights above" { // 300 to 700 is 3 to 7
			want.Queues[0].Weight, want.Queues[1].Weight = 3, 7
		}
		want.PFC.Response, got.PFC.Response = 0, 0 // the peer's
		if !want.PFC.Enabled {
			want.PFC.XONOffset = 0 // nothing is paused
		}
		if want.PFC.XOFF > 0 {
			got.PFC.Alpha = want.PFC.Alpha // not used beside a fixed threshold
		}
		if !want.PFC.Watchdog.Enabled { // SONiC's default is written
			if want.PFC.Enabled && (!got.PFC.Watchdog.Enabled || got.PFC.Watchdog.Action != scenario.WatchdogDrop) {
				t.Errorf("%s: the watchdog is %+v, want SONiC's default", name, got.PFC.Watchdog)
			}
			got.PFC.Watchdog = want.PFC.Watchdog
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read again\n%+v\nwritten\n%+v", name, got, want)
		}
	}
}

func TestHeadroomIsForTheScenariosSpeedAndCable(t *testing.T) {
	asic, _, err := roce.Lookup("spectrum-4")
	if err != nil {
		t.Fatal(err)
	}
	for _, cable := range []units.Length{5, 40, 300} {
		p := planOf(t, "preset: roce-v2-400g, topology: {shape: single-switch, radix: 32, cables: {node-leaf: "+(cable*units.Metre).Exact()+"}}")
		want, err := asic.Headroom(roce.Port{Speed: 400 * units.Gbps, Cable: cable * units.Metre, MTU: 9216, Lanes: 4}, roce.Pattern{SmallPercent: 100, MTU: 1024}, false)
		if err != nil {
			t.Fatal(err)
		}
		c, err := sonic.Read("f", strings.NewReader(written(t, p, "sonic")["config_db.json"]))
		if err != nil {
			t.Fatal(err)
		}
		sw, err := sonic.Resolve(c)
		if err != nil {
			t.Fatal(err)
		}
		port := sw.Ports[0]
		if got := port.Groups[3].Xoff; got != want.Xoff || port.Cable != cable*units.Metre {
			t.Errorf("%v: %d bytes for %v, the formula has %d", cable*units.Metre, got, port.Cable, want.Xoff)
		}
	}
}

// A leaf has two lengths of cable, and each port gets the headroom of its own, as NVIDIA's formula has
// it. A spine has one.
func TestEachRoleHasAFileWithTheCablesOfItsPorts(t *testing.T) {
	p := planOf(t, "preset: roce-v2-400g, topology: {shape: fat-tree, levels: 2, radix: 16, hosts-per-leaf: 8, cables: {node-leaf: 3m, leaf-spine: 50m}}")
	files := written(t, p, "sonic")
	if len(files) != 2 {
		t.Fatalf("%d files, want one for leaves and one for spines", len(files))
	}
	asic, _, err := roce.Lookup("spectrum-4")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]map[units.Length]int{"config_db-leaf.json": {3 * units.Metre: 8, 50 * units.Metre: 8}, "config_db-spine.json": {50 * units.Metre: 16}} {
		c, err := sonic.Read(name, strings.NewReader(files[name]))
		if err != nil {
			t.Fatal(err)
		}
		sw, err := sonic.Resolve(c)
		if err != nil {
			t.Fatal(err)
		}
		got := map[units.Length]int{}
		for _, port := range sw.Ports {
			got[port.Cable]++
			h, err := asic.Headroom(roce.Port{Speed: 400 * units.Gbps, Cable: port.Cable, MTU: portMTU, Lanes: 4}, roce.Harshest, false)
			if err != nil {
				t.Fatal(err)
			}
			if g := port.Groups[3]; g.Xoff != h.Xoff || g.Xon != h.Xon || g.Size != h.Size || g.XonOffset != 0 {
				t.Errorf("%s, %s with %v: %+v, NVIDIA has %+v", name, port.Name, port.Cable, g, h.Profile)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: ports by cable %v, want %v", name, got, want)
		}
	}
	nvue := written(t, p, "cumulus")
	for _, line := range []string{"nv set qos pfc default-global cable-length 50\n", "nv set qos pfc weft-3m switch-priority 3\n", "nv set qos pfc weft-3m cable-length 3\n", "nv set interface swp1-8 qos pfc profile weft-3m\n"} {
		if !strings.Contains(nvue["nvue-leaf.txt"], line) {
			t.Errorf("a leaf has no line %q:\n%s", line, nvue["nvue-leaf.txt"])
		}
	}
	if text := nvue["nvue-spine.txt"]; !strings.Contains(text, "default-global cable-length 50\n") || strings.Contains(text, "weft-") {
		t.Errorf("a spine has cables of one length:\n%s", text)
	}
	if host := written(t, p, "host")["host.sh"]; !strings.Contains(host, "--cable_len=3\n") {
		t.Errorf("the host keeps room for another cable than its own:\n%s", host)
	}
}

// A headroom that the scenario states is that of every port.
func TestAStatedHeadroomIsWrittenForEveryCable(t *testing.T) {
	p := planOf(t, "preset: roce-v2-400g, topology: {shape: fat-tree, levels: 2, radix: 16, hosts-per-leaf: 8, cables: {node-leaf: 3m, leaf-spine: 50m}}, ethernet: {pfc: {headroom: 512KiB}}")
	for name, text := range written(t, p, "sonic") {
		if n := strings.Count(text, `"xoff": "524288"`); n != strings.Count(text, `"xoff"`) || n == 0 {
			t.Errorf("%s has %d profiles with the stated headroom", name, n)
		}
	}
}

func TestTheOtherDevicesGetTheSameSettings(t *testing.T) {
	p := planOf(t, plain)
	for _, target := range []string{"cumulus", "eos", "nxos", "host"} {
		for name, text := range written(t, p, target) {
			golden.File(t, filepath.Join("testdata", name), text)
		}
	}
}

func TestNCCLsEnvironmentIsReadAgain(t *testing.T) {
	text := written(t, planOf(t, plain), "host")["nccl.conf"]
	h, err := host.Read("h", []host.Source{{Name: "nccl.conf", Text: text}})
	if err != nil {
		t.Fatal(err)
	}
	if s := h.Streams(); len(s) != 1 || s[0].DSCP != 34 {
		t.Errorf("%+v", s)
	}
}

func TestTheFirmwaresOwnParametersAreExportedExactly(t *testing.T) {
	p := planOf(t, "preset: roce-v2-400g, cc: dcqcn-firmware")
	// The dump of mlxconfig from which the catalog's entry was made.
	want := map[string]int64{
		"rpg_time_reset": 300, "rpg_byte_reset": 32767, "rpg_threshold": 1, "rpg_ai_rate": 5, "rpg_hai_rate": 50, "rpg_min_dec_fac": 50,
		"rpg_min_rate": 1, "rate_to_set_on_first_cnp": 0, "dce_tcp_g": 1019, "dce_tcp_rtt": 1, "rate_reduce_monitor_period": 4,
		"initial_alpha_value": 1023, "min_time_between_cnps": 4, "clamp_tgt_rate": 0, "clamp_tgt_rate_after_time_inc": 1,
	}
	got := map[string]int64{}
	for _, x := range p.parameters() {
		if x.num%x.den != 0 {
			t.Errorf("%s is rounded: %d of %d", x.name, x.num, x.den)
		}
		got[x.name] = x.num / x.den
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nthe dump has\n%v", got, want)
	}
}

func TestARoundedParameterIsNoted(t *testing.T) {
	out, err := planOf(t, "preset: roce-v2-400g, cc: {preset: dcqcn-firmware, g: 1/256}").Host()
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Notes) != 0 { // 1020 of 1024 is exact
		t.Errorf("%v", out.Notes)
	}
	out, err = planOf(t, "preset: roce-v2-400g, cc: {preset: dcqcn-firmware, decrease-period: 1500ns}").Host()
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Notes) != 1 || !strings.Contains(out.Notes[0], "rate_reduce_monitor_period") {
		t.Errorf("%v", out.Notes)
	}
}

func TestASettingThatADeviceCannotExpressIsRefused(t *testing.T) {
	for _, c := range []struct{ name, target, fabric, want string }{
		{"alpha between powers of two", "sonic", "preset: roce-v2-400g, ethernet: {pfc: {alpha: 1/3}}", "powers of two"},
		{"a probability between percents", "sonic", "preset: roce-v2-400g, ethernet: {ecn: {pmax: 1/3}}", "whole percents"},
		{"a weight that is too large", "sonic", "preset: roce-v2-400g, ethernet: {queues: [{priority: 3, schedule: dwrr, weight: 1001}, {priority: 6, schedule: dwrr, weight: 1000}]}", "more than the 100"},
		{"a probability between percents", "eos", "preset: roce-v2-400g, ethernet: {ecn: {pmax: 1/3}}", "whole percents"},
		{"marks from nothing on", "eos", "preset: roce-v2-400g, ethernet: {ecn: {kmin: 0}}", "1 byte"},
		{"marks beyond the range", "eos", "preset: roce-v2-400g, switch: {buffer: 1GiB}, ethernet: {ecn: {kmin: 1MB, kmax: 300MB}}", "1 byte to 256000000"},
		{"a watchdog that only tells", "eos", "preset: roce-v2-400g, ethernet: {pfc: {watchdog: {enabled: true, action: alert}}}", "drop and forward"},
		{"a watchdog that is too fast", "eos", "preset: roce-v2-400g, ethernet: {pfc: {watchdog: {enabled: true, detection: 5ms, restoration: 5ms, poll: 1ms}}}", "10 ms and more"},
		{"a watchdog that is too fast", "sonic", "preset: roce-v2-400g, ethernet: {pfc: {watchdog: {enabled: true, detection: 50ms, restoration: 50ms, poll: 50ms}}}", "from 100 to"},
		{"a watchdog between milliseconds", "sonic", "preset: roce-v2-400g, ethernet: {pfc: {watchdog: {enabled: true, detection: 200500us, restoration: 200ms, poll: 100ms}}}", "whole milliseconds"},
		{"a pause without headroom", "sonic", "preset: roce-v2-400g, ethernet: {pfc: {headroom: 0}}", "headroom is 0"},
		{"a pause that stops another queue", "eos", "preset: roce-v2-400g, ethernet: {pfc: {stops: [{priority: 3, queue: 6}]}}", "EOS has no map for that"},
		{"a watchdog that forwards", "cumulus", "preset: roce-v2-400g, ethernet: {pfc: {watchdog: {enabled: true, action: forward}}}", "NVUE's watchdog drops"},
		{"a watchdog that is too fast", "cumulus", "preset: roce-v2-400g, ethernet: {pfc: {watchdog: {enabled: true, detection: 50ms, restoration: 50ms, poll: 50ms}}}", "from 100 to 5000"},
		{"data in the default class", "nxos", "preset: roce-v2-400g, ethernet: {data-priority: 0, ack-priority: 0, pfc: {priorities: [0]}}", "class-default"},
		{"a probability between percents", "cumulus", "preset: roce-v2-400g, ethernet: {ecn: {pmax: 1/3}}", "whole percents"},
	} {
		p := planOf(t, c.fabric)
		if _, err := Targets()[slices.Index(Names(), c.target)].Write(p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v; want %s", c.target, c.name, err, c.want)
		}
	}
	for _, c := range []struct{ name, fabric, want string }{
		{"TCP", "preset: tcp-400g", "only RoCE v2"},
		{"pauses of links", "preset: roce-v2-400g, ethernet: {pfc: {link-pause: true}}", "only PFC is exported"},
		{"one DSCP for two classes", "preset: roce-v2-400g, ethernet: {cnp-dscp: 26}", "a DSCP of their own"},
		{"acknowledgements in another class", "preset: roce-v2-400g, ethernet: {ack-priority: 0}", "acknowledgements have priority 0"},
	} {
		r, f := resolved(t, c.fabric)
		if _, err := Of(r, f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.name, err, c.want)
		}
	}
}
