// Package reduction is the bookkeeping of packets that switches sum and copy, for SHARP in InfiniBand
// switches and for NVLink SHARP in the scale-up switch: the contributions to each sum (sums.go), the
// copies that have not left (copies.go), SHARP's trees and streams (tree.go, stream.go), and the turns
// of messages that are copied (turns.go). Package fabric moves the packets.
package reduction
