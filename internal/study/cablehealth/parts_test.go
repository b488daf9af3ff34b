package cablehealth

import (
	"strings"
	"testing"
)

// Files of one switch that are about other ports or other tables are of one device, those about the same are of several.
func TestFilesOfOneSwitchAreOneDevice(t *testing.T) {
	const counters = "    IFACE    STATE    RX_OK    RX_ERR\n---------  -------  -------  --------\nEthernet0        U     1000         0\n"
	const rates = "    IFACE    STATE    RX_OK    RX_BPS\n---------  -------  -------  --------\nEthernet0        U     1000  1.00 B/s\n"
	const unicast = "Egress shared pool occupancy per unicast queue:\n     Port    UC0    UC1\n---------  -----  -----\nEthernet0      7      8\n"
	const headroom = "Ingress headroom per PG:\n     Port    PG0    PG1\n---------  -----  -----\nEthernet0      7      8\n"
	const detailed = "Packets Received 64 Octets..................... 0\nTotal Packets Received Without Errors.......... 1000000\nFragments Received............................. 5000\n"
	for _, c := range []struct {
		name    string
		sources []Source
		devices int
	}{
		{"tables of one switch", []Source{{"leaf1/a", counters}, {"leaf1/b", rates}, {"leaf1/c", unicast}, {"leaf1/d", headroom}, {"leaf1/Ethernet4.txt", detailed}, {"leaf1/Ethernet8.txt", detailed}, {"leaf2/a", counters}}, 2},
		{"the same table twice", []Source{{"all/a", counters}, {"all/b", counters}}, 2},
		{"JSON and text", []Source{{"leaf1/a", `{"Ethernet0": {"RX_ERR": "0"}}`}, {"leaf1/b", `{"Ethernet0": {"UC0": {"totalpacket": "5"}}}`}, {"leaf1/c", `[{"Port": "Ethernet0", "PG0": "7"}]`}, {"leaf2/a", counters}}, 2},
		{"queues with their time", []Source{{"l/a", `{"Ethernet0": {"UC0": {"droppacket": "5"}, "time": "2026-05-09T07:25:51.5"}}`}, {"l/b", `{"Ethernet0": {"UC0": {"droppacket": "9005"}, "time": "2026-05-09T07:26:51.5"}}`}}, 1},
	} {
		set, _, err := Read(c.sources, Options{})
		if err != nil {
			t.Fatal(err)
		}
		devices := map[string]bool{}
		for _, r := range set.Readings {
			devices[r.Port.Device] = true
		}
		if len(devices) != c.devices {
			t.Errorf("%s: the devices are %v, want %d", c.name, devices, c.devices)
		}
	}
	sources := []Source{{"l/a", `{"Ethernet0": {"UC0": {"droppacket": "5"}, "time": "2026-05-09T07:25:51.5"}}`}, {"l/b", `{"Ethernet0": {"UC0": {"droppacket": "9005"}, "time": "2026-05-09T07:26:51.5"}}`}}
	set, files, err := Read(sources, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := Judge(set, files, Options{}); len(r.Findings) != 1 || r.Findings[0].Cost.PerSecond != 150 {
		t.Errorf("9000 drops in a minute give %+v, want one finding of 150 in a second", r.Findings)
	}
	set, files, err = Read([]Source{{"leaf1/Ethernet4.txt", detailed}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := Judge(set, files, Options{})
	if len(r.Findings) != 1 || r.Findings[0].Tier != Lost || !strings.Contains(r.Findings[0].What, "fragments 5000") || !strings.HasPrefix(r.Findings[0].Action, "Replace the cable") {
		t.Errorf("5000 fragments give %+v", r.Findings)
	}
}

// A report of UFM's NDT plugin has no counters, and the error names the command that reads it.
func TestReportOfNDTNamesTheCommandThatReadsIt(t *testing.T) {
	const report = `{"error": "", "report": {"miss_wired": [], "missing_in_ufm": [], "missing_in_ndt": []}}`
	_, _, err := Read([]Source{{"report.json", report}}, Options{})
	if err == nil || !strings.Contains(err.Error(), "weft fabric diff report.json") {
		t.Errorf("got the error %v, want one that names weft fabric diff report.json", err)
	}
}
