package verbs

import (
	"bytes"
	"errors"
	"testing"
)

// The key stays; the memory, the rights and the domain behind it change.
func TestARegionRegisteredAgainKeepsItsKey(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{}, 64)
	a, b := p.on[0], p.on[1]
	key, fresh := b.mr.RKey(), make([]byte, 64)
	if err := b.qp.PostRecv(RecvWR{WRID: 7, SGL: []SGE{b.mr.SGE(0, 64)}}); err != nil {
		t.Fatal(err)
	}
	mr, err := b.mr.Reregister(b.pd, fresh, 0x1000, AccessLocalWrite|AccessRemoteWrite)
	if err != nil {
		t.Fatal(err)
	}
	if mr.RKey() != key {
		t.Errorf("the key is %#x, want %#x as before", mr.RKey(), key)
	}
	copy(a.buf, "to the new buffer")
	a.post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 17)}, RemoteAddr: 0x1000, RKey: key})
	a.want(1, Success)
	b.dev.Stats()
	if !bytes.HasPrefix(fresh, []byte("to the new buffer")) {
		t.Errorf("the new buffer has %q", fresh[:17])
	}
	a.post(SendWR{WRID: 2, Opcode: Send, SGL: []SGE{a.mr.SGE(0, 17)}})
	a.want(2, RemOpErr) // the receive was posted for the old buffer
	b.want(7, LocProtErr)
	if !bytes.Equal(b.memory(), make([]byte, 64)) {
		t.Errorf("the old buffer was written: %q", b.buf)
	}
	if _, err := b.mr.Reregister(b.pd, fresh, 0, 0); !errors.Is(err, ErrClosed) {
		t.Errorf("the old region: error %v, want ErrClosed", err)
	}
	if err := mr.Dereg(); err != nil {
		t.Error(err)
	}
}
