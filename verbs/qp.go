package verbs

import (
	"weft/internal/sim/transport"
	"weft/units"
	"weft/verbs/internal/socket"
)

// QPInitAttr are the parameters of a new queue pair.
type QPInitAttr struct {
	Type           QPType
	SendCQ, RecvCQ *CQ
	SRQ            *SRQ // replaces the receive queue; not for XRC
	// XRCD is for XRCRecv, which has no completion queues of its own. XRCSend has no RecvCQ.
	XRCD          *XRCD
	MaxSendWR     int
	MaxRecvWR     int
	MaxInlineData int
	SignalAll     bool // every send completes, whatever its flags
}

// QP is a queue pair.
type QP struct {
	pd   *PD
	attr QPInitAttr
	cfg  transport.Config
	end  socket.Endpoint

	access Access
	qkey   uint32
	set    QPAttr // attributes last set
	dead   bool
	fault  Status // a local error to report with the present completion

	sends sendRecords
	recvs recvRecords

	scratch []segment
	windows windowSet
}

// QPN is the queue pair's number.
func (q *QP) QPN() QPN { return q.end.QP.QPN() }

// Rate is the send rate that congestion control allows the queue pair; 0 is no limit.
func (q *QP) Rate() units.Rate {
	q.pd.dev.port.Lock()
	defer q.pd.dev.port.Unlock()
	return q.end.QP.Rate()
}

// State is the queue pair's state.
func (q *QP) State() QPState {
	q.pd.dev.port.Lock()
	defer q.pd.dev.port.Unlock()
	return QPState(q.end.QP.State())
}

// fail brings the queue pair to ERR.
func (q *QP) fail() { q.end.QP.BecomeErr(q.pd.dev.port.Batch()) }
