package counters

import (
	"strings"
	"testing"

	"weft/internal/base/portstate"
)

// sonic-utilities@691b1bbc, utilities_common/netstat.py (table_as_json): an object with a member for each port.
func TestInterfaceCountersAsJSON(t *testing.T) {
	set, kind := read(t, "interfaces.json", "")
	if kind != "show interfaces counters" || len(set.Readings) != 2 || len(set.Notes) > 0 {
		t.Fatalf("%s: %d readings, notes %q", kind, len(set.Readings), set.Notes)
	}
	r := at(t, set, "Ethernet0")
	expect(t, r, map[string]uint64{"RX_OK": 8123, "RX_ERR": 10, "RX_DRP": 100, "TX_OK": 10})
	if _, ok := value(r, "TX_ERR"); ok {
		t.Error("TX_ERR N/A has a value, want unknown")
	}
	if r.State.Value != portstate.Down || r.Link.Value.Rate().String() != "25 Gb/s" {
		t.Errorf("Ethernet0 is %v at %v, want down at 25 Gb/s", r.State.Value, r.Link.Value)
	}
	if up := at(t, set, "Ethernet4"); up.State.Value != portstate.Up || up.At.Line != 17 {
		t.Errorf("Ethernet4 is %v at line %d, want up at line 17", up.State.Value, up.At.Line)
	}
	set, _ = read(t, "x", "Mon Nov 30 10:00:00 UTC 2026\nadmin@leaf3:~$ show interfaces counters errors -j\nLast cached time was 2026-05-09\n{\"Ethernet0\": {\"RX_ERR\": \"7\", \"STATE\": \"X\"}}\nadmin@leaf4:~$ show interfaces counters errors -j\n{\"Ethernet0\": {\"RX_ERR\": 8}}\n")
	if len(set.Readings) != 2 || set.Readings[0].Port.String() != "leaf3 Ethernet0" || set.Readings[1].Port.String() != "leaf4 Ethernet0" || set.Readings[0].Time == 0 {
		t.Fatalf("two answers of a terminal are %+v", set.Readings)
	}
	expect(t, set.Readings[1], map[string]uint64{"RX_ERR": 8})
	if set.Readings[0].State.Value != portstate.Disabled {
		t.Errorf("X is %v, want disabled", set.Readings[0].State.Value)
	}
	set, kind = read(t, "x", `{"Ethernet0": {"FEC_CORR": "1,000", "FEC_UNCORR": "3", "FEC_SYMBOL_ERR": "0", "FEC_PRE_BER": "1.5e-07", "STATE": "U"}}`)
	expect(t, at(t, set, "Ethernet0"), map[string]uint64{"FEC_CORR": 1000, "FEC_UNCORR": 3})
	if raw := at(t, set, "Ethernet0").Raw.Value; raw != 1.5e-7 || kind != "show interfaces counters fec-stats" {
		t.Errorf("%s: the raw error rate is %g", kind, raw)
	}
}

// sonic-utilities@691b1bbc, tests/queue_counter_test.py: queues by port; a virtual output queue names its card.
func TestQueueCountersAsJSON(t *testing.T) {
	set, kind := read(t, "queues.json", "")
	if kind != "show queue counters" || len(set.Readings) != 2 || len(set.Notes) > 0 {
		t.Fatalf("%s: %d readings, notes %q", kind, len(set.Readings), set.Notes)
	}
	expect(t, at(t, set, "Ethernet0"), map[string]uint64{"queue UC1 dropped packets": 39, "queue UC1 packets": 1060, "queue UC0 packets": 0})
	if r := at(t, set, "Ethernet0"); r.Time != 1778311551500000 || len(r.Counters) != 4 {
		t.Errorf("the time is %d µs with %d counters, want 1778311551500000 with 4", r.Time, len(r.Counters))
	}
	r := at(t, set, "Ethernet4")
	expect(t, r, map[string]uint64{"queue VOQ1 packets": 82, "queue VOQ1 packets deleted by the credit watchdog": 6})
	if r.Port.String() != "testsw asic1 Ethernet4" || r.Time != 0 || r.At.Line != 17 {
		t.Errorf("the port of another card is %v with the time %d at line %d", r.Port, r.Time, r.At.Line)
	}
}

