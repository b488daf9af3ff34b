package transport

import (
	"slices"
	"testing"

	"weft/units"
)

// scheduled are the times of nic.csv: a ConnectX-6's repetitions after a post without an
// answer, with a large exponent of the timeout.
func scheduled() []units.Time {
	times := []units.Time{12500 * units.Microsecond}
	for _, step := range []units.Time{2, 4, 8, 16, 24, 48, 128, 192, 512, 1024} {
		times = append(times, times[len(times)-1]+step*RetryTime(10))
	}
	return times
}

// silence posts a message of one packet without an answer, and gives the times at
// which it is sent, and at which the queue pair fails.
func silence(t *testing.T, exponent uint8, retries int, chance uint32) (sent []units.Time, failed units.Time) {
	t.Helper()
	timeout := max(RetryTime(exponent), RetryTime(16))
	cfg := &Config{PathMTU: 1024, RetryTimeout: timeout, RetryCount: retries, Schedule: NewSchedule(scheduled(), 4, timeout, retries)}
	q, err := newQP(cfg, RC, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Connect(0, 2, 100, 200); err != nil {
		t.Fatal(err)
	}
	q.SetChance(chance)
	if err := q.PostSend(0, WorkRequest{ID: 1, Op: OpWrite, Length: 64}); err != nil {
		t.Fatal(err)
	}
	var b Batch
	var p Packet
	for now := units.Time(0); len(b.Completions) == 0; {
		for q.Ready(now) <= now && q.Next(now, &p) {
			sent = append(sent, now)
		}
		if now = q.NextTimeout(); now == units.Forever {
			t.Fatal("nothing is due and the queue pair has not failed")
		}
		q.Timeout(now, &b)
		failed = now
	}
	if b.Completions[0].Status != RetryExcErr {
		t.Fatalf("it failed with %v", b.Completions[0].Status)
	}
	return sent, failed
}

// The times are from the measurement: 2^20 and seven retries take 59.77 s with 16 to 17
// transmissions, or fewer if the first comes late; 2^14 takes 3.66 s, as 2^16 does.
func TestASilentPeerIsGivenUpWhenARealAdapterGivesItUp(t *testing.T) {
	for _, c := range []struct {
		exponent   uint8
		retries    int
		failed     units.Time
		most, last int
	}{
		{14, 7, 3661 * units.Millisecond, 1 + 7 + 5, 7},
		{16, 7, 3661 * units.Millisecond, 1 + 7 + 5, 7},
		{20, 7, 59765 * units.Millisecond, 1 + 11 + 5, 11},
		{16, 2, 977 * units.Millisecond, 1 + 7, 7},
		{16, 0, 977 * units.Millisecond, 1 + 7, 7}, // at least once the regular timeout
	} {
		times, firsts := scheduled(), map[units.Time]int{}
		for chance := range uint32(400) {
			sent, failed := silence(t, c.exponent, c.retries, chance*0x9e3779b1)
			if d := failed - c.failed; max(d, -d) > 2*units.Millisecond {
				t.Fatalf("exponent %d, %d retries: given up after %v, want %v", c.exponent, c.retries, failed, c.failed)
			}
			skipped := slices.Index(times, sent[1])
			firsts[sent[1]]++
			if len(sent) != c.most-skipped {
				t.Fatalf("exponent %d, %d retries: sent %d times, the first repetition at %v, want %d", c.exponent, c.retries, len(sent), sent[1], c.most-skipped)
			}
			if got, want := sent[1:1+c.last-skipped], times[skipped:c.last]; !slices.Equal(got, want) {
				t.Fatalf("exponent %d: repeated at %v, want %v", c.exponent, got, want)
			}
		}
		for _, at := range times[:4] {
			if firsts[at] < 60 {
				t.Errorf("exponent %d: of 400 first repetitions %d are at %v, want about 100", c.exponent, firsts[at], at)
			}
		}
	}
}

// The acknowledgement of a packet begins the schedule anew, at any place in it.
func TestProgressBeginsTheScheduleAnew(t *testing.T) {
	cfg := &Config{PathMTU: 1024, RetryTimeout: RetryTime(20), RetryCount: 7, Delivery: OutOfOrder, Schedule: NewSchedule(scheduled(), 4, RetryTime(20), 7)}
	a, b := pair(t, cfg, RC)
	for i := range uint64(2) {
		if err := a.PostSend(0, WorkRequest{ID: i, Op: OpWrite, Length: 1024}); err != nil {
			t.Fatal(err)
		}
	}
	var p Packet
	var out, done Batch
	now := units.Time(0)
	for range 5 { // without an answer both packets are sent again, and again
		for a.Next(now, &p) {
		}
		for before := a.req.waits; a.req.waits == before; {
			now = a.NextTimeout()
			a.Timeout(now, &done)
		}
	}
	a.Next(now, &p) // the first comes
	b.Receive(now, &p, &out)
	for a.Next(now, &p) {
	}
	for i := range out.Packets {
		a.Receive(now, &out.Packets[i], &done)
	}
	if wait := a.RetransmitAt() - now; wait > scheduled()[3] || wait < scheduled()[0] {
		t.Errorf("the second packet is sent again %v after the first was acknowledged, want %v to %v", wait, scheduled()[0], scheduled()[3])
	}
}
