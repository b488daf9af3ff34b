package network

import (
	"weft/internal/sim/fabric"
	"weft/internal/sim/protocol"
	"weft/internal/sim/scenario"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/wire"
)

// controller makes the congestion control of each new queue pair of a fabric:
// they share its parameters. It gives nil where there is none.
func controller(f *scenario.Fabric) func() cc.Algorithm {
	switch f.CC.Algorithm {
	case scenario.DCQCN:
		params := dcqcn(f)
		return func() cc.Algorithm { return cc.NewDCQCN(params, cc.Unlimited) }
	case scenario.TIMELY:
		params := timely(f)
		return func() cc.Algorithm { return cc.NewTimely(params) }
	case scenario.Swift:
		params := swift(f)
		return func() cc.Algorithm { return cc.NewSwift(params) }
	case scenario.HPCC:
		params := hpccOf(f)
		return func() cc.Algorithm { return cc.NewHPCC(params) }
	case scenario.IBCC:
		params := ibcc(f)
		return func() cc.Algorithm { return cc.NewIBCC(params) }
	case scenario.NSCC:
		params := nscc(f)
		return func() cc.Algorithm { return cc.NewNSCC(params) }
	}
	if own, values := scenario.OwnCC(&f.CC); own != nil {
		link := cc.Link{Rate: f.Link.Rate(), Packet: f.MTU}
		return func() cc.Algorithm { return own.New(link, values) }
	}
	if protocol.Of(f.Kind).Unordered {
		return func() cc.Algorithm { return cc.NewFixed(f.Transport.Window) }
	}
	return func() cc.Algorithm { return nil }
}

const (
	// dataOverhead is what a packet of RoCE v2 over IPv4 without RETH takes beyond
	// its payload: what the NIC paces by.
	dataOverhead = 82
	// telemetryBytes is HPCC's header of telemetry: five switches of 8 bytes each,
	// and 2 more (Li et al. 2019, section 4). It is in each data packet and goes
	// back in each acknowledgement.
	telemetryBytes = 42
)

// telemetry is the bytes of telemetry in a packet with an operation code.
func telemetry(f *scenario.Fabric, op wire.Opcode) int {
	if f.CC.Algorithm == scenario.HPCC && op != wire.CNP {
		return telemetryBytes
	}
	return 0
}

// notification sets how the queue pairs of a fabric tell each other of marks, and
// what they pace by.
func notification(f *scenario.Fabric, c *transport.Config) {
	switch f.CC.Algorithm {
	case scenario.DCQCN:
		c.CNPInterval = f.CC.CNPPeriod
		if f.CC.CNPScope == scenario.CNPsOfPort {
			c.CNPInterval = 0 // the port's
		}
		c.PacedOverhead = dataOverhead
	case scenario.TIMELY, scenario.Swift:
		c.PacedOverhead = dataOverhead
	case scenario.HPCC:
		c.PacedOverhead = dataOverhead + telemetryBytes
	case scenario.IBCC:
		c.Marks, c.CNPInterval = transport.MarksAcked, 0 // BECN on acknowledgements, a CNP where there is none
		c.PacedOverhead = units.Bytes(wire.InfiniBandBytes(wire.RCWriteMiddle, 0, f.IB.GRH))
	}
	if own, values := scenario.OwnCC(&f.CC); own != nil {
		c.PacedOverhead = dataOverhead
		if own.Notifications != "" {
			c.CNPInterval = values.Time(own.Notifications)
		}
	}
}

// in65536 is a ratio in 1/65536.
func in65536(r scenario.Ratio) uint32 { return uint32(r.Of(65536)) }

// packets is a window in packets in 1/65536.
func packets(r scenario.Ratio) int64 { return max(1, r.Mul(scenario.Ratio{Num: 65536, Den: 1}).Of(1)) }

// timely is the parameters of the fabric's TIMELY.
func timely(f *scenario.Fabric) *cc.TimelyParams {
	c := &f.CC
	return &cc.TimelyParams{
		LineRate: f.Link.Rate(), MinRate: c.MinRate, Weight: in65536(c.Weight), Beta: in65536(c.Beta),
		Low: c.LowRTT, High: c.HighRTT, MinRTT: c.MinRTT, AdditiveRate: c.AIRate, HyperAfter: c.HyperAfter, Segment: c.Segment,
	}
}

// swift is the parameters of the fabric's Swift.
func swift(f *scenario.Fabric) *cc.SwiftParams {
	c := &f.CC
	return &cc.SwiftParams{
		Packet: f.MTU, BaseTarget: c.BaseTarget, HopTarget: c.HopTarget,
		Increase: packets(c.Increase), Beta: int64(in65536(c.Beta)), MaxDecrease: int64(in65536(c.MaxDecrease)),
		FlowRange: c.FlowRange, FlowMin: packets(c.FlowMinWindow), FlowMax: packets(c.FlowMaxWindow),
		MinWindow: packets(c.MinWindow), MaxWindow: packets(c.MaxWindow),
	}
}

