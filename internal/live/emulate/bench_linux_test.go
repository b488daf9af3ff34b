package emulate_test

import (
	"testing"

	"weft/internal/live/emulate"
)

// BenchmarkIncast is three senders with messages of 1 MiB to one receiver, as fast as the machine can.
func BenchmarkIncast(b *testing.B) {
	const message = 1 << 20
	socket, _ := start(b, incast("{preset: roce-v2-400g, cc: none}", 3, 1, "1MiB"), emulate.Options{Dilation: 1})
	to := open(b, socket, "node0/nic0", message)
	var all []*side
	for i := range 3 {
		from, peer := open(b, socket, []string{"node1/nic0", "node2/nic0", "node3/nic0"}[i], message), to.another(b)
		connect(b, from, peer)
		all = append(all, from)
	}
	b.SetBytes(3 * message)
	for b.Loop() {
		for _, from := range all {
			from.write(b, to)
		}
		for _, from := range all {
			from.completion(b)
		}
	}
}
