package ranks

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"

	"weft/internal/sim/collective"
	"weft/verbs"
)

// rank is one member of a group.
type rank struct {
	only    netip.Addr          // the only address its device may have; any if invalid
	memory  *memory             // shared by all ranks of a server; nil has no bound but maxMemory
	opened  func(*verbs.Device) // called with its device; nil for none
	claimed int64               // part of memory that this rank has claimed
	id, n   int
	algo    collective.Algo
	chunk   int64
	max     int // bytes of the longest vector
	dev     *verbs.Device
	capture *os.File // capture of its packets, or nil
	pd      *verbs.PD
	cq      *verbs.CQ
	srq     *verbs.SRQ
	listens *verbs.Listener

	input  []byte // input of an operation that is not in place
	vector region
	peers  []peer
	byQP   map[verbs.QPN]int
	plan   *plan  // of the last size
	ops    uint32 // number of operations carried out
	got    [2]map[uint32][]int
	wc     []verbs.WC
}

// region is registered memory.
type region struct {
	buf []byte
	mr  *verbs.MR
}

// peer is another rank, as seen by this rank.
type peer struct {
	addr    netip.AddrPort
	qp      *verbs.QP
	scratch [2]region // receives the peer's data to reduce
	there   place
	out     int // sends outstanding
}

// place holds the addresses of a peer's memory: its vector, and its scratch for this rank.
type place struct {
	vector  uint64
	vKey    uint32
	scratch [2]uint64
	sKey    [2]uint32
}

// placeBytes is the size of a place in private data, after the rank's number.
const placeBytes = 4 + 12*3

func (p *place) put(rank int) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(rank))
	b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(b, p.vector), p.vKey)
	for i := range p.scratch {
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(b, p.scratch[i]), p.sKey[i])
	}
	return b
}

func parsePlace(b []byte) (rank int, p place, err error) {
	if len(b) < placeBytes {
		return 0, p, fmt.Errorf("ranks: private data of %d bytes, expected %d", len(b), placeBytes)
	}
	be := binary.BigEndian
	p.vector, p.vKey = be.Uint64(b[4:]), be.Uint32(b[12:])
	for i := range p.scratch {
		p.scratch[i], p.sKey[i] = be.Uint64(b[16+12*i:]), be.Uint32(b[24+12*i:])
	}
	return int(be.Uint32(b)), p, nil
}

const access = verbs.AccessLocalWrite | verbs.AccessRemoteWrite

// openDevice opens the device. Its packets go to the capture file, if one is named.
func (r *rank) openDevice(at netip.AddrPort, capture string) (*verbs.Device, error) {
	o := verbs.Options{Addr: at}
	if capture != "" {
		var err error
		if r.capture, err = os.Create(capture); err != nil {
			return nil, err
		}
		o.Capture = r.capture
	}
	return verbs.Open(o)
}

// open creates a rank's objects.
func (r *rank) open(addrs []netip.AddrPort, capture string) (err error) {
	if r.dev, err = r.openDevice(addrs[r.id], capture); err != nil {
		return err
	}
	if r.opened != nil {
		r.opened(r.dev)
	}
	r.pd = r.dev.AllocPD()
	if r.cq, err = r.dev.CreateCQ(receives + depth*r.n); err != nil {
		return err
	}
	if r.srq, err = r.pd.CreateSRQ(receives); err != nil {
		return err
	}
	for range receives {
		if err := r.srq.PostRecv(verbs.RecvWR{}); err != nil {
			return err
		}
	}
	r.wc, r.byQP = make([]verbs.WC, 64), map[verbs.QPN]int{}
	r.got = [2]map[uint32][]int{{}, {}}
	r.peers = make([]peer, r.n)
	p, err := newPlan(r.algo, r.n, r.id, r.max, r.chunk)
	if err != nil {
		return err
	}
	adds := p.reducers()
	need := int64(r.max) * int64(2+2*len(adds))
	if need > maxMemory {
		return fmt.Errorf("ranks: vectors of %d bytes take %d bytes a rank, at most %d", r.max, need, int64(maxMemory))
	}
	if err := r.memory.claim(need); err != nil {
		return err
	}
	r.claimed = need
	r.input = make([]byte, r.max)
	if r.vector, err = r.register(r.max); err != nil {
		return err
	}
	for i := range r.peers {
		q := &r.peers[i]
		q.addr = addrs[i]
		for bank := range q.scratch {
			if !adds[i] {
				break
			}
			if q.scratch[bank], err = r.register(r.max); err != nil {
				return err
			}
		}
	}
	r.listens, err = r.dev.Listen(servicePort)
	return err
}

