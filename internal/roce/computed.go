package roce

import (
	"fmt"

	"weft/units"
)

// Harshest is the traffic that SONiC computes headroom for by default: LOSSLESS_TRAFFIC_PATTERN as
// shipped (sonic-utilities, scripts/db_migrator.py).
var Harshest = Pattern{SmallPercent: 100, MTU: 1024}

// Frame is the length of the Ethernet frame of an IP packet in SONiC: with header, VLAN tag and
// checksum.
func Frame(mtu units.Bytes) units.Bytes { return mtu + 14 + 4 + 4 }

// Computed is the profile that SONiC's dynamic buffer manager gives a lossless group of a
// port (sonic-swss, buffermgrdyn, by the script that a vendor ships for its chips). The HwSKU
// decides the chip.
func Computed(sku string, port Port, pattern Pattern, shared bool) (Profile, error) {
	asic, _, err := Lookup(OfSKU(sku))
	switch {
	case OfSKU(sku) == "":
		return Profile{}, fmt.Errorf("the switch computes it, and the chip is not known by HwSKU %q", sku)
	case err != nil || asic == nil:
		return Profile{}, fmt.Errorf("the switch computes it, and no formula is public for the chip of HwSKU %q", sku)
	case port.Cable == 0:
		return Profile{}, fmt.Errorf("the switch computes it, and CABLE_LENGTH has no length")
	}
	pattern.MTU = min(pattern.MTU, port.MTU)
	h, err := asic.Headroom(port, pattern, shared)
	return h.Profile, err
}
