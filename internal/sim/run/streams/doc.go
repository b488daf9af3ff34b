// Package streams runs a fabric's streams beside an application: storage and other traffic that
// shares the network with a collective, a training step or a serving job.
//
// A stream has a number of messages in flight between two NICs: WRITEs, READs, or the commands, data and
// responses of NVMe over Fabrics. It posts a message when another one ends, or offers a load, at even
// intervals. Streams begin before the application and end with it. All bytes of a busy link are divided
// among the application and the streams.
//
// # Files
//
//   - streams.go: the streams, their connections, messages and results
//   - load.go: messages at even intervals
//   - nvme.go: commands of NVMe over Fabrics
//   - linkshare.go: the streams' share of the bytes of busy links
package streams
