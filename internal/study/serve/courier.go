package serve

import (
	"slices"

	"weft/internal/sim/collective"
	"weft/internal/sim/run/transfer"
	"weft/internal/sim/workload/serving"
	"weft/scenario"
	"weft/units"
)

// courier carries keys and values from prefill to decode, in consignments. A GPU sends the layers of a
// consignment one after the other: first the library takes its time for the layer, then the data
// goes. The next layer begins when all data of this one has arrived. Consignments do not wait for
// each other.
type courier struct {
	board     *transfer.Board
	way       *way
	delivered func(consignment int)
	sent      []consignment
	lanes     []lane
	lane      map[int]int32 // by message under way
	open      int           // consignments on their way, or delayed by exchanges
	rate      float64       // bytes in a second that the library moves from a node, or to one
	busy      []units.Time  // by node: until when the library moves data from it, at its rate
	going     []int         // consignments on their way, the oldest first
	turn      uint64        // counts what begins, ends, or comes from outside
}

// way is what all consignments of a job share.
type way struct {
	cluster collective.Layout
	kv      *scenario.KVTransfer
	cache   serving.Cache
	prefill *scenario.Pool
	decode  *scenario.Pool // nil: none
	first   int32          // the first GPU of decode
	shares  []serving.Share
}

func wayOf(r *scenario.Resolved) *way {
	s := &r.Serving
	w := &way{
		cluster: collective.Layout{Nodes: r.Cluster.Nodes, PerNode: r.Cluster.Node.GPUs, NICs: r.Cluster.Node.NICs},
		kv:      &s.KV, cache: cacheOf(s), prefill: &s.Prefill, decode: &s.Decode,
		first: int32(s.Prefill.Nodes * r.Cluster.Node.GPUs),
	}
	if s.Collocated {
		w.decode = nil
		return w
	}
	w.shares = w.cache.Shares(s.Prefill.Tensor, s.Decode.Tensor)
	return w
}

// answering is the pool that computes answers.
func (w *way) answering() *scenario.Pool {
	if w.decode == nil {
		return w.prefill
	}
	return w.decode
}

// posting is the pool whose GPUs post.
func (w *way) posting() *scenario.Pool {
	if w.reads() {
		return w.answering()
	}
	return w.prefill
}

// site is the GPUs that hold a request: a group of an instance of a pool.
type site struct{ instance, group int }

// consignment is tokens of a request on their way.
type consignment struct {
	from, to site
	tokens   int
	at       units.Time // layer l leaves no earlier than at + (l+1) × each
	each     units.Time
	first    int   // lane
	left     int32 // lanes
}

// lane is the layers of a consignment that one GPU posts, in order.
type lane struct {
	consignment int32
	poster      int        // of the prefill's group, or of the decode's if that reads
	layer, end  int        // the next layer, and the one after the last
	open        int        // messages of the layer in flight
	until       units.Time // the library moves the layer posted last
}

// send begins a consignment; delivered is called with its number.
func (c *courier) send(k consignment) {
	number := len(c.sent)
	c.open++
	k.first = len(c.lanes)
	c.sent, c.going = append(c.sent, k), append(c.going, number)
	c.anew()
	posting, layers := c.way.posting(), c.way.cache.Layers
	posters, stages := posting.Tensor, posting.Pipeline
	for stage := range stages {
		for poster := range posters {
			c.lanes = append(c.lanes, lane{consignment: int32(number), poster: poster, layer: stage * layers / stages, end: (stage + 1) * layers / stages})
			c.sent[number].left++
			c.arm(len(c.lanes) - 1)
		}
	}
}

func (w *way) reads() bool { return w.kv.Operation == scenario.KVRead }

// posts reports whether a GPU of a group posts a share.
func (w *way) posts(s serving.Share, poster int) bool {
	if w.reads() {
		return s.To == poster
	}
	return s.From == poster
}

// arm sets the timer of a lane's next layer, or ends the lane.
func (c *courier) arm(number int) {
	l := &c.lanes[number]
	k := &c.sent[l.consignment]
	switch now := c.board.Now(); {
	case l.layer < l.end:
		computed := k.at + units.Time(l.layer+1)*k.each
		c.board.At(max(now, computed, l.until)+c.way.kv.LayerTime, tagOf(tagLane, number))
		return
	case l.until > now:
		c.board.At(l.until, tagOf(tagLane, number))
		return
	}
	if k.left--; k.left == 0 {
		c.open--
		c.going = slices.DeleteFunc(c.going, func(number int) bool { return number == int(l.consignment) })
		c.anew()
		c.delivered(int(l.consignment))
	}
}

