package sm

import (
	"testing"

	"weft/wire/mad"
)

// IBA vol. 1, 14.4.1: the higher priority is master, then the lower GUID.
func TestManagersAreRankedByPriorityThenGUID(t *testing.T) {
	s := &mastery{requests: &requests{fabric: &fabric{guid: 50}}, priority: 5}
	s.others = []otherManager{
		{info: mad.SMInfo{GUID: 90, Priority: 4, State: mad.SMMaster}},
		{info: mad.SMInfo{GUID: 60, Priority: 5, State: mad.SMStandby}},
		{info: mad.SMInfo{GUID: 40, Priority: 5, State: mad.SMStandby}},
		{info: mad.SMInfo{GUID: 95, Priority: 9, State: mad.SMNotActive}},
	}
	if master, best := s.rank(); master != 0 || best != 2 {
		t.Errorf("master is %d and best %d of the others; want 0, and 2 with the lower GUID", master, best)
	}
	s.others[1].info.Priority = 6
	if _, best := s.rank(); best != 1 {
		t.Errorf("best is %d, want 1 with the higher priority", best)
	}
	s.priority = 15
	if _, best := s.rank(); best != -1 {
		t.Errorf("best is %d, want none: this manager has the highest priority of those at work", best)
	}
}

func TestAStateIsToldOnce(t *testing.T) {
	out := &Batch{}
	s := &mastery{requests: &requests{outbox: &outbox{out: out}, fabric: &fabric{}}}
	s.enter(mad.SMMaster)
	s.enter(mad.SMMaster)
	if len(out.Events) != 1 || s.info().ActCount != 2 || s.info().State != mad.SMMaster {
		t.Errorf("%d events, SMInfo %+v; want one event, and a count that grew twice", len(out.Events), s.info())
	}
}
