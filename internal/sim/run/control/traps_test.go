package control_test

import (
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/units"
)

// subnetTimeout is 4.096 µs × 2^18, the least time between two traps of a port.
const subnetTimeout = 1_073_741_824 * units.Nanosecond

// Flows of two tenants violate at two ports of one switch: its agent sends the first trap
// at once, and the second when its rate allows it; both are repressed.
func TestASwitchSendsTrapsAtItsRate(t *testing.T) {
	const control = "\ncontrol: {sm: {agent: 3us, datagram: 10us}}"
	p := runtest.Point(t, simtest.Tenants("{pattern: flows, flows: [{src: 0, dst: 1, bytes: 64KiB}, {src: 1, dst: 2, bytes: 64KiB}, {src: 1, dst: 3, bytes: 1KiB}]}"+control, ""))
	if len(p.Violations) != 2 || p.Traps == nil {
		t.Fatalf("violations %+v, traps %+v", p.Violations, p.Traps)
	}
	first, second := &p.Violations[0], &p.Violations[1]
	// The agent, a datagram of 288 bytes at 400 Gb/s and its cable, and the manager.
	if took := units.Time(first.KnownPs - first.FirstPs); took < 13*units.Microsecond || took > 13*units.Microsecond+100*units.Nanosecond {
		t.Errorf("the manager knows %v after the first packet, want 13 µs and the wire", took)
	}
	if gap := units.Time(second.KnownPs - first.KnownPs); gap != subnetTimeout {
		t.Errorf("the second trap comes %v after the first, want %v", gap, subnetTimeout)
	}
	// Each sender violates again after its first packet: four different notices.
	if c := *p.Traps; c.Raised != 4 || c.Sent != 4 || c.Repressed != 4 || c.Lost != 0 {
		t.Errorf("traps %+v, want 4 raised, sent and repressed", c)
	}
	counted := 0
	for _, c := range p.Traps.Ports {
		counted += c.XmitConstraint
	}
	if int64(counted) != p.Counts.DroppedPKey {
		t.Errorf("the switch counts %d packets, the network %d", counted, p.Counts.DroppedPKey)
	}
}

// HCAs are agents of their own: each sends its trap at once, and counts in its PortInfo.
func TestEachHCASendsItsTrapAtOnce(t *testing.T) {
	p := runtest.Point(t, simtest.Tenants("{pattern: flows, flows: [{src: 0, dst: 1, bytes: 64KiB}, {src: 1, dst: 2, bytes: 64KiB}, {src: 1, dst: 3, bytes: 1KiB}]}", ", partition-enforcement: off"))
	for _, v := range p.Violations {
		if took := units.Time(v.KnownPs - v.FirstPs); took <= 0 || took > 100*units.Microsecond {
			t.Errorf("%s: the manager knows %v after the first packet", v.Port, took)
		}
	}
	counted := 0
	for _, c := range p.Traps.Ports {
		counted += c.PKeys
	}
	if len(p.Traps.Ports) != 2 || int64(counted) != p.Counts.DroppedPKey {
		t.Errorf("%+v, want %d violations at two ports", p.Traps.Ports, p.Counts.DroppedPKey)
	}
}

// The manager has ended before the packets arrive, and no standby takes its place: agents
// repeat their traps, and no manager receives them.
func TestWithoutAManagerViolationsStayUnknown(t *testing.T) {
	p := runtest.Point(t, simtest.Tenants("{pattern: flows, flows: [{src: 0, dst: 1, bytes: 64KiB}, {src: 1, dst: 2, bytes: 64KiB}]}\nfaults: [{sm: true, at: 100ns}]", ""))
	if len(p.Violations) != 1 || units.Time(p.Violations[0].KnownPs) != results.Never {
		t.Fatalf("violations %+v, want one that the manager never gets", p.Violations)
	}
	if p.Traps.Repressed != 0 || p.Traps.Sent < 50 {
		t.Errorf("%+v: want a datagram each 1.07 s of a minute and none repressed", *p.Traps)
	}
}
