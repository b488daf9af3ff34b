package verbs

// AsyncEvent is an event of an object that no call asked for (ibv_get_async_event(3)).
type AsyncEvent struct {
	Type EventType
	QP   *QP
	CQ   *CQ
	SRQ  *SRQ
}

// EventType is the kind of an asynchronous event.
type EventType uint8

// The events.
const (
	EventCQErr           EventType = iota // a completion queue was overrun
	EventQPFatal                          // a queue pair went to ERR after a local error
	EventQPAccessErr                      // a peer's request was refused for an access error
	EventSRQLimitReached                  // fewer receives than the limit are left
	EventPortActive                       // the port has a link again
	EventPortErr                          // the port has lost its link
	// EventDeviceFatal says that the device works no more: its emulated fabric, or the sharing of
	// its address, has ended.
	EventDeviceFatal
)

var eventNames = map[EventType]string{
	EventCQErr: "IBV_EVENT_CQ_ERR", EventQPFatal: "IBV_EVENT_QP_FATAL",
	EventQPAccessErr:     "IBV_EVENT_QP_ACCESS_ERR",
	EventSRQLimitReached: "IBV_EVENT_SRQ_LIMIT_REACHED", EventPortActive: "IBV_EVENT_PORT_ACTIVE",
	EventPortErr:     "IBV_EVENT_PORT_ERR",
	EventDeviceFatal: "IBV_EVENT_DEVICE_FATAL",
}

func (e EventType) String() string { return named(e, eventNames) }

// Events delivers asynchronous events. Beyond a bound, events that nobody fetches are dropped.
func (d *Device) Events() <-chan AsyncEvent { return d.async }

func (d *Device) raise(e AsyncEvent) {
	select {
	case d.async <- e:
	default:
	}
}
