package sim

import (
	"errors"

	"weft/internal/runstore"
)

// runPattern simulates one size of a synthetic pattern.
func (j *job) runPattern(*runstore.Point) error { return errors.New("patterns cannot be run") }
