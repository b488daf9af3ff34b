package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/wire/wiretest"
)

// capture writes one of the captures of real endpoints into a file.
func capture(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, wiretest.Captures(t)[name], 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSniffNamesTheLossAndWhoRepairedIt(t *testing.T) {
	out, errs, code := runVerb(t, newSniff, capture(t, "v_rc_drop_middle_psnnak.pcap"))
	if code != OK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, part := range []string{
		"PSN 1048579, NAK: PSN sequence error, MSN 1  <- NAK",
		"<- retransmission (goes back by 5)",
		"24 packets of RoCE v2: 5 retransmissions, 1 NAK\n",
		"10.77.0.1 QP 0x3d > 10.77.0.2 QP 0x3c",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("the output lacks %q:\n%s", part, out)
		}
	}
}

func TestSniffPrintsOneJSONObject(t *testing.T) {
	for _, flag := range []string{"--json", "--summary", "--anomalies"} {
		out, _, code := runVerb(t, newSniff, capture(t, "v_rc_rnr.pcap"), "--json", flag)
		var got struct {
			Packets []struct{ Opcode string }
			Flows   []struct {
				Src   string
				Found map[string]int64
			}
			Found    map[string]int64
			Complete bool
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != OK {
			t.Fatalf("%s: %v, exit code %d:\n%s", flag, err, code, out)
		}
		want := map[string]int{"--json": 12, "--summary": 0, "--anomalies": 8}[flag]
		if len(got.Packets) != want || got.Found["RNR NAK"] != 4 || len(got.Flows) != 2 || !got.Complete {
			t.Errorf("%s: %+v", flag, got)
		}
	}
}

func TestSniffOfACutCaptureKeepsWhatWasRead(t *testing.T) {
	path := capture(t, "v_rc_rnr.pcap")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:500], 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := runVerb(t, newSniff, path)
	if code != BadInput || !strings.Contains(out, "4 packets of RoCE v2") || !strings.Contains(errs, "at byte 456: the capture ends inside a packet") {
		t.Errorf("exit code %d, %s\n%s", code, errs, out)
	}
}

func TestSniffOfWhatIsNoCaptureIsBadInput(t *testing.T) {
	for _, path := range []string{t.TempDir(), "sniff_test.go", "nowhere"} {
		if _, errs, code := runVerb(t, newSniff, path); code != BadInput || errs == "" {
			t.Errorf("%s: exit code %d, %q", path, code, errs)
		}
	}
}
