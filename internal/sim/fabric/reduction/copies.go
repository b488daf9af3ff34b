package reduction

// Copies counts the copies of packets that have not left their switches, by record.
type Copies struct {
	left []int32
	free []int32 // records
}

// Begin is a record for a packet of which there are so many copies.
func (c *Copies) Begin(copies int32) (record int32) {
	if last := len(c.free) - 1; last >= 0 {
		record = c.free[last]
		c.free = c.free[:last]
		c.left[record] = copies
		return record
	}
	c.left = append(c.left, copies)
	return int32(len(c.left) - 1)
}

// Leave counts a copy that leaves, and reports whether it was the last.
func (c *Copies) Leave(record int32) (last bool) {
	c.left[record]--
	if c.left[record] > 0 {
		return false
	}
	c.free = append(c.free, record)
	return true
}
