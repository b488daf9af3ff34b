package perf

import (
	"context"
	"fmt"
	"time"

	"weft/verbs"
)

const (
	// channelRoom is the buffer size of a receive: no message is longer.
	channelRoom = 64
	// channelRecvs is the number of receives that are posted at a time. Each side waits for the
	// other's answer.
	channelRecvs = 4
	// farewell is the time that a side waits for the other to disconnect.
	farewell = 5 * time.Second
	// linger is the time that a side waits for that before it disconnects itself.
	linger = time.Second
)

// cmChannel is a channel over RDMA: SENDs between two connected queue pairs.
type cmChannel struct {
	endpoint
	ctx      context.Context
	conn     *verbs.Conn
	listener *verbs.Listener
}

func newCMChannel(ctx context.Context, dev *verbs.Device) (c *cmChannel, err error) {
	c = &cmChannel{ctx: ctx}
	c.endpoint, err = newEndpoint(dev, verbs.QPInitAttr{Type: verbs.RC, MaxInlineData: channelRoom}, channelRecvs, make([]byte, channelRecvs*channelRoom))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	// Receives are posted before the peer can send.
	err = c.qp.Modify(&verbs.QPAttr{State: verbs.StateInit, Access: access}, verbs.AttrState|verbs.AttrAccess)
	for i := range uint64(channelRecvs) {
		if err == nil {
			err = c.post(i)
		}
	}
	return c, err
}

func (c *cmChannel) post(i uint64) error {
	return c.qp.PostRecv(verbs.RecvWR{WRID: i, SGL: []verbs.SGE{c.mr.SGE(int(i)*channelRoom, channelRoom)}})
}

func (c *cmChannel) send(b []byte) error {
	if err := c.qp.PostSend(verbs.SendWR{Opcode: verbs.Send, Flags: verbs.SendSignaled | verbs.SendInline, Inline: b}); err != nil {
		return err
	}
	_, err := next(c.ctx, c.sent)
	return err
}

func (c *cmChannel) receive(b []byte) error {
	wc, err := next(c.ctx, c.come)
	if err != nil {
		return err
	}
	if int(wc.ByteLen) != len(b) {
		return fmt.Errorf("perf: a message of %d bytes from the other side: expected %d", wc.ByteLen, len(b))
	}
	copy(b, c.buf[wc.WRID*channelRoom:])
	return c.post(wc.WRID)
}

func (c *cmChannel) gone() {
	select {
	case <-c.conn.Done():
	case <-c.ctx.Done():
	case <-time.After(linger):
	}
}

// close disconnects, and waits for the other side to do so.
func (c *cmChannel) close() {
	if c.conn != nil {
		disconnect([]*verbs.Conn{c.conn})
	}
	if c.listener != nil {
		_ = c.listener.Close()
	}
	c.endpoint.close()
}

// next waits for one completion, asleep, and returns its error.
func next(ctx context.Context, q *verbs.CQ) (*verbs.WC, error) {
	var wc [1]verbs.WC
	for {
		q.ReqNotify(false)
		n, err := q.Poll(wc[:])
		if err == nil && n > 0 {
			err = wc[0].Status.Err()
		}
		if err != nil {
			return nil, err
		}
		if n > 0 {
			return &wc[0], nil
		}
		if err := q.Wait(ctx); err != nil {
			return nil, err
		}
	}
}
