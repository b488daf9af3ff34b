package scenario

import "testing"

// The congestion control of a RoCE v2 fabric: what the file says comes first, then the fabric's
// preset, then the NIC.
func TestAFabricHasTheCongestionControlOfItsNIC(t *testing.T) {
	for _, c := range []struct{ fabric, want string }{
		{"roce-v2-100g", "dcqcn-firmware"},
		{"{preset: roce-v2-100g, nic: intel-e810}", "none"},
		{"{preset: roce-v2-100g, nic: pollara-400}", "dcqcn-amd"},
		{"{preset: roce-v2-100g, nic: {model: pollara-400, packet-gap: 1ns}}", "dcqcn-amd"},
		{"{preset: roce-v2-100g, nic: pollara-400, cc: timely}", "timely"},
		{"{preset: roce-v1-100g, nic: pollara-400}", "none"},
		{"{preset: spectrum-x-400g, nic: pollara-400}", "rttcc"},
	} {
		r := resolve(t, "cluster: {nodes: 2}\nfabric: "+c.fabric+"\n")
		if got := r.Fabrics[0].CC.Preset; got != c.want {
			t.Errorf("%s: cc is %q, want %q", c.fabric, got, c.want)
		}
	}
	r := resolve(t, "fabric: {preset: roce-v2-100g, cc: {ai-rate: 7Mbps}, nic: pollara-400}\n")
	v := ValuesOf(&r.Fabrics[0].CC)
	if v.Rate("ai-rate") != 7_000_000 || v.Rate("hai-rate") != 300_000_000 {
		t.Errorf("a field of cc over the NIC's preset: ai-rate %s, hai-rate %s, want 7Mbps and AMD's 300Mbps", v.Rate("ai-rate"), v.Rate("hai-rate"))
	}
}

// A control that learns from round trips does not need marks.
func TestAFabricWithoutMarksKeepsAControlThatNeedsNone(t *testing.T) {
	for preset, want := range map[string]string{"spectrum-x-400g": "rttcc", "roce-v2-400g": "none"} {
		r := resolve(t, "fabric: {preset: "+preset+", ethernet: {ecn: {enabled: false}}}\n")
		if got := r.Fabrics[0].CC.Preset; got != want {
			t.Errorf("%s without ECN: cc is %q, want %q", preset, got, want)
		}
	}
}
