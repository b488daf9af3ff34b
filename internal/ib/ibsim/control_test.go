package ibsim

import (
	"testing"

	"weft/internal/ib/sma"
)

// FuzzControl answers one control message of an attached program: no message stops the
// simulator, and every answer follows the protocol.
func FuzzControl(f *testing.F) {
	for k := refused; k <= getPKeys+1; k++ {
		m := newMessage(k, 0, []byte{1, 2, 3})
		f.Add(m[:])
	}
	m := connectMessage(7, "H-0000000000000001")
	f.Add(m[:])
	s := chain(2)
	f.Fuzz(func(t *testing.T, text []byte) {
		var m message
		copy(m[:], text)
		if !m.valid() || m.kind() == connect || m.kind() == disconnect { // these have sockets
			return
		}
		fabric, err := sma.New(s)
		if err != nil {
			t.Fatal(err)
		}
		server := &Server{base: "fuzz", fabric: fabric, names: names(fabric.Subnet()), clients: map[uint32]*client{0: {}}}
		server.answer(&m)
		if !m.valid() {
			t.Fatalf("the answer is % x", m)
		}
		if m.client() != 0 && m.kind() != refused {
			t.Fatalf("client %d is not attached and has an answer of kind %d", m.client(), m.kind())
		}
	})
}
