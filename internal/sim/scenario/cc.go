package scenario

import (
	"reflect"
	"slices"
	"strings"

	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/internal/sim/transport/cc"
)

// ccFields says which fields each congestion control has besides preset and
// algorithm.
var ccFields = map[CCAlgorithm][]string{
	DCQCN: {
		"g", "initial-alpha", "alpha-period", "decrease-period", "increase-period", "byte-counter", "fast-recovery",
		"ai-rate", "hai-rate", "min-rate", "min-decrease", "clamp-target", "clamp-after-timer", "first-rate", "cnp-period", "cnp-scope",
	},
	TIMELY: {"weight", "beta", "low-rtt", "high-rtt", "min-rtt", "ai-rate", "hyper-after", "segment", "min-rate"},
	Swift: {
		"base-target", "hop-target", "increase", "beta", "max-decrease", "flow-range", "flow-min-window", "flow-max-window",
		"min-window", "max-window",
	},
	HPCC: {"base-rtt", "utilisation", "max-stage", "ai-rate", "min-rate"},
	NSCC: {"base-rtt", "target-delay", "proportional", "fair", "steady", "fast", "beta", "max-decrease", "quick-gate"},
	IBCC: {"threshold", "marking-rate", "packet-size", "mark-victims", "ccti-timer", "ccti-increase", "ccti-min", "cct"},
}

// has reports whether a field applies to the congestion control.
func (c *CC) has(field string) bool {
	if own := cc.Registered(string(c.Algorithm)); own != nil && field == "parameters" {
		return true
	}
	return field == "preset" || field == "algorithm" || slices.Contains(ccFields[c.Algorithm], field)
}

// algorithmOnly clears what does not apply to the algorithm, and complains where
// it was written together with it.
func (r *resolver) algorithmOnly(path string, c *CC) {
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		name := yamlName(v.Type().Field(i))
		if c.has(name) {
			continue
		}
		v.Field(i).SetZero()
		if !r.written[path+"."+name] {
			continue
		}
		if cc.Registered(string(c.Algorithm)) != nil {
			r.complain(path+"."+name, "%s has no %s: its own are given by parameters, a list of {name, value}", c.Algorithm, name)
			continue
		}
		if len(ccFields[c.Algorithm]) == 0 {
			r.complain(path+"."+name, "%s has no parameters: give the preset of a congestion control", c.Algorithm)
			continue
		}
		r.complain(path+"."+name, "%s has no %s: its fields are %s", c.Algorithm, name, oneOf(ccFields[c.Algorithm]))
	}
}

func (r *resolver) checkCC(path string, f *Fabric) {
	at := path + ".cc"
	if f.CC.Algorithm != NSCC && !r.ccComplete(at, &f.CC) { // NSCC's are derived
		return
	}
	if own, _ := OwnCC(&f.CC); own != nil {
		r.checkOwn(at, f, own)
	}
	switch f.CC.Algorithm {
	case DCQCN:
		r.checkDCQCN(at, f)
	case TIMELY, Swift, HPCC:
		r.checkEndToEnd(at, f)
	case IBCC:
		r.checkIBCC(at, f)
	case NSCC:
		r.checkNSCC(at, f)
	}
}

func (r *resolver) checkNSCC(at string, f *Fabric) {
	c := &f.CC
	if !protocol.Of(f.Kind).Unordered {
		r.complain(at, "nscc is Ultra Ethernet's: %s takes another, or none", f.Kind)
		return
	}
	if c.Proportional.Num == 0 && c.Fair.Num == 0 && c.Steady.Num == 0 {
		r.complain(at, "without proportional, fair and steady increase NSCC's window never grows: give cc: nscc for the specification's")
	}
	r.below(at, "beta", c.Beta)
	r.below(at, "max-decrease", c.MaxDecrease)
	for _, x := range []struct {
		field string
		value Ratio
	}{{"proportional", c.Proportional}, {"fair", c.Fair}, {"steady", c.Steady}, {"fast", c.Fast}} {
		if x.value.Cmp(1000, 1) > 0 {
			r.complain(at+"."+x.field, "%s is more than 1000: the specification's are 0.15 to 5", x.value)
		}
	}
}

// ccComplete sees that each parameter of the algorithm has a value that it can
// have: one that was chosen without its preset has those of another, or none.
func (r *resolver) ccComplete(at string, c *CC) bool {
	v := reflect.ValueOf(c).Elem()
	var missing []string
	for i := range v.NumField() {
		f := v.Type().Field(i)
		low, _, ranged := strings.Cut(f.Tag.Get("range"), "..")
		if !ranged || !c.has(yamlName(f)) || !isScalar(f.Type) || !v.Field(i).IsZero() {
			continue
		}
		if least, err := number(f.Type, low); err == nil && least > 0 {
			missing = append(missing, yamlName(f))
		}
	}
	if len(missing) > 0 {
		r.complain(at+".algorithm", "%s has no %s here: start from its preset (%s), or give them", c.Algorithm, oneOf(missing), strings.Join(catalog.Names(catalog.CC), ", "))
	}
	return len(missing) == 0
}

// below complains of what is more than 1.
func (r *resolver) below(at, field string, value Ratio) {
	if value.Cmp(1, 1) > 0 {
		r.complain(at+"."+field, "%s is more than 1", value)
	}
}

