package sm

import (
	"testing"

	"weft/units"
	"weft/wire/mad"
)

// queued is requests to a number of nodes, and the batch into which they are sent.
func queued(nodes, window int) (*requests, *Batch) {
	out := &Batch{}
	q := &requests{outbox: &outbox{out: out, nextTID: 1}, fabric: &fabric{}, window: window, timeout: units.Millisecond, retries: 1}
	for i := range nodes {
		q.nodes = append(q.nodes, &node{ports: []port{{agent: agent{path: []uint8{uint8(i)}}}}})
		q.get(int32(i), mad.AttrNodeInfo, 0, 0)
	}
	return q, out
}

func noMore() (request, bool) { return request{}, false }

func TestTheWindowBoundsRequestsUnderWay(t *testing.T) {
	q, out := queued(5, 2)
	q.fill(noMore, nil)
	if len(out.Send) != 2 || len(q.wire) != 2 {
		t.Fatalf("%d sent and %d under way, want 2", len(out.Send), len(q.wire))
	}
	d := out.Send[0].MAD
	d.SetMethod(mad.Get | mad.Response)
	if r, waited := q.answered(&d); !waited || r.node != 0 {
		t.Fatalf("the answer belongs to node %d (expected: %v), want node 0", r.node, waited)
	}
	if _, waited := q.answered(&d); waited {
		t.Error("a duplicate answer was accepted")
	}
	q.fill(noMore, nil)
	if len(out.Send) != 3 {
		t.Errorf("%d sent after an answer, want 3", len(out.Send))
	}
}

func TestARequestIsRepeatedThenLost(t *testing.T) {
	q, out := queued(1, 1)
	q.fill(noMore, nil)
	q.now = q.nextDeadline()
	if lost := q.expire(); len(lost) != 0 || len(out.Send) != 2 || out.Send[0].MAD.TID() != out.Send[1].MAD.TID() {
		t.Fatalf("%d lost, %d sent; want the same request again", len(lost), len(out.Send))
	}
	q.now = q.nextDeadline()
	if lost := q.expire(); len(lost) != 1 || len(out.Send) != 2 || q.nextDeadline() != units.Forever {
		t.Errorf("%d lost, %d sent, the next deadline is %v; want one lost and none under way", len(lost), len(out.Send), q.nextDeadline())
	}
}

func TestASilentNodeIsSpared(t *testing.T) {
	q, out := queued(3, 3)
	q.nodes[1].ports[0].agent.silent = true
	var spared []int32
	q.fill(noMore, func(r *request) { spared = append(spared, r.node) })
	if len(out.Send) != 2 || len(spared) != 1 || spared[0] != 1 {
		t.Errorf("%d sent, spared are %v; want 2 and node 1", len(out.Send), spared)
	}
}

func TestABusyAnswerIsNotTaken(t *testing.T) {
	q, out := queued(1, 1)
	q.fill(noMore, nil)
	d := out.Send[0].MAD
	d.SetMethod(mad.Get | mad.Response)
	d.SetStatus(mad.Busy)
	if _, waited := q.answered(&d); waited || len(q.wire) != 1 {
		t.Error("a busy node ended the request")
	}
}
