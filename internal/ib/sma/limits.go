package sma

// Limits of the agents' hardware.
const (
	linearEntries    = 49152 // all unicast LIDs (IBA vol. 1, 4.1.3)
	multicastEntries = 1024  // as ibsim's switches
	partitions       = 64    // P_Keys of a port; ConnectX has 128, ibsim 64
	arbEntries       = 8     // of each VL arbitration table: one per lane
	arbWeight        = 4     // of a lane after power-on, in units of 64 bytes, as ibsim's
	congestionBlocks = 2     // of 64 entries each, of an adapter's congestion control table: 128, as ConnectX
	portsPerBlock    = 32    // of SwitchPortCongestionSetting
	lanes8           = 4     // the code of 8 data lanes
	maxMTU           = 5     // the code of 4096 bytes

	// maxHops ends the path of a LID-routed datagram in a loop. Real fabrics have fewer than 64
	// hops, a torus of 49,151 ports fewer than 200.
	maxHops = 1024

	// maxLetters is the maximum number of a port's unrepressed traps; further traps are lost. At
	// the usual rate of one in 1.07 s they span a quarter of a minute. Older traps have no use:
	// after a link's trap, a manager checks all switches. Linux's hfi1 keeps 100 of each kind.
	maxLetters = 16

	// madWords is the length of a datagram in PortXmitData, in words of 4 bytes:
	// LRH 8, BTH 12, DETH 8, datagram 256, ICRC 4.
	madWords = (8 + 12 + 8 + 256 + 4) / 4
)
