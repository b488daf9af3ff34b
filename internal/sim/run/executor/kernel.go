package executor

import (
	"weft/internal/sim/collective"
	"weft/internal/sim/collective/nccl"
	"weft/units"
)

// kernel is the time that the thread blocks of a collective's channels take for their work.
//
// A channel of a GPU is one thread block. Its warps form one to four groups, and a group is a
// serial server: it takes one turn after another. A turn receives the messages of a step and sends
// those of the next. nccl.Turn gives its time.
type kernel struct {
	fixed      units.Time
	trip       units.PerByte // of the data of the first trip
	tripBytes  int64
	send, copy units.PerByte
	streams    bool
	whole      bool  // trips
	groups     []int // of warps, by step: later steps have the last one; nil: all steps have the first
	staged     bool  // as NVLS: other warps send what a lane's first turn has copied
	blocks     int   // thread blocks: a lane's is its number modulo blocks
}

// kernelGroups is the maximum number of groups of warps of a channel.
const kernelGroups = 4

// kernelOf is the kernel of an algorithm.
func kernelOf(o *nccl.Overheads, a collective.Algo, blocks int) kernel {
	k := kernel{blocks: blocks, fixed: o.Turn.Fixed, send: dataRate(o.Turn.SendGBps, 1), copy: dataRate(o.Turn.CopyGBps, 1), streams: o.Turn.Streams, whole: o.Turn.WholeTrips}
	if o.Turn.TripBytes > 0 {
		k.trip, k.tripBytes = units.PerByte{Num: int64(o.Turn.Trip), Den: o.Turn.TripBytes}, o.Turn.TripBytes
	}
	switch a {
	case collective.Tree: // runTreeSplit: some warps reduce towards the root, the others pass the result down
		k.groups = []int{0, 0, 1, 1}
	case collective.NVLSTree: // to scatter; to reduce and send up; to send down; to gather
		k.staged = o.Turn.Staged
		k.groups = []int{0, 1, 1, 2, 3}
	case collective.Direct, collective.NVLS: // warps for sends and for receives; to scatter, to reduce and to gather
		k.staged = o.Turn.Staged
		k.groups = []int{0, 1, 2}
	}
	return k
}

// destination is the memory that a turn writes: of its own GPU, of another one, or for a NIC.
type destination uint8

const (
	toSelf destination = iota
	toPeer
	toNIC
)

// server is the number of the group of warps that begins a step of a lane, among the groups of all
// blocks.
func (k *kernel) server(lane, step int) int {
	first := lane % k.blocks * kernelGroups
	if k.groups == nil {
		return first
	}
	return first + k.groups[min(step, len(k.groups)-1)]
}

// work is the time of a turn. Data for a NIC is written to the GPU's own memory.
func (k *kernel) work(bytes int64, to destination) units.Time {
	return k.fixed + k.data(bytes, to)
}

// data is the part of a turn's time for its bytes.
func (k *kernel) data(bytes int64, to destination) units.Time {
	rate := k.copy
	if to == toPeer {
		rate = k.send
	}
	if rate.Num == 0 {
		return 0
	}
	if k.whole && bytes > k.tripBytes {
		bytes = (bytes + k.tripBytes - 1) / k.tripBytes * k.tripBytes
	}
	return units.Time(bytes * rate.Num / rate.Den)
}

// begin takes a turn that waits for no message. free is the time at which its warps are free. Its
// messages begin to leave at the beginning of the turn, or at its end if other warps send them.
func (k *kernel) begin(free *units.Time, now units.Time, bytes int64, to destination) (leave, end units.Time) {
	leave = max(now, *free)
	*free = leave + k.work(bytes, to)
	if k.staged {
		leave = *free
	}
	return leave, *free
}

// follow takes the turn for received messages whose flags the warps see at ready. Warps that stream
// have processed the data while it came.
func (k *kernel) follow(free *units.Time, now, ready units.Time, bytes int64, to destination) (start, end units.Time) {
	work := k.work(bytes, to)
	if k.tripBytes > 0 {
		ready += units.Time(min(bytes, k.tripBytes) * k.trip.Num / k.trip.Den)
	}
	if k.streams {
		end = max(*free+work, ready)
		start = max(now, end-work)
	} else {
		start = max(*free, ready)
		end = start + work
	}
	*free = end
	return start, end
}

// bytesOf is the size of a turn that begins a lane: the sent data, and in a reduction by the switch
// the rank's own part, which warps copy with the others.
func (k *kernel) bytesOf(s *collective.Step, perNode int) (bytes int64) {
	for i := range s.Sends {
		bytes += s.Sends[i].Bytes
	}
	if k.staged && s.Sends[0].Path == collective.PathReduce {
		bytes = bytes * int64(perNode) / int64(max(perNode-1, 1))
	}
	return bytes
}
