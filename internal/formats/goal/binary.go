package goal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"weft/internal/formats/source"
	"weft/internal/sim/workload"
	"weft/units"
)

// The binary form, as written by Graph::serialize_mmap of LogGOPSim's Parser.hpp on x86-64, without
// padding: a magic number of eight bytes; the number of ranks (4), of CPUs and of NICs (1 each);
// for each rank the offsets of the beginning and the end of its part (8 each), counted from the end
// of the magic number. A part has the number of its operations and of the operations without
// dependencies (4 each), the numbers of the latter (4 each), a record for each operation, and lists
// with the numbers of the operations that depend on others.
const (
	magic       = 4223
	magicBytes  = 8
	headBytes   = 6
	jumpBytes   = 16
	recordBytes = 39
)

// The kinds of operations.
const (
	binarySend = 1
	binaryRecv = 2
	binaryCalc = 3
)

// anySource is -1 in a receive: any rank, any tag.
const anySource = 1<<32 - 1

// RecogniseBinary reports whether a file begins as a binary schedule does.
func RecogniseBinary(head []byte) bool {
	return len(head) >= magicBytes && binary.LittleEndian.Uint64(head) == magic
}

// ReadBinary reads a binary schedule; file is its display name. The part read before a problem is
// in the result, with the problem.
func ReadBinary(file string, in io.Reader) *source.Workload {
	b := &binaryReader{file: file, schedule: schedule{rank: -1}}
	w := &source.Workload{Format: "GOAL schedule, binary"}
	w.Stopped = b.read(in)
	b.close()
	w.Where = func(rank, op int) string { return fmt.Sprintf("%s: byte %d", file, b.places[rank][op]) }
	b.finish(w)
	return w
}

// binaryReader is the state of ReadBinary.
type binaryReader struct {
	schedule
	file string
	data []byte // data after the magic number
}

// problem is a problem at an offset from the end of the magic number.
func (b *binaryReader) problem(offset int, value, format string, args ...any) *source.Problem {
	return &source.Problem{File: b.file, Binary: true, Offset: int64(offset + magicBytes), Value: value, Want: fmt.Sprintf(format, args...)}
}

func (b *binaryReader) read(in io.Reader) *source.Problem {
	var whole bytes.Buffer
	n, err := io.Copy(&whole, io.LimitReader(in, maxBinary+1))
	switch {
	case err != nil:
		return b.problem(-magicBytes, "", "a file that can be read to its end: %v", err)
	case n > maxBinary:
		return b.problem(-magicBytes, "", "a file of at most %d bytes", maxBinary)
	case n < magicBytes+headBytes:
		return b.problem(int(n)-magicBytes, "", "the number of ranks, CPUs and NICs, but the file ends")
	}
	b.data = whole.Bytes()[magicBytes:]
	ranks := b.number(0)
	if ranks < 1 || ranks > maxRanks || ranks*jumpBytes > len(b.data)-headBytes {
		return b.problem(0, fmt.Sprint(ranks), "a number of ranks from 1 to %d whose parts the file lists", maxRanks)
	}
	b.ops, b.places = make([][]workload.Op, ranks), make([][]int32, ranks)
	end := uint64(headBytes + ranks*jumpBytes)
	for rank := range ranks {
		if p := b.part(rank, end); p != nil {
			return p
		}
		end = binary.LittleEndian.Uint64(b.data[headBytes+rank*jumpBytes+8:])
	}
	return nil
}

// number is the four bytes at a valid offset.
func (b *binaryReader) number(at int) int { return int(binary.LittleEndian.Uint32(b.data[at:])) }

