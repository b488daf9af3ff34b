package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/face/cli/exit"
	"weft/internal/test/wiretest"
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

func TestSniffNamesALossAndItsRetransmission(t *testing.T) {
	out, errs, code := runVerb(t, "sniff", capture(t, "v_rc_drop_middle_psnnak.pcap"))
	if code != exit.OK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, part := range []string{
		"PSN 1048579, NAK: PSN sequence error, MSN 1  <- NAK",
		"<- retransmission (goes back by 5)",
		"24 packets of RoCE v2: 5 retransmissions, 1 NAK.\n",
		"10.77.0.1 QP 0x3d > 10.77.0.2 QP 0x3c",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("the output lacks %q:\n%s", part, out)
		}
	}
}

// TestTheFlowsOfACaptureAreAPage: with --html - neither packets nor JSON are printed.
func TestTheFlowsOfACaptureAreAPage(t *testing.T) {
	for _, flag := range []string{"--html=-", "--json"} {
		out, errs, code := runVerb(t, "sniff", capture(t, "v_rc_rnr.pcap"), "--html", "-", flag)
		if code != exit.OK || !strings.HasPrefix(out, "<!doctype html>") || !strings.HasSuffix(strings.TrimSpace(out), "</html>") || !strings.Contains(out, "4 RNR NAKs") {
			t.Errorf("%s: exit code %d: %s\n%s", flag, code, errs, out)
		}
	}
}

func TestSniffPrintsOneJSONObject(t *testing.T) {
	for _, flag := range []string{"--json", "--summary", "--anomalies"} {
		out, _, code := runVerb(t, "sniff", capture(t, "v_rc_rnr.pcap"), "--json", flag)
		var got struct {
			Packets []struct{ Opcode string }
			Flows   []struct {
				Src   string
				Found map[string]int64
			}
			Found    map[string]int64
			Complete bool
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != exit.OK {
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
	out, errs, code := runVerb(t, "sniff", path)
	if code != exit.BadInput || !strings.Contains(out, "4 packets of RoCE v2") || !strings.Contains(errs, "at byte 456: the capture ends inside a packet") {
		t.Errorf("exit code %d, %s\n%s", code, errs, out)
	}
}

func TestSniffWithoutACaptureIsBadInput(t *testing.T) {
	for _, path := range []string{t.TempDir(), "sniff_test.go", "nowhere"} {
		if _, errs, code := runVerb(t, "sniff", path); code != exit.BadInput || errs == "" {
			t.Errorf("%s: exit code %d, %q", path, code, errs)
		}
	}
}

func TestSniffsJSONHasTheHeaders(t *testing.T) {
	type packet struct {
		Opcode, ICRC string
		Ack          bool `json:"ack_req"`
		MSN          *uint32
		RETH         *struct {
			VA           uint64
			RKey, Length uint32
		}
		Atomic *struct{ VA uint64 }
	}
	found := map[string]bool{}
	for _, name := range []string{"v_rc_write.pcap", "v_rc_atomic.pcap", "NEG_bad_icrc_ud.pcap"} {
		out, errs, code := runVerb(t, "sniff", capture(t, name), "--json")
		var got struct{ Packets []packet }
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != exit.OK {
			t.Fatalf("%s: %v, exit code %d: %s", name, err, code, errs)
		}
		for _, p := range got.Packets {
			found["an ICRC that is "+p.ICRC] = true
			found["a key"] = found["a key"] || p.RETH != nil && p.RETH.RKey != 0 && p.RETH.VA != 0 && p.RETH.Length != 0
			found["an atomic's address"] = found["an atomic's address"] || p.Atomic != nil && p.Atomic.VA != 0
			found["an MSN"] = found["an MSN"] || p.MSN != nil && *p.MSN != 0
			found["AckReq"] = found["AckReq"] || p.Ack
		}
	}
	for _, want := range []string{"an ICRC that is ok", "an ICRC that is bad", "a key", "an atomic's address", "an MSN", "AckReq"} {
		if !found[want] {
			t.Errorf("no packet has %s", want)
		}
	}
}
