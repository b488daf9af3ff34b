package checks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/simulator"
	"weft/internal/face/doc"
	"weft/internal/face/report"
	"weft/internal/formats/logfile"
	"weft/internal/study/calibrate"
	"weft/internal/study/evidence"
	"weft/internal/study/peers"
)

// diagnosed is all that was found. As JSON it is the diagnosis of the log, with the rest as further fields.
type diagnosed struct {
	*calibrate.DiagnosisRecord
	*evidence.Evidence
	StandOut    []string      `json:"stand_out,omitempty"`
	NotCompared string        `json:"not_compared,omitempty"` // why there is no prediction of a log
	Peers       *peers.Result `json:"peers,omitempty"`

	log  *calibrate.Diagnosis // nil if no log was compared
	from string               // where the metrics of the peers are from
}

// do diagnoses files together.
func (d *diagnosing) do(ctx context.Context, e *simulator.Simulator, paths []string) error {
	o, err := d.options(e)
	if err != nil {
		return err
	}
	if slices.Contains(paths, "-") && slices.Contains(d.peers.from, "-") {
		return errors.New("--prometheus - and the log - are both standard input: want one of them as a file")
	}
	in, err := inputsOf(e, paths)
	if err != nil {
		return err
	}
	all, failed := logfile.ReadAll(in.named(), in.open)
	if all == nil {
		return failed
	}
	found := &diagnosed{Evidence: evidence.Gather(all, in.open), from: d.peers.names()}
	if failed != nil && found.Empty() {
		return nothing(found.Unread, failed)
	}
	if len(d.peers.from) > 0 {
		if found.Peers, err = d.peers.find(ctx, e); err != nil {
			return err
		}
	}
	switch {
	case failed != nil:
		found.NotCompared = "no file has a table of measurements of a cluster"
	default:
		failed = d.predict(ctx, e, found.Compared(all.Log), o, found)
		if found.log == nil && (found.Empty() || !isOfLog(failed)) {
			return failed
		}
		if found.log == nil {
			found.NotCompared = failed.Error()
		}
	}
	return found.conclude(ctx, e, d.json, in.named(), failed)
}

// nothing is the error of files without anything to judge: dumps that must be converted, or else no file is a log.
func nothing(unread []evidence.Unread, failed error) error {
	var pickles []error
	for _, u := range unread {
		if u.Pickle {
			pickles = append(pickles, fmt.Errorf("%s: %s", u.File, u.Why))
		}
	}
	const most = 4
	if n := len(pickles); n > 0 {
		return errors.Join(pickles[:min(n, most)]...)
	}
	return failed
}

// isOfLog reports whether an error says that a log cannot be compared.
func isOfLog(err error) bool {
	of := (*logfile.Error)(nil)
	return errors.As(err, &of)
}

// predict compares the log with the cluster.
func (d *diagnosing) predict(ctx context.Context, e *simulator.Simulator, log *logfile.Log, o calibrate.Options, found *diagnosed) error {
	d.nameOp(log)
	c, err := d.clusterOf(e, []*logfile.Log{log})
	if err != nil {
		return err
	}
	line := e.Working("the cluster is simulated as it is described")
	defer line.End()
	o.Progress = func(p weft.Progress) {
		simulator.ShowProgress(line, p, line.Pace.Left(p.Share, line.Elapsed()))
	}
	o.First = func(first *calibrate.Diagnosis) {
		if line.Elapsed() > firstAfter {
			line.Clear()
			e.Note("weft: first answer: %s\n", report.First(first))
		}
	}
	result, err := c.Diagnose(ctx, log, o)
	if result == nil {
		if ctx.Err() != nil {
			return exit.Errorf(exit.Partial, "stopped before there was a result")
		}
		return err
	}
	record := result.Record(report.Finding(result))
	found.log, found.DiagnosisRecord = result, &record
	return err
}

// firstAfter is the time of the first simulations from which on the rest takes long enough for a first answer. The causes
// take some twenty times as long.
const firstAfter = 300 * time.Millisecond

// conclude presents what was found; failed is the error of the diagnosis of the log.
func (x *diagnosed) conclude(ctx context.Context, e *simulator.Simulator, asJSON bool, files []string, failed error) error {
	x.StandOut = x.Evidence.StandOut()
	if x.Peers != nil && len(x.Peers.Findings) > 0 {
		x.StandOut = append(x.StandOut, "ports, GPUs or ranks beside their peers")
	}
	if x.log != nil && slices.ContainsFunc(x.log.Log.Tables, func(t *logfile.Table) bool { return t.Wrong() > 0 }) {
		x.StandOut = append(x.StandOut, "corrupted data (#wrong)")
	}
	if err := e.Present(x.document(files), asJSON, x); err != nil {
		return err
	}
	stand := strings.Join(x.StandOut, ", ")
	if x.log == nil {
		switch {
		case stand != "":
			return exit.Errorf(exit.Refuted, "these stand out: %s", stand)
		case !x.Judged() && (x.Peers == nil || x.Peers.Judged == 0):
			return exit.Errorf(exit.NotJudged, "nothing was judged: no three nodes with two peers each, no four collectives of two ranks, no counters of ports")
		}
		return nil
	}
	switch {
	case ctx.Err() != nil:
		return exit.Errorf(exit.Partial, "stopped early: not all causes were tested")
	case failed != nil:
		return exit.Errorf(exit.Failed, "%w", failed)
	case x.log.Verdict != calibrate.Healthy && x.log.Verdict != calibrate.NotProved:
		return exit.Errorf(exit.Refuted, "the log does not fit the cluster as described: %s", x.log.Verdict)
	case stand != "":
		return exit.Errorf(exit.Refuted, "the log alone does not prove a fault, but these stand out: %s", stand)
	case x.log.Verdict == calibrate.NotProved:
		return exit.Errorf(exit.NotProved, "the log proves neither a fault nor a healthy cluster")
	}
	return nil
}

// document is the report.
func (x *diagnosed) document(files []string) *doc.Document {
	if x.log != nil {
		return report.Diagnosed(x.log, x.Evidence, x.StandOut, x.Peers, x.from)
	}
	title := files[0]
	if len(files) > 1 {
		title = fmt.Sprintf("%d files", len(files))
	}
	return report.Evidence(title, x.Evidence, x.StandOut, x.NotCompared, x.Peers, x.from)
}
