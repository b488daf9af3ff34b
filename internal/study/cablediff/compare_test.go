package cablediff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/internal/base/cabling"
	"weft/units"
)

// kinds are the kinds of a report's findings, in its order.
func kinds(r *Report) (all []Kind) {
	for _, f := range r.Findings {
		all = append(all, f.Kind)
	}
	return all
}

func TestSeveralFaultsAreEachNamed(t *testing.T) {
	plan, w := rails(t), rails(t)
	w.cut("leaf01", "swp34")
	w.cut("gpu15", "eth0")
	w.cross("leaf12", "swp33", "leaf12", "swp36")
	w.cross("gpu5", "eth1", "gpu5", "eth2")
	w.cross("gpu6", "eth1", "gpu6", "eth2") // the same two leaves
	w.move("leaf02", "swp1", "leaf03", "swp20")
	w.move("leaf02", "swp3", "leaf12", "swp20")
	w.move("spine3", "swp8", "spine3", "swp60")
	w.cable("leaf00", "swp60", "spine3", "swp59")
	_, c := w.at("leaf10", "swp33")
	c.Rate = 200 * units.Gbps
	r := Compare(plan.f, w.f, "plan", "real")
	if want := []Kind{Missing, Missing, Swapped, Swapped, Swapped, WrongUnit, WrongRail, Moved, Extra, Slower}; !slices.Equal(kinds(r), want) {
		t.Errorf("%v, want %v", kinds(r), want)
	}
	if r.Judged != len(plan.f.Cables) || r.AsPlanned != len(plan.f.Cables)-11 {
		t.Errorf("%d judged, %d as planned of %d", r.Judged, r.AsPlanned, len(plan.f.Cables))
	}
}

// of keeps the cables of a world that a test keeps.
func (w *world) only(keep func(c *cabling.Cable) bool) {
	w.f.Cables = slices.DeleteFunc(w.f.Cables, func(c cabling.Cable) bool { return !keep(&c) })
}

func TestAPlanOfHostsJudgesHosts(t *testing.T) {
	plan, w := rails(t), rails(t)
	plan.only(func(c *cabling.Cable) bool { return plan.f.Devices[c.A.Device].Role == cabling.Host })
	w.cut("leaf01", "swp34") // not of the plan
	w.cut("gpu4", "eth2")
	w.cable("gpu99", "eth0", "leaf13", "swp30")
	r := Compare(plan.f, w.f, "plan", "real")
	if !slices.Equal(kinds(r), []Kind{Missing, Extra}) || r.Judged != 64 || r.AsPlanned != 63 {
		t.Errorf("%v, %d of %d", r.Findings, r.AsPlanned, r.Judged)
	}
	if !strings.Contains(strings.Join(r.Covers, ";"), "none of the 31 cables between switches") {
		t.Errorf("covers %q", r.Covers)
	}
}

func TestAPlanOfSomeSwitchesJudgesThese(t *testing.T) {
	plan, w := rails(t), rails(t)
	plan.only(func(c *cabling.Cable) bool {
		return plan.f.Devices[c.A.Device].Name == "leaf00" && c.B.Device > 0 && strings.HasPrefix(plan.f.Devices[c.B.Device].Name, "spine")
	})
	w.cable("leaf00", "swp60", "spine3", "swp60")
	w.cable("leaf10", "swp60", "spine3", "swp61") // leaf10 is not in the plan
	r := Compare(plan.f, w.f, "plan", "real")
	if !slices.Equal(kinds(r), []Kind{Extra}) || r.Judged != 4 || len(r.Covers) == 0 || len(r.NotJudged) == 0 {
		t.Errorf("%v, %d judged, %q, %q", r.Findings, r.Judged, r.Covers, r.NotJudged)
	}
}

// LLDP is read without the ports of the management network, which plans have.
func TestTheManagementNetworkIsNotMissedInLLDP(t *testing.T) {
	plan, w := pods(t), pods(t)
	for i := range 6 {
		plan.cable(fmt.Sprintf("pod%d-leaf%d", i/3, i), "eth0", "oob", fmt.Sprintf("swp%d", i))
		plan.cable(fmt.Sprintf("gpu%d-0", i), "eth9", "oob", fmt.Sprintf("swp%d", 10+i))
	}
	plan.f.Devices[plan.device("oob", 0)].Role = cabling.Management
	r := Compare(plan.f, w.f, "plan", "real")
	if len(r.Findings) > 0 || r.Judged != len(w.f.Cables) || !strings.Contains(strings.Join(r.NotJudged, ";"), "12 planned cables of the management network") {
		t.Errorf("%+v, %q", r.Findings, r.NotJudged)
	}
}

