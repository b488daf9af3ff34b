package sonic

import (
	"slices"
	"strings"
	"testing"
)

// A new port gets the rows that another has and it lacks, whether a row names one port or several, and
// none of a port whose name only begins alike.
func TestAPortGetsTheRowsThatItLacks(t *testing.T) {
	c, err := Read("f", strings.NewReader(`{
		"PORT": {"Ethernet1": {"admin_status": "up"}, "Ethernet10": {"admin_status": "up"}, "Ethernet2": {"admin_status": "up"}},
		"PORT_QOS_MAP": {"Ethernet1,Ethernet3": {"pfc_enable": "3,4"}},
		"QUEUE": {"Ethernet1|3-4": {"scheduler": "s"}, "Ethernet10|5": {"scheduler": "s"}, "Ethernet2|3-4": {"scheduler": "s"}},
		"SCHEDULER": {"s": {"type": "DWRR", "weight": "1"}},
		"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}, "Ethernet1": {"action": "drop", "detection_time": "200", "restoration_time": "200"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	sw, problems := Examine(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := []string{
		`{"PORT_QOS_MAP": {"Ethernet2": {"pfc_enable": "3,4"}}}`,
		`{"PFC_WD": {"Ethernet2": {"action": "drop", "detection_time": "200", "restoration_time": "200"}}}`,
	}
	got := sw.RowsLike("Ethernet2", "Ethernet1")
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	mended, problems, err := sw.Patched(append(got, "config qos reload"))
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	if p := mended.Ports[1]; p.Name != "Ethernet2" || !slices.Equal(p.PFC, []int{3, 4}) || p.Detect == 0 {
		t.Errorf("with its rows %+v", p)
	}
	if p := sw.Ports[1]; len(p.PFC) > 0 || c.Table("PORT_QOS_MAP").Row("Ethernet2") != nil {
		t.Errorf("the switch before has changed: %+v", p)
	}
}

func TestALaterLineSupersedesTheSameFieldsOnly(t *testing.T) {
	line := Patch("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "5,6", "tc_to_pg_map", "AZURE")
	for later, want := range map[string]string{
		Patch("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "3,4", "pfcwd_sw_enable", "3,4"): Patch("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "3,4", "tc_to_pg_map", "AZURE"),
		Patch("PORT_QOS_MAP", "Ethernet4", "pfc_enable", "3,4"):                           line,
		Patch("PORT", "Ethernet0", "pfc_enable", "3,4"):                                   line,
		"config qos reload": line,
	} {
		if got := Superseded(line, later); got != want {
			t.Errorf("after %s: %s, want %s", later, got, want)
		}
	}
}
