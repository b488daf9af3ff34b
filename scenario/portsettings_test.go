package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/units"
)

// decodeSite resolves a scenario on the folder of siteFolder, with more lines of its fabric.
func decodeSite(t *testing.T, dir, more string) (*File, *Fabric, error) {
	t.Helper()
	f, err := DecodeIn(dir, "test.yaml", []byte(strings.Replace(siteText, "{dscp: 3}", "{dscp: 3}"+more, 1)))
	if err != nil {
		return nil, nil, err
	}
	r, err := f.Resolve()
	if err != nil {
		return nil, nil, err
	}
	sameWhenPrinted(t, r)
	return f, &r.Fabrics[0], nil
}

// table is a table of a configuration.
func table(c map[string]any, name string) map[string]any { return c[name].(map[string]any) }

// TestEachPortOfASwitchHasItsOwnSettings: port Ethernet4 of leaf2, the second, has PFC on priority 3 alone and another marking in
// queue 3; its host's port is like all others. A port of leaf1 without a cable differs, and is not there.
func TestEachPortOfASwitchHasItsOwnSettings(t *testing.T) {
	dir := siteFolder(t, func(name string, c map[string]any) {
		switch name {
		case "leaf2":
			table(c, "PORT_QOS_MAP")["Ethernet4"].(map[string]any)["pfc_enable"] = "3"
			own := map[string]any{}
			for field, value := range table(c, "WRED_PROFILE")["AZURE_LOSSLESS"].(map[string]any) {
				own[field] = value
			}
			own["green_min_threshold"] = "20000"
			table(c, "WRED_PROFILE")["OWN"] = own
			table(c, "QUEUE")["Ethernet4|3"].(map[string]any)["wred_profile"] = "OWN"
		case "leaf1":
			delete(c["DEVICE_NEIGHBOR"].(map[string]any), "Ethernet4")
			table(c, "PORT_QOS_MAP")["Ethernet4"].(map[string]any)["pfc_enable"] = ""
		case "spine1":
			delete(c["DEVICE_NEIGHBOR"].(map[string]any), "Ethernet0")
			c["DEVICE_NEIGHBOR"].(map[string]any)["Ethernet0"] = map[string]any{"name": "leaf1", "port": "Ethernet8"}
		}
	})
	_, fabric, err := decodeSite(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range fabric.Switches {
		got = append(got, fmt.Sprintf("%v%v%v", s.Names, s.Ports, s.Set))
	}
	if want := []string{"[leaf2][2][ethernet.pfc.priorities=[3] ethernet.ecn.kmin=20000B]"}; !slices.Equal(got, want) {
		t.Fatalf("own settings:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if p := fabric.OfPort("leaf2", 2).Ethernet; p.ECN.Kmin != 20000 || !slices.Equal(p.PFC.Priorities, []int{3}) {
		t.Errorf("port 2 of leaf2: %+v", p)
	}
	if fabric.OfPort("leaf2", 1) != fabric || fabric.OfSwitch("leaf2") != fabric {
		t.Error("the settings of a port are those of its switch")
	}
	if got := fabric.PortsOf("leaf2"); !slices.Equal(got, []int{2}) {
		t.Errorf("ports of leaf2 with settings of their own: %v", got)
	}
}

// TestAPortHasItsOwnReserve by the size of its profile; it is told what ports cannot differ in, as the fixed threshold.
func TestAPortHasItsOwnReserve(t *testing.T) {
	for field, value := range map[string]string{"size": "400000", "static_th": "50000"} {
		dir := siteFolder(t, func(name string, c map[string]any) {
			if name != "spine1" {
				return
			}
			own := map[string]any{}
			for field, value := range row(c, "BUFFER_PROFILE", "pg_lossless_400000_40m_profile") {
				own[field] = value
			}
			own["xoff"], own[field] = "300000", value
			table(c, "BUFFER_PROFILE")["own"] = own
			row(c, "BUFFER_PG", "Ethernet4|3-4")["profile"] = "own"
		})
		f, fabric, err := decodeSite(t, dir, "")
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(f.Notes(), "\n")
		if told := strings.Contains(notes, "ports of a switch differ in ethernet.pfc.xoff, and all ports of a simulated switch have the same"); told != (field == "static_th") {
			t.Errorf("%s: the notes: %q", field, notes)
		}
		if got := fabric.OfPort("spine1", 2).Ethernet.PFC; got.Headroom != 300000 || field == "size" && got.Reserve != 100000 {
			t.Errorf("the port has a headroom of %v, and a reserve of %v", got.Headroom, got.Reserve)
		}
	}
}

// TestEachClassOfAPortHasItsOwnBuffer: at port Ethernet0 of leaf1 priority 4 has another profile than priority 3, which has the data.
func TestEachClassOfAPortHasItsOwnBuffer(t *testing.T) {
	dir := siteFolder(t, func(name string, c map[string]any) {
		if name != "leaf1" {
			return
		}
		table(c, "BUFFER_PROFILE")["own"] = map[string]any{"pool": row(c, "BUFFER_PROFILE", "pg_lossless_400000_40m_profile")["pool"], "size": "130000", "xoff": "100000", "xon": "20000", "dynamic_th": "-3"}
		groups := table(c, "BUFFER_PG")
		groups["Ethernet0|3"] = groups["Ethernet0|3-4"]
		groups["Ethernet0|4"] = map[string]any{"profile": "own"}
		delete(groups, "Ethernet0|3-4")
	})
	_, fabric, err := decodeSite(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	want := PFCClass{Priority: 4, Headroom: 100000, Reserve: 30000, XON: 20000, Alpha: Ratio{Num: 1, Den: 8}}
	if got := fabric.OfPort("leaf1", 1).Ethernet.PFC.Classes; len(got) != 1 || got[0] != want {
		t.Errorf("port 1 of leaf1 has %+v, want %+v", got, want)
	}
	for _, at := range []struct {
		name string
		port int
	}{{"leaf1", 2}, {"leaf2", 1}, {"spine1", 1}} {
		if got := fabric.OfPort(at.name, at.port).Ethernet.PFC.Classes; len(got) > 0 {
			t.Errorf("port %d of %s has %+v", at.port, at.name, got)
		}
	}
}

// TestAScenariosOwnValueComesBeforeThatOfAnySwitch also where the switch differs from the first.
func TestAScenariosOwnValueComesBeforeThatOfAnySwitch(t *testing.T) {
	dir := siteFolder(t, func(name string, c map[string]any) {
		if name == "leaf2" {
			table(c, "WRED_PROFILE")["AZURE_LOSSLESS"].(map[string]any)["green_min_threshold"] = "20000"
		}
	})
	f, err := DecodeIn(dir, "test.yaml", []byte(strings.Replace(siteText, "{dscp: 3}", "{dscp: 3, ecn: {kmin: 500KB}}", 1)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Fabrics[0].OfSwitch("leaf2").Ethernet.ECN.Kmin; got != 500*units.KB || len(r.Fabrics[0].Switches) > 0 {
		t.Errorf("leaf2 marks from %v on: %+v", got, r.Fabrics[0].Switches)
	}
}

// TestPortsAreNamedAsTheFileDoes: Ethernet4 is the second cabled port of the leaves and of the spine.
func TestPortsAreNamedAsTheFileDoes(t *testing.T) {
	dir := siteFolder(t, func(string, map[string]any) {})
	for ports, want := range map[string]string{
		"Ethernet4":         "[2]",
		"'Ethernet[0-124]'": "[[1-2]]",
		"2":                 "[2]",
		"Ethernet8":         "error: switch leaf1 has no port Ethernet8 with a cable in the fabric's file",
		"'Ethernet[8-12]'":  "error: switch leaf1 has no port Ethernet[8-12] with a cable",
		"'Ethernet[0'":      "error: bracket",
	} {
		_, fabric, err := decodeSite(t, dir, ", switches: [{names: [leaf1, spine1], ports: ["+ports+"], set: [ethernet.pfc.enabled=false]}]")
		if text, wantsError := strings.CutPrefix(want, "error: "); wantsError {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v, want %q", ports, err, text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", ports, err)
			continue
		}
		if got := fmt.Sprint(fabric.Switches[0].Ports); got != want || len(fabric.Switches) != 1 || len(fabric.Switches[0].Names) != 2 {
			t.Errorf("%s: %+v, want ports %s", ports, fabric.Switches, want)
		}
	}
}

// TestSettingsThatAPortCannotHaveAreRefused, and ports that are none.
func TestSettingsThatAPortCannotHaveAreRefused(t *testing.T) {
	for set, want := range map[string]string{
		"ports: [1], set: [ethernet.pfc.xoff=1KB]":      "all ports of a switch have the same ethernet.pfc.xoff",
		"ports: [1], set: [ethernet.pfc.reserve=1KB]":   "",
		"ports: [0], set: [ethernet.pfc.headroom=1KB]":  `"0" is no port: want a number from 1 on`,
		"ports: [Et1], set: [ethernet.pfc.alpha=1/4]":   `"Et1" is no port`,
		"ports: [1], set: [ethernet.pfc.headroom=1KB]":  "",
		"ports: ['[1-4]'], set: [switch.mtu=4000B]":     "",
		"ports: ['[1-4'], set: [switch.mtu=4000B]":      "bracket",
		"ports: [1], set: [ethernet.ecn.enabled=maybe]": "ethernet.ecn.enabled: ",
	} {
		_, err := Decode("test", fmt.Appendf(nil, "cluster: {nodes: 4, node: dgx-h100}\ntopology: {shape: fat-tree, radix: 16}\nfabric: {preset: roce-v2-400g, switches: [{names: [leaf0], %s}]}\n", set))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
}

// TestPortsAreWrittenShort as ranges, in order.
func TestPortsAreWrittenShort(t *testing.T) {
	for want, ports := range map[string][]int{"7": {7}, "[1-4]": {4, 2, 3, 1, 2}, "1 3 [5-6]": {6, 5, 3, 1}} {
		got := portPatterns(ports)
		s := SwitchSettings{Ports: strings.Fields(got)}
		slices.Sort(ports)
		if got != want || !slices.Equal(s.PortNumbers(), slices.Compact(ports)) {
			t.Errorf("%v is %s, which is %v", ports, got, s.PortNumbers())
		}
	}
}

// row is a row of a table of a configuration.
func row(c map[string]any, tableName, key string) map[string]any {
	return table(c, tableName)[key].(map[string]any)
}

// TestTheSettingsOfASwitchAreThoseAtTheFabricsRate: one of the spine's two ports is slower, and comes first.
func TestTheSettingsOfASwitchAreThoseAtTheFabricsRate(t *testing.T) {
	dir := siteFolder(t, func(name string, c map[string]any) {
		if name == "spine1" {
			row(c, "PORT", "Ethernet0")["speed"] = "100000"
			row(c, "PORT", "Ethernet0")["mtu"] = "4000"
		}
	})
	_, fabric, err := decodeSite(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if own, slow := fabric.OfSwitch("spine1"), fabric.OfPort("spine1", 1); own.Switch.MTU != 9100 || slow.Switch.MTU != 4000 {
		t.Errorf("the spine takes %v, and its slow port %v", own.Switch.MTU, slow.Switch.MTU)
	}
}

// TestWhatASwitchHashesIsRead: without the source port of UDP all queue pairs of two NICs share a path. Each switch has its own
// fields; one without any hashes the flow.
func TestWhatASwitchHashesIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		first, other []string
		want, spine  HashFields
	}{
		"nothing said":  {nil, nil, "", ""},
		"five fields":   {[]string{"SRC_IP", "DST_IP", "IP_PROTOCOL", "L4_SRC_PORT", "L4_DST_PORT"}, []string{"L4_SRC_PORT"}, HashFlow, HashFlow},
		"addresses":     {[]string{"SRC_IP", "DST_IP"}, []string{"DST_IP", "SRC_IP"}, HashAddresses, HashAddresses},
		"they differ":   {[]string{"SRC_IP", "DST_IP"}, []string{"SRC_IP", "L4_SRC_PORT"}, HashAddresses, HashFlow},
		"frames":        {[]string{"SRC_MAC", "DST_MAC"}, nil, "", ""},
		"one says it":   {nil, []string{"SRC_IP"}, "", HashAddresses},
		"the first":     {[]string{"SRC_IP"}, nil, HashAddresses, HashFlow},
		"only one port": {[]string{"L4_DST_PORT"}, nil, "", ""},
	} {
		dir := siteFolder(t, func(sw string, config map[string]any) {
			fields := c.other
			if sw == "leaf1" {
				fields = c.first
			}
			if fields != nil {
				config["SWITCH_HASH"] = map[string]any{"GLOBAL": map[string]any{"ecmp_hash": fields}}
			}
		})
		_, fabric, err := decodeSite(t, dir, "")
		if err != nil {
			t.Fatal(err)
		}
		if spine := fabric.OfSwitch("spine1").Routing.Hash; fabric.Routing.Hash != c.want || spine != c.spine {
			t.Errorf("%s: %q and %q, want %q and %q", name, fabric.Routing.Hash, spine, c.want, c.spine)
		}
	}
}

// TestAPortOfTheFirstSwitchMayHaveTheDataElsewhere: port Ethernet4 of leaf1 has a map of its own, with the data in the lossy queue 1.
func TestAPortOfTheFirstSwitchMayHaveTheDataElsewhere(t *testing.T) {
	dir := siteFolder(t, func(name string, c map[string]any) {
		if name != "leaf1" {
			return
		}
		own := map[string]any{}
		for dscp, class := range row(c, "DSCP_TO_TC_MAP", "AZURE") {
			own[dscp] = class
		}
		own["3"] = "1"
		table(c, "DSCP_TO_TC_MAP")["OWN"] = own
		row(c, "PORT_QOS_MAP", "Ethernet4")["dscp_to_tc_map"] = "OWN"
	})
	_, fabric, err := decodeSite(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if p := fabric.OfPort("leaf1", 2).Ethernet; slices.Contains(p.PFC.Priorities, 3) || p.ECN.Enabled || p.DataPriority != 3 {
		t.Errorf("the port protects %v, and marks: %t", p.PFC.Priorities, p.ECN.Enabled)
	}
	if p := fabric.OfPort("leaf1", 1).Ethernet; !slices.Contains(p.PFC.Priorities, 3) || !p.ECN.Enabled {
		t.Errorf("the other port protects %v, and marks: %t", p.PFC.Priorities, p.ECN.Enabled)
	}
}

// TestWhatAPauseOfAnotherPriorityStops: the spine has the data in priority group 4. On leaf1 a pause of priority 4 stops queue 3, which is the
// data's; leaf2 has no PFC on 4.
func TestWhatAPauseOfAnotherPriorityStops(t *testing.T) {
	dir := siteFolder(t, func(name string, c map[string]any) {
		switch name {
		case "spine1":
			row(c, "TC_TO_PRIORITY_GROUP_MAP", "AZURE")["3"] = "4"
		case "leaf1":
			row(c, "MAP_PFC_PRIORITY_TO_QUEUE", "AZURE")["4"] = "3"
		case "leaf2":
			for _, port := range []string{"Ethernet0", "Ethernet4"} {
				row(c, "PORT_QOS_MAP", port)["pfc_enable"] = "3"
			}
		}
	})
	_, fabric, err := decodeSite(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	stopped := func(name string) int {
		queue := 3
		for _, s := range fabric.OfPort(name, 2).Ethernet.PFC.Stops {
			if s.Priority == 3 {
				queue = s.Queue
			}
		}
		return queue
	}
	if one, other := stopped("leaf1"), stopped("leaf2"); one != 3 || other != -1 {
		t.Errorf("a pause of the data by the spine stops queue %d of leaf1 and %d of leaf2, want 3 and -1 for none", one, other)
	}
	if len(fabric.OfPort("leaf1", 2).Ethernet.PFC.Stops) != 1 { // that of priority 4, as at its host's port
		t.Errorf("leaf1 has %v", fabric.OfPort("leaf1", 2).Ethernet.PFC.Stops)
	}
}
