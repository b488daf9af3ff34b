package sniff

import (
	"encoding/json"
	"testing"
)

func TestEmptyListsAndCountsAreNotNullInJSON(t *testing.T) {
	tracker := NewTracker()
	for _, is := range []struct {
		of   any
		want string
	}{
		{tracker.Flows(), "[]"},
		{tracker.Counts, "{}"},
		{&Counts{1: 2, 4: 1}, `{"NAK":1,"malformed packet":2}`},
	} {
		if got, err := json.Marshal(is.of); err != nil || string(got) != is.want {
			t.Errorf("%s, %v; want %s", got, err, is.want)
		}
	}
}
