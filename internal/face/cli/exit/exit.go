package exit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"weft/internal/face/doc"
)

// Code is an exit code. The codes are stable: scripts depend on them.
type Code int

// The exit codes.
const (
	OK        Code = 0
	Failed    Code = 1  // the run
	BadInput  Code = 2  // usage, scenario, output folder
	Missed    Code = 3  // a validation case
	Partial   Code = 4  // the run was interrupted
	Refuted   Code = 5  // by a check or an audit: forwarding tables, a configuration
	NotJudged Code = 6  // by a check: the input has nothing of what it looks at
	NotProved Code = 7  // by a diagnosis: neither a fault nor a healthy cluster
	Defect    Code = 70 // of weft: EX_SOFTWARE of sysexits.h
)

// Codes is the documented table.
var Codes = []struct {
	Code    Code   `json:"code"`
	Meaning string `json:"meaning"`
}{
	{OK, "all went well"},
	{Failed, "the run failed: an invariant was broken, traffic stopped for good (deadlock), reliable messages were lost (RETRY_EXC_ERR), a bound was reached, results could not be written, or NCCL_TESTS_MIN_BW was missed"},
	{BadInput, "bad usage or bad input: a flag, a scenario or an output folder; found before anything runs"},
	{Missed, "weft validate: at least one case missed its tolerance"},
	{Partial, "interrupted (Ctrl-C): the results so far are kept and marked as partial"},
	{Refuted, "a check has findings: weft sm check or weft sm route refutes the forwarding tables, weft roce lint has findings, weft roce check refutes a lossless fabric, weft audit shows a path between zones that must be separate, weft diagnose finds a log that does not fit the cluster, or nodes, ranks, ports or sizes that stand out, weft calibrate finds a fit that predicts held-out sizes no better than the default"},
	{NotJudged, "nothing was judged, which is no good news: the input has nothing of what the check looks at (weft fabric inspect: no speeds, and no cabling with a rule; weft fabric health: no counter of errors, state, limit or error rate; weft fabric diff: no planned device; weft sm check: no path; weft diagnose --prometheus: no metric with enough peers, and without a log: no pairs, ranks or counters to compare; weft live sniff: no packet of RoCE v2; weft validate: no scored row; weft roce lint: no port that is up has QoS; weft roce check: no fabric has PFC)"},
	{NotProved, "weft diagnose: the log proves neither a fault nor a healthy cluster, such as one that is slow at some sizes without a cause that weft finds likelier"},
	{Defect, "a defect of weft itself; please report what it printed"},
}

// exitError is an error with its exit code. An error without one is bad input; other failures set a
// code.
type exitError struct {
	code Code
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// Errorf is an error with an exit code.
func Errorf(code Code, format string, args ...any) error {
	return &exitError{code, fmt.Errorf(format, args...)}
}

// CodeOf is the exit code of an error.
func CodeOf(err error) Code {
	var e *exitError
	switch {
	case err == nil:
		return OK
	case errors.As(err, &e):
		return e.code
	case errors.Is(err, context.Canceled):
		return Partial // while it was reading
	}
	return BadInput
}

// Text is the table for help and documentation.
func Text() string {
	var b strings.Builder
	b.WriteString("The exit codes of weft are stable:\n\n")
	for _, c := range Codes {
		fmt.Fprintf(&b, "%4d  %s\n", c.Code, strings.ReplaceAll(doc.Wrap(c.Meaning, 70), "\n", "\n      "))
	}
	return strings.TrimRight(b.String(), "\n")
}
