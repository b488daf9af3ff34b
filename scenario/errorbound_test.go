package scenario

import "testing"

func TestErrorBoundsAreReadAndWritten(t *testing.T) {
	for text, want := range map[string]float64{"1%": 0.01, "0.02": 0.02, "0.1%": 0.001, "50%": 0.5, "none": 0} {
		b, err := parseErrorBound(text)
		if err != nil || b.Fraction() != want {
			t.Errorf("%s is %v (%v), want %v", text, b.Fraction(), err, want)
		}
		if again, err := parseErrorBound(b.Exact()); err != nil || again != b {
			t.Errorf("%s is written as %s, which is %v (%v)", text, b.Exact(), again, err)
		}
	}
	if ErrorBound(0).Fraction() != 0.01 {
		t.Errorf("the default is %v, want 1 %%", ErrorBound(0).Fraction())
	}
	for _, text := range []string{"0", "0%", "0.05%", "100%", "1", "51%", "-1%", "nan", "", "one"} {
		if b, err := parseErrorBound(text); err == nil {
			t.Errorf("%q is accepted, as %v", text, b)
		}
	}
}
