package engine

import "slices"

// chunkKeys is the number of keys in a chunk: with the link to the chunk before, they fill a cache line.
const chunkKeys = 7

// lists holds many lists of keys, in chunks of chunkKeys keys and the list as it was before the chunk. A list
// is the place behind its last key. The place behind a full chunk ends a list too: the first chunk has no keys, and
// the empty list ends there.
type lists struct {
	chunks []uint64
	free   uint32 // the list of free chunks
}

// emptyKeys is a list without keys.
const emptyKeys uint32 = chunkKeys

func newLists() lists { return lists{chunks: make([]uint64, chunkKeys+1), free: emptyKeys} }

// add adds a key to a list.
func (l *lists) add(list *uint32, key uint64) {
	if at := *list; at&chunkKeys != chunkKeys {
		l.chunks[at] = key
		*list = at + 1
		return
	}
	l.addChunk(list, key)
}

// addChunk adds a key to a list whose last chunk is full.
func (l *lists) addChunk(list *uint32, key uint64) {
	full := l.free
	if full == emptyKeys {
		full = uint32(len(l.chunks)) + chunkKeys
		l.chunks = append(l.chunks, make([]uint64, chunkKeys+1)...)
	} else {
		l.free = uint32(l.chunks[full])
	}
	l.chunks[full] = uint64(*list)
	first := full - chunkKeys
	l.chunks[first] = key
	*list = first + 1
}

// take empties a list into keys.
func (l *lists) take(list *uint32, keys []uint64) []uint64 {
	for end := *list; end != emptyKeys; {
		full := end | chunkKeys
		n := len(keys)
		keys = slices.Grow(keys, chunkKeys)[:n+chunkKeys]
		c, k := (*[chunkKeys + 1]uint64)(l.chunks[full-chunkKeys:]), (*[chunkKeys]uint64)(keys[n:])
		k[0], k[1], k[2], k[3], k[4], k[5], k[6] = c[0], c[1], c[2], c[3], c[4], c[5], c[6] // without a call
		keys = keys[:n+int(end&chunkKeys)]
		end = uint32(c[chunkKeys])
		c[chunkKeys], l.free = uint64(l.free), full
	}
	*list = emptyKeys
	return keys
}

// each gives the keys of a list, in no order.
func (l *lists) each(list uint32) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		for end := list; end != emptyKeys; end = uint32(l.chunks[end|chunkKeys]) {
			for _, key := range l.chunks[end&^chunkKeys : end] {
				if !yield(key) {
					return
				}
			}
		}
	}
}

// least is the smallest key of a list that is not empty.
func (l *lists) least(list uint32) uint64 {
	least := ^uint64(0)
	for key := range l.each(list) {
		least = min(least, key)
	}
	return least
}
