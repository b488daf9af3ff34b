package route

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/ib/proof"
	"weft/internal/ib/subnet"
)

// Proved routes as Compute does and proves the tables; Report.Proof is the result. Commands
// that print or program tables use it.
//
// If paths close a credit loop on one lane, and several lanes break the loop, the paths get several
// lanes. With AsOpenSM the tables stay as they are, even if the proof refutes them.
func Proved(s *subnet.Subnet, name Name, o Options) (*Result, error) {
	if name == Auto && !o.AsOpenSM {
		return choose(s, o)
	}
	return proved(s, name, o, false)
}

// proved routes with an engine and proves the tables; ranked says whether the proof has the traffic
// patterns, which take most of its time.
func proved(s *subnet.Subnet, name Name, o Options, ranked bool) (*Result, error) {
	r, err := Compute(s, name, o)
	if err != nil {
		return nil, err
	}
	if err := r.prove(s, o, ranked); err != nil || o.AsOpenSM {
		return r, err
	}
	err = r.layer(s, o, ranked)
	return r, err
}

// prove has package proof check the tables.
func (r *Result) prove(s *subnet.Subnet, o Options, ranked bool) error {
	how := proof.Options{Workers: o.Cores}
	if !ranked {
		how.Order = []subnet.End{} // no end takes part in patterns
	}
	p, err := proof.Check(s, r.Tables, how)
	r.Report.Proof = p
	return err
}

// layer breaks the credit loops of tables that otherwise deliver all packets: it puts paths on
// several lanes and proves the result. If the lanes do not suffice, or the engine has assigned
// lanes itself, nothing changes.
func (r *Result) layer(s *subnet.Subnet, o Options, ranked bool) error {
	p := r.Report.Proof
	if !p.Deadlocks() || !p.EndToEnd.Proven() || r.SL != nil || r.SL2VL != nil {
		return nil
	}
	j := r.job
	if tooMany := j.freeOfLoops(r.Report.Used, newDeadlocks(newSpanner(j.fabric))); tooMany != nil {
		return nil //nolint:nilerr // too few lanes: the tables stay as they are
	}
	r.Report.Lanes = r.Lanes
	r.Report.Notes = append(r.Report.Notes, fmt.Sprintf("on one lane the paths of %s close a credit loop, so they are on %d lanes without a loop; OpenSM's %s leaves them on one",
		r.Report.Used, r.Lanes, r.Report.Used))
	return r.prove(s, o, ranked)
}

// complete adds shortest paths between hosts without a path by the engine, and proves the tables
// again.
func (r *Result) complete(s *subnet.Subnet, o Options) error {
	if r.Report.Proof.EndToEnd.Lost == 0 {
		return nil
	}
	n := r.job.connectEnds(false)
	if n == 0 {
		return nil
	}
	r.Report.Unreachable, r.Report.UnreachablePairs, r.Report.Apart, r.Report.Remedy = nil, 0, 0, ""
	r.job.unreachable(&r.Report)
	r.Report.Notes = append(r.Report.Notes, fmt.Sprintf("%d entries for hosts without a path up and then down follow shortest paths", n))
	return r.prove(s, o, true)
}

// Installable routes as Proved does. If the engine cannot route the fabric or its tables are
// refuted, it falls back to minhop, as OpenSM does, and if these tables are refuted too, to Auto.
// Report.Reason is the reason, Report.Used the engine. Any other error of Proved is returned.
func Installable(s *subnet.Subnet, name Name, o Options) (*Result, error) {
	o.AsOpenSM = false
	why := ""
	for _, next := range slices.Compact([]Name{name, "minhop", Auto}) {
		r, err := Proved(s, next, o)
		refusal, refused := asRefusal(err)
		switch {
		case refused:
			why += "; " + refusal.Error()
			continue
		case err != nil:
			return nil, err
		case !r.Report.Proof.Proven() && next != Auto:
			why += fmt.Sprintf("; the tables of %s are refuted: %s", next, strings.Join(r.Report.Proof.Refutations(), ", "))
			continue
		}
		if r.Report.Asked = name; why != "" {
			r.Report.Reason = strings.TrimPrefix(why, "; ")
		}
		return r, nil
	}
	return nil, fmt.Errorf("no engine can route this fabric: %s", strings.TrimPrefix(why, "; "))
}