// post posts a lane's next layer.
func (c *courier) post(number int) {
	l := &c.lanes[number]
	k, w := &c.sent[l.consignment], c.way
	if l.layer == l.end { // the library has moved the last
		c.arm(number)
		return
	}
	c.beat(number)
	for _, s := range w.shares {
		if !w.posts(s, l.poster) {
			continue
		}
		m := transfer.Message{From: w.rank(0, w.prefill, k.from, l.layer, s.From), To: w.rank(w.first, w.decode, k.to, l.layer, s.To), Slice: int64(w.kv.Slice), Read: w.reads(), Class: w.kv.Class}
		m.Block, m.Bytes = w.cache.Block(s, w.prefill.Tensor, w.decode.Tensor, k.tokens, w.kv.Page, w.kv.Layout == scenario.KVHeadsFirst)
		m.Routes = w.routes(m.From, m.To)
		c.lane[c.board.Post(&m)] = int32(number)
		l.open++
		l.until = max(l.until, c.moved(m.From, m.To, m.Bytes))
	}
	l.layer++
	if l.open == 0 { // other GPUs hold the same heads, and send them
		c.arm(number)
	}
}

// moved is when the library has moved bytes from one rank to another: the nodes of both have its rate for all that they send
// or receive.
func (c *courier) moved(from, to int32, bytes int64) units.Time {
	if c.busy == nil {
		c.busy = make([]units.Time, c.way.cluster.Nodes)
	}
	end, takes := units.Time(0), units.Time(float64(bytes)/c.rate*float64(units.Second))
	for _, rank := range []int32{from, to} {
		node := c.way.cluster.Node(int(rank))
		c.busy[node] = max(c.busy[node], c.board.Now()) + takes
		end = max(end, c.busy[node])
	}
	return end
}

// nodeRate is the bytes in a second that the library moves from a node, or to one, on a fabric: a share of the rate of the
// NICs that keys and values may use, and no more than the library's own.
func (w *way) nodeRate(f *scenario.Fabric) float64 {
	nics := w.cluster.NICs
	if w.kv.OwnNICs > 0 {
		nics = w.kv.OwnNICs * w.cluster.PerNode
	}
	rate := float64(nics) * float64(f.Link.Rate()) / 8 * float64(max(1, f.NIC.Ports)) * w.kv.Share.Float()
	if own := float64(w.kv.Rate) / 8; own > 0 {
		rate = min(rate, own)
	}
	return rate
}

// arrived continues a lane whose layer has arrived.
func (c *courier) arrived(message int) {
	number := int(c.lane[message])
	delete(c.lane, message)
	l := &c.lanes[number]
	if l.open--; l.open == 0 {
		c.arm(number)
	}
}

// rank is the rank of a GPU of a pool's group, in the stage that has a layer, given the pool's first rank.
func (w *way) rank(first int32, p *scenario.Pool, s site, layer, gpu int) int32 {
	stage := ((layer+1)*p.Pipeline - 1) / w.cache.Layers // which begins with layer stage × layers / stages
	return first + int32(s.instance*p.GPUs()+(stage*p.Data+s.group)*p.Tensor+gpu)
}

// ownNIC is the first NIC of a rank.
func (w *way) ownNIC(rank int32) int32 {
	first, _ := w.cluster.NICsOf(w.cluster.Local(int(rank)))
	return int32(w.cluster.Node(int(rank))*w.cluster.NICs + first)
}

// routes are the pairs of NICs between two ranks: first their own NICs, then the next ones of their nodes.
// If keys and values have NICs of their own, the routes begin with these.
func (w *way) routes(from, to int32) []transfer.Route {
	nic := func(rank int32, k int) int32 {
		first, own := w.cluster.NICsOf(w.cluster.Local(int(rank)))
		if w.kv.OwnNICs > 0 {
			first += own - w.kv.OwnNICs
		}
		return int32(w.cluster.Node(int(rank))*w.cluster.NICs + (first+k)%w.cluster.NICs)
	}
	out := make([]transfer.Route, w.kv.NICs)
	for k := range out {
		out[k] = transfer.Route{From: nic(from, k), To: nic(to, k)}
	}
	return out
}
