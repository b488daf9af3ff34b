package sm

// EventRecord is an event as JSON has it.
type EventRecord struct {
	Event string  `json:"event"`
	Text  string  `json:"text"`
	Nodes int     `json:"nodes,omitempty"`
	Took  float64 `json:"sweep_seconds,omitempty"`
}

// Record is the event as JSON has it.
func (e Event) Record() EventRecord {
	return EventRecord{Event: e.Kind.String(), Text: e.String(), Nodes: e.Count, Took: e.Took.Seconds()}
}
