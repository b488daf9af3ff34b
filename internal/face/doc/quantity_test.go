package doc

import (
	"strings"
	"testing"

	"weft/units"
)

// TestQuantities: every unit has its one format, and the page has the value in the base unit.
func TestQuantities(t *testing.T) {
	for _, c := range []struct {
		cell Cell
		text string
		data string
	}{
		{Time(0), "0", `data-value="0" data-unit="ps"`},
		{Time(7), "7 ps", `data-value="7" data-unit="ps"`},
		{Time(1_500_000), "1.500 us", `data-value="1500000" data-unit="ps"`},
		{Time(9_999_600), "10.00 us", `data-value="9999600" data-unit="ps"`},
		{Time(99_999_900), "100.0 us", `data-value="99999900" data-unit="ps"`},
		{Time(999_999_999), "1000 us", `data-value="999999999" data-unit="ps"`},
		{Time(-12_345), "-12.35 ns", `data-value="-12345" data-unit="ps"`},
		{Time(units.Second * 1000), "1000 s", `data-value="1000000000000000" data-unit="ps"`},
		{Bytes(1536), "1.5 KiB", `data-value="1536" data-unit="B"`},
		{ExactBytes(1_234_567), "1,234,567", `data-value="1234567" data-unit="B"`},
		{Length(1500), "1.5 m", `data-value="1500" data-unit="mm"`},
		{Power(0), "0 W", `data-value="0" data-unit="mW"`},
		{Power(92_070_000), "92.07 kW", `data-value="92070000" data-unit="mW"`},
		{Frequency(2_100_000_000), "2.1 GHz", `data-value="2100000000" data-unit="Hz"`},
		{Money(1234.5, "EUR"), "1,235 EUR", `data-value="1234.5" data-unit="EUR"`},
		{Money(1, `"><b>`), `1 "><b>`, `data-value="1" data-unit="&#34;&gt;&lt;b&gt;"`},
		{Money(1, ""), "1 ", `data-value="1" data-unit="money"`},
		{Number(3.25, "flows"), "3.25", `data-value="3.25" data-unit="flows"`},
		{Ratio(1.0249, 2), "1.02", `data-value="1.0249" data-unit="ratio"`},
		{Share(0), "0 %", `data-value="0" data-unit="%"`},
		{Share(0.0004), "<0.1 %", `data-value="0.04" data-unit="%"`},
		{Share(0.0625), "6.2 %", `data-value="6.25" data-unit="%"`},
		{Share(0.625), "62 %", `data-value="62.5" data-unit="%"`},
		{Share(0.9959), "99.6 %", `data-value="99.59" data-unit="%"`}, // not all
		{Share(0.99984375), ">99.9 %", `data-value="99.984375" data-unit="%"`},
		{Tenths(-0.125), "-12.5 %", `data-value="-12.5" data-unit="%"`},
		{Bandwidth(0), "0", `data-value="0" data-unit="GB/s"`},
		{Bandwidth(0.05), "0.0500", `data-value="0.05" data-unit="GB/s"`},
		{Bandwidth(0.5), "0.500", `data-value="0.5" data-unit="GB/s"`},
		{Bandwidth(5), "5.00", `data-value="5" data-unit="GB/s"`},
		{Bandwidth(50), "50.0", `data-value="50" data-unit="GB/s"`},
		{Bandwidth(5000), "5000", `data-value="5000" data-unit="GB/s"`},
		{Count(12_345), "12,345", `data-value="12345" data-unit="count"`},
		{Count(int64(12_345_678)), "12.35 M", `data-value="12345678" data-unit="count"`},
		{Count(int64(3e12)), "3 T", `data-value="3000000000000" data-unit="count"`},
		{Count(-1234), "-1,234", `data-value="-1234" data-unit="count"`},
		{TokensPerSecond(9_999_999), "9,999,999", `data-value="9999999" data-unit="tokens/s"`},
		{Time(1000).As("~1 ns").In(Strong), "~1 ns", `class="n best" data-value="1000" data-unit="ps"`},
		{None, "–", `<td class="n">`},
		{Text("1 us"), "1 us", `<td class="w">`},
	} {
		if c.cell.Text != c.text {
			t.Errorf("%q, want %q", c.cell.Text, c.text)
		}
		table := NewTable("heading")
		table.Add(c.cell)
		d := &Document{Sections: []Section{{Blocks: []Block{table}}}}
		var page strings.Builder
		if err := d.HTML(&page); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.String(), c.data) {
			_, row, _ := strings.Cut(page.String(), "<tbody>")
			t.Errorf("%q: the page has no %s:\n%s", c.text, c.data, row)
		}
	}
}

// TestAQuantityHasAUnit: without one there is no cell.
func TestAQuantityHasAUnit(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a number without a unit is a cell")
		}
	}()
	Number(1, "")
}

// TestColumnsAreAlignedByTheirCells: a column with a quantity, or a text instead of one, right;
// words left, in every renderer.
func TestColumnsAreAlignedByTheirCells(t *testing.T) {
	table := NewTable("name", "time", "state", "none")
	table.Add(Text("a"), Time(1_000_000), Text("up"), None)
	table.Add(Text("longer"), Text("failed"), Text("down"), None)
	d := &Document{Title: "x", Sections: []Section{{Blocks: []Block{table}}}}
	if got, want := onTerminal(t, d, Style{}), "name        time  state  none\na       1.000 us  up        –\nlonger    failed  down      –\n"; !strings.Contains(got, want) {
		t.Errorf("on a terminal\n%s, want\n%s", got, want)
	}
	var text strings.Builder
	if err := d.Markdown(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "|---|---:|---|---:|") {
		t.Errorf("in Markdown\n%s", text.String())
	}
}
