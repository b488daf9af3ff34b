package sniff

// maxTunnels bounds the tunnels around a packet that are looked into: data centres have
// one.
const maxTunnels = 2

// maxHoles bounds the runs of skipped PSNs that a flow remembers, 40 bytes each. Of more
// the oldest are forgotten: what fills them counts as a retransmission.
const maxHoles = 64

// reorderNs is how long after it was skipped a packet counts as overtaken and not as sent
// again, in nanoseconds. An assumption: paths of one fabric differ by microseconds, and
// the fastest timeout seen in hardware repeats after 12 ms (ConnectX-6, measured). Peers
// that repeat sooner are known by a NAK, or by going over packets that were seen.
const reorderNs = 3_000_000

// maxFlows bounds the flows that are followed: about 400 bytes each, and their holes. What
// goes to further ones is decoded and counted, and not followed.
const maxFlows = 1 << 20

// maxUnpaired bounds, between two hosts, the flows among which the other
// direction of a flow is looked for, packet by packet.
const maxUnpaired = 4096
