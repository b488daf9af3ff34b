package reduction

// Copies counts the copies of packets that have not left their switches, by record.
type Copies struct {
	left []int32
	free []int32 // records
}

// Begin is a record for a packet that is copied.
func (c *Copies) Begin() (record int32) {
	if last := len(c.free) - 1; last >= 0 {
		record = c.free[last]
		c.free = c.free[:last]
		return record
	}
	c.left = append(c.left, 0)
	return int32(len(c.left) - 1)
}

// Add counts one more copy.
func (c *Copies) Add(record int32) { c.left[record]++ }

// Leave counts a copy that leaves, and reports whether it was the last.
func (c *Copies) Leave(record int32) (last bool) {
	c.left[record]--
	if c.left[record] > 0 {
		return false
	}
	c.free = append(c.free, record)
	return true
}
