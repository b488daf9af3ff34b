package setup

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/scenario"
)

// mostAnswers is how often a question is asked again.
const mostAnswers = 5

// An interview asks on one stream and reads lines from another.
type interview struct {
	in   io.Reader
	out  io.Writer
	echo bool // of answers, if no terminal shows them

	lines *bufio.Scanner
}

// ask replaces the values of o by the answers. The end of the input is an empty answer to all that is left.
func (v *interview) ask(o *own) error {
	v.lines = bufio.NewScanner(v.in)
	questions := []struct {
		text  string
		value func() string
		set   func(answer string) error
		skip  func() bool
	}{
		{"How many nodes?", func() string { return strconv.Itoa(o.nodes) }, o.setNodes, nil},
		{"Which nodes, of weft catalog node?", func() string { return o.node }, o.setNode, nil},
		{"Which shape: " + strings.Join(shapeNames, ", ") + "?", func() string { return o.shape }, o.setShape, nil},
		{"How many downlinks of a leaf to its uplinks?", func() string { return shown(o.oversubscription) }, o.setRatio, func() bool { return !o.tapered() }},
		{"Which fabrics: " + strings.Join(families, ", ") + "?", func() string { return strings.Join(o.fabrics, ",") }, o.setFabrics, nil},
		{"What runs: " + strings.Join(works, ", ") + "?", func() string { return o.work }, o.setWork, nil},
	}
	for _, q := range questions {
		if q.skip != nil && q.skip() {
			continue
		}
		if err := v.one(q.text, q.value(), q.set); err != nil {
			return err
		}
	}
	return nil
}

// one asks a question until its answer is valid.
func (v *interview) one(text, byDefault string, set func(string) error) (err error) {
	for range mostAnswers {
		fmt.Fprintf(v.out, "%s [%s] ", text, byDefault)
		if !v.lines.Scan() {
			fmt.Fprintln(v.out)
			if err != nil {
				return err // the last answer was wrong
			}
			return v.lines.Err()
		}
		answer := strings.TrimSpace(v.lines.Text())
		if v.echo {
			fmt.Fprintln(v.out, answer)
		}
		if answer == "" {
			return nil
		}
		if err = set(answer); err == nil {
			return nil
		}
		fmt.Fprintf(v.out, "%v\n", err)
	}
	return err
}

func (o *own) setNodes(answer string) error {
	n, err := strconv.Atoi(answer)
	if err != nil {
		return fmt.Errorf("%.60q is not a whole number", answer)
	}
	changed := *o
	changed.nodes = n
	return o.take(&changed)
}

func (o *own) setNode(answer string) error {
	changed := *o
	changed.node = answer
	return o.take(&changed)
}

func (o *own) setShape(answer string) error {
	changed := *o
	changed.shape = answer
	return o.take(&changed)
}

func (o *own) setRatio(answer string) error {
	r, err := scenario.ParseRatio(answer)
	if err != nil {
		return fmt.Errorf("%.60q: %w", answer, err)
	}
	changed := *o
	changed.oversubscription = r
	return o.take(&changed)
}

func (o *own) setFabrics(answer string) error {
	changed := *o
	changed.fabrics = strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' })
	return o.take(&changed)
}

func (o *own) setWork(answer string) error {
	changed := *o
	changed.work = answer
	return o.take(&changed)
}

// take makes the changed answers the answers, if they can be.
func (o *own) take(changed *own) error {
	if _, err := changed.check(); err != nil {
		return err
	}
	*o = *changed
	return nil
}
