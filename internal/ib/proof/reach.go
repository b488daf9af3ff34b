package proof

// Reach counts pairs of a source and a LID.
type Reach struct {
	Pairs   int64 `json:"pairs"`     // in all
	Arrive  int64 `json:"arrive"`    // packets arrive
	Islands int64 `json:"no_cables"` // no cables lead there, with any tables
	Lost    int64 `json:"lost"`      // packets end on the way although cables lead there
	Looping int64 `json:"looping"`   // packets go round without end
}

// Proven reports whether all packets arrive that can.
func (r *Reach) Proven() bool { return r.Lost == 0 && r.Looping == 0 }

func (r *Reach) merge(o *Reach) {
	r.Pairs += o.Pairs
	r.Arrive += o.Arrive
	r.Islands += o.Islands
	r.Lost += o.Lost
	r.Looping += o.Looping
}

// add counts pairs from a switch.
func (r *Reach) add(pairs int64, hops, least uint16) {
	r.Pairs += pairs
	switch {
	case hops < states:
		r.Arrive += pairs
	case least == farAway:
		r.Islands += pairs
	case hops == looping:
		r.Looping += pairs
	default:
		r.Lost += pairs
	}
}

// Lengths counts the paths between ends by their length.
type Lengths struct {
	// Hops is the number of paths by hops: cables from the first switch on, as in OpenSM's LID
	// matrix.
	Hops []int64 `json:"paths_by_hops"`
	// Detour is the number of paths by extra hops beyond the least that the cables allow. Detour[0]
	// counts the shortest paths.
	Detour []int64 `json:"paths_by_detour"`
}

// Detours counts the paths that are longer than necessary.
func (l *Lengths) Detours() int64 {
	sum := int64(0)
	for i := 1; i < len(l.Detour); i++ {
		sum += l.Detour[i]
	}
	return sum
}

func count(list *[]int64, at int, n int64) {
	for len(*list) <= at {
		*list = append(*list, 0)
	}
	(*list)[at] += n
}

func (l *Lengths) merge(o *Lengths) {
	for i, n := range o.Hops {
		count(&l.Hops, i, n)
	}
	for i, n := range o.Detour {
		count(&l.Detour, i, n)
	}
}
