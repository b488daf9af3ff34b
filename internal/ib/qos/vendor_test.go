package qos_test

import (
	"strings"
	"testing"

	"weft/internal/ib/qos"
)

// TestSettingsOfNVIDIAsOpenSMAreRead: what is applied, and what is listed as without effect; keys of OpenSM 3.3 are neither.
func TestSettingsOfNVIDIAsOpenSMAreRead(t *testing.T) {
	v, err := qos.ReadVendor("opensm.conf", strings.NewReader("# UFM\nar_mode 1\nar_sl_mask 0x0002\nar_transport_mask 0x000A\nenable_ar_by_device_cap TRUE\nshield_mode 1\nrouting_engine ar_updn\nsharp_enabled 2\npartition_config_file /etc/opensm/partitions.conf\nlmc 0\nhbf_seed (null)\n"))
	if err != nil {
		t.Fatal(err)
	}
	if v.Adaptive == nil || !*v.Adaptive || v.LevelMask == nil || *v.LevelMask != 2 || v.SHARP == nil || !*v.SHARP || v.Engine != "ar_updn" || v.Partitions != "/etc/opensm/partitions.conf" {
		t.Errorf("%+v", v)
	}
	var others []string
	for _, l := range v.Others {
		others = append(others, l.Key)
	}
	if got := strings.Join(others, " "); got != "ar_transport_mask enable_ar_by_device_cap shield_mode" {
		t.Errorf("without effect: %s", got)
	}
	for text, want := range map[string]string{"ar_mode 0": "off", "sharp_enabled 1": "", "sharp_enabled 0": ""} {
		v, err := qos.ReadVendor("f", strings.NewReader(text))
		if err != nil || want == "off" && (v.Adaptive == nil || *v.Adaptive) || text == "sharp_enabled 1" && (v.SHARP == nil || *v.SHARP) || text == "sharp_enabled 0" && v.SHARP != nil {
			t.Errorf("%s: %+v, %v", text, v, err)
		}
	}
	for _, text := range []string{"ar_mode on", "ar_sl_mask 0x10000", "sharp_enabled 3"} {
		if _, err := qos.ReadVendor("f.conf", strings.NewReader("\n"+text)); err == nil || !strings.Contains(err.Error(), "f.conf:2: "+strings.Fields(text)[0]) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzReadVendor: no file makes the reader panic.
func FuzzReadVendor(f *testing.F) {
	f.Add("ar_mode 1\nar_sl_mask 0xFFFF\nsharp_enabled 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := qos.ReadVendor("fuzz", strings.NewReader(text)); (v == nil) != (err != nil) {
			t.Fatalf("%v, %v", v, err)
		}
	})
}
