package executor

import (
	"fmt"
	"sync"

	"weft/internal/sim/workload"
)

// register is the operations in progress. With several simulation partitions, the number of an
// operation, and its reuse, depend on the order of the callers. Nothing in the simulation depends
// on it: a number only identifies messages. The order of numbers matters only to reductions in
// switches, which run in one partition.
type register struct {
	mu      sync.Mutex   // guards everything except the entries of all that are in use
	all     []*operation // by number, with a fixed length: an operation is found by its number without mu
	used    int
	allLead bool   // the steps of all operations are beats
	begun   uint64 // operations so far
	// others are finished operations of any communicator, for reuse once no number is left; some are in use
	// again.
	others []*operation
}

// newRegister has room for a number of operations at the same time; their numbers must fit into
// tags.
func newRegister(most int) *register {
	return &register{all: make([]*operation, min(most, maxOperations))}
}

var errTooMany = fmt.Errorf("more than %d collectives or messages are under way at the same time: weft runs no more", maxOperations)

// of is the operation of a number.
func (r *register) of(number int) *operation { return r.all[number] }

// nextOf is the operation that a member of a communicator begins now; nil if there are too many.
// plan is the same for all members.
func (r *register) nextOf(c *Communicator, member int, plan *CollectivePlan) *operation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return c.next(member, func() *operation { return r.open(c, plan) })
}

// open makes an operation, or reuses a finished one; nil if there are too many.
func (r *register) open(c *Communicator, plan *CollectivePlan) *operation {
	o := r.unused(c)
	if o == nil {
		return nil
	}
	o.free, o.leads = false, r.allLead
	r.begun++
	o.serial = r.begun
	o.message, o.posting = workload.NoMessage, nil
	o.comm, o.plan, o.absent, o.unfinished = c, plan, len(c.Members), len(c.Members)
	for len(o.members) < len(c.Members) {
		o.members = append(o.members, memberState{early: make(map[uint64]arrival)})
	}
	for i := range c.Members {
		m := &o.members[i]
		m.open = 0
		for len(m.channels) < plan.channels {
			m.channels = append(m.channels, channelRun{})
		}
		m.channels = m.channels[:plan.channels]
	}
	return o
}

// unused is an operation that is not in use; nil if there is none. A communicator has its own again, so that
// what repeats itself has the same numbers.
func (r *register) unused(c *Communicator) *operation {
	for n := len(c.idle); n > 0; n = len(c.idle) {
		o := c.idle[n-1]
		c.idle = c.idle[:n-1]
		if o.free && o.comm == c {
			return o
		}
	}
	if r.used < len(r.all) {
		o := &operation{number: r.used}
		r.all[r.used] = o
		r.used++
		return o
	}
	for len(r.others) > 0 {
		o := r.others[len(r.others)-1]
		r.others = r.others[:len(r.others)-1]
		if o.free {
			return o
		}
	}
	for _, o := range r.all {
		if o.free {
			r.others = append(r.others, o)
		}
	}
	if len(r.others) == 0 {
		return nil
	}
	return r.unused(c)
}

// leave ends a member's part of an operation.
func (r *register) leave(o *operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.unfinished--; o.unfinished == 0 {
		o.free = true
		o.comm.idle = append(o.comm.idle, o)
	}
}
