package requests

import (
	"slices"
	"strings"
	"testing"

	"weft/units"
)

// The beginnings of AzureLLMInferenceTrace_conv.csv of 2023, of the trace of 2024, and of a trace of Mooncake,
// as their repositories describe them.
const (
	azure2023 = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n2023-11-16 18:15:51.2224670,879,55\n"
	azure2024 = "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,2162,5\n2024-05-10 00:00:00.017335+00:00,2399,6\n"
	mooncake  = `{"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47, 48]}` + "\n" +
		`{"timestamp": 30535, "input_length": 1200, "output_length": 26, "hash_ids": [46, 47, 99]}` + "\n\n" +
		`{"timestamp": 30535, "input_length": 513, "output_length": 1, "hash_ids": [47, 46]}` + "\n"
)

func read(t *testing.T, text string) *Trace {
	t.Helper()
	trace, p := Read("trace", strings.NewReader(text), 1000)
	if p != nil {
		t.Fatal(p)
	}
	return trace
}

func TestAzuresTraces(t *testing.T) {
	trace := read(t, azure2023)
	want := []Request{{0, 374, 44, nil}, {4314579 * units.Microsecond, 396, 109, nil}, {4541877 * units.Microsecond, 879, 55, nil}}
	if !slices.EqualFunc(trace.Requests, want, func(a, b Request) bool { return a.At == b.At && a.Prompt == b.Prompt && a.Output == b.Output }) {
		t.Errorf("%+v, want %+v", trace.Requests, want)
	}
	if trace.GapAfter != 1 || trace.Gap != 4314579*units.Microsecond {
		t.Errorf("the longest gap is %v after request %d", trace.Gap, trace.GapAfter)
	}
	if q := read(t, azure2024).Requests[1]; q.At != 7405*units.Microsecond || q.Prompt != 2399 || q.Output != 6 {
		t.Errorf("the second request of 2024: %+v", q)
	}
	if crlf := read(t, "\ufeff"+strings.ReplaceAll(azure2023, "\n", "\r\n")); len(crlf.Requests) != 3 {
		t.Errorf("%d requests with the line ends of Windows", len(crlf.Requests))
	}
}

// A trace of millions is read no further than it is needed; what is behind may be anything.
func TestNoMoreIsReadThanIsWanted(t *testing.T) {
	trace, p := Read("trace", strings.NewReader(azure2023+"nonsense\n"), 3)
	if p != nil || len(trace.Requests) != 3 || !trace.More {
		t.Errorf("%v, %+v", p, trace)
	}
	if whole := read(t, azure2023); whole.More {
		t.Error("a trace that was read to its end has more")
	}
}

// The blocks 46 and 47 are a prefix that the second request shares; the third has them in another order.
func TestMooncakesTracesHavePrefixes(t *testing.T) {
	trace := read(t, mooncake)
	if q := trace.Requests[1]; q.At != 3053*units.Millisecond || q.Prompt != 1200 || q.Output != 26 {
		t.Errorf("%+v", q)
	}
	if hits := trace.Hits(); !slices.Equal(hits, []int{0, 1024, 512}) {
		t.Errorf("hits of %v tokens, want 0, two blocks, and all but one token", hits)
	}
}

func TestATraceThatCannotBeIsRefusedWithItsPlace(t *testing.T) {
	const names = azureNames + "\n"
	for _, x := range []struct{ text, want string }{
		{"", "a trace of Azure"},
		{"a,b\n1,2\n", "a trace of Azure"},
		{names, "two or more requests"},
		{names + "2023-11-16 18:15:46,374\n", `trace:2: "2023-11-16 18:15:46,374": expected three fields`},
		{names + "2023-11-16 18:15:46,,44\n", "expected a number of tokens"},
		{names + "2023-11-16 18:15:46,374,0\n", `trace:2: "0": expected an answer of 1`},
		{names + "2023-11-16 18:15:46,-1,5\n", `trace:2: "-1": expected a prompt of 1`},
		{names + "yesterday,374,44\n", `trace:2: "yesterday": expected a time such as`},
		{names + "2023-11-16 18:15:46,374,44\n2023-11-16 18:15:45,374,44\n", "trace:3: \"2023-11-16 18:15:45\": expected a time no earlier"},
		{names + "2023-11-16 18:15:46,374,44\n2033-11-16 18:15:45,374,44\n", "at most 100 days"},
		{`{"timestamp": -5, "input_length": 1, "output_length": 1}`, `"-5": expected a time of 0`},
		{`{"timestamp": 5, "output_length": 1}`, "expected the fields timestamp"},
		{`{"timestamp": 5, "input_length": 6.5, "output_length": 1}`, "a list of them in hash_ids: input_length is a number 6.5"},
		{`{"timestamp": 5, "input_length": 6, "output_length": 1, "hash_ids": "x"}`, "hash_ids: hash_ids is a string"},
		{`{"timestamp": 5, "input_length": 1, "output_length": 1, "hash_ids": [1, 2]}`, "at most 1 hash_ids"},
		{"{\"timestamp\": 5, \"input_length\": 1, \"output_length\": 1}\n{\n", "trace:2"},
	} {
		if _, p := Read("trace", strings.NewReader(x.text), 1000); p == nil || !strings.Contains(p.Error(), x.want) {
			t.Errorf("%q: %v, want %s", x.text, p, x.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{azure2023, azure2024, mooncake} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		trace, p := Read("fuzz", strings.NewReader(string(text)), 1000)
		if (trace == nil) == (p == nil) {
			t.Fatal("neither a trace nor a problem, or both")
		}
		if p != nil {
			return
		}
		last := units.Time(0)
		for i, hits := range trace.Hits() {
			q := trace.Requests[i]
			if q.At < last || q.Prompt < 1 || q.Output < 1 || hits < 0 || hits >= q.Prompt {
				t.Fatalf("request %d: %+v with %d hits after %v", i, q, hits, last)
			}
			last = q.At
		}
	})
}