// part reads the operations of a rank and their dependencies. Parts follow one another: none begins
// before the end of the last.
func (b *binaryReader) part(rank int, last uint64) *source.Problem {
	jump := headBytes + rank*jumpBytes
	from, to := binary.LittleEndian.Uint64(b.data[jump:]), binary.LittleEndian.Uint64(b.data[jump+8:])
	if to > uint64(len(b.data)) || from < last || from > to || to-from < 8 {
		return b.problem(jump, fmt.Sprintf("%d to %d", from, to), "the beginning and the end of the part of rank %d, behind byte %d and within the %d of the file: it ends too soon, or is another's", rank, last, len(b.data))
	}
	start, end := int(from), int(to)
	count, roots := b.number(start), b.number(start+4)
	records := start + 8 + 4*roots
	lists := records + recordBytes*count
	if lists > end {
		return b.problem(start, fmt.Sprintf("%d operations, %d that wait for nothing", count, roots), "as many as the %d bytes of the part of rank %d hold", end-start, rank)
	}
	b.begin(rank)
	for i := range count {
		if p := b.operation(records + recordBytes*i); p != nil {
			return p
		}
	}
	w := waiting{waits: make([]int, count), next: lists, end: end}
	for i := range count {
		if p := b.waiting(records+recordBytes*i, int32(i), lists, &w); p != nil {
			return p
		}
	}
	for i, n := range w.waits {
		if at := records + recordBytes*i; b.number(at) != n {
			return b.problem(at, fmt.Sprint(b.number(at)), "%d, the number of operations that it waits for by the lists", n)
		}
	}
	b.close()
	return nil
}

// operation reads a record: its number of dependencies (4), kind (1), peer (4), size (8), tag (4),
// CPU and NIC (1 each), and the lists of operations that wait for its end and for its beginning
// (number and place, 4 each).
func (b *binaryReader) operation(at int) *source.Problem {
	kind, peer, size, tag := b.data[at+4], b.number(at+5), binary.LittleEndian.Uint64(b.data[at+9:]), b.number(at+17)
	if size > maxNumber {
		return b.problem(at+9, fmt.Sprint(size), "a number from 0 to %d", int64(maxNumber))
	}
	var o workload.Op
	loose := wildcard{rank: int32(b.rank), op: int32(len(b.ops[b.rank]))}
	switch kind {
	case binaryCalc:
		o = workload.Op{Kind: workload.Compute, Time: units.Time(size) * nanosecond}
	case binarySend, binaryRecv:
		o = workload.Op{Kind: workload.Send, Bytes: units.Bytes(size), Peer: int32(peer), Tag: int32(tag)}
		if kind == binaryRecv {
			o.Kind = workload.Recv
			loose.source, loose.tag = peer == anySource, tag == anySource
		}
		if peer >= len(b.ops) && !loose.source {
			return b.problem(at+5, fmt.Sprint(peer), "a rank from 0 to %d", len(b.ops)-1)
		}
		if tag >= 1<<31 && !loose.tag {
			return b.problem(at+17, fmt.Sprint(tag), "a tag from 0 to %d", 1<<31-1)
		}
	default:
		return b.problem(at+4, fmt.Sprint(kind), "%d for a send, %d for a receive or %d for computing", binarySend, binaryRecv, binaryCalc)
	}
	if loose.source {
		o.Peer = -1
	}
	if loose.tag {
		o.Tag = 0
	}
	if loose.source || loose.tag {
		b.any = append(b.any, loose)
	}
	b.cpus = b.cpus || b.data[at+21] > 0
	o.Name = o.Kind.String()
	b.add(o, int32(at+magicBytes))
	return nil
}

// waiting is the state of reading the lists of a part.
type waiting struct {
	waits     []int // number of dependencies of each operation
	next, end int   // start of the next list, and end of the part
}

// waiting reads the lists of operations that wait for an operation's end and for its beginning.
func (b *binaryReader) waiting(at int, op int32, lists int, w *waiting) *source.Problem {
	for i, field := range []int{at + 23, at + 31} {
		count, place := b.number(field), b.number(field+4)
		if count == 0 {
			continue
		}
		first := lists + 4*place
		if first != w.next || first+4*count > w.end {
			return b.problem(field, fmt.Sprintf("%d from %d", count, place), "a list from %d on, after the previous list, within the %d entries of the part of rank %d", (w.next-lists)/4, (w.end-lists)/4, b.rank)
		}
		w.next = first + 4*count
		before := op
		if i == 1 {
			b.starting = true
			before = b.startOf(op, int32(at+magicBytes))
		}
		for k := range count {
			waiter := b.number(first + 4*k)
			if waiter >= len(w.waits) {
				return b.problem(first+4*k, fmt.Sprint(waiter), "an operation from 0 to %d", len(w.waits)-1)
			}
			w.waits[waiter]++
			b.require(int32(waiter), before)
		}
	}
	return nil
}
