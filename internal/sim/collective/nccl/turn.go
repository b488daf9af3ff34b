package nccl

import (
	"math"

	"weft/internal/sim/collective"
	"weft/units"
)

// Turn is the time of a channel's thread block for one turn: it receives a message, reduces or
// copies its data, and sends the result.
type Turn struct {
	Fixed units.Time // of every turn: polls, barriers, fence, flags
	// Trip is the time of the block's first trip when every thread has a line, and TripBytes its
	// data. With less data it is shorter in proportion.
	Trip      units.Time
	TripBytes int64
	// SendGBps and CopyGBps are the rates in GB/s of data of a turn that sends to another GPU, and
	// of one that only writes to its own memory; 0 is no bound.
	SendGBps, CopyGBps float64
	// Streams is true if the block processes a message while it arrives, line by line, as with LL
	// and LL128. With Simple it waits for the whole message.
	Streams bool
}

// Figures are the measured times of a generation's kernels.
type Figures struct {
	BaseUs     float64 // launch and completion of one thread block
	DoublingUs float64 // the same in addition, for each doubling of the channels
	Ring       [numProtos]TurnFigures
	NVLS       TurnFigures
	// SwitchShare is the share of NCCL's own rate at which all channels of a GPU send through the
	// reducing switch.
	SwitchShare float64
}

// TurnFigures are the times of a turn in µs and GB/s.
type TurnFigures struct{ DelayUs, TripUs, FixedUs, SendGBps, CopyGBps float64 }

func (f TurnFigures) turn(p Proto) Turn {
	return Turn{
		Fixed: micros(f.FixedUs), Trip: micros(f.TripUs), TripBytes: tripBytes[p],
		SendGBps: f.SendGBps, CopyGBps: f.CopyGBps, Streams: p != Simple,
	}
}

// tripBytes is the data of one trip of a whole thread block: a line of every thread.
var tripBytes = [numProtos]int64{LL: 512 * 8, LL128: 640 * 8 * 8 / 128 * 120, Simple: 16 * 4096}

// measured replaces NCCL's constants by measured ones.
func (ch Choice) measured(o *Overheads) {
	f, ok := Measured[ch.Cluster.GPU]
	if !ok || ch.Cluster.Reckoned {
		return
	}
	base := micros(f.BaseUs + f.DoublingUs*math.Log2(float64(ch.Channels)))
	t := f.Ring[ch.Proto]
	switch ch.Algo {
	case Ring, Tree:
		o.Base, o.PerStepIntra, o.Turn = base, micros(t.DelayUs), t.turn(ch.Proto)
	case NVLS:
		if ch.Cluster.Nodes > 1 {
			return
		}
		o.Base, o.PerStepIntra, o.Turn = base, micros(f.NVLS.DelayUs), f.NVLS.turn(Simple)
		o.SwitchGBps *= f.SwitchShare
		return
	case Direct:
		o.Base, o.PerStepIntra, o.Turn = base, micros(t.DelayUs), ch.pairTurn(t)
	default: // NCCL's own figures
		return
	}
	if ch.Cluster.Nodes > 1 {
		o.PerStepInter = micros(netUs[ch.Proto])
	}
}

// pairTurn is the turn of a send or a receive. Half of the block's warps send, the others receive:
// LL has half of a ring's rate. Simple works in chunks; an all-to-all's message is one piece in
// weft, so that its rate contains the time of the chunks.
func (ch Choice) pairTurn(f TurnFigures) Turn {
	t := f.turn(ch.Proto)
	t.Streams = true
	if ch.Proto != Simple {
		t.SendGBps, t.CopyGBps = f.SendGBps/2, f.CopyGBps/2
		return t
	}
	chunked := func(chunk, gbps float64) float64 { return chunk / (1000*f.FixedUs + chunk/gbps) }
	t.SendGBps = chunked(collective.SlotBytes, f.SendGBps)
	t.CopyGBps = chunked(collective.SlotBytes, f.CopyGBps)
	if ch.Cluster.Nodes > 1 {
		t.CopyGBps = chunked(netChunk, f.CopyGBps)
		if ch.Op != collective.AllToAll {
			t.SendGBps, t.CopyGBps = f.SendGBps, f.CopyGBps
		}
	}
	return t
}

// netUs is the software time of a message between two nodes in µs: from the kernel's store to the
// NIC, and from the NIC to the kernel's poll.
var netUs = [numProtos]float64{LL: 5.5, LL128: 11, Simple: 13.5}

// Blocks is the number of thread blocks that run a choice with a number of channels: for an
// all-to-all the channels of all pairs.
func (ch Choice) Blocks(channels int) int {
	if ch.Op == collective.AllToAll {
		return max(channels, ch.Cluster.p2pChannels())
	}
	return channels
}

// Measured are the figures by generation.
var Measured = map[GPU]Figures{
	Ampere: {
		BaseUs: 7, DoublingUs: .5,
		Ring: [numProtos]TurnFigures{
			LL:     {.6, .25, .1, 4.08, 4.08},
			LL128:  {1.2, 0, 1.1, 6.2, 6.2},
			Simple: {1, 0, 5.3, 11, 14},
		},
	},
	Hopper: {
		BaseUs: 3.8, DoublingUs: .3,
		Ring: [numProtos]TurnFigures{
			LL:     {.5, .1, .18, 6.6, 6.6},
			LL128:  {.9, 0, 1.17, 11, 11},
			Simple: {.7, 0, 2.87, 17.7, 30},
		},
		NVLS: TurnFigures{0, 0, 7, 21.1, 21.1}, SwitchShare: .9,
	},
	Blackwell: {
		BaseUs: 6.4, DoublingUs: .2,
		Ring: [numProtos]TurnFigures{
			LL:     {.96, .05, .83, 9.4, 9.4},
			LL128:  {.9, 0, 1, 19, 19},
			Simple: {.7, 0, 3.4, 23, 36},
		},
		NVLS: TurnFigures{0, 0, 11, 30, 30}, SwitchShare: .9,
	},
}
