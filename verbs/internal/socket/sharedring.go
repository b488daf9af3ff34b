package socket

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe" //nolint:depguard // positions in memory that two processes share
)

// sharedRing is a queue of datagrams in memory that two devices of one machine share. One device
// writes and the other reads; each keeps its own position and publishes it.
//
// An entry is a word with the size of the data and of a packet, and the data, padded to a multiple
// of eight bytes. An entry of size skipped ends a round: the next one is at the start. The reader
// trusts neither the position nor the sizes, because the writer is another process.
type sharedRing struct {
	memory        []byte
	read, written *atomic.Uint64 // bytes so far
	asleep        *atomic.Uint32 // 1: the reader waits for the writer to wake it
	data          []byte
	at            uint64 // own position
	other         uint64 // last seen position of the other end
}

const (
	ringHeader = 4096 // the reader's and the writer's positions, in cache lines of their own
	ringBytes  = ringHeader + ringData
	entryHead  = 8
	skipped    = 1<<32 - 1
	// rewound is the position from which an empty ring starts again, so that few data in flight stay in
	// the processors' caches. Until the reader has come to the start, there is room for as much.
	rewound = ringData / 2
)

// ringOn is the ring in a zeroed memory of ringBytes.
func ringOn(memory []byte) sharedRing {
	return sharedRing{
		memory: memory, data: memory[ringHeader:],
		read: (*atomic.Uint64)(unsafe.Pointer(&memory[0])), written: (*atomic.Uint64)(unsafe.Pointer(&memory[128])),
		asleep: (*atomic.Uint32)(unsafe.Pointer(&memory[256])),
	}
}

// put adds a datagram; false if there is no room, or no memory.
func (r *sharedRing) put(o *Outgoing) bool {
	size := 0
	for _, part := range o.Parts {
		size += len(part)
	}
	needs := entryHead + (size+7)&^7
	pos := int(r.at % ringData)
	if pos+needs > ringData || pos >= rewound && r.empty() {
		if !r.room(ringData - pos) {
			return false
		}
		binary.LittleEndian.PutUint64(r.data[pos:], skipped)
		r.at += uint64(ringData - pos)
		pos = 0
	}
	if !r.room(needs) {
		return false
	}
	binary.LittleEndian.PutUint64(r.data[pos:], uint64(size)|uint64(o.Segment)<<32)
	to := r.data[pos+entryHead : pos+needs]
	for _, part := range o.Parts {
		to = to[copy(to, part):]
	}
	r.at += uint64(needs)
	r.written.Store(r.at)
	return true
}

// empty reports to the writer whether all is read.
func (r *sharedRing) empty() bool {
	r.other = r.read.Load()
	return r.other == r.at
}

// room reports to the writer whether there is room for a number of bytes.
func (r *sharedRing) room(bytes int) bool {
	if r.at-r.other+uint64(bytes) <= ringData {
		return true
	}
	r.other = r.read.Load()
	return r.at-r.other+uint64(bytes) <= ringData
}

// waiting reports whether there are entries that the reader has not freed.
func (r *sharedRing) waiting() bool { return r.written.Load() != r.read.Load() }

// take is the next entry; false if there is none. Its data stay until free. An entry that is not
// valid loses all that is written.
func (r *sharedRing) take(in *Incoming) bool {
	for {
		written := r.written.Load()
		left := written - r.at
		if left < entryHead || left > ringData {
			r.at = written &^ 7
			return false
		}
		pos := int(r.at % ringData)
		head := binary.LittleEndian.Uint64(r.data[pos:])
		size := int(uint32(head))
		if size == skipped {
			r.at += uint64(ringData - pos)
			continue
		}
		needs := entryHead + (size+7)&^7
		if uint64(needs) > left || pos+needs > ringData {
			r.at = written &^ 7
			return false
		}
		r.at += uint64(needs)
		*in = Incoming{Segment: int(head >> 32), Data: r.data[pos+entryHead : pos+entryHead+size : pos+entryHead+size], Near: true}
		return true
	}
}

// free gives the room of all taken entries back to the writer.
func (r *sharedRing) free() {
	if r.other != r.at {
		r.other = r.at
		r.read.Store(r.at)
	}
}
