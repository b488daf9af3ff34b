package cli

import (
	"fmt"
	"strings"

	"weft/internal/roce/lint"
)

// lintAnswer is what weft roce lint --json prints.
type lintAnswer struct {
	Findings []lintFinding `json:"findings"`
	Unjudged []string      `json:"not_judged"`
	Trials   []trial       `json:"simulated,omitempty"`
}

type lintFinding struct {
	Rule     string    `json:"rule"`
	Severity string    `json:"severity"`
	File     string    `json:"file"`
	Line     int       `json:"line"`
	Value    string    `json:"value"`
	Why      string    `json:"why"`
	Ports    []string  `json:"ports,omitempty"`
	Fixes    []lintFix `json:"fixes,omitempty"`
}

type lintFix struct {
	On    string   `json:"on"`
	Lines []string `json:"lines"`
}

func lintAnswerOf(r *lint.Report, trials []trial) lintAnswer {
	a := lintAnswer{Findings: []lintFinding{}, Unjudged: append([]string{}, r.Unjudged...), Trials: trials}
	for _, f := range r.Findings {
		x := lintFinding{
			Rule: f.Rule, Severity: string(f.Severity), File: f.At.File, Line: f.At.Line,
			Value: f.Value, Why: f.Why, Ports: f.Where,
		}
		for _, fix := range f.Fixes {
			x.Fixes = append(x.Fixes, lintFix(fix))
		}
		a.Findings = append(a.Findings, x)
	}
	return a
}

// maxFixLines is how many lines of a fix people are shown; --json has all.
const maxFixLines = 4

// tellLint prints a report for people.
func tellLint(e *Env, r *lint.Report, trials []trial) error {
	w, style := e.Stdout, e.style()
	for _, f := range r.Findings {
		fmt.Fprintf(w, "%s: %s: %s", f.At, f.Severity, style.Bold(f.Rule))
		if f.Value != "" {
			fmt.Fprintf(w, ": %s", f.Value)
		}
		fmt.Fprintln(w)
		indented(e, "  ", f.Why)
		if len(f.Where) > 0 {
			indented(e, "  ", "ports: "+f.Ports())
		}
		for _, fix := range f.Fixes {
			fmt.Fprintf(w, "  fix on %s:\n", fix.On)
			for i, line := range fix.Lines {
				if i == maxFixLines {
					fmt.Fprintf(w, "    … and %d lines more like these (--json has them)\n", len(fix.Lines)-i)
					break
				}
				fmt.Fprintf(w, "    %s\n", line)
			}
		}
		fmt.Fprintln(w)
	}
	for i := range trials {
		if err := trials[i].tell(e); err != nil {
			return err
		}
	}
	for _, text := range r.Unjudged {
		indented(e, "not judged: ", text)
	}
	_, err := fmt.Fprintln(w, countFindings(r))
	return err
}

// indented prints a text in lines, the first after a prefix and all as far in.
func indented(e *Env, prefix, text string) {
	const width = 88
	blank := "\n" + strings.Repeat(" ", len(prefix))
	fmt.Fprintf(e.Stdout, "%s%s\n", prefix, strings.ReplaceAll(wrapAt(text, width-len(prefix)), "\n", blank))
}

func countFindings(r *lint.Report) string {
	errors := 0
	for _, f := range r.Findings {
		if f.Severity == lint.Error {
			errors++
		}
	}
	if len(r.Findings) == 0 {
		return "no findings"
	}
	return fmt.Sprintf("%s: %s, %s", numberOf(len(r.Findings), "finding"), numberOf(errors, "error"), numberOf(len(r.Findings)-errors, "warning"))
}

// numberOf is a number with its noun.
func numberOf(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