// checkEndToEnd checks those that go by what acknowledgements tell, of the round
// trip or of the path.
func (r *resolver) checkEndToEnd(at string, f *Fabric) {
	c := &f.CC
	if !protocol.Of(f.Kind).Ethernet() {
		r.complain(at, "%s is RoCE v2's here: InfiniBand takes ib-cc or none", c.Algorithm)
		return
	}
	if c.MinRate > f.Link.Rate() {
		r.complain(at+".min-rate", "the lowest rate %s is more than the link's %s", c.MinRate.Exact(), f.Link.Rate().Exact())
	}
	switch c.Algorithm {
	case TIMELY:
		r.below(at, "weight", c.Weight)
		if c.LowRTT > c.HighRTT {
			r.complain(at+".low-rtt", "the low round trip %s is above the high one %s", c.LowRTT.Exact(), c.HighRTT.Exact())
		}
	case Swift:
		r.checkSwift(at, c)
	case HPCC:
		r.below(at, "utilisation", c.Utilisation)
		if c.Utilisation.Num == 0 {
			r.complain(at+".utilisation", "a utilisation of 0 sends nothing: 95%% is HPCC's own")
		}
	}
}

// maxWindow bounds Swift's windows: a million packets are more than a queue pair
// may have in flight.
const maxWindow = 1 << 20

func (r *resolver) checkSwift(at string, c *CC) {
	r.below(at, "max-decrease", c.MaxDecrease)
	for _, w := range []struct {
		field string
		value Ratio
	}{
		{"min-window", c.MinWindow}, {"max-window", c.MaxWindow}, {"flow-min-window", c.FlowMinWindow}, {"flow-max-window", c.FlowMaxWindow},
	} {
		if w.value.Cmp(1, 1000) < 0 || w.value.Cmp(maxWindow, 1) > 0 {
			r.complain(at+"."+w.field, "%s packets: want 0.001 to %d", w.value, maxWindow)
			return
		}
	}
	if c.MaxWindow.Cmp(c.MinWindow.Num, c.MinWindow.Den) < 0 {
		r.complain(at+".max-window", "the largest window %s is below the least %s", c.MaxWindow, c.MinWindow)
	}
	if c.FlowMaxWindow.Cmp(c.FlowMinWindow.Num, c.FlowMinWindow.Den) < 0 {
		r.complain(at+".flow-max-window", "the window %s from which on nothing is added is below the one where all is, %s", c.FlowMaxWindow, c.FlowMinWindow)
	}
}

func (r *resolver) checkDCQCN(at string, f *Fabric) {
	c := &f.CC
	if !protocol.Of(f.Kind).Ethernet() {
		r.complain(at, "DCQCN is RoCE v2's: InfiniBand takes ib-cc or none")
		return
	}
	if !f.Ethernet.ECN.Enabled {
		r.complain(at, "DCQCN hears of congestion by ECN, which is not enabled: set ethernet.ecn.enabled, or cc: none")
	}
	for _, x := range []struct {
		field string
		value Ratio
	}{{"g", c.G}, {"initial-alpha", c.InitialAlpha}, {"min-decrease", c.MinDecrease}, {"first-rate", c.FirstRate}} {
		r.below(at, x.field, x.value)
	}
	if c.MinRate > f.Link.Rate() {
		r.complain(at+".min-rate", "the lowest rate %s is more than the link's %s", c.MinRate.Exact(), f.Link.Rate().Exact())
	}
}

// What an entry of the congestion control table can say (IBA vol. 1,
// A10.2.2.1.1): 14 bits over a power of two of 2 bits; and how many the table
// may have.
const (
	maxCCTMultiplier = 1<<14 - 1
	maxCCTShift      = 3
	maxCCT           = 1 << 10 // sixteen blocks of 64; OpenSM has 128 entries
)

func (r *resolver) checkIBCC(at string, f *Fabric) {
	c := &f.CC
	if protocol.Of(f.Kind).Ethernet() {
		r.complain(at, "ib-cc is InfiniBand's: RoCE v2 takes dcqcn, timely, swift, hpcc or none")
		return
	}
	if f.IB.Queueing == FIFO {
		r.complain(at, "a switch with FIFO inputs has no queue at its outputs to mark by: set ib.queueing: voq, or cc: none")
	}
	if c.Threshold == 0 {
		r.complain(at+".threshold", "a threshold of 0 marks nothing: give 1 to 15, or cc: none")
	}
	if len(c.CCT) < 1 || len(c.CCT) > maxCCT {
		r.complain(at+".cct", "the table has %d entries: 1 to %d are possible", len(c.CCT), maxCCT)
		return
	}
	if c.CCTIMin >= len(c.CCT) {
		r.complain(at+".ccti-min", "the least index %d is beyond the table, whose last is %d", c.CCTIMin, len(c.CCT)-1)
	}
	for i, delay := range c.CCT {
		if _, _, ok := CCTEntry(delay); !ok {
			r.complain(at+".cct", "entry %d is %s: want at most %d, in eighths, since an entry is 14 bits over 1, 2, 4 or 8", i, delay, maxCCTMultiplier)
			return
		}
	}
}

// CCTEntry is a delay as the congestion control table has it, multiplier over
// 2 to the shift; false if it has no such form.
func CCTEntry(delay Ratio) (multiplier uint16, shift uint8, ok bool) {
	for shift := range uint8(maxCCTShift + 1) {
		m := delay.Mul(Ratio{1 << shift, 1})
		if m.Den == 1 && m.Num <= maxCCTMultiplier {
			return uint16(m.Num), shift, true
		}
	}
	return 0, 0, false
}
