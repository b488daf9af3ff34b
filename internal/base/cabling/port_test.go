package cabling

import "testing"

func TestPortsHaveOneSpelling(t *testing.T) {
	for name, want := range map[string]string{
		"Port 21": "21", "21": "21", "Blade 16_Port 2/20": "l16/u2/20", "L16/U2/20": "l16/u2/20", "U1/7": "7",
		"Et1": "ethernet1", "Et3/1": "ethernet3/1", "Eth1/1": "ethernet1/1", "Ethernet1/1": "ethernet1/1", "Ethernet 1/1": "ethernet1/1",
		"eth1": "eth1", "e1-3": "ethernet-1/3", "ethernet-1/3": "ethernet-1/3", "HCA-1/1": "hca-1", "HCA-1/2": "hca-1/2", " swp1s0 ": "swp1s0",
	} {
		if got := PortKey(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
