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
// Paths that close a credit loop on one lane are put on several lanes if that breaks the
// loop. With AsOpenSM the tables are left as they are, even if the proof refutes them.
func Proved(s *subnet.Subnet, name Name, o Options) (*Result, error) {
	if name == Auto && !o.AsOpenSM {
		return choose(s, o)
	}
	return proved(s, name, o, false)
}

// proved routes with an engine and proves the tables; ranked says whether the proof is to
// have the patterns of traffic, which take most of its time.
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

// layer puts paths that deliver everything, and can wait for each other in a circle, on
// lanes on which they cannot, and proves that. Where the lanes do not suffice, or the
// engine has given out lanes itself, all stays as it is.
func (r *Result) layer(s *subnet.Subnet, o Options, ranked bool) error {
	p := r.Report.Proof
	if !p.Deadlocks() || !p.EndToEnd.Proven() || r.SL != nil || r.SL2VL != nil {
		return nil
	}
	j := r.job
	if tooMany := j.freeOfLoops(r.Report.Used, newDeadlocks(newSpanner(j.fabric))); tooMany != nil {
		return nil //nolint:nilerr // more lanes than there are: the tables stay as they are
	}
	r.Report.Lanes = r.Lanes
	r.Report.Notes = append(r.Report.Notes, fmt.Sprintf("on one lane the paths of %s close a credit loop: they are on %d lanes, which keep them free of it; OpenSM's %s leaves them on one",
		r.Report.Used, r.Lanes, r.Report.Used))
	return r.prove(s, o, ranked)
}

// complete gives hosts that the engine's ways do not join the shortest ones, and proves
// the tables anew.
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

// Installable routes as Proved does, and falls back if the engine cannot route the
// fabric or its tables are refuted: to minhop, as OpenSM does, and where these tables
// are refuted too, to Auto. Report.Reason says why, and Report.Used which engine it is.
// It fails where Proved fails for other reasons.
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
