package counters

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
)

func mustRead(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Mellanox/ufm_sdk_3.0 has the message as a sample: the time of a port is in microseconds, and
// Infiniband_MBOut_u_Gb is no counter of gigabits.
func TestUFMTelemetry(t *testing.T) {
	set, _ := read(t, "ufm-telemetry.json", "")
	if len(set.Readings) != 3 {
		t.Fatalf("%d ports, want 3", len(set.Readings))
	}
	r := set.Readings[1]
	if r.Port.GUID != 0x248a070300101010 || r.Port.Number != 1 || r.Time != 1709652347161873 {
		t.Errorf("the second is %+v at %d", r.Port, r.Time)
	}
	if c := counter(r, "LinkDownedCounter"); c == nil || c.Value != 1 {
		t.Errorf("link downs %+v, want 1", c)
	}
	if c := counter(r, "PortXmitPkts"); c == nil || c.Value != 14191 {
		t.Errorf("packets sent %+v, want 14191", c)
	}
	if counter(r, "PortXmitData") != nil {
		t.Error("MBOut is taken for data; its unit is not known")
	}
	if r.At.Line == set.Readings[0].At.Line || r.At.Line < 4 {
		t.Errorf("the second port is at line %d", r.At.Line)
	}
}

// NVIDIA's manual of UFM's REST API has the three.
func TestUFMPortsLinksUnhealthy(t *testing.T) {
	ports, _ := read(t, "ufm-ports.json", "")
	r := at(t, ports, "sw-ndr03", 52)
	if r.State.Value != portstate.Down || r.Port.Label != "1/26/2" || r.Port.LID != 34 || r.Port.Role != cabling.Switch || r.HasPeer || r.Link.Known() || len(r.Verdicts) != 0 {
		t.Errorf("the port is %+v, %v, peer %t, verdicts %v", r.Port, r.State.Value, r.HasPeer, r.Verdicts)
	}
	links, _ := read(t, "ufm-links.json", "")
	if len(links.Readings) != 4 {
		t.Fatalf("%d ends, want 4 of 2 links", len(links.Readings))
	}
	loop := links.Readings[0]
	if loop.Port.Number != 29 || loop.Peer.Number != 28 || loop.Port.GUID != loop.Peer.GUID || loop.Port.GUID != 0x2c90300100001 {
		t.Errorf("the loop is %+v to %+v", loop.Port, loop.Peer)
	}
	if e := links.Readings[2]; e.Peer.Label != "HCA-1/2" || e.Peer.Number != 2 {
		t.Errorf("the second link leads to %+v", e.Peer)
	}
	bad, _ := read(t, "ufm-unhealthy.json", "")
	u := at(t, bad, "host1", 1)
	if len(u.Verdicts) != 1 || !u.Verdicts[0].Isolated || !strings.Contains(u.Verdicts[0].Value, "condition MANUAL") || u.Peer.Device != "sw1" || u.Peer.Number != 6 || u.Peer.LID != 18 {
		t.Errorf("the unhealthy port has %+v, peer %+v", u.Verdicts, u.Peer)
	}
	listed, _ := read(t, "x", `[{"UnhealthyGUID": "1", "UnhealthyPortNumber": 1, "Condition": ["HIGH_BER", "FLAPPING"]}]`)
	if v := listed.Readings[0].Verdicts[0].Value; !strings.Contains(v, "HIGH_BER, FLAPPING") {
		t.Errorf("a list of conditions gives %q", v)
	}
}

// Up to UFM 6.16 type is the number of an event; from 6.17 on event_type is. Events of severity Info say
// nothing against a port.
func TestUFMEventsOfBothForms(t *testing.T) {
	set, _ := read(t, "ufm-events.json", "")
	if len(set.Remarks) != 0 {
		t.Errorf("two events of severity Info give %v", set.Remarks)
	}
	for _, form := range []string{`"type": "328"`, `"type": "Link", "event_type": "328"`} {
		set, _ := read(t, "x", `[{"severity": "Minor", "object_name": "p", "name": "Link is Down", "counter": "N/A", `+form+`}]`)
		if len(set.Remarks) != 1 || !strings.Contains(set.Remarks[0].Value, "UFM event 328 (Link is Down), Minor") {
			t.Errorf("%s gives %v", form, set.Remarks)
		}
	}
}

// What stands before the cut is read, and the cut is noted.
func TestUFMTruncated(t *testing.T) {
	text := mustRead(t, "ufm-telemetry.json")
	for _, end := range []int{len(text) / 2, len(text) - 5} {
		set, _ := read(t, "x", text[:end])
		if len(set.Readings) == 0 || len(set.Notes) != 1 || !strings.Contains(set.Notes[0], "truncated") {
			t.Errorf("cut at %d of %d: %d ports, notes %q", end, len(text), len(set.Readings), set.Notes)
		}
	}
}

// A port that is up, with the fields of the manual's list: speeds as names, the other end by GUID and
// port.
func TestUFMPortThatIsUp(t *testing.T) {
	set, _ := read(t, "x", `{"data": [{"name": "0c42a10300101000_5", "number": 5, "physical_state": "Link Up", "logical_state": "Active", "system_name": "leaf1",
  "active_speed": "HDR", "active_width": "4x", "supported_speed": ["EDR", "HDR", "NDR"], "supported_width": ["1x", "4x"],
  "peer": "248a070300101010_1", "peer_node_name": "h1", "peer_port_dname": "HCA-1/1", "severity": "Warning", "high_ber_severity": "error"}]}`)
	r := at(t, set, "leaf1", 5)
	if r.State.Value != portstate.Up || r.Link.Value.String() != "4xHDR" || r.Supports.Value.String() != "4xNDR" || r.Port.GUID != 0x0c42a10300101000 {
		t.Errorf("the port %v is %v at %v, supports %v", r.Port.GUID, r.State.Value, r.Link.Value, r.Supports.Value)
	}
	if r.Peer.GUID != 0x248a070300101010 || r.Peer.Number != 1 || r.Peer.Device != "h1" {
		t.Errorf("it leads to %+v", r.Peer)
	}
	if len(r.Verdicts) != 2 || r.Verdicts[0].Vague || !r.Verdicts[1].Vague {
		t.Errorf("verdicts %+v", r.Verdicts)
	}
}
