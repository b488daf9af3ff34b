package network

import (
	"errors"
	"fmt"

	"weft/internal/sim/scenario"
)

// Refusal says why a fabric cannot be built as the scenario has it.
type Refusal struct {
	Fabric string // by name
	Field  string // of the fabric that it is about: topology; "" is all of it
	Err    error
}

func (e *Refusal) Error() string { return fmt.Sprintf("fabric %s: %v", e.Fabric, e.Err) }
func (e *Refusal) Unwrap() error { return e.Err }

// Refuse is an error about a field of a fabric. One that is a refusal already stays.
func Refuse(f *scenario.Fabric, field string, err error) error {
	var known *Refusal
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &Refusal{f.Name, field, err}
}
