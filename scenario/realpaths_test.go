package scenario

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// closFolder is a folder with the configuration of two leaves with two hosts each and of four spines, and other files.
func closFolder(t *testing.T, change func(name string, config map[string]any), files map[string]string) string {
	t.Helper()
	text, err := os.ReadFile("../examples/sonic/config_db.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	neighbours := map[string]map[string]any{}
	join := func(a string, portA int, b string, portB int) {
		for _, end := range []struct {
			of, peer       string
			port, peerPort int
		}{{a, b, portA, portB}, {b, a, portB, portA}} {
			if neighbours[end.of] == nil {
				neighbours[end.of] = map[string]any{}
			}
			neighbours[end.of][fmt.Sprintf("Ethernet%d", 4*end.port)] = map[string]any{"name": end.peer, "port": fmt.Sprintf("Ethernet%d", 4*end.peerPort)}
		}
	}
	for leaf := 1; leaf <= 2; leaf++ {
		for host := range 2 {
			join(fmt.Sprintf("leaf%d", leaf), host, fmt.Sprintf("gpu%d", 2*(leaf-1)+host+1), 0)
		}
		for spine := 1; spine <= 4; spine++ {
			join(fmt.Sprintf("leaf%d", leaf), 1+spine, fmt.Sprintf("spine%d", spine), leaf-1)
		}
	}
	for _, name := range []string{"leaf1", "leaf2", "spine1", "spine2", "spine3", "spine4"} {
		var c map[string]any
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		row(c, "DEVICE_METADATA", "localhost")["hostname"] = name
		c["DEVICE_NEIGHBOR"] = neighbours[name]
		change(name, c)
		out, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		makeFile(t, dir, path.Join("site", name, "config_db.json"), string(out))
	}
	for name, text := range files {
		makeFile(t, dir, path.Join("site", name), text)
	}
	return dir
}

// makeFile writes a file, and makes its folders.
func makeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Dir(at), filepath.Base(at), text)
}

func noChange(string, map[string]any) {}

// bgp is FRR's configuration of a switch.
func bgp(asn int, lines ...string) string {
	return fmt.Sprintf("frr version 8.4.4\nrouter bgp %d\n bgp log-neighbor-changes\n%s\n", asn, strings.Join(lines, "\n"))
}

