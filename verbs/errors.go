package verbs

import (
	"errors"
	"fmt"

	"weft/internal/sim/transport"
)

// Errors of calls. Returned errors wrap one of them with the details.
var (
	ErrInvalid  = errors.New("verbs: invalid argument")   // EINVAL
	ErrNoMemory = errors.New("verbs: no room")            // ENOMEM: a queue is full
	ErrBusy     = errors.New("verbs: still in use")       // EBUSY
	ErrClosed   = errors.New("verbs: closed")             // the object or its device is closed
	ErrOverrun  = errors.New("verbs: completion overrun") // the completion queue was full
)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrInvalid, fmt.Errorf(format, args...))
}

// Status is the result of a work request, with the numbers of ibv_wc_status.
type Status uint8

// The statuses.
const (
	Success Status = iota
	LocLenErr
	LocQPOpErr
	LocEECOpErr
	LocProtErr
	WRFlushErr
	MWBindErr
	BadRespErr
	LocAccessErr
	RemInvReqErr
	RemAccessErr
	RemOpErr
	RetryExcErr
	RNRRetryExcErr
	LocRDDViolErr
	RemInvRDReqErr
	RemAbortErr
	InvEECNErr
	InvEECStateErr
	FatalErr
	RespTimeoutErr
	GeneralErr
)

// statusText is the meaning of each status (ibv_poll_cq(3), IBA vol. 1, 11.6.2).
var statusText = [...]struct{ name, meaning string }{
	Success:        {"IBV_WC_SUCCESS", "success"},
	LocLenErr:      {"IBV_WC_LOC_LEN_ERR", "local length error"},
	LocQPOpErr:     {"IBV_WC_LOC_QP_OP_ERR", "local QP operation error"},
	LocEECOpErr:    {"IBV_WC_LOC_EEC_OP_ERR", "local EE context operation error"},
	LocProtErr:     {"IBV_WC_LOC_PROT_ERR", "local protection error"},
	WRFlushErr:     {"IBV_WC_WR_FLUSH_ERR", "work request flushed"},
	MWBindErr:      {"IBV_WC_MW_BIND_ERR", "memory window bind error"},
	BadRespErr:     {"IBV_WC_BAD_RESP_ERR", "bad response"},
	LocAccessErr:   {"IBV_WC_LOC_ACCESS_ERR", "local access error"},
	RemInvReqErr:   {"IBV_WC_REM_INV_REQ_ERR", "remote invalid request"},
	RemAccessErr:   {"IBV_WC_REM_ACCESS_ERR", "remote access error"},
	RemOpErr:       {"IBV_WC_REM_OP_ERR", "remote operation error"},
	RetryExcErr:    {"IBV_WC_RETRY_EXC_ERR", "transport retry counter exceeded"},
	RNRRetryExcErr: {"IBV_WC_RNR_RETRY_EXC_ERR", "receiver not ready retry counter exceeded"},
	LocRDDViolErr:  {"IBV_WC_LOC_RDD_VIOL_ERR", "local RDD violation"},
	RemInvRDReqErr: {"IBV_WC_REM_INV_RD_REQ_ERR", "remote invalid RD request"},
	RemAbortErr:    {"IBV_WC_REM_ABORT_ERR", "remote aborted"},
	InvEECNErr:     {"IBV_WC_INV_EECN_ERR", "invalid EE context number"},
	InvEECStateErr: {"IBV_WC_INV_EEC_STATE_ERR", "invalid EE context state"},
	FatalErr:       {"IBV_WC_FATAL_ERR", "fatal error"},
	RespTimeoutErr: {"IBV_WC_RESP_TIMEOUT_ERR", "response timeout"},
	GeneralErr:     {"IBV_WC_GENERAL_ERR", "general error"},
}

// String is the name in verbs.h.
func (s Status) String() string {
	if int(s) < len(statusText) {
		return statusText[s].name
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// Error is the meaning of the status. A Status other than Success is an error, so errors.Is(err,
// verbs.RemAccessErr) works.
func (s Status) Error() string {
	if int(s) < len(statusText) {
		return "verbs: " + statusText[s].meaning + " (" + s.String() + ")"
	}
	return "verbs: " + s.String()
}

// Err is nil for Success, otherwise the status.
func (s Status) Err() error {
	if s == Success {
		return nil
	}
	return s
}

// statusOf translates the transport's statuses.
var statusOf = [...]Status{
	transport.Success:        Success,
	transport.LocLenErr:      LocLenErr,
	transport.LocQPOpErr:     LocQPOpErr,
	transport.LocProtErr:     LocProtErr,
	transport.WRFlushErr:     WRFlushErr,
	transport.BadRespErr:     BadRespErr,
	transport.RemInvReqErr:   RemInvReqErr,
	transport.RemAccessErr:   RemAccessErr,
	transport.RemOpErr:       RemOpErr,
	transport.RetryExcErr:    RetryExcErr,
	transport.RNRRetryExcErr: RNRRetryExcErr,
	transport.MWBindErr:      MWBindErr,
}

// Errors of connections.
var (
	ErrRejected = errors.New("verbs: the peer rejects the connection")
	// ErrNoListener is wrapped together with ErrRejected if nobody at the peer listens at the port,
	// or not yet.
	ErrNoListener = errors.New("nobody listens there")
	ErrNoAnswer   = errors.New("verbs: the peer does not answer")
	ErrInUse      = errors.New("verbs: the port is in use")
)

// ErrNoQP is wrapped together with ErrRejected if the service has no free queue pair.
var ErrNoQP = errors.New("the service has no free queue pair")
