package buffer

// Limits are the bounds of a switch's buffer, in bytes.
type Limits struct {
	// Shared is the shared pool. Reserve is per ingress queue and not part of it.
	Shared  int64
	Reserve int32
	// HeadroomPool, if not 0, is the maximum of all headroom of the switch together.
	HeadroomPool int64
	// StaticXoff, if not 0, is a fixed threshold instead of the dynamic one.
	StaticXoff int64
	// XonOffset is the distance below the threshold at which the sender of a queue is resumed.
	XonOffset int32
	// Xon, if not 0, resumes a sender whose queue holds at most this number of bytes, with its
	// reserve. Without an XonOffset this is the only condition.
	Xon int32
}

// Buffer is the buffer of one switch.
type Buffer struct {
	Limits Limits `state:"-"`
	// used is the part of the shared pool in the ingress queues.
	used     int64
	headroom int64 // in use by the ingress queues
}

// Ingress is the accounting of one ingress port and priority: half a cache line.
type Ingress struct {
	held     int32 // bytes in the reserve and the shared pool
	headroom int32 // bytes in the headroom
	num, den int32 `state:"-"` // alpha; num is 0 if the threshold is not dynamic
	most     int32 `state:"-"` // of its headroom
	reserve  int32 `state:"-"` // as Limits.Reserve
	xon      int32 `state:"-"` // as Limits.Xon
	Paused   bool  // its sender is paused
}

// NewIngress is an empty ingress queue with an alpha of num/den, where den 0 is no threshold, and
// with at most a number of bytes of headroom. Its reserve and its XON are those of the limits.
func (b *Buffer) NewIngress(num, den int64, headroom int32) Ingress {
	switch {
	case b.Limits.StaticXoff > 0:
		num, den = 0, 1
	case den == 0:
		num = 1
	}
	for max(num, den) > 1<<31-1 {
		num, den = num>>1, max(1, den>>1)
	}
	return Ingress{num: int32(num), den: int32(den), most: headroom, reserve: b.Limits.Reserve, xon: b.Limits.Xon}
}

// With is an ingress queue with another reserve and another XON.
func (g Ingress) With(reserve, xon int32) Ingress {
	g.reserve, g.xon = reserve, xon
	return g
}

// Held is the number of bytes of the queue in the buffer, without the headroom.
func (g *Ingress) Held() int32 { return g.held }

// above is the part of the queue that is in the shared pool.
func (*Buffer) above(g *Ingress) int64 {
	return max(0, int64(g.held)-int64(g.reserve))
}

// isOver reports whether bytes of an ingress queue in the shared pool are more than its threshold:
// a fixed one, as far as the pool has room for what the queue does not hold yet, or alpha times the
// free part, rounded down. It is called several times per hop, so it multiplies and does not divide.
func (b *Buffer) isOver(g *Ingress, bytes int64) bool {
	free := b.Limits.Shared - b.used
	if b.Limits.StaticXoff > 0 {
		return bytes > b.Limits.StaticXoff || bytes-b.above(g) > free
	}
	return bytes*int64(g.den) > free*int64(g.num)
}

// IsOver reports whether an ingress queue with a further packet is above its threshold.
func (b *Buffer) IsOver(g *Ingress, size int32) bool {
	return b.isOver(g, int64(g.held+size)-int64(g.reserve))
}

// IsFull reports whether an ingress queue is full enough to pause its sender: it has no room for
// another byte.
func (b *Buffer) IsFull(g *Ingress) bool {
	return g.headroom > 0 || b.isOver(g, b.above(g)+1)
}

// TryCharge charges a packet to its ingress queue if there is room for it, and for more behind it;
// else it does nothing, and returns false.
func (b *Buffer) TryCharge(g *Ingress, size int32) bool {
	held := g.held + size
	above := max(0, held-g.reserve)
	used := b.used + int64(above-max(0, g.held-g.reserve))
	if g.headroom != 0 || int64(above+1)*int64(g.den) > (b.Limits.Shared-used)*int64(g.num) {
		return false
	}
	g.held, b.used = held, used
	return true
}

// Charge charges a packet to its ingress queue. It returns the used part of the shared pool, which
// is at most all of it.
func (b *Buffer) Charge(g *Ingress, size int32) (used int64) {
	before := b.above(g)
	g.held += size
	b.used += b.above(g) - before
	return b.used
}

// HasHeadroom reports whether the headroom of an ingress queue has room for a packet.
func (g *Ingress) HasHeadroom(size int32) bool { return g.headroom+size <= g.most }

// PoolHasHeadroom reports whether the headroom of all queues together has room for a packet.
func (b *Buffer) PoolHasHeadroom(size int32) bool {
	return b.Limits.HeadroomPool == 0 || b.headroom+int64(size) <= b.Limits.HeadroomPool
}

// ChargeHeadroom charges a packet to the headroom of its ingress queue.
func (b *Buffer) ChargeHeadroom(g *Ingress, size int32) {
	g.headroom += size
	b.headroom += int64(size)
}

// TryRelease is Release if the packet's bytes are outside of the headroom and no sender waits for
// them; else it does nothing, and returns false.
func (b *Buffer) TryRelease(g *Ingress, size int32) bool {
	held := g.held - size
	if held < 0 || g.Paused || g.headroom != 0 {
		return false
	}
	b.used -= int64(max(0, g.held-g.reserve) - max(0, held-g.reserve))
	g.held = held
	return true
}

// Release returns the bytes of a packet that has left, those in the headroom first. It returns the
// bytes that the queue still holds, never less than 0.
func (b *Buffer) Release(g *Ingress, size int32) (held int32) {
	if g.headroom > 0 {
		fromHeadroom := min(g.headroom, size)
		g.headroom -= fromHeadroom
		b.headroom -= int64(fromHeadroom)
		size -= fromHeadroom
	}
	held = g.held - size
	b.used -= int64(max(0, g.held-g.reserve) - max(0, held-g.reserve))
	g.held = held
	return held
}

// MayResume reports whether a paused queue has drained far enough.
func (b *Buffer) MayResume(g *Ingress) bool {
	if g.headroom != 0 {
		return false
	}
	above := b.above(g)
	switch l := &b.Limits; {
	case above == 0 || g.held <= g.xon:
		return true
	case g.xon > 0 && l.XonOffset == 0:
		return false
	}
	return !b.isOver(g, above+int64(b.Limits.XonOffset))
}

// Free is the free part of the shared pool.
func (b *Buffer) Free() int64 { return b.Limits.Shared - b.used }
