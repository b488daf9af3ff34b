package engine

import "slices"

// chunkKeys is the number of keys in a chunk: with its header it fills a cache line.
const chunkKeys = 7

// chunk is a part of a list of keys, in no order. Only the first chunk of a
// list may have room.
type chunk struct {
	keys [chunkKeys]uint64
	next int32 // the list's next chunk, or the next free one; -1 if none
	n    uint32
}

// lists holds the chunks of many lists of keys. A list is the index of its first chunk, -1 if it is
// empty.
type lists struct {
	chunks []chunk
	free   int32 // the list of free chunks
}

// add adds a key to a list.
func (l *lists) add(list *int32, key uint64) {
	if i := *list; i < 0 || !l.chunks[i].add(key) {
		l.addChunk(list, key)
	}
}

// add adds a key to a chunk, if there is room.
func (c *chunk) add(key uint64) bool {
	n := c.n
	if n >= chunkKeys {
		return false
	}
	c.keys[n] = key
	c.n = n + 1
	return true
}

// addChunk adds a key to a list that has no chunk with room.
func (l *lists) addChunk(list *int32, key uint64) {
	i := l.free
	if i < 0 {
		i = int32(len(l.chunks))
		l.chunks = append(l.chunks, chunk{})
	} else {
		l.free = l.chunks[i].next
	}
	c := &l.chunks[i]
	c.keys[0], c.n, c.next = key, 1, *list
	*list = i
}

// take empties a list into keys.
func (l *lists) take(list *int32, keys []uint64) []uint64 {
	for i := *list; i >= 0; {
		c := &l.chunks[i]
		n := len(keys)
		keys = slices.Grow(keys, chunkKeys)[:n+chunkKeys]
		*(*[chunkKeys]uint64)(keys[n:]) = c.keys // without a call
		keys = keys[:n+int(c.n)]
		next := c.next
		c.next, l.free = l.free, i
		i = next
	}
	*list = -1
	return keys
}

// least is the smallest key of a list that is not empty.
func (l *lists) least(list int32) uint64 {
	least := ^uint64(0)
	for i := list; i >= 0; i = l.chunks[i].next {
		c := &l.chunks[i]
		for _, key := range c.keys[:c.n] {
			least = min(least, key)
		}
	}
	return least
}
