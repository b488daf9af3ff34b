package subnet

import "weft/units"

// adapterBlock is the number of GUIDs of an adapter in a subnet that FromGraph makes.
const adapterBlock units.GUID = 16

// AdapterPorts is the maximum number of ports of an adapter with a GUID of its block.
const AdapterPorts = int(adapterBlock) - 1

// AdapterPort is the GUID of a port, from 0, of an endpoint of a graph, as
// FromGraph gives it out.
func AdapterPort(endpoint, port int) units.GUID {
	return adapterGUIDs + units.GUID(endpoint)*adapterBlock + units.GUID(port) + 1
}

// AdapterOf is the endpoint and the port of a GUID that FromGraph gave to an
// adapter's port; ok is false of any other GUID.
func AdapterOf(guid units.GUID) (endpoint, port int, ok bool) {
	if guid <= adapterGUIDs || guid >= switchGUIDs || (guid-adapterGUIDs)%adapterBlock == 0 {
		return 0, 0, false
	}
	at := guid - adapterGUIDs
	return int(at / adapterBlock), int(at%adapterBlock) - 1, true
}