// A file of a few switches' neighbours cannot see cables between the others.
func TestOnlySwitchesThatAnsweredAreJudged(t *testing.T) {
	plan, w := rails(t), rails(t)
	for i := range w.f.Devices {
		w.f.Devices[i].Partial = !strings.HasPrefix(w.f.Devices[i].Name, "leaf0")
	}
	w.only(func(c *cabling.Cable) bool {
		return !w.f.Devices[c.A.Device].Partial || !w.f.Devices[c.B.Device].Partial
	})
	w.cut("leaf00", "swp1")
	r := Compare(plan.f, w.f, "plan", "real")
	if !slices.Equal(kinds(r), []Kind{Missing}) || r.Judged != 48 || r.AsPlanned != 47 {
		t.Errorf("%v, %d of %d, %q", r.Findings, r.AsPlanned, r.Judged, r.NotJudged)
	}
}

// Ports that the files name differently are found by their neighbours.
func TestPortsWithOtherNamesAreFoundByTheirNeighbours(t *testing.T) {
	plan, w := rails(t), rails(t)
	for i := range w.f.Cables {
		for _, e := range []*cabling.End{&w.f.Cables[i].A, &w.f.Cables[i].B} {
			if n, ok := strings.CutPrefix(e.Port, "eth"); ok {
				e.Port = fmt.Sprintf("02:00:00:00:%02x:%02s", e.Device, n) // LLDP of hosts
			}
		}
	}
	if r := Compare(plan.f, w.f, "plan", "real"); len(r.Findings) > 0 || r.AsPlanned != len(plan.f.Cables) || len(r.Assumed) != 1 {
		t.Errorf("clean: %v, %d as planned, %q", r.Findings, r.AsPlanned, r.Assumed)
	}
	w.cross("leaf02", "swp3", "leaf02", "swp4")
	if r := Compare(plan.f, w.f, "plan", "real"); !slices.Equal(kinds(r), []Kind{Swapped}) {
		t.Errorf("crossed: %+v", r.Findings)
	}
	for i := range w.f.Cables { // the switches, too
		for _, e := range []*cabling.End{&w.f.Cables[i].A, &w.f.Cables[i].B} {
			if n, ok := strings.CutPrefix(e.Port, "swp"); ok {
				e.Port = "Ethernet" + n + "/1"
			}
		}
	}
	w.cross("leaf02", "Ethernet3/1", "leaf02", "Ethernet4/1")
	w.cut("spine1", "Ethernet3/1")
	if r := Compare(plan.f, w.f, "plan", "real"); !slices.Equal(kinds(r), []Kind{Missing}) || !strings.Contains(r.Findings[0].Text, "leaf02") {
		t.Errorf("all names differ: %+v", r.Findings)
	}
}

// A name that several devices have says nothing of which is which: the neighbours do.
func TestNamesThatRepeatAreNoKeys(t *testing.T) {
	plan, w := subnet(t), subnet(t)
	for i := range w.f.Devices {
		d := &w.f.Devices[i]
		d.GUID = 0
		if strings.HasPrefix(d.Name, "gpu1") || strings.HasPrefix(d.Name, "gpu2") {
			d.Name, d.Group = "MT4123 ConnectX6   Mellanox Technologies", ""
		}
	}
	r := Compare(plan.f, w.f, "plan", "real")
	if len(r.Findings) > 0 || r.AsPlanned != len(plan.f.Cables) || !strings.Contains(strings.Join(r.Assumed, ";"), "20 devices without a name") {
		t.Errorf("%v, %d as planned, %q", r.Findings, r.AsPlanned, r.Assumed)
	}
	w.cut("MF0;ib-leaf1:MQM8700/U1", "3")
	if r = Compare(plan.f, w.f, "plan", "real"); !slices.Equal(kinds(r), []Kind{Missing}) || !strings.Contains(r.Findings[0].Text, "gpu12") {
		t.Errorf("%+v", r.Findings)
	}
	for i := range w.f.Devices { // known by their GUIDs, all with one name
		w.f.Devices[i].Name, w.f.Devices[i].Group, w.f.Devices[i].GUID = "node", "", units.GUID(0x1000+i)
	}
	for i := range plan.f.Devices {
		plan.f.Devices[i].Name, plan.f.Devices[i].Group = "node", ""
	}
	if r = Compare(plan.f, w.f, "plan", "real"); !slices.Equal(kinds(r), []Kind{Missing}) || !strings.Contains(r.Findings[0].Text, "node (0x0000000000001012) port 3") {
		t.Errorf("%+v", r.Findings)
	}
}

