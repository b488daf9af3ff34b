package perf

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"weft/verbs"
)

// Queue pairs that are to agree on selective repeat are connected by the connection
// manager, which is where two ends agree: see verbs.ConnParam.

// basePort is the first of the ports at which a server's tests are connected, one
// each.
const basePort = 18516

// listen takes a port of the connection manager that no other test has.
func listen(dev *verbs.Device) (l *verbs.Listener, port uint16, err error) {
	for i := range uint16(maxTests) {
		if l, err = dev.Listen(basePort + i); !errors.Is(err, verbs.ErrInUse) {
			return l, basePort + i, err
		}
	}
	return nil, 0, err
}

// getReady lets the queue pairs take receives before they are connected: a peer
// that is connected may send before this side knows.
func (e *ends) getReady() error {
	for _, q := range e.qps {
		if err := q.Modify(&verbs.QPAttr{State: verbs.StateInit, Access: access}, verbs.AttrState|verbs.AttrAccess); err != nil {
			return err
		}
	}
	return e.prepare()
}

// dial connects each queue pair, which says its index, to the peer's.
func (e *ends) dial(ctx context.Context, peer *End) error {
	addr, err := peer.addr()
	if err != nil {
		return err
	}
	if here := e.dev.Addr().Port(); here != addr.Port() {
		return fmt.Errorf("perf: the connection manager needs the same UDP port at both ends, and it is %d here and %d there", here, addr.Port())
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	e.peer = peer
	for i, q := range e.qps {
		c, err := e.dev.Dial(ctx, q, addr.Addr(), peer.Port, verbs.ConnParam{
			Access: access, PrivateData: binary.BigEndian.AppendUint32(nil, uint32(i)), SelectiveRepeat: e.t.Selective,
		})
		if err != nil {
			return fmt.Errorf("perf: queue pair %d of %d: %w", i+1, len(e.qps), err)
		}
		e.conns = append(e.conns, c)
	}
	return nil
}

// accept connects each queue pair with the one of the peer's that says its index. Who
// else asks is refused.
func (e *ends) accept(ctx context.Context, l *verbs.Listener, peer *End) error {
	addr, err := peer.addr()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	e.peer = peer
	for len(e.conns) < len(e.qps) {
		r, err := l.Accept(ctx)
		if err != nil {
			return fmt.Errorf("perf: %d of %d queue pairs are connected: %w", len(e.conns), len(e.qps), err)
		}
		if r.Peer().Addr().Unmap() != addr.Addr().Unmap() {
			_ = r.Reject(nil) // it fails only if there is no one to tell any more
			continue
		}
		i := binary.BigEndian.Uint32(r.PrivateData())
		if i >= uint32(len(e.qps)) {
			return errors.Join(fmt.Errorf("perf: the client connects its queue pair %d of %d", i+1, len(e.qps)), r.Reject(nil))
		}
		c, err := r.Accept(ctx, e.qps[i], verbs.ConnParam{Access: access, SelectiveRepeat: e.t.Selective})
		if err != nil {
			return err
		}
		e.conns = append(e.conns, c)
	}
	return nil
}

// selective reports whether all queue pairs agreed on selective repeat.
func (e *ends) selective() bool {
	for _, c := range e.conns {
		if !c.SelectiveRepeat() {
			return false
		}
	}
	return len(e.conns) > 0
}

// disconnect ends what the connection manager has connected; it does not wait long
// for a peer that has gone.
func disconnect(conns []*verbs.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	for _, c := range conns {
		_ = c.Disconnect(ctx) // a peer that has gone has disconnected, too
	}
}
