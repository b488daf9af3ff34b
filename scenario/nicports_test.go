package scenario

import (
	"strings"
	"testing"

	"weft/units"
)

// A ConnectX-8 is one port of 800 Gb/s XDR, or two of 400GbE; 800GbE does not exist on it (NVIDIA, release notes of
// its firmware 40.44.0208).
func TestTheRateOfANICDependsOnTheProtocol(t *testing.T) {
	const b300 = "cluster: {nodes: 2, node: dgx-b300}\n"
	for _, c := range []struct {
		fabric string
		rate   units.Rate
		ports  int
	}{
		{"infiniband-xdr", 800 * units.Gbps, 1},
		{"roce-v2-400g", 400 * units.Gbps, 1}, // one plane: a port is free
		{"{preset: roce-v2-400g, topology: {shape: dual-plane}}", 400 * units.Gbps, 2},
		{"{preset: roce-v2-800g, nic: {model: connectx-8, rate: 800Gbps}}", 800 * units.Gbps, 1}, // what is written stays
		{"{preset: roce-v2-800g, nic: thor-ultra}", 800 * units.Gbps, 1},
	} {
		nic := resolve(t, b300+"fabric: "+c.fabric).Fabrics[0].NIC
		if nic.Rate != c.rate || nic.Ports != c.ports {
			t.Errorf("%s: %d ports of %v, want %d of %v", c.fabric, nic.Ports, nic.Rate, c.ports, c.rate)
		}
	}
	file, err := Decode("test", []byte(b300+"fabric: roce-v2-800g\n"))
	if err == nil {
		_, err = file.Resolve()
	}
	if err == nil || !strings.Contains(err.Error(), "a link of 800 Gb/s is more than the 400 Gb/s of a port of the NIC connectx-8") {
		t.Errorf("800GbE on a ConnectX-8: %v", err)
	}
}

// By default a B300 node has two planes of 400GbE, unless another shape is named.
func TestTheUsualEthernetOfATwoPortNICHasTwoPlanes(t *testing.T) {
	for text, want := range map[string]Shape{"": DualPlane, "topology: {shape: fat-tree}\n": FatTree} {
		r := resolve(t, "cluster: {nodes: 2, node: dgx-b300}\n"+text)
		for _, f := range r.Fabrics[1:] {
			if f.Topology.Shape != want || f.Link.Rate() != 400*units.Gbps {
				t.Errorf("%q: %s is a %s of %v, want a %s of 400 Gb/s", text, f.Name, f.Topology.Shape, f.Link.Rate(), want)
			}
		}
		if xdr := r.Fabrics[0]; xdr.NIC.Ports != 1 || xdr.Topology.Shape == DualPlane {
			t.Errorf("%s has %d ports a NIC in a %s", xdr.Name, xdr.NIC.Ports, xdr.Topology.Shape)
		}
		sameWhenPrinted(t, r)
	}
}
