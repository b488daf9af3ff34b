package report

import (
	"testing"

	"weft/results"
)

// Requests of clients that wait, and those of a single burst, come at no rate: none is said.
func TestRequestsAtNoRateNameNone(t *testing.T) {
	for _, c := range []struct {
		job  results.ServingJob
		rate float64
		want string
	}{
		{results.ServingJob{Requests: 100}, 3, "At 3 requests in a second"},
		{results.ServingJob{Requests: 100, Clients: 8}, 0, "8 clients that wait for their answers"},
		{results.ServingJob{Requests: 100, Burst: 100}, 0, "100 requests at once"},
		{results.ServingJob{Requests: 100, Burst: 10}, 3, "At 3 requests in a second, in bursts of 10"},
	} {
		if got := arrivals(&c.job, &results.ServingPoint{Rate: c.rate}); got != c.want {
			t.Errorf("%+v at a rate of %g is %q, want %q", c.job, c.rate, got, c.want)
		}
	}
	limit := fullSentence(&results.ServingPoint{Most: 57.7, Full: "the instances' time"})
	if want := "On a network that takes no time the instances' time is used up at 57.7 requests in a second: more of it raises this limit first."; limit != want {
		t.Errorf("the limit is %q, want %q", limit, want)
	}
}

// Where prompts and answers have the same GPUs nothing is transferred, and no column says so.
func TestCollocatedJobsHaveNoTransfers(t *testing.T) {
	p := &results.ServingPoint{Ideal: &results.ServingRun{}}
	apart, same := servingTable(&results.ServingJob{}, p), servingTable(&results.ServingJob{Collocated: true}, p)
	if apart, same := len(apart.Rows[0]), len(same.Rows[0]); apart != 7 || same != 5 {
		t.Errorf("%d and %d cells, want 7 and 5", apart, same)
	}
}
