package perf

import "weft/verbs"

// endpoint is a queue pair with completion queues of its own and one registered buffer.
type endpoint struct {
	pd         *verbs.PD
	qp         *verbs.QP
	sent, come *verbs.CQ
	mr         *verbs.MR
	buf        []byte
}

// newEndpoint creates an endpoint with one send and a number of receives in flight. The buffer is
// for both.
func newEndpoint(dev *verbs.Device, attr verbs.QPInitAttr, recvs int, buf []byte) (e endpoint, err error) {
	e = endpoint{pd: dev.AllocPD(), buf: buf}
	defer func() {
		if err != nil {
			e.close()
		}
	}()
	if e.mr, err = e.pd.RegMR(buf, verbs.AccessLocalWrite); err != nil {
		return e, err
	}
	if e.sent, err = dev.CreateCQ(1); err != nil {
		return e, err
	}
	if e.come, err = dev.CreateCQ(recvs); err != nil {
		return e, err
	}
	attr.SendCQ, attr.RecvCQ, attr.MaxSendWR, attr.MaxRecvWR = e.sent, e.come, 1, recvs
	e.qp, err = e.pd.CreateQP(attr)
	return e, err
}

// close frees everything that was created.
func (e *endpoint) close() {
	if e.qp != nil {
		_ = e.qp.Destroy()
	}
	for _, q := range []*verbs.CQ{e.sent, e.come} {
		if q != nil {
			_ = q.Destroy()
		}
	}
	if e.mr != nil {
		_ = e.mr.Dereg()
	}
	_ = e.pd.Dealloc()
}
