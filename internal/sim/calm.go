package sim

// calm is the plan without what disturbs a job on its fabric: faults, slow cables and
// streams beside it, on the same network with the same tables; nil where nothing does.
func (p *plan) calm() *plan {
	if p.steady() && len(p.slow) == 0 {
		return nil
	}
	f := *p.fabric
	f.SlowLinks, f.Beside = nil, nil
	q := *p
	q.fabric, q.faults, q.slow = &f, nil, nil
	return &q
}

// steady reports whether what a network does to a collective stays the same while the
// collective does: nothing fails meanwhile, and no other traffic comes and goes.
func (p *plan) steady() bool { return p.faults == nil && len(p.fabric.Beside) == 0 }
