package reduction

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Packets of several NICs come interleaved; each message leaves as a whole, and the packets of a NIC
// leave in their order.
func TestMessagesLeaveOneAfterTheOther(t *testing.T) {
	const nics, messages = 4, 5
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		type packet struct{ nic, message, number, of int32 }
		var lists [nics][]packet
		for nic := range int32(nics) {
			for m := range int32(messages) {
				of := 1 + random.Int32N(4)
				for k := range of {
					lists[nic] = append(lists[nic], packet{nic, m, k, of})
				}
			}
		}
		s := NewStream(nil, Copy)
		turns := s.Turns(7)
		var all, left []packet
		for {
			nic := random.IntN(nics)
			if !slices.ContainsFunc(lists[:], func(l []packet) bool { return len(l) > 0 }) {
				break
			}
			if len(lists[nic]) == 0 {
				continue
			}
			p := lists[nic][0]
			lists[nic] = lists[nic][1:]
			all = append(all, p)
			i := int32(len(all) - 1)
			if !turns.Admit(p.nic, i) {
				continue
			}
			for ; i >= 0; i = turns.Next() {
				q := all[i]
				turns.Forward(q.nic, q.number == q.of-1)
				left = append(left, q)
			}
		}
		if len(left) != len(all) {
			t.Fatalf("seed %d: %d of %d packets leave", seed, len(left), len(all))
		}
		next := map[string]int32{}
		for i, p := range left {
			if p.number > 0 && left[i-1] != (packet{p.nic, p.message, p.number - 1, p.of}) {
				t.Fatalf("seed %d: %+v leaves after %+v", seed, p, left[i-1])
			}
			if p.number == 0 {
				nic := fmt.Sprint(p.nic)
				if next[nic] != p.message {
					t.Fatalf("seed %d: message %d of NIC %d leaves before message %d", seed, p.message, p.nic, next[nic])
				}
				next[nic]++
			}
		}
	}
}
