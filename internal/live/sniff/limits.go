package sniff

// maxTunnels bounds the nesting of tunnels that is decoded: data centres have one level.
const maxTunnels = 2

// maxHoles bounds the runs of skipped PSNs that a flow remembers, 40 bytes each. The oldest are
// forgotten first: packets that fill them count as retransmissions.
const maxHoles = 64

// reorderNs is the time after which a skipped packet counts as sent again rather than overtaken, in
// nanoseconds. An assumption: paths of one fabric differ by microseconds, and the fastest timeout
// seen in hardware repeats after 12 ms (ConnectX-6, measured). A NAK, or a repetition of packets
// already seen, reveals peers that repeat sooner.
const reorderNs = 3_000_000

// maxFlows bounds the number of flows: about 400 bytes each, and their holes. Packets of further
// flows are decoded and counted, but not followed.
const maxFlows = 1 << 20

// maxUnpaired bounds the unpaired flows between two hosts that are searched, packet by packet, for
// the other direction of a flow.
const maxUnpaired = 4096