// sonic-utilities@691b1bbc, tests/wm_input/wm_test_vectors.py: a list of ports.
func TestWatermarksAsJSON(t *testing.T) {
	set, kind := read(t, "pg-watermark.json", "")
	if kind != "watermark" || len(set.Readings) != 2 {
		t.Fatalf("%s: %d readings", kind, len(set.Readings))
	}
	expect(t, at(t, set, "Ethernet4"), map[string]uint64{"watermark PG3": 0, "watermark PG4": 2057328})
	if _, ok := value(at(t, set, "Ethernet0"), "watermark PG4"); ok {
		t.Error("a watermark N/A has a value, want unknown")
	}
}

// What cannot be read of JSON is a note with its line, and what comes before it is kept.
func TestBrokenJSONIsANote(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"Ethernet0\": {\"RX_ERR\": \"1\"},\n\"Ethernet4\": {\"RX_ERR\": ":          "x:3: the ports from here on are not read",
		"{\n\"Ethernet0\": {\"RX_ERR\": \"1\"},\n\"Ethernet4\": 7}":                     "x:3: Ethernet4 is 7 and left out",
		"{\n\"Ethernet0\": {\"RX_ERR\": \"1\"},\n\"Ethernet4\": {\"RX_ERR\": \"ten\"}}": "x:3: RX_ERR of Ethernet4 is \"ten\"",
	} {
		set, _ := read(t, "x", text)
		if len(set.Notes) != 1 || !strings.Contains(set.Notes[0], want) {
			t.Errorf("notes %q, want %q", set.Notes, want)
		}
		expect(t, at(t, set, "Ethernet0"), map[string]uint64{"RX_ERR": 1})
	}
}

// sonic-utilities@691b1bbc, tests/portstat_test.py (intf_counters_detailed): the command names the port. "Overruns Received"
// are the received IP packets, and not kept.
func TestDetailedCounters(t *testing.T) {
	set, kind := read(t, "detailed.txt", "")
	if kind != "show interfaces counters detailed" || len(set.Readings) != 2 || len(set.Notes) > 0 {
		t.Fatalf("%s: %d readings, notes %q", kind, len(set.Readings), set.Notes)
	}
	r := at(t, set, "Ethernet8")
	expect(t, r, map[string]uint64{"RX_OK": 2004, "TX_OK": 40, "fragments": 12, "undersize": 0, "WRED green drops": 17, "WRED red drops": 51, "TRIM": 100})
	if r.Port.String() != "leaf7 Ethernet8" || len(r.Counters) != 8 {
		t.Errorf("%v has %d counters, want leaf7 Ethernet8 with 8: %v", r.Port, len(r.Counters), r.Counters)
	}
	expect(t, at(t, set, "Ethernet12"), map[string]uint64{"RX_OK": 3})
	set, _ = read(t, "leaf7/Ethernet24.txt", "Packets Received 64 Octets..................... 0\nJabbers Received............................... 4\n")
	expect(t, at(t, set, "Ethernet24"), map[string]uint64{"jabbers": 4})
}

// The histogram of all ports has a row for each, with a column for each number of symbol errors.
func TestFECHistogramOfAllPorts(t *testing.T) {
	set, _ := read(t, "x", "    IFACE    BIN0    BIN1    BIN15\n---------  ------  ------  -------\nEthernet0   1,000       5        3\nEthernet4     N/A     N/A      N/A\n")
	expect(t, at(t, set, "Ethernet0"), map[string]uint64{"FEC BIN0": 1000, "FEC BIN1": 5, "FEC BIN15": 3})
	if n := len(at(t, set, "Ethernet4").Counters); n != 0 {
		t.Errorf("N/A gives %d counters, want none", n)
	}
}