// The GUID tells a device that has another name now.
func TestARenamedDeviceIsFoundByItsGUID(t *testing.T) {
	plan, w := subnet(t), subnet(t)
	w.rename("MF0;ib-leaf2:MQM8700/U1", "MF0;ib-leaf9:MQM8700/U1")
	r := Compare(plan.f, w.f, "plan", "real")
	if !slices.Equal(kinds(r), []Kind{OtherName}) || !strings.Contains(r.Findings[0].Text, "ib-leaf2 is now named ib-leaf9") || r.AsPlanned != r.Judged {
		t.Errorf("%+v", r.Findings)
	}
}

// A host that is nowhere else under its name, at ports that the files name differently.
func TestAnotherDeviceAtThePortIsNamed(t *testing.T) {
	plan, w := pods(t), pods(t)
	for i := range w.f.Cables {
		for _, e := range []*cabling.End{&w.f.Cables[i].A, &w.f.Cables[i].B} {
			e.Port = strings.Replace(e.Port, "Ethernet", "swp", 1)
		}
	}
	w.rename("gpu4-1", "spare")
	r := Compare(plan.f, w.f, "plan", "real")
	if !slices.Equal(kinds(r), []Kind{OtherName}) || !strings.Contains(r.Findings[0].Text, "is spare in place of gpu4-1") {
		t.Errorf("%+v", r.Findings)
	}
}

func TestAWholeFabricAtALowerRateIsOneFinding(t *testing.T) {
	plan, w := rails(t), rails(t)
	for i := range w.f.Cables {
		w.f.Cables[i].Rate = 200 * units.Gbps
	}
	r := Compare(plan.f, w.f, "plan", "real")
	if !slices.Equal(kinds(r), []Kind{Slower}) || !strings.Contains(r.Findings[0].Text, "96 of the 96 cables") {
		t.Errorf("%d findings, first %+v", len(r.Findings), r.Findings[:min(1, len(r.Findings))])
	}
}

// A plan says 40 Gb/s of a QDR link, whose data rate is 32 Gb/s.
func TestAPlanWritesTheRateOfTheSignal(t *testing.T) {
	for _, c := range []struct {
		link     string
		rate     units.Rate
		planned  units.Rate
		findings int
	}{
		{"4xQDR", 32 * units.Gbps, 40 * units.Gbps, 0},
		{"4xFDR10", 40 * units.Gbps, 40 * units.Gbps, 0},
		{"4xFDR", 54545 * units.Mbps, 56 * units.Gbps, 0},
		{"4xHDR", 200 * units.Gbps, 200 * units.Gbps, 0},
		{"4xEDR", 100 * units.Gbps, 200 * units.Gbps, 1},
		{"", 100 * units.Gbps, 400 * units.Gbps, 1},
	} {
		plan, w := pods(t), pods(t)
		_, p := plan.at("gpu0-0", "eth0")
		_, r := w.at("gpu0-0", "eth0")
		p.Rate, r.Rate, r.Link = c.planned, c.rate, c.link
		if got := Compare(plan.f, w.f, "plan", "real"); len(got.Findings) != c.findings {
			t.Errorf("%s: %+v", c.link, got.Findings)
		}
	}
}

// A plan without rates: a link with fewer lanes than nearly all others of its sort has lost some.
func TestALostLaneIsSeenWithoutAPlannedRate(t *testing.T) {
	plan, w := subnet(t), subnet(t)
	for i := range plan.f.Cables {
		plan.f.Cables[i].Rate, plan.f.Cables[i].Link = 0, ""
	}
	_, c := w.at("gpu12 mlx5_0", "1")
	c.Link = "2xHDR"
	r := Compare(plan.f, w.f, "plan", "real")
	if !slices.Equal(kinds(r), []Kind{Narrower}) || !strings.Contains(r.Findings[0].Text, "2xHDR, nearly all cables of hosts have 4 lanes") {
		t.Errorf("%+v", r.Findings)
	}
}

