package counts

// Drop is the reason for a dropped packet.
type Drop uint8

// The reasons for drops.
const (
	DropBuffer   Drop = iota // lossy class: shared buffer over its threshold
	DropHeadroom             // lossless class: headroom overrun
	DropLifetime             // InfiniBand: head-of-queue lifetime passed
	DropStall                // InfiniBand: the lane is stalled after consecutive such drops
	DropWatchdog             // lossless class: the PFC watchdog ended a storm
	DropReceiver             // a slow NIC's buffer overrun
	DropFault                // on, or before, a failed cable
	DropNoRoute              // the switch has no route, after a fault
	DropPKey                 // InfiniBand: the sender's P_Key partition is not the receiver's
	DropSegment              // Ethernet: no route from the sender's VRF to the receiver
	DropCorrupt              // corrupted on a link
	DropMTU                  // longer than the MTU of the switch's port
	DropReasons
)
