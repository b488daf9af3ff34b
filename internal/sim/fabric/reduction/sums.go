package reduction

import "weft/internal/sim/engine"

// ID identifies one burst of one reduction in one switch.
type ID struct {
	Key   uint64
	Burst uint32
	Node  int32
}

// Sums are the incomplete sums of a simulation partition's switches: a hash table of their numbers of
// contributions. Each contribution looks its sum up once; a map would take three searches.
type Sums struct {
	slots []sum // a power of two, at most three quarters full; a reduction lies in its slot, or with no gap behind it
	open  int
}

// Open is the number of incomplete sums.
func (s *Sums) Open() int { return s.open }

// sum is an incomplete sum; without contributions, a free slot.
type sum struct {
	id   ID
	have int32
}

// minSums is the least number of slots.
const minSums = 64

// home is the slot in which a reduction would lie if the table were empty.
func (s *Sums) home(id ID) int {
	return int(engine.Mix(id.Key^uint64(id.Burst)<<40^uint64(id.Node)<<20)) & (len(s.slots) - 1)
}

// find is the slot of a reduction, or the free one for it.
func (s *Sums) find(id ID) int {
	i := s.home(id)
	for s.slots[i].have != 0 && s.slots[i].id != id {
		i = (i + 1) & (len(s.slots) - 1)
	}
	return i
}

// Add counts a contribution and reports whether the sum of so many is complete; it is then removed.
func (s *Sums) Add(id ID, of int32) bool {
	if of <= 1 {
		return true
	}
	if 4*s.open >= 3*len(s.slots) {
		s.grow()
	}
	i := s.find(id)
	e := &s.slots[i]
	if e.have == 0 {
		e.id = id
		s.open++
	}
	if e.have+1 < of {
		e.have++
		return false
	}
	s.remove(i)
	return true
}

// grow doubles the table.
func (s *Sums) grow() {
	old := s.slots
	s.slots = make([]sum, max(minSums, 2*len(old)))
	for i := range old {
		if e := &old[i]; e.have != 0 {
			s.slots[s.find(e.id)] = *e
		}
	}
}

// remove frees a slot, and moves what lies behind it so that no gap is between a reduction and its home.
func (s *Sums) remove(i int) {
	s.open--
	mask := len(s.slots) - 1
	for j := (i + 1) & mask; s.slots[j].have != 0; j = (j + 1) & mask {
		if (j-s.home(s.slots[j].id))&mask >= (j-i)&mask {
			s.slots[i] = s.slots[j]
			i = j
		}
	}
	s.slots[i] = sum{}
}
