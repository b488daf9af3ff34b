package partition

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"weft/units"
)

// The examples of opensm's manual page, with its line breaks.
const manual = `
# two rules for one partition
Default=0x7fff : ALL, SELF=full ;
Default=0x7fff : ALL, ALL_SWITCHES=full, SELF=full ;
NewPartition , ipoib : 0x123456=full, 0x3456789034=limited,  0x2134af2306
;
YetAnotherOne = 0x300 : SELF=full ;
ShareIO = 0x80 , defmember=full : 0x123451, 0x123452;
ShareIO =   0x80   :   defmember=limited   :   0x123456,   0x123457, 0x123458=full;
ShareIO = 0x80 , defmember=full : 0x12345b, 0x12345c=limited, 0x12345d;
Default=0x7fff,ipoib:
     mgid=ff12:401b::0707,sl=1 # random IPv4 group
     mgid=ff12:601b::16    # MLDv2-capable routers
     mgid=ff12:401b::16;
tenantB=0x8002, indx0, mtu=5, rate=12, sl=1, defmember=both : 0x0002c90300100011, ALL_CAS, 77;
`

func TestTheExamplesOfTheManualAreRead(t *testing.T) {
	c, err := Read("partitions.conf", strings.NewReader(manual))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Partitions) != 9 {
		t.Fatalf("%d rules, want 9", len(c.Partitions))
	}
	got := c.Partitions[5]
	want := []Member{{Port, 0x123456, Limited}, {Port, 0x123457, Limited}, {Port, 0x123458, Full}}
	if got.Name != "ShareIO" || got.Key != 0x80 || got.Line != 9 || !reflect.DeepEqual(got.Members, want) {
		t.Errorf("the rule of line 9 is %+v, want members %v", got, want)
	}
	groups := c.Partitions[7]
	if len(groups.Groups) != 3 || groups.Groups[0].MGID != "ff12:401b::0707" || *groups.Groups[0].Properties.SL != 1 || !groups.IPoIB {
		t.Errorf("the groups are %+v", groups)
	}
	last := c.Partitions[8]
	if last.Key != 2 || !last.First || *last.Broadcast.MTU != 5 || last.Members[1] != (Member{AllAdapters, 0, Both}) || last.Members[2].GUID != 77 {
		t.Errorf("the last rule is %+v", last)
	}
}

func TestMistakesAreReportedWithTheirLines(t *testing.T) {
	_, err := Read("p.conf", strings.NewReader("A=0x1 : ALL=ful ;\nB=0x12345 : ALL ;\n\nC=1, mtu=9 : SELF;\nD=2 : host1, ALL;\nE=3 ALL;\nF : mgid=10.0.0.1;\nG=0x8000 : ALL;\nH=4 : ALL SELF;\nI=5 : ALL"))
	if err == nil {
		t.Fatal("a file of mistakes was read")
	}
	for i, want := range []string{
		`p.conf:1: expected full, limited or both behind ALL, not "ful"`,
		`p.conf:2: expected a P_Key of 16 bits such as 0x8001, not "0x12345"`,
		`p.conf:4: expected mtu= a number from 0 to 5, not "9"`,
		`p.conf:5: expected a port's GUID, ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, SELF or mgid=, not "host1"`,
		`p.conf:6: expected a P_Key of 16 bits such as 0x8001, not "3 ALL"`,
		`p.conf:7: expected a multicast GID such as ff12:401b::16, not "10.0.0.1"`,
		`p.conf:8: P_Key 0x8000 has no key in its low 15 bits`,
		`p.conf:9: expected a port's GUID, ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, SELF or mgid=, not "ALL SELF"`,
		`p.conf:10: the rule has no end: expected a semicolon`,
	} {
		lines := strings.Split(err.Error(), "\n")
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Errorf("error %d is not\n%s\nin\n%v", i, want, err)
		}
	}
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		small := func(limit int) *uint8 {
			if r.IntN(2) == 0 {
				return nil
			}
			v := uint8(r.IntN(limit + 1))
			return &v
		}
		properties := func() Properties {
			p := Properties{Rate: small(63), MTU: small(5), SL: small(15), TClass: small(255)}
			if r.IntN(3) == 0 {
				q := r.Uint32()
				p.QKey, p.Scopes = &q, []uint8{uint8(r.IntN(16)), 5}
			}
			return p
		}
		want := &Config{}
		for range r.IntN(5) {
			p := Partition{
				Name: []string{"", "tenant A", "Default", "x-1"}[r.IntN(4)], Key: uint16(r.IntN(0x8000)),
				First: r.IntN(2) == 0, IPoIB: r.IntN(2) == 0, Broadcast: properties(),
			}
			for range r.IntN(9) {
				m := Member{Who: Who(r.IntN(len(whos))), Membership: Membership(r.IntN(3))}
				if m.Who == Port {
					m.GUID = units.GUID(r.Uint64() | 1)
				}
				p.Members = append(p.Members, m)
			}
			for range r.IntN(3) {
				p.Groups = append(p.Groups, Group{"ff12:401b::16", properties()})
			}
			want.Partitions = append(want.Partitions, p)
		}
		var out bytes.Buffer
		if err := Write(&out, want); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		got, err := Read("written", &out)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for i := range got.Partitions {
			got.Partitions[i].Line = 0
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: got %+v, want %+v\n%s", seed, got, want, text)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(manual)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Read("fuzz", strings.NewReader(text))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if Write(&out, c) != nil {
			return
		}
		if _, err := Read("again", &out); err != nil {
			t.Fatalf("%v\nfrom %q", err, text)
		}
	})
}
