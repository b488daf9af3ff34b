package subnet

import "weft/units"

// adapterBlock is the number of GUIDs per adapter in a subnet of FromGraph.
const adapterBlock units.GUID = 16

// AdapterPorts is the maximum number of ports of an adapter with a GUID of its block.
const AdapterPorts = int(adapterBlock) - 1

// AdapterPort is FromGraph's GUID for a port, from 0, of an endpoint.
func AdapterPort(endpoint, port int) units.GUID {
	return adapterGUIDs + units.GUID(endpoint)*adapterBlock + units.GUID(port) + 1
}

// SwitchAt is FromGraph's GUID of a switch by its number among the switches, from 0.
func SwitchAt(number int) units.GUID { return switchGUIDs + units.GUID(number)*guidBlock }

// AdapterOf is the endpoint and the port for FromGraph's GUID of an adapter port; ok is false for
// any other GUID.
func AdapterOf(guid units.GUID) (endpoint, port int, ok bool) {
	if guid <= adapterGUIDs || guid >= switchGUIDs || (guid-adapterGUIDs)%adapterBlock == 0 {
		return 0, 0, false
	}
	at := guid - adapterGUIDs
	return int(at / adapterBlock), int(at%adapterBlock) - 1, true
}
