package report

import (
	"io"

	"weft/internal/tune"
)

// NamedText is a file as a page shows it.
type NamedText struct{ Name, Text string }

// TunePage is a stub for now.
func TunePage(w io.Writer, r *tune.Result, configs []NamedText, tuned []byte) error { return nil }
