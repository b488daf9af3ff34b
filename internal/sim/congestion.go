package sim

import (
	"weft/internal/fabric"
	"weft/internal/transport"
	"weft/internal/transport/cc"
	"weft/scenario"
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
	case scenario.IBCC:
		params := ibcc(f)
		return func() cc.Algorithm { return cc.NewIBCC(params) }
	}
	return func() cc.Algorithm { return nil }
}

// notification sets how the queue pairs of a fabric tell each other of marks, and
// what they pace by.
func notification(f *scenario.Fabric, c *transport.Config) {
	switch f.CC.Algorithm {
	case scenario.DCQCN:
		c.CNPInterval = f.CC.CNPPeriod
		const dataOverhead = 82 // RoCE v2 over IPv4 without RETH: what the NIC paces by
		c.PacedOverhead = dataOverhead
	case scenario.IBCC:
		c.EchoCE, c.AckCE, c.CNPInterval = true, true, 0 // BECN on acknowledgements, a CNP where there is none
		c.PacedOverhead = units.Bytes(wire.InfiniBandBytes(wire.RCWriteMiddle, 0, f.IB.GRH))
	}
}

// dcqcn is the parameters of the fabric's DCQCN.
func dcqcn(f *scenario.Fabric) *cc.DCQCNParams {
	c := &f.CC
	in65536 := func(r scenario.Ratio) uint32 { return uint32(r.Num * 65536 / max(1, r.Den)) }
	line := f.Link.Rate()
	return &cc.DCQCNParams{
		LineRate: line, MinRate: c.MinRate, MinDecrease: in65536(c.MinDecrease),
		FirstCNPRate: units.Rate(int64(float64(line) * float64(c.FirstRate.Num) / float64(max(1, c.FirstRate.Den)))),
		Gain:         in65536(c.G), InitialAlpha: in65536(c.InitialAlpha),
		AlphaPeriod: c.AlphaPeriod, DecreasePeriod: c.DecreasePeriod,
		ClampTarget: c.ClampTarget, ClampAfterTimer: c.ClampAfterTimer,
		IncreasePeriod: c.IncreasePeriod, IncreaseBytes: c.ByteCounter, FastRecovery: uint32(c.FastRecovery),
		AdditiveRate: c.AIRate, HyperRate: c.HAIRate, CNPInterval: c.CNPPeriod,
	}
}

// ibcc is what the channel adapters are told of InfiniBand's congestion control.
func ibcc(f *scenario.Fabric) *cc.IBCCParams {
	c := &f.CC
	p := &cc.IBCCParams{LineRate: f.Link.Rate(), Timer: c.CCTITimer, Increase: c.CCTIIncrease, Min: c.CCTIMin}
	for _, delay := range c.CCT {
		m, shift, _ := scenario.CCTEntry(delay)
		p.Table = append(p.Table, cc.CCTEntry{Multiplier: m, Shift: shift})
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