func (r *rank) register(n int) (region, error) {
	buf := make([]byte, n)
	mr, err := r.pd.RegMR(buf, access)
	return region{buf, mr}, err
}

// servicePort is the port of the ranks' connection managers.
const servicePort = 18600

// place is the addresses of this rank's memory for a peer.
func (r *rank) place(peer int) *place {
	p := &place{vector: r.vector.mr.Addr(), vKey: r.vector.mr.RKey()}
	for i, s := range r.peers[peer].scratch {
		if s.mr != nil {
			p.scratch[i], p.sKey[i] = s.mr.Addr(), s.mr.RKey()
		}
	}
	return p
}

func (r *rank) queuePair() (*verbs.QP, error) {
	return r.pd.CreateQP(verbs.QPInitAttr{Type: verbs.RC, SendCQ: r.cq, RecvCQ: r.cq, SRQ: r.srq, MaxSendWR: depth})
}

// connect connects with all others: each rank dials the ranks before it.
func (r *rank) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		for range r.n - 1 - r.id {
			if err := r.answer(ctx); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}()
	for i := range r.id {
		qp, err := r.queuePair()
		if err != nil {
			return err
		}
		c, err := r.dev.Dial(ctx, qp, r.peers[i].addr.Addr(), servicePort, verbs.ConnParam{Access: access, PrivateData: r.place(i).put(r.id)})
		if err != nil {
			return fmt.Errorf("ranks: rank %d to rank %d: %w", r.id, i, err)
		}
		if _, r.peers[i].there, err = parsePlace(c.PrivateData()); err != nil {
			return err
		}
		r.peers[i].qp = qp
	}
	if err := <-failed; err != nil {
		return err
	}
	for i := range r.peers {
		if q := r.peers[i].qp; q != nil {
			r.byQP[q.QPN()] = i
		}
	}
	return nil
}

// answer accepts the next rank that dials, and refuses anybody else.
func (r *rank) answer(ctx context.Context) error {
	var (
		req   *verbs.Request
		id    int
		there place
		err   error
	)
	for id == 0 {
		if req, err = r.listens.Accept(ctx); err != nil {
			return err
		}
		if id, there, err = parsePlace(req.PrivateData()); err != nil || !r.expects(id, req.Peer()) {
			id = 0
			_ = req.Reject(nil) // it fails only if the peer has gone
		}
	}
	qp, err := r.queuePair()
	if err != nil {
		return err
	}
	if _, err := req.Accept(ctx, qp, verbs.ConnParam{Access: access, PrivateData: r.place(id).put(r.id)}); err != nil {
		return fmt.Errorf("ranks: rank %d from rank %d: %w", r.id, id, err)
	}
	r.peers[id].qp, r.peers[id].there = qp, there
	return nil
}

// expects reports whether a rank with this number and address should dial.
func (r *rank) expects(id int, from netip.AddrPort) bool {
	return id > r.id && id < r.n && r.peers[id].qp == nil && r.peers[id].addr.Addr() == from.Addr()
}

func (r *rank) close() {
	if r.dev != nil {
		_ = r.dev.Close()
	}
	if r.capture != nil {
		_ = r.capture.Close()
	}
	r.memory.give(r.claimed)
	r.claimed = 0
}
