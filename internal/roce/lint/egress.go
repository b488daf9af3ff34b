package lint

import (
	"cmp"
	"fmt"
	"strings"

	"weft/internal/roce/sonic"
	"weft/units"
)

// noBound is the exponent of a dynamic threshold that means no bound: SONiC's templates give it to
// lossless queues.
const noBound = 7

// partsOfMemory is the number of parts of a chip's buffer that each have a fixed threshold of their
// own: SONiC gives lossless queues of Broadcom's Tomahawk a quarter of the pool.
const partsOfMemory = 4

// leaves judges whether a queue of lossless traffic may be as long as what arrives: PFC protects
// packets on their way in, and a queue that is full drops them on their way out.
func (c *checker) leaves(p *sonic.Port, queue int) {
	q := &p.Queues[queue]
	if q.Profile == nil {
		if _, others := c.othersFill(p); !others && q.ProfileKey == "" {
			c.cannotAt(p, "whether queues of lossless traffic may hold what arrives: BUFFER_QUEUE has no entry for them")
		}
		return
	}
	f := Finding{
		Rule: "egress-lossy", Severity: Error, At: c.place(q.ProfileAt), Value: fmt.Sprintf("queue %d has profile %s", queue, q.Profile.Name),
		Traffic: c.into(p, func(class sonic.Class) bool { return class.Queue == queue }),
	}
	if f.Why = c.overruns(q.Profile, queue); f.Why == "" {
		if !strings.Contains(q.Profile.Name, "lossy") {
			return
		}
		f.Severity = Warning
		f.Why = fmt.Sprintf("queue %d of lossless traffic has the profile of lossy queues (line %d): today it bounds the queue no further, and who lowers it for lossy traffic drops packets that PFC protects", queue, q.Profile.Line)
	}
	if name, lines := c.egressProfile(); name != "" && (name != q.Profile.Name || len(lines) > 0) {
		f.Fixes = []Fix{{c.name(), append(lines, sonic.Patch("BUFFER_QUEUE", c.ownKey(p, queue), "profile", name))}}
	}
	c.add(p, f)
}

// overruns says how a profile makes a queue drop lossless packets, "" if it does not or if that is
// not known.
func (c *checker) overruns(profile *sonic.Profile, queue int) string {
	if profile.Pool != nil && profile.Pool.Ingress {
		return fmt.Sprintf("queue %d of lossless traffic has a profile (line %d) of %s, a pool of packets on their way in: it bounds nothing that leaves, and SONiC refuses it", queue, profile.Line, profile.Pool.Name)
	}
	if profile.StaticTh == 0 && profile.DynamicTh >= noBound {
		return ""
	}
	in := c.pool()
	most, known := profile.Threshold()
	if !known || in == nil || in.Size == 0 {
		return ""
	}
	if profile.StaticTh > 0 && !strings.Contains(profile.Name, "lossy") {
		most *= partsOfMemory
	}
	if arrives := in.Size + in.Xoff; most < arrives {
		return fmt.Sprintf("queue %d of lossless traffic holds %d bytes at most (profile %s, line %d, with an empty pool), and up to %d arrive for it before PFC has stopped all senders (%s, line %d): the rest is dropped on its way out, where PFC protects nothing",
			queue, most, profile.Name, profile.Line, arrives, in.Name, in.Line)
	}
	return ""
}

// egressProfile is a profile of the switch that does not bound lossless queues, or one to make from a
// pool of egress.
func (c *checker) egressProfile() (name string, lines []string) {
	for _, p := range c.sw.Profiles {
		if p.Pool != nil && !p.Pool.Ingress && !p.Lossless() && !strings.Contains(p.Name, "lossy") && c.overruns(p, 0) == "" {
			return p.Name, nil
		}
	}
	pool := (*sonic.Pool)(nil)
	for _, p := range c.sw.Pools {
		if !p.Ingress && (pool == nil || p.Size > pool.Size) {
			pool = p
		}
	}
	if pool == nil {
		return "", nil
	}
	const made = "egress_lossless_profile"
	bound := []string{"dynamic_th", fmt.Sprint(noBound)}
	if pool.Static {
		bound = []string{"static_th", fmt.Sprint(int64(max(pool.Size, c.arrives())))}
	}
	return made, []string{sonic.Patch("BUFFER_PROFILE", made, append([]string{"pool", pool.Name, "size", "0"}, bound...)...)}
}

// arrives is the most lossless data that the switch takes in.
func (c *checker) arrives() units.Bytes {
	if in := c.pool(); in != nil {
		return in.Size + in.Xoff
	}
	return 0
}

// ownKey is the key of a queue's row in BUFFER_QUEUE: of the present row if all its queues are
// lossless, or of a row for this queue alone.
func (c *checker) ownKey(p *sonic.Port, queue int) string {
	own := fmt.Sprintf("%s|%d", p.Name, queue)
	for n := range p.Queues {
		if q := &p.Queues[n]; q.ProfileKey == p.Queues[queue].ProfileKey && !c.losslessQueue(p, n) {
			return own
		}
	}
	return cmp.Or(p.Queues[queue].ProfileKey, own)
}

// losslessQueue reports whether a queue has lossless traffic.
func (c *checker) losslessQueue(p *sonic.Port, queue int) bool {
	for tc := range sonic.Priorities {
		if class := p.ClassOfTC(tc); class.Queue == queue && p.Lossless(class.Group) {
			return true
		}
	}
	return false
}
