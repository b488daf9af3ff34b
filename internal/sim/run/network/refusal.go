package network

import (
	"errors"
	"fmt"

	"weft/scenario"
)

// Refusal is the reason why a scenario's fabric cannot be built.
type Refusal struct {
	Fabric string // by name
	Field  string // field of the fabric: topology; "" for the whole fabric
	Err    error
}

func (e *Refusal) Error() string { return fmt.Sprintf("fabric %s: %v", e.Fabric, e.Err) }
func (e *Refusal) Unwrap() error { return e.Err }

// Refuse is an error about a field of a fabric. An error that is a Refusal already stays as it is.
func Refuse(f *scenario.Fabric, field string, err error) error {
	var known *Refusal
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &Refusal{f.Name, field, err}
}
