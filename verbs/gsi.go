package verbs

import (
	"container/list"
	"context"
	"errors"
	"net/netip"
	"time"

	"weft/wire/cm"
)

func newManager(d *Device) (*manager, error) {
	m := &manager{
		dev: d, pd: d.AllocPD(), start: time.Now(), stopped: make(chan struct{}),
		buf:   make([]byte, gsiRecvs*gsiRoom),
		conns: map[cm.ID]*Conn{}, asked: map[asker]*Conn{}, half: halfOpen{source: map[netip.Addr]int{}},
		waiting: map[*Conn]struct{}{}, listeners: map[bound]*Listener{},
		resolving: map[cm.ID]*resolution{}, services: map[bound]*Service{},
		questions: map[asker]*Question{}, known: list.New(), strangers: maxStrangers,
		probeAfter: probeAfter, probePatience: probePatience,
	}
	// Neither queue can be overrun: at most as many sends are outstanding as it has room for, and
	// at most as many receives are posted or wait in it.
	var err error
	if m.sent, err = d.CreateCQ(gsiSends); err != nil {
		return nil, err
	}
	if m.come, err = d.CreateCQ(gsiRecvs); err != nil {
		return nil, err
	}
	if m.mr, err = m.pd.RegMR(m.buf, AccessLocalWrite); err != nil {
		return nil, err
	}
	m.qp, err = m.pd.createQP(QPInitAttr{
		Type: UD, SendCQ: m.sent, RecvCQ: m.come, MaxSendWR: gsiSends, MaxRecvWR: gsiRecvs,
		MaxInlineData: cm.MADBytes, SignalAll: true,
	}, gsi)
	if err != nil {
		return nil, err
	}
	if err := m.qp.ConnectWith(&QPAttr{QKey: gsiQKey}); err != nil {
		return nil, err
	}
	for i := range gsiRecvs {
		if err := m.post(uint64(i)); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	if d.ends != nil {
		d.ends.OnEnd(m.lose)
	}
	go m.run(ctx)
	return m, nil
}

func (m *manager) post(i uint64) error {
	return m.qp.PostRecv(RecvWR{WRID: i, SGL: []SGE{m.mr.SGE(int(i)*gsiRoom, gsiRoom)}})
}

// run is the manager's goroutine.
func (m *manager) run(ctx context.Context) {
	defer close(m.stopped)
	for {
		m.come.ReqNotify(false)
		n, ok := m.receiveArrived()
		if !ok {
			return
		}
		m.tick(m.now())
		if n > 0 {
			continue
		}
		tick, cancel := context.WithTimeout(ctx, tickTime)
		err := m.come.Wait(tick)
		cancel()
		if errors.Is(err, ErrClosed) || ctx.Err() != nil {
			return
		}
	}
}

// receiveArrived processes the datagrams that have arrived, and reports their number; false if the
// device is closed. An answer that waits among them is not late. With a flood it ends after one
// filling of the queue.
func (m *manager) receiveArrived() (n int, ok bool) {
	var wc [64]WC
	for n < gsiRecvs {
		got, err := m.come.Poll(wc[:])
		if err != nil || !m.receiveAll(wc[:got]) {
			return n, false
		}
		n += got
		if got < len(wc) {
			break
		}
	}
	return n, true
}

// receiveAll processes received datagrams and posts their receives again; false if the device is
// closed. It takes the lock once for all: many callers of Dial may wait for the lock, and go first.
func (m *manager) receiveAll(wc []WC) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range wc {
		if wc[i].Status == WRFlushErr {
			return false
		}
		if wc[i].Status == Success {
			m.receive(&wc[i])
		}
		if m.post(wc[i].WRID) != nil {
			return false
		}
	}
	return true
}

// tick handles overdue messages at each interval.
func (m *manager) tick(now int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now < m.again {
		return
	}
	m.again, m.strangers = now+int64(tickTime), maxStrangers
	m.probe(now)
	for c := range m.waiting {
		m.repeatOrEnd(c, now)
	}
	m.repeatResolutions(now)
}
