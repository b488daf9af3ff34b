package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/internal/roce/router"
	"weft/internal/roce/sonic"
)

// pathsOf are the findings about paths of a switch with a configuration of SONiC, in short, with the lines that mend them.
func pathsOf(t *testing.T, config string, p *Paths) (found []string) {
	t.Helper()
	c, err := sonic.Read("config_db.json", strings.NewReader(`{"DEVICE_METADATA": {"localhost": {"hostname": "leaf1", "bgp_asn": "65001"}}`+config+"}"))
	if err != nil {
		t.Fatal(err)
	}
	sw, problems := sonic.Examine(c)
	r := CheckAll([]Subject{{sw, problems}}, nil, Options{Paths: map[string]*Paths{"leaf1": p}})[0]
	for _, f := range r.Findings {
		found = append(found, fmt.Sprintf("%s: %s: %s", f.Rule, f.Value, strings.Join(f.Fixes[0].Lines, " ")))
		if f.At.Line == 0 || f.Fixes[0].On != "leaf1" {
			t.Errorf("%+v", f)
		}
	}
	return found
}

func ofFRR(text string) *router.Router {
	r, _ := router.ReadFRR("leaf1/frr.conf", text)
	return r
}

// TestASwitchWithFewerPathsThanCablesIsFound by FRR's configuration, which comes before the tables that it is made of, and by these.
func TestASwitchWithFewerPathsThanCablesIsFound(t *testing.T) {
	const globals = `, "BGP_GLOBALS": {"default": {"local_asn": "65001"%s}}, "BGP_GLOBALS_AF": {"default|ipv4_unicast": {"max_ebgp_paths": "%d"}}`
	relaxed := fmt.Sprintf(globals, `, "load_balance_mp_relax": "true"`, 2)
	for name, c := range map[string]struct {
		config string
		paths  Paths
		want   []string
	}{
		"the templates": {"", Paths{Has: 4, Alike: 4}, nil},
		"max_ebgp_paths": {relaxed, Paths{Has: 4, Alike: 4}, []string{
			`paths-few: max_ebgp_paths 2: {"BGP_GLOBALS_AF": {"default|ipv4_unicast": {"max_ebgp_paths": "64"}}}`,
		}},
		"as many as there are": {relaxed, Paths{Has: 2, Alike: 2}, nil},
		"one path":             {relaxed, Paths{Has: 1, Alike: 1}, nil},
		"more than FRR has":    {relaxed, Paths{Has: 100, Alike: 100}, []string{`paths-few: max_ebgp_paths 2: {"BGP_GLOBALS_AF": {"default|ipv4_unicast": {"max_ebgp_paths": "100"}}}`}},
		"not relaxed": {fmt.Sprintf(globals, "", 64), Paths{Has: 4, Alike: 1}, []string{
			`paths-few: no multipath-relax: {"BGP_GLOBALS": {"default": {"load_balance_mp_relax": "true"}}}`,
		}},
		"not relaxed, of one system": {fmt.Sprintf(globals, "", 64), Paths{Has: 4, Alike: 4}, nil},
		"FRR": {relaxed, Paths{Has: 4, Alike: 1, Router: ofFRR("router bgp 65001\n maximum-paths 3\n")}, []string{
			"paths-few: no multipath-relax: vtysh -c 'configure terminal' -c 'router bgp 65001' -c 'bgp bestpath as-path multipath-relax'",
			"paths-few: maximum-paths 3: vtysh -c 'configure terminal' -c 'router bgp 65001' -c 'address-family ipv4 unicast' -c 'maximum-paths 64'",
		}},
		"FRR without a limit": {relaxed, Paths{Has: 4, Alike: 4, Router: ofFRR("router bgp 65001\n bgp bestpath as-path multipath-relax\n")}, nil},
	} {
		if got := pathsOf(t, c.config, &c.paths); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestASwitchThatHashesAddressesAloneIsFound if it has a choice; the kernel's policy counts on a switch without a chip's configuration.
func TestASwitchThatHashesAddressesAloneIsFound(t *testing.T) {
	const hash = `, "SWITCH_HASH": {"GLOBAL": {%q: ["SRC_IP", "DST_IP"%s]}}`
	for name, c := range map[string]struct {
		config string
		paths  Paths
		want   int
	}{
		"addresses":       {fmt.Sprintf(hash, "ecmp_hash", ""), Paths{Has: 4, Alike: 4}, 1},
		"of RDMA":         {fmt.Sprintf(hash, "ecmp_hash_ipv4_rdma", ""), Paths{Has: 4, Alike: 4}, 1},
		"the source port": {fmt.Sprintf(hash, "ecmp_hash", `, "L4_SRC_PORT"`), Paths{Has: 4, Alike: 4}, 0},
		"the queue pair":  {fmt.Sprintf(hash, "ecmp_hash", `, "RDMA_BTH_DEST_QP"`), Paths{Has: 4, Alike: 4}, 0},
		"one path":        {fmt.Sprintf(hash, "ecmp_hash", ""), Paths{Has: 1, Alike: 1}, 0},
		"the chip's own":  {"", Paths{Has: 4, Alike: 4}, 0},
	} {
		if got := pathsOf(t, c.config, &c.paths); len(got) != c.want || c.want > 0 && !strings.Contains(got[0], `: ["DST_IP", "SRC_IP", "IP_PROTOCOL", "L4_DST_PORT", "L4_SRC_PORT"]}}}`) {
			t.Errorf("%s: %q", name, got)
		}
	}
	for policy, want := range map[string]string{"0": "fib_multipath_hash_policy 0", "2": "fib_multipath_hash_policy 2", "1": ""} {
		r, _ := router.ReadSysctl("r1/sysctl.conf", "net.ipv4.fib_multipath_hash_policy = "+policy)
		sw, _ := sonic.Examine(&sonic.Config{File: "r1"})
		sw.Hostname = "r1"
		report := CheckAll([]Subject{{Switch: sw}}, nil, Options{Paths: map[string]*Paths{"r1": {Ports: 8, Has: 4, Alike: 4, Router: r}}})[0]
		got := ""
		for _, f := range report.Findings {
			got = f.Value
			if f.At != (Place{"r1/sysctl.conf", 1}) || f.Fixes[0].Lines[0] != "sysctl -w net.ipv4.fib_multipath_hash_policy=1" {
				t.Errorf("%+v", f)
			}
		}
		if got != want || report.Ports != 8 {
			t.Errorf("policy %s: %q on %d ports, want %q on 8", policy, got, report.Ports, want)
		}
	}
}
