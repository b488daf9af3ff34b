package verbs

// MWType is the type of a memory window (ibv_alloc_mw(3)).
type MWType uint8

// The types, with the numbers of ibv_mw_type.
const (
	MWType1 MWType = 1 // bound by QP.BindMW; any queue pair of the domain serves it
	MWType2 MWType = 2 // bound by a work request, to its queue pair: the specification's 2B
)

// MW is a memory window: a part of a region with its own key and rights for peers. They can change
// without registering the region again.
type MW struct {
	pd    *PD
	kind  MWType
	key   uint32     // present key for peers
	given uint32     // the key of the last posted bind, which peers may know already
	mr    *MR        // nil while unbound
	of    *windowSet // type 2: of the queue pair whose peer may use it
	reach
	dead bool
}

// windowSet are the type 2 windows that are bound to a queue pair.
type windowSet map[*MW]struct{}

// BindInfo is the memory that a window is bound to (ibv_mw_bind_info).
type BindInfo struct {
	MR *MR // with AccessMWBind; may be nil if Length is 0
	// Addr and Length are a part of the region. Nobody can use a type 1 window of Length 0.
	Addr, Length uint64
	// Access is the peer's rights. Write and atomic need local write of the region. With
	// AccessZeroBased the window's addresses begin at 0 and not at Addr.
	Access Access
}

// BindWR is the bind of a type 2 window, in a SendWR with BindMW.
type BindWR struct {
	MW *MW
	// RKey is the window's new key: the present one with other last 8 bits; see IncRKey.
	RKey uint32
	BindInfo
}

// IncRKey is the key with the next variant (ibv_inc_rkey(3)).
func IncRKey(rkey uint32) uint32 { return rkey&^0xff | (rkey+1)&0xff }

// AllocMW allocates an unbound window.
func (p *PD) AllocMW(kind MWType) (*MW, error) {
	p.dev.port.Lock()
	defer p.dev.port.Unlock()
	switch {
	case p.dev.closed:
		return nil, ErrClosed
	case kind != MWType1 && kind != MWType2:
		return nil, invalid("no memory window type with the number %d", kind)
	}
	mw := &MW{pd: p, kind: kind}
	key, err := p.dev.keys.assign(mw)
	if err != nil {
		return nil, err
	}
	mw.key, mw.given = key, key
	p.refs++
	return mw, nil
}

// RKey is the key that a peer needs: for type 1 of the last posted bind, for type 2 of the last
// executed bind.
func (w *MW) RKey() uint32 {
	w.pd.dev.port.Lock()
	defer w.pd.dev.port.Unlock()
	if w.kind == MWType1 {
		return w.given
	}
	return w.key
}

// Dealloc frees the window. Requests of a peer that still uses it are refused.
func (w *MW) Dealloc() error {
	w.pd.dev.port.Lock()
	defer w.pd.dev.port.Unlock()
	if w.dead {
		return ErrClosed
	}
	w.dead = true
	w.unbind()
	w.pd.dev.keys.remove(w.given)
	w.pd.refs--
	return nil
}

// unbind removes all memory from the window.
func (w *MW) unbind() {
	if w.mr != nil {
		w.mr.windows--
	}
	if w.of != nil {
		delete(*w.of, w)
	}
	w.mr, w.of, w.reach = nil, nil, reach{}
}

// window is the memory window of a key, nil if the key does not match exactly.
func (d *Device) window(key uint32) *MW {
	if mw, ok := d.keys[key>>8].(*MW); ok && mw.key == key {
		return mw
	}
	return nil
}

// span is the bytes from addr on, nil if they are not all in the window, or it is not for the queue
// pair of a domain and a set.
func (w *MW) span(pd *PD, of *windowSet, addr, length uint64, need Access) []byte {
	if w.mr == nil || w.pd != pd || w.kind == MWType2 && w.of != of {
		return nil
	}
	return w.reach.span(addr, length, need)
}

func (t MWType) String() string {
	return named(t, map[MWType]string{MWType1: "IBV_MW_TYPE_1", MWType2: "IBV_MW_TYPE_2"})
}
