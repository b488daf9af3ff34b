package nccl

import (
	"math"

	"weft/units"
)

// Turn is the time of a channel's thread block for one turn: it receives a message, reduces or
// copies its data, and sends the result.
type Turn struct {
	Fixed units.Time // of every turn: polls, barriers, fence, flags
	// Trip is the time of the block's first trip if every thread has a line, and TripBytes its
	// data. With less data it is shorter in proportion.
	Trip      units.Time
	TripBytes int64
	// WholeTrips is true if a turn of more than one trip takes whole trips, as with LL: its threads
	// meet at a barrier, and a trip of few threads waits for memory as long as one of all.
	WholeTrips bool
	// SendGBps and CopyGBps are the rates in GB/s of data of a turn that sends to another GPU, and
	// of one that only writes to its own memory; 0 is no bound.
	SendGBps, CopyGBps float64
	// Streams is true if the block processes a message while it arrives, line by line, as with LL
	// and LL128. With Simple it waits for the whole message.
	Streams bool
	// Staged is true if one group of warps copies a lane's data for others that send it, and a
	// third group copies the results: NVLS.
	Staged bool
}

// nvlsMeasuredHeads is the number of heads of the tables that gave the figures of NVLS. That a turn's fixed
// time is proportional to the heads is an assumption: its warps copy head by head (scatter and
// gather in src/device/prims_simple.h).
const nvlsMeasuredHeads = 8

// tripBytes is the data of one trip of a whole thread block: a line of every thread.
var tripBytes = [numProtos]int64{LL: 512 * 8, LL128: 640 * 8 * 8 / 128 * 120, Simple: 16 << 12}

func (f *turnFigures) turn(p Proto) Turn {
	return Turn{
		Fixed: micros(f.fixedUs), Trip: micros(f.tripUs), TripBytes: tripBytes[p], WholeTrips: p == LL,
		SendGBps: f.sendGBps, CopyGBps: f.copyGBps, Streams: p != Simple,
	}
}

// measured replaces NCCL's constants by measured ones, for the algorithms that were measured and
// GPUs with NVLink.
func (ch Choice) measured(o *Overheads) {
	f := ch.Cluster.Figures
	if f == nil {
		f = MeasuredOf(ch.Cluster.GPU)
	}
	if f == nil || ch.Cluster.Reckoned || ch.Cluster.intra() == linkPCI {
		return
	}
	ring := f.ring(ch.Proto)
	switch ch.Algo {
	case Ring, Tree:
		o.Turn, o.PerStepIntra = ring.turn(ch.Proto), micros(ring.delayUs)
		if all := f.all(ch.Proto); all > 0 {
			o.Turn.SendGBps = min(o.Turn.SendGBps, all/float64(max(ch.Channels, 1)))
		}
	case Direct:
		o.Turn, o.PerStepIntra = ch.pairTurn(&ring), micros(ring.delayUs)
	case NVLS, NVLSTree: // between nodes as many warps copy as on one node (src/device/all_reduce.h)
		nvls := f.nvls()
		nvls.fixedUs *= float64(ch.Cluster.Layout().Heads()) / nvlsMeasuredHeads
		o.Turn, o.PerStepIntra = nvls.turn(Simple), micros(nvls.delayUs)
		o.Turn.Staged = true
		o.SwitchGBps *= f[NVLSSwitch]
	default:
		return
	}
	o.Base = micros(f[Launch] + f[LaunchDoubling]*math.Log2(float64(max(ch.Blocks(ch.Channels), 1))))
	if ch.Cluster.Nodes > 1 && ch.Algo != NVLS { // the network's reduction keeps NCCL's figure
		o.PerStepInter = micros(f.between(ch.Proto))
	}
}

// pairTurn is the turn of a send or a receive. Half of the block's warps send, the others receive:
// LL has half of a ring's rate. Simple works in chunks, of which a small message is one; the receiver
// copies the last one after its arrival, which is the Trip. The program has one turn for several
// chunks inside a node, and in an all-to-all, so that the rate includes their fixed times.
func (ch Choice) pairTurn(f *turnFigures) Turn {
	t := f.turn(ch.Proto)
	t.Streams = true
	if ch.Proto != Simple {
		t.SendGBps, t.CopyGBps = t.SendGBps/2, t.CopyGBps/2
		return t
	}
	chunk := math.Ceil(min(float64(ch.pairChunk()), float64(ch.pairBytes())/float64(max(ch.Channels, 1))))
	fixedNs := 1000 * f.fixedUs
	t.Trip, t.TripBytes = micros(f.fixedUs+chunk/f.copyGBps/1000), int64(chunk)
	if ch.Cluster.Nodes == 1 || sharded(ch.Op) {
		t.Fixed = 0
		t.SendGBps, t.CopyGBps = chunk/(fixedNs+chunk/f.sendGBps), chunk/(fixedNs+chunk/f.copyGBps)
	}
	return t
}

// Blocks is the number of thread blocks that run a choice with a number of channels: for an
// all-to-all, a scatter and a gather the channels of all pairs, as far as there are blocks for them.
func (ch Choice) Blocks(channels int) int {
	if sharded(ch.Op) {
		return max(channels, min(channels*ch.Cluster.Ranks(), ch.Cluster.p2pTotal()))
	}
	return channels
}
