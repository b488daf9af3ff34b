package qos

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"weft/units"
)

// The keys of a run of the real OpenSM with quality of service, between lines of its
// template.
const conf = `#
# QoS OPTIONS
#
# Enable QoS setup
qos TRUE
qos_policy_file /etc/opensm/qos-policy.conf
guid_routing_order_no_scatter FALSE
qos_max_vls 4
qos_high_limit 10
qos_vlarb_high 0:64,1:32,2:0
qos_vlarb_low	0:1,1:2,2:4,3:8
qos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,15
qos_ca_max_vls 0
qos_ca_high_limit -1
qos_ca_vlarb_high (null)
qos_swe_max_vls 8
`

func TestTheKeysOfARunAreRead(t *testing.T) {
	c, err := Read("opensm.conf", strings.NewReader(conf))
	if err != nil {
		t.Fatal(err)
	}
	s := c.Of(SwitchPorts)
	if !c.Enabled || *s.MaxVLs != 8 || *s.HighLimit != 10 || s.SL2VL[15] != 15 {
		t.Errorf("external ports of switches have %+v", s)
	}
	if want := []Weight{{0, 1}, {1, 2}, {2, 4}, {3, 8}}; !reflect.DeepEqual(s.Low, want) {
		t.Errorf("low priority is %v, want %v", s.Low, want)
	}
	if ca := c.Sets[Adapters]; ca.MaxVLs != nil || ca.HighLimit != nil || ca.High != nil {
		t.Errorf("unset keys were read as %+v", ca)
	}
}

func TestMistakesAreReportedWithTheirLines(t *testing.T) {
	_, err := Read("c", strings.NewReader("qos maybe\nqos_max_vls 16\nqos_sl2vl 0,1\nqos_vlarb_low 15:1\nqos_rtr_vlarb_high 1\nqos_speed 3\nqosx 1\nqos_swe_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,16"))
	if err == nil {
		t.Fatal("a file of mistakes was read")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 8 {
		t.Fatalf("%d errors, want one for each of the 8 lines:\n%v", len(lines), err)
	}
	for i, l := range lines {
		if !strings.HasPrefix(l, "c:"+string(rune('1'+i))+": ") || !strings.Contains(l, "expected") {
			t.Errorf("error %d: %s", i, l)
		}
	}
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		want := &Config{Enabled: r.IntN(2) == 0}
		for i := range want.Sets {
			s := &want.Sets[i]
			if r.IntN(2) == 0 {
				v, h := uint8(1+r.IntN(15)), uint8(r.IntN(256))
				s.MaxVLs, s.HighLimit = &v, &h
				for range 1 + r.IntN(64) {
					s.High = append(s.High, Weight{units.VL(r.IntN(15)), uint8(r.IntN(256))})
				}
			}
			if r.IntN(2) == 0 {
				s.Low = []Weight{{units.VL(r.IntN(15)), 3}}
				s.SL2VL = &[16]units.VL{3: units.VL(r.IntN(16))}
			}
		}
		var out bytes.Buffer
		if err := Write(&out, want); err != nil {
			t.Fatal(err)
		}
		if got, err := Read("written", &out); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: got %+v, %v; want %+v", seed, got, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(conf)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Read("fuzz", strings.NewReader(text))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := Write(&out, c); err != nil {
			t.Fatal(err)
		}
		if again, err := Read("again", &out); err != nil || !reflect.DeepEqual(again, c) {
			t.Fatalf("%+v, %v from %q", again, err, text)
		}
	})
}