// hpccOf is the parameters of the fabric's HPCC.
func hpccOf(f *scenario.Fabric) *cc.HPCCParams {
	c := &f.CC
	increase := int64(c.AIRate) / 8 * int64(c.BaseRTT/units.Nanosecond) / int64(units.Second/units.Nanosecond)
	return &cc.HPCCParams{
		LineRate: f.Link.Rate(), MinRate: c.MinRate, BaseRTT: c.BaseRTT, Utilisation: int64(in65536(c.Utilisation)),
		MaxStage: c.MaxStage, Increase: max(1, units.Bytes(increase)),
	}
}

// bytesIn is what a rate carries in a time.
func bytesIn(r units.Rate, t units.Time) units.Bytes {
	return units.Bytes(scenario.Ratio{Num: int64(r), Den: 8}.Mul(scenario.Ratio{Num: int64(t), Den: int64(units.Second)}).Of(1))
}

// The network that the defaults of NSCC are for: 100 Gb/s and 12 us, which is 150 kB
// in flight. Those of another grow with what it has in flight (scaling_a of the UET
// specification, 3.6.13.3).
const (
	referenceFlight = 150_000
	referenceRTT    = 12 * units.Microsecond
)

// nscc is the parameters of the fabric's NSCC.
func nscc(f *scenario.Fabric) *cc.NSCCParams {
	c := &f.CC
	flight := bytesIn(f.Link.Rate(), c.BaseRTT)
	scaled := func(packets scenario.Ratio) scenario.Ratio {
		return packets.Mul(scenario.Ratio{Num: int64(flight), Den: referenceFlight})
	}
	target := scenario.Ratio{Num: int64(c.TargetDelay), Den: int64(referenceRTT)}
	return &cc.NSCCParams{
		LineRate: f.Link.Rate(), Packet: f.MTU, BaseRTT: c.BaseRTT, TargetDelay: c.TargetDelay,
		Proportional: scaled(c.Proportional).Mul(target).Of(int64(f.MTU)),
		Fair:         scaled(c.Fair).Of(int64(f.MTU)), Steady: scaled(c.Steady).Of(int64(f.MTU)),
		FastScale: scaled(c.Fast).Of(1 << 16), Beta: int64(in65536(c.Beta)), MaxDecrease: int64(in65536(c.MaxDecrease)),
		QuickGate: uint(c.QuickGate), QuickDelay: quickDelay(f),
	}
}

// quickDelay is the delay that sets off NSCC's quick adaptation: none where switches
// trim, since a trimmed packet tells sooner, else four times the target (UET, 3.6.13.3).
func quickDelay(f *scenario.Fabric) units.Time {
	if f.Ethernet.Trim.On() {
		return units.Forever
	}
	return 4 * f.CC.TargetDelay
}

// dcqcn is the parameters of the fabric's DCQCN.
func dcqcn(f *scenario.Fabric) *cc.DCQCNParams {
	c := &f.CC
	line := f.Link.Rate()
	return &cc.DCQCNParams{
		LineRate: line, MinRate: c.MinRate, MinDecrease: in65536(c.MinDecrease),
		FirstCNPRate: units.Rate(int64(float64(line) * float64(c.FirstRate.Num) / float64(max(1, c.FirstRate.Den)))),
		Gain:         in65536(c.G), InitialAlpha: in65536(c.InitialAlpha),
		AlphaPeriod: c.AlphaPeriod, DecreasePeriod: c.DecreasePeriod,
		ClampTarget: c.ClampTarget, ClampAfterTimer: c.ClampAfterTimer,
		IncreasePeriod: c.IncreasePeriod, IncreaseBytes: c.ByteCounter, FastRecovery: uint32(c.FastRecovery),
		AdditiveRate: c.AIRate, HyperRate: c.HAIRate,
		CNPInterval: c.CNPPeriod, CNPsOfPort: c.CNPScope == scenario.CNPsOfPort,
	}
}

// ibcc is what the channel adapters are told of InfiniBand's congestion control.
func ibcc(f *scenario.Fabric) *cc.IBCCParams {
	c := &f.CC
	p := &cc.IBCCParams{LineRate: f.Link.Rate(), Timer: c.CCTITimer, Increase: c.CCTIIncrease, Min: c.CCTIMin}
	for _, delay := range c.CCT {
		m, shift, _ := scenario.CCTEntry(delay)
		p.Table = append(p.Table, cc.TableEntry{Multiplier: m, Shift: shift})
	}
	return p
}

// fecn is how the switches of an InfiniBand fabric mark. Which threshold in bytes
// a value from 15 to 1 means is for the maker of the switch to say, and none
// does: sixteenths of a lane's input buffer, 15 being one of them, is an
// assumption.
func fecn(f *scenario.Fabric) fabric.FECN {
	c := &f.CC
	if c.Algorithm != scenario.IBCC {
		return fabric.FECN{}
	}
	return fabric.FECN{
		Threshold:   int32(max(1, f.IB.Buffer/16*units.Bytes(16-c.Threshold))),
		MarkingRate: uint16(c.MarkingRate), PacketSize: uint16(c.PacketSize), Victims: c.MarkVictims,
	}
}
