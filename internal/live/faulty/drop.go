package faulty

import (
	"math/rand/v2"

	"weft/internal/live"
)

// Drop loses a share of the packets that arrive at a connection, by a seed: a real
// socket with a bad wire in front of it.
func Drop(c live.Conn, seed uint64, share float64) live.Conn {
	return &dropping{Conn: c, dice: rand.New(rand.NewPCG(seed, 1)), share: share}
}

type dropping struct {
	live.Conn
	dice  *rand.Rand
	share float64
	left  []live.Incoming
}

// Receive gives what is left, each packet by itself.
func (d *dropping) Receive() ([]live.Incoming, error) {
	in, err := d.Conn.Receive()
	d.left = d.left[:0]
	for _, m := range in {
		for rest := m.Data; len(rest) > 0 && m.Segment > 0; {
			n := min(m.Segment, len(rest))
			if d.dice.Float64() >= d.share {
				d.left = append(d.left, live.Incoming{From: m.From, To: m.To, Segment: n, CE: m.CE, Data: rest[:n:n]})
			}
			rest = rest[n:]
		}
	}
	return d.left, err
}
