package tune

import (
	"bytes"
	"testing"
)

// FuzzJournal holds that the reader keeps whole lines from the beginning of a journal, and that it
// keeps all of them when it reads them again.
func FuzzJournal(f *testing.F) {
	const first = `{"weft_tune":1,"weft":"v1","digest_sha256":"d"}` + "\n"
	for _, text := range []string{
		"", "\n", first, first + `{"values":[1,2],"seed":3,"outcome":{"failed":"deadlock"}}` + "\n",
		first + `{"values":null,"seed":3,"outcome":{"sizes":[]}}` + "\n", first + `{"values":[1`,
	} {
		f.Add([]byte(text))
	}
	want := header{journalVersion, "v1", "d"}
	f.Fuzz(func(t *testing.T, text []byte) {
		j := NewJournal()
		kept, err := j.read("runs.jsonl", bytes.NewReader(text), want, 2)
		if err != nil {
			return
		}
		if kept > int64(len(text)) || kept > 0 && text[kept-1] != '\n' {
			t.Fatalf("%d bytes of %d are kept", kept, len(text))
		}
		again := NewJournal()
		if more, err := again.read("runs.jsonl", bytes.NewReader(text[:kept]), want, 2); err != nil || more != kept || again.Earlier != j.Earlier {
			t.Fatalf("read again: %d bytes (%d), %d simulations (%d), %v", more, kept, again.Earlier, j.Earlier, err)
		}
	})
}
