package cc

import "weft/units"

// Fixed is a window that never changes, for a queue pair that needs a window and has no
// congestion control.
type Fixed struct{ window units.Bytes }

// NewFixed makes the window of one queue pair, in bytes of payload.
func NewFixed(window units.Bytes) Fixed { return Fixed{window} }

// Start sets the window.
func (f Fixed) Start(_ units.Time, a *Allowance) Wants {
	*a = Free()
	a.Window = f.window
	return WantAcks
}

// Notified does nothing: the window is fixed.
func (f Fixed) Notified(units.Time, *Allowance) {}

// Acked does nothing: the window is fixed.
func (f Fixed) Acked(units.Time, Ack, *Allowance) {}

// Sent does not happen: the budget is unlimited.
func (f Fixed) Sent(units.Time, *Allowance) {}

// Timer does not happen: there is none.
func (f Fixed) Timer(units.Time, *Allowance) {}
