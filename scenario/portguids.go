package scenario

import (
	"weft/internal/ib/subnet"
	"weft/units"
)

// portGUID is the GUID of a port, from 0, of a NIC: of a real fabric its own, else the one that weft assigns.
func (f *Fabric) portGUID(nic, port int) units.GUID {
	if nic < len(f.Topology.Devices) && f.Topology.Devices[nic].Port != 0 {
		return f.Topology.Devices[nic].Port
	}
	return subnet.AdapterPort(nic, port)
}

// nicWith is the NIC, counted over the cluster and then over the other hosts, with a GUID of a port; ok is false if no
// NIC has it.
func (f *Fabric) nicWith(guid units.GUID, endpoints int) (nic int, ok bool) {
	if len(f.Topology.Devices) == 0 {
		nic, _, ok = subnet.AdapterOf(guid)
		return nic, ok && nic < endpoints
	}
	for i := range min(endpoints+f.Topology.Others, len(f.Topology.Devices)) {
		if f.portGUID(i, 0) == guid {
			return i, true
		}
	}
	return 0, false
}
