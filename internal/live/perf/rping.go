package perf

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"weft/verbs"
)

// Rping is either side of rping of rdma-core. The client sends the address of a text, and the
// server READs it and confirms. The client then sends the address of a buffer, and the server
// WRITEs the text there and confirms. This repeats.
type Rping struct {
	Meeting
	Size  int // of a text, in bytes; set by the client
	Count int // number of texts; set by the client
}

// The range of rping's text sizes.
const (
	MinRping = 32
	MaxRping = 64<<10 - 1
)

// adBytes is the size of a message between the two: address, key and length.
const adBytes = 16

// Run connects and runs the test. The client ends when Count texts have come back; it compares
// them. The server ends when the client disconnects. seen is called with each text.
func (p *Rping) Run(ctx context.Context, seen func(text []byte)) error {
	if p.Server != "" && (p.Size < MinRping || p.Size > MaxRping || p.Count < 1) {
		return fmt.Errorf("perf: %d texts of %d bytes: valid are 1 and more, of %d to %d", p.Count, p.Size, MinRping, MaxRping)
	}
	c, err := newCMChannel(ctx, p.Dev)
	if err != nil {
		return err
	}
	defer c.close()
	buf := make([]byte, 2*(MaxRping+1)) // source, and target
	mr, err := c.pd.RegMR(buf, access)
	if err != nil {
		return err
	}
	defer func() { _ = mr.Dereg() }()
	if c.conn, err = p.join(ctx, c, c.qp, false); err != nil {
		return err
	}
	r := rping{c, mr, buf[:MaxRping+1], buf[MaxRping+1:]}
	if p.Server != "" {
		return r.ask(p, seen)
	}
	return r.serve(seen)
}

type rping struct {
	*cmChannel
	mr         *verbs.MR
	start, end []byte
}

// ad sends the peer the address of this side's memory.
func (r *rping) ad(offset, size int) []byte {
	b := binary.BigEndian.AppendUint64(nil, r.mr.Addr()+uint64(offset))
	b = binary.BigEndian.AppendUint32(b, r.mr.RKey())
	return binary.BigEndian.AppendUint32(b, uint32(size))
}

// text is the n-th text of rping: a title, then letters that start one further each time, and a
// zero byte.
func text(b []byte, n int) {
	const first, letters = 'A', 'z' - 'A' + 1
	i := copy(b, fmt.Appendf(nil, "rdma-ping-%d: ", n))
	for c := n; i < len(b); i, c = i+1, c+1 {
		b[i] = byte(first + c%letters)
	}
	b[len(b)-1] = 0
}

// ask is the client's part.
func (r *rping) ask(p *Rping, seen func([]byte)) error {
	start, end := r.start[:p.Size], r.end[:p.Size]
	for n := range p.Count {
		text(start, n)
		clear(end)
		for _, offset := range []int{0, len(r.start)} {
			if err := r.send(r.ad(offset, p.Size)); err != nil {
				return err
			}
			if err := r.receive(make([]byte, adBytes)); err != nil {
				return err
			}
		}
		if !bytes.Equal(start, end) {
			return fmt.Errorf("perf: text %d went as %q and came back as %q", n, start, end)
		}
		seen(end[:p.Size-1])
	}
	return nil
}

// serve is the server's part.
func (r *rping) serve(seen func([]byte)) error {
	for {
		size, err := r.move(verbs.RDMARead, 0)
		if err == nil {
			said := r.start[:size]
			if at := bytes.IndexByte(said, 0); at >= 0 {
				said = said[:at]
			}
			seen(said)
			_, err = r.move(verbs.RDMAWrite, len(said)+1)
		}
		if err != nil {
			select {
			case <-r.conn.Done():
				return nil // the client has seen enough texts
			default:
				return err
			}
		}
	}
}

// move receives the client's address, moves a text from there or to there, and confirms. If bound
// is not 0, longer texts are an error.
func (r *rping) move(op verbs.Opcode, bound int) (size int, err error) {
	b := make([]byte, adBytes)
	if err := r.receive(b); err != nil {
		return 0, err
	}
	size = int(binary.BigEndian.Uint32(b[12:]))
	if bound > 0 {
		size = min(size, bound)
	}
	if size > MaxRping+1 {
		return 0, fmt.Errorf("perf: the client offers %d bytes: at most %d", size, MaxRping+1)
	}
	err = r.qp.PostSend(verbs.SendWR{
		Opcode: op, Flags: verbs.SendSignaled, SGL: []verbs.SGE{r.mr.SGE(0, size)},
		RemoteAddr: binary.BigEndian.Uint64(b), RKey: binary.BigEndian.Uint32(b[8:]),
	})
	if err == nil {
		_, err = next(r.ctx, r.sent)
	}
	if err == nil {
		err = r.send(make([]byte, adBytes))
	}
	return size, err
}
