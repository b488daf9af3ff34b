package mad

import (
	"fmt"
	"slices"
)

// Structure is an attribute, a record, or the data of a notice: a list of fields in the order and
// with the widths of the specification's table. The same list serves writing and reading, so they
// cannot disagree.
type Structure interface {
	layout(c *codec)
}

// Append appends a structure to b. Append and Parse are short enough for the compiler to inline: it
// then knows the type of s, and allocates neither s nor the codec.
func Append(b []byte, s Structure) []byte {
	c := codec{b: b, at: uint(len(b)) * 8, writing: true}
	s.layout(&c)
	return c.b
}

// Parse reads a structure from the front of b. Its error is a *ShortError, after
// which the fields of s have no meaning.
func Parse(b []byte, s Structure) error {
	c := codec{b: b}
	s.layout(&c)
	return c.err
}

// ShortError is the error for a slice that ends before the structure.
type ShortError struct {
	What string // the expected content of the slice
	Need int    // its size in bytes
	Have int    // length of the slice in bytes
}

func (e *ShortError) Error() string {
	return fmt.Sprintf("%s needs %d bytes and got %d", e.What, e.Need, e.Have)
}

// codec walks over the fields of a structure, most significant bit first, and
// either appends them to b or reads them from its front.
type codec struct {
	b       []byte
	at      uint // the next bit
	end     uint // bits before this one need no check of the length of b
	writing bool
	err     error // a *ShortError if b ends before the fields
}

// skip passes over a field of n bits, which are written as 0, and reports whether the slice
// contains the field.
func (c *codec) skip(n uint) bool {
	c.at += n
	return c.at <= c.end || c.reach()
}

// reach extends b to hold the fields so far, or records that b is too short.
func (c *codec) reach() bool {
	need, have := int(c.at+7)/8, len(c.b)
	if need > have {
		if !c.writing {
			c.err = &ShortError{"the structure", need, have}
			return false
		}
		c.b = slices.Grow(c.b, need-have)[:need]
		clear(c.b[have:])
	}
	c.end = uint(len(c.b)) * 8
	return true
}

// bits is a field of n bits.
func bits[T ~uint8 | ~uint16 | ~uint32 | ~uint64](c *codec, n uint, v *T) {
	from := c.at
	switch {
	case !c.skip(n):
	case c.writing:
		write(c.b, from, n, uint64(*v))
	default:
		*v = T(read(c.b, from, n))
	}
}

// flag is a field of one bit.
func flag(c *codec, v *bool) {
	bit := uint8(0)
	if *v {
		bit = 1
	}
	bits(c, 1, &bit)
	*v = bit == 1
}

// raw is a field of whole bytes.
func raw(c *codec, v []byte) {
	from := c.at / 8
	switch {
	case !c.skip(uint(len(v)) * 8):
	case c.writing:
		copy(c.b[from:], v)
	default:
		copy(v, c.b[from:])
	}
}

// read is the n bits of b from bit at on.
func read(b []byte, at, n uint) uint64 {
	v := uint64(0)
	for n > 0 {
		left := 8 - at%8 // bits of this byte still to read
		k := min(left, n)
		v = v<<k | uint64(b[at/8])>>(left-k)&(1<<k-1)
		at += k
		n -= k
	}
	return v
}

// write sets n bits of b, which were 0, from bit at on.
func write(b []byte, at, n uint, v uint64) {
	for n > 0 {
		left := 8 - at%8
		k := min(left, n)
		b[at/8] |= byte(v >> (n - k) & (1<<k - 1) << (left - k))
		at += k
		n -= k
	}
}
