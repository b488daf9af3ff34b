package process

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"weft/internal/base/jsontext"
	"weft/internal/face/cli/exit"
	"weft/scenario"
)

// DocumentVersion is the version of the output of --json. It changes when the meaning of a field
// does; results of runs have their own version.
const DocumentVersion = 1

// With --json a verb prints one object: its answer, the version, and the error if the verb has
// failed. Main prints it at the end. Verbs that run until they are interrupted print an object per
// line, each at once.

// PrintJSON is the answer of a verb.
func PrintJSON(e *Env, v any) error {
	var b bytes.Buffer
	if err := jsontext.Write(&b, v); err != nil {
		return err
	}
	return e.Answer(b.Bytes())
}

// Answer is printJSON for an object that is text already.
func (e *Env) Answer(text []byte) error {
	e.document = text
	return nil
}

// PrintLine prints an object of a continuing verb on a line of its own.
func (e *Env) PrintLine(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = e.Stdout.Write(append(Versioned(text), '\n'))
	return err
}

// Failure is an error in JSON.
type Failure struct {
	Code     exit.Code `json:"exit_code"`
	Meaning  string    `json:"meaning"`
	Message  string    `json:"message"`
	Problems []problem `json:"problems,omitempty"` // of a scenario, by place
}

// problem is an error in a scenario.
type problem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Origin  string `json:"origin,omitempty"` // the flag or catalog entry, if it is not from the file
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

func failureOf(err error) *Failure {
	f := &Failure{Code: exit.CodeOf(err), Message: strings.TrimRight(err.Error(), "\n")}
	for _, c := range exit.Codes {
		if c.Code == f.Code {
			f.Meaning = c.Meaning
		}
	}
	var all scenario.Errors
	if errors.As(err, &all) {
		for _, p := range all {
			f.Problems = append(f.Problems, problem{p.File, p.Line, p.Col, p.Origin, p.Path, p.Msg})
		}
	}
	return f
}

// conclude prints the object of --json at the end of a verb.
func (e *Env) conclude(err error) error {
	if !e.wantsJSON() || e.document == nil && err == nil {
		return nil
	}
	text := e.document
	if text == nil {
		text = []byte("{}\n")
	}
	if !e.Begun {
		text = Versioned(text)
	}
	if err != nil {
		var b bytes.Buffer
		if bad := jsontext.Write(&b, map[string]*Failure{"error": failureOf(err)}); bad != nil {
			return bad
		}
		text = Joined(text, b.Bytes())
	}
	if e.Begun {
		text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("{")), "\n")
	}
	_, bad := e.Stdout.Write(text)
	return bad
}

// wantsJSON reads the arguments directly, because the error may be that they cannot be parsed.
func (e *Env) wantsJSON() bool {
	given := e.Args
	if i := slices.Index(given, "--"); i >= 0 {
		given = given[:i]
	}
	return slices.Contains(given, "--json") || slices.Contains(given, "--json=true")
}

// Versioned is an object that begins with a version, if it has none.
func Versioned(text []byte) []byte {
	var has struct {
		Version *json.Number `json:"version"`
	}
	if json.Unmarshal(text, &has) == nil && has.Version != nil {
		return text
	}
	head := `{"version":1`
	if bytes.Contains(text, []byte("\n")) {
		head = "{\n  \"version\": 1\n"
	}
	return Joined([]byte(head+"}"), text)
}

// Joined is an object with the members of both.
func Joined(a, b []byte) []byte {
	line := ""
	if bytes.HasSuffix(b, []byte("\n")) {
		line = "\n"
	}
	first := bytes.TrimRight(bytes.TrimSuffix(bytes.TrimRight(a, "\n "), []byte("}")), "\n ")
	second := bytes.TrimLeft(bytes.TrimPrefix(bytes.TrimLeft(b, "\n "), []byte("{")), "\n ")
	switch {
	case string(first) == "{":
		return b
	case bytes.HasPrefix(second, []byte("}")):
		return append(append(slices.Clone(first), line...), second...)
	case line == "":
		return append(append(slices.Clone(first), ','), second...)
	}
	return append(append(slices.Clone(first), ",\n  "...), second...)
}
