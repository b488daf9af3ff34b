package scenario

import (
	"strings"
	"testing"
)

func TestRetransmissionIsTheNICsUnlessATimeoutIsGiven(t *testing.T) {
	for _, c := range []struct {
		fabric string
		want   Retransmission
		bad    string
	}{
		{"infiniband-ndr", AdaptiveRetransmission, ""},
		{"roce-v2-400g", AdaptiveRetransmission, ""},
		{"{preset: roce-v2-400g, nic: thor-2}", FixedRetransmission, ""},
		{"{preset: roce-v2-400g, transport: {timeout: 2ms}}", FixedRetransmission, ""},
		{"{preset: roce-v2-400g, transport: {timeout: forever}}", FixedRetransmission, ""},
		{"{preset: roce-v2-400g, transport: {timeout: 67ms, retransmission: adaptive}}", AdaptiveRetransmission, ""},
		{"{preset: infiniband-ndr, transport: {retransmission: fixed}}", FixedRetransmission, ""},
		{"ultra-ethernet-400g", FixedRetransmission, ""},
		{"tcp-400g", "", ""},
		{"{preset: roce-v2-400g, nic: thor-2, transport: {retransmission: adaptive}}", "", "the NIC thor-2 has no schedule"},
		{"{preset: ultra-ethernet-400g, transport: {retransmission: adaptive}}", "", "Ultra Ethernet has its own timeouts"},
		{"{preset: roce-v2-400g, nic: {model: connectx-7, retransmission: {first: 12}}}", "", "want at most 64, and 1 to all of them"},
		{"{preset: roce-v2-400g, nic: {model: connectx-7, retransmission: {times: [2ms, 1ms], first: 1}}}", "", "1 ms does not come after 2 ms"},
	} {
		var r *Resolved
		f, err := Decode("x", []byte("fabrics: ["+c.fabric+"]"))
		if err == nil {
			r, err = f.Resolve()
		}
		switch {
		case c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad)):
			t.Errorf("%s: %v, want an error with %q", c.fabric, err, c.bad)
		case c.bad == "" && err != nil:
			t.Errorf("%s: %v", c.fabric, err)
		case c.bad == "" && r.Fabrics[0].Transport.Retransmission != c.want:
			t.Errorf("%s: retransmission is %q, want %q", c.fabric, r.Fabrics[0].Transport.Retransmission, c.want)
		}
	}
}
