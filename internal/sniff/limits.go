package sniff

// maxFlows bounds the flows that are followed: about 200 bytes each. What goes
// to further ones is decoded and counted, and not followed.
const maxFlows = 1 << 20

// maxUnpaired bounds, between two hosts, the flows among which the other
// direction of a flow is looked for, packet by packet.
const maxUnpaired = 4096
