package transport

// recvQueue is the posted receives, from rhead to rtail.
type recvQueue struct {
	rhead, rtail uint32
	rq           []recvWork // a ring; its length is a power of two
}