func TestPartsAndFirmwareAreCompared(t *testing.T) {
	plan, w := pods(t), pods(t)
	p, r := &plan.f.Devices[plan.device("pod0-leaf0", 0)], &w.f.Devices[w.device("pod0-leaf0", 0)]
	p.Model, r.Model = "SN5600", "MSN5600-CS2F" // the same
	p.Firmware, r.Firmware = "5.13", "5.12"
	q, s := &plan.f.Devices[plan.device("pod0-leaf1", 0)], &w.f.Devices[w.device("pod0-leaf1", 0)]
	q.Model, s.Model = "SN5600", "SN4600"
	q.Firmware, s.Firmware = "5.13", "5.12"
	_, c := plan.at("gpu0-0", "eth0")
	_, d := w.at("gpu0-0", "eth0")
	c.Part, d.Part = "MCP1600-E002", "MFA1A00-C003"
	got := Compare(plan.f, w.f, "plan", "real")
	if !slices.Equal(kinds(got), []Kind{OtherPart, OtherPart, Firmware}) || len(got.Findings[2].Ends) != 2 {
		t.Errorf("%+v", got.Findings)
	}
}

func TestFabricsWithNothingInCommonAreNotJudged(t *testing.T) {
	plan, w := rails(t), subnet(t)
	for i := range w.f.Devices {
		w.f.Devices[i].Name = "x" + w.f.Devices[i].Name
		w.f.Devices[i].Group = ""
	}
	if r := Compare(plan.f, w.f, "plan", "real"); !r.Blank() || len(r.NotJudged) == 0 {
		t.Errorf("%d judged, %v", r.Judged, r.Findings)
	}
}

// UFM and ibnetdiscover name one port in several ways.
func TestLabelsAndNumbersOfNDRSwitchesAreOnePort(t *testing.T) {
	id := identify(&cabling.Device{Name: "MF0;sw-ndr03:MQM9700/U1", Role: cabling.Switch})
	if got := keysOf(id, cabling.End{Port: "1/26/2"}); !slices.Contains(got, "52") || id.key != "sw-ndr03" {
		t.Errorf("%q of %q", got, id.key)
	}
	id = identify(&cabling.Device{Name: "MF0;dc1:MCS8500/L16/U2", Role: cabling.Switch})
	if got := keysOf(id, cabling.End{Port: "20"}); !slices.Equal(got, []string{"l16/u2/20"}) {
		t.Errorf("%q", got)
	}
}

func TestAPlugInTheOtherPortOfAnAdapterIsMoved(t *testing.T) {
	plan, w := subnet(t), subnet(t)
	w.move("gpu21 mlx5_0", "1", "gpu21 mlx5_0", "2")
	r := Compare(plan.f, w.f, "plan", "real")
	if !slices.Equal(kinds(r), []Kind{Moved}) || !strings.Contains(r.Findings[0].Text, "gpu21 mlx5_0 port 2 in place of gpu21 mlx5_0") {
		t.Errorf("%+v, %q", r.Findings, r.NotJudged)
	}
}

// FuzzCompare: whatever is cabled, nothing panics, and a fabric has no difference to itself.
func FuzzCompare(f *testing.F) {
	f.Add([]byte{0, 1, 1, 2, 2, 3, 0, 7}, []byte{1, 2, 0, 2, 9, 9})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		fabric := func(text []byte) *cabling.Fabric {
			out := &cabling.Fabric{}
			for i := range 8 {
				out.Devices = append(out.Devices, cabling.Device{Name: fmt.Sprintf("d%d", i*3/4), Role: cabling.Role(i % 4), Partial: i == 5})
			}
			used := map[cabling.End]bool{}
			for i := 0; i+1 < len(text) && i < 100; i += 2 {
				x := cabling.End{Device: int(text[i] % 8), Port: fmt.Sprint(text[i] / 8)}
				y := cabling.End{Device: int(text[i+1] % 8), Port: fmt.Sprint(text[i+1] / 8)}
				if x == y || used[x] || used[y] {
					continue
				}
				used[x], used[y] = true, true
				out.Cables = append(out.Cables, cabling.Cable{A: x, B: y})
			}
			return out
		}
		Compare(fabric(a), fabric(b), "a", "b")
		if r := Compare(fabric(a), fabric(a), "a", "a"); len(r.Findings) > 0 {
			t.Errorf("%+v", r.Findings)
		}
	})
}
