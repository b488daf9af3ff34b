package cli

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/face/cli/exit"
)

// A capture of other traffic has nothing that sniff judges.
func TestACaptureWithoutRoCEIsNotCalledSound(t *testing.T) {
	order := binary.LittleEndian
	file := order.AppendUint32(nil, 0xa1b2c3d4)
	file = append(file, 2, 0, 4, 0)
	for _, v := range []uint32{0, 0, 65535, 1} { // Ethernet
		file = order.AppendUint32(file, v)
	}
	for _, v := range []uint32{1, 0, 60, 60} {
		file = order.AppendUint32(file, v)
	}
	file = append(file, make([]byte, 60)...)
	path := filepath.Join(t.TempDir(), "other.pcap")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := runVerb(t, "sniff", path)
	if code != exit.NotJudged || !strings.Contains(out, "0 packets of RoCE v2, 1 others") || !strings.Contains(errs, "no packet of RoCE v2") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}