// TestBGPsPathsAreThoseOfTheSwitchesFiles: of leaf1, which has four uplinks and two hosts, and others.
func TestBGPsPathsAreThoseOfTheSwitchesFiles(t *testing.T) {
	relax, two := " bgp bestpath as-path multipath-relax", " address-family ipv4 unicast\n  maximum-paths 2\n exit-address-family"
	spines := map[string]string{}
	for spine := 1; spine <= 4; spine++ {
		spines[fmt.Sprintf("spine%d/frr.conf", spine)] = bgp(64900+spine, relax)
	}
	with := func(files map[string]string, more ...string) map[string]string {
		all := map[string]string{}
		for name, text := range files {
			all[name] = text
		}
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	for name, c := range map[string]struct {
		change func(name string, c map[string]any)
		files  map[string]string
		want   []string
		note   string
	}{
		"the templates":         {noChange, nil, nil, ""},
		"two paths":             {noChange, map[string]string{"leaf1/frr.conf": bgp(65101, relax, two)}, []string{"[leaf1][routing.max-paths=2]"}, "site: BGP of 1 switch uses fewer paths than the switch has cables"},
		"more paths than ports": {noChange, map[string]string{"leaf1/frr.conf": bgp(65101, relax, strings.Replace(two, "2", "64", 1))}, nil, ""},
		"without relax": {noChange, with(spines, "leaf1/etc/frr/frr.conf", bgp(65101)), []string{
			"[leaf1][routing.asn=65101]", "[leaf2][routing.asn=65100 routing.multipath-relax=true]",
			"[spine1][routing.asn=64901 routing.multipath-relax=true]", "[spine2][routing.asn=64902 routing.multipath-relax=true]",
			"[spine3][routing.asn=64903 routing.multipath-relax=true]", "[spine4][routing.asn=64904 routing.multipath-relax=true]",
		}, "site: BGP of 1 switch uses only paths through the same autonomous systems"},
		"all relaxed": {noChange, with(spines, "leaf1/frr.conf", bgp(65101, relax)), nil, ""},
		"the tables": {func(name string, c map[string]any) {
			if name == "leaf2" {
				c["BGP_GLOBALS"] = map[string]any{"default": map[string]any{"local_asn": "65102", "load_balance_mp_relax": "true"}}
				c["BGP_GLOBALS_AF"] = map[string]any{"default|ipv4_unicast": map[string]any{"max_ebgp_paths": "1"}}
			}
		}, nil, []string{"[leaf2][routing.max-paths=1]"}, "maximum-paths"},
		"by the name in it":   {noChange, map[string]string{"dumps/x.running-config": "hostname leaf2\n" + bgp(65101, relax, two)}, []string{"[leaf2][routing.max-paths=2]"}, "maximum-paths"},
		"by the file's name":  {noChange, map[string]string{"frr/leaf2_frr.conf": bgp(65101, relax, two)}, []string{"[leaf2][routing.max-paths=2]"}, "maximum-paths"},
		"of no switch":        {noChange, map[string]string{"frr/leaf9_frr.conf": bgp(65101, relax, two)}, nil, "site: 1 file is of FRR or sysctl of no switch of the fabric"},
		"not valid":           {noChange, map[string]string{"leaf1/frr.conf": bgp(65101, relax, " maximum-paths all")}, nil, "site/leaf1/frr.conf:5: maximum-paths all: want a number from 1 to 65535: this value is left out"},
		"a chip is no kernel": {noChange, map[string]string{"leaf1/sysctl.conf": "net.ipv4.fib_multipath_hash_policy = 0\n"}, nil, ""},
	} {
		dir := closFolder(t, func(name string, config map[string]any) {
			row(config, "DEVICE_METADATA", "localhost")["bgp_asn"] = "65100"
			c.change(name, config)
		}, c.files)
		f, fabric, err := decodeSite(t, dir, "")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, s := range fabric.Switches {
			got = append(got, fmt.Sprintf("%v%v", s.Names, s.Set))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if notes := strings.Join(f.Notes(), "\n"); !strings.Contains(notes, c.note) || c.note == "" && strings.Contains(notes, "BGP") {
			t.Errorf("%s: the notes\n%s\nwant %q", name, notes, c.note)
		}
	}
}

// TestSwitchesWithOneSeedHashAlike if a table or a file gives seeds or algorithms; other switches then have those of their types.
func TestSwitchesWithOneSeedHashAlike(t *testing.T) {
	dir := closFolder(t, func(name string, c map[string]any) {
		about := row(c, "DEVICE_METADATA", "localhost")
		about["type"] = map[bool]string{true: "ToRRouter", false: "LeafRouter"}[strings.HasPrefix(name, "leaf")]
		switch name {
		case "spine1":
			about["ecmp_hash_seed"] = "0"
		case "spine2":
			c["SWITCH_HASH"] = map[string]any{"GLOBAL": map[string]any{"ecmp_hash_algorithm": "CRC"}}
		}
	}, nil)
	_, fabric, err := decodeSite(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"leaf1": "usual/0", "leaf2": "usual/0", "spine1": "usual/0", "spine2": "crc/10", "spine3": "usual/10"} {
		if got := fabric.OfSwitch(name).Routing.HashFunction; got != want {
			t.Errorf("%s hashes as %q, want %q", name, got, want)
		}
	}
}

// lldp is what lldpctl -f json says on a switch of Linux.
func lldp(peers map[string][2]string) string {
	var rows []string
	for port, peer := range peers {
		rows = append(rows, fmt.Sprintf(`{%q: {"chassis": {%q: {"id": {"type": "mac", "value": "aa"}}}, "port": {"id": {"type": "ifname", "value": %q}}}}`, port, peer[0], peer[1]))
	}
	slices.Sort(rows)
	return `{"lldp": {"interface": [` + strings.Join(rows, ", ") + `]}}`
}

// TestRoutersThatAreLinuxHashByTheKernelsPolicy: leaf1 hashes the addresses, as the kernel does unless a file says otherwise; leaf2 the
// ports too, and of spine1 nobody says it.
func TestRoutersThatAreLinuxHashByTheKernelsPolicy(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"leaf1/lldpctl.json":              lldp(map[string][2]string{"swp1": {"gpu1", "eth1"}, "swp51": {"spine1", "swp1"}}),
		"leaf2/lldpctl.json":              lldp(map[string][2]string{"swp1": {"gpu2", "eth1"}, "swp51": {"spine1", "swp2"}}),
		"spine1/lldpctl.json":             lldp(map[string][2]string{"swp1": {"leaf1", "swp51"}, "swp2": {"leaf2", "swp51"}}),
		"leaf1/frr.conf":                  bgp(65101, " maximum-paths 1"),
		"leaf1/etc/sysctl.d/99-ecmp.conf": "net.ipv4.fib_multipath_hash_policy = 0\n",
		"leaf2/etc/sysctl.conf":           "net.ipv4.fib_multipath_hash_policy = 1\n",
	} {
		makeFile(t, dir, path.Join("site", name), text)
	}
	f, fabric, err := decodeSite(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range fabric.Switches {
		got = append(got, fmt.Sprintf("%v%v", s.Names, s.Set))
	}
	if want := []string{"[leaf1][routing.hash=addresses routing.max-paths=1 routing.asn=65101]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q; notes %q", got, want, f.Notes())
	}
	if strings.Contains(strings.Join(f.Notes(), "\n"), "left out") {
		t.Errorf("the files of routers are left out of the plan: %q", f.Notes())
	}
}
