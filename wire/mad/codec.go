package mad

import (
	"fmt"
	"slices"
)

// ShortError says that bytes end before what they should hold does.
type ShortError struct {
	What string // the structure
	Need int    // bytes that it takes
	Have int    // bytes that there are
}

func (e *ShortError) Error() string {
	return fmt.Sprintf("%s takes %d bytes, and there are %d", e.What, e.Need, e.Have)
}

// codec walks over the fields of a structure, most significant bit first, and
// either writes them or reads them.
type codec struct {
	b   []byte // of the structure: as long as its layout
	at  uint   // the next bit
	put bool   // write, not read
}

// grow appends n zero bytes to b, and returns a codec that writes them.
func grow(b []byte, n int) ([]byte, codec) {
	b = slices.Grow(b, n)[:len(b)+n]
	own := b[len(b)-n:]
	clear(own)
	return b, codec{b: own, put: true}
}

// open returns a codec that reads the first n bytes of b.
func open(b []byte, what string, n int) (codec, error) {
	if len(b) < n {
		return codec{}, &ShortError{what, n, len(b)}
	}
	return codec{b: b[:n]}, nil
}

// bits is a field of n bits.
func bits[T ~uint8 | ~uint16 | ~uint32 | ~uint64](c *codec, n uint, v *T) {
	if c.put {
		c.write(n, uint64(*v))
	} else {
		*v = T(c.read(n))
	}
}

// flag is a field of one bit.
func flag(c *codec, v *bool) {
	if !c.put {
		*v = c.read(1) == 1
		return
	}
	if *v {
		c.write(1, 1)
	} else {
		c.write(1, 0)
	}
}

// raw is a field of whole bytes.
func raw(c *codec, v []byte) {
	own := c.b[c.at/8:]
	if c.put {
		copy(own, v)
	} else {
		copy(v, own)
	}
	c.at += uint(len(v)) * 8
}

// skip passes over n reserved bits.
func (c *codec) skip(n uint) { c.at += n }

func (c *codec) read(n uint) uint64 {
	v := uint64(0)
	for n > 0 {
		left := 8 - c.at%8 // bits of this byte that were not read yet
		k := min(left, n)
		v = v<<k | uint64(c.b[c.at/8])>>(left-k)&(1<<k-1)
		c.at += k
		n -= k
	}
	return v
}

func (c *codec) write(n uint, v uint64) {
	for n > 0 {
		left := 8 - c.at%8
		k := min(left, n)
		c.b[c.at/8] |= byte(v >> (n - k) & (1<<k - 1) << (left - k))
		c.at += k
		n -= k
	}
}
