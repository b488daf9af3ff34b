package serve

import "weft/units"

// experts is the times in which the tokens of an iteration go to their experts and back.
type experts struct {
	layers int
	table  table // by tokens of a GPU, there and back
	tensor int
}

// time is the time of all layers' exchanges of a number of tokens of a group.
func (e *experts) time(tokens int) units.Time {
	if e == nil {
		return 0
	}
	each := (tokens + e.tensor - 1) / e.tensor // each GPU of a group sends its part
	return units.Time(e.layers) * e.table.at(int64(each))
}
