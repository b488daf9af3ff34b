package sm

// Settings is values that the manager writes to all ports and switches. Lifetimes are codes: 4.096 µs
// × 2^n.
type Settings struct {
	PacketLife     uint8 // of a packet in a switch
	HOQLife        uint8 // at the head of a queue to a switch
	LeafHOQLife    uint8 // at the head of a queue to an adapter or a router
	StallCount     uint8 // discards in a row that stall a lane to a switch
	LeafStallCount uint8 // to an adapter or a router
	SubnetTimeout  uint8 // PortInfo.SubnetTimeOut
	LocalPhyErrors uint8 // PortInfo's thresholds; 0 leaves them
	OverrunErrors  uint8
	MaxVLs         uint8 // code of the most data lanes, as PortInfo.VLCap; 0: all

	// LinkWidth, LinkSpeed and LinkSpeedExt are what all linked ports enable, as PortInfo's components; 0
	// leaves them, allWidths, allSpeeds and allExtSpeeds stand for all that a port supports.
	LinkWidth, LinkSpeed, LinkSpeedExt uint8

	CheckIn, CheckOut bool // switch ports to adapters check the P_Keys of packets into and out of the switch
}

// Values of PortInfo's enabled widths and speeds for all that a port supports (IBA vol. 1, 14.2.5.6).
const (
	allWidths    = 255
	allSpeeds    = 15
	allExtSpeeds = 31
)

// DefaultSettings is OpenSM's defaults (opensm -c of 3.3.23), without its thresholds of errors. The
// lifetimes after power-on are not specified: a switch may discard a packet that has waited for 4 µs.
func DefaultSettings() Settings {
	return Settings{
		PacketLife: 18, HOQLife: 18, LeafHOQLife: 16, StallCount: 7, LeafStallCount: 7, SubnetTimeout: 18,
		LinkWidth: allWidths, LinkSpeed: allSpeeds, LinkSpeedExt: allExtSpeeds, CheckIn: true, CheckOut: true,
	}
}
