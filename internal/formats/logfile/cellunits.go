package logfile

import (
	"fmt"
	"math"
	"strings"
)

// rowUnits are the units of a row of a table with a heading, as far as they are named. A time in us, a size and algbw tell
// those that are not: algbw is the size over the time.
type rowUnits struct {
	size  string // in small letters; "" if it is not named
	named bool   // the unit of the bandwidth is
}

// sizeUnit is the named unit of a size, in small letters.
func (v *value) sizeUnit() string {
	if m := valueUnit.FindStringSubmatch(v.text); len(m) > 2 && m[2] != "" {
		return strings.ToLower(m[2])
	}
	for _, name := range []string{"kb", "mb", "gb"} {
		if v.unit == sizeUnits[name] {
			return name
		}
	}
	if v.unit > 0 {
		return "b"
	}
	return ""
}

// factor is another unit of a quantity, in words.
type factor struct {
	by   float64
	text string
}

// sizes are the units that sizes may have: KB, MB and GB are often powers of 1024; a column without a unit may be in any.
func (u *rowUnits) sizes() []factor {
	out := []factor{{1, ""}}
	for i, name := range []string{"k", "m", "g"} {
		decimal, binary := math.Pow(1000, float64(i+1)), math.Pow(1024, float64(i+1))
		letter := strings.ToUpper(name)
		switch u.size {
		case name + "b":
			out = append(out, factor{binary / decimal, fmt.Sprintf("sizes in %sB are taken for %siB", letter, letter)})
		case "":
			out = append(out, factor{binary, fmt.Sprintf("sizes without a unit are taken for %siB", letter)}, factor{decimal, fmt.Sprintf("sizes without a unit are taken for %sB", letter)})
		}
	}
	return out
}

// fit gives a row the units by which its size, time and bandwidth agree, and says which; "" if they agree as they are, or
// in no unit.
func (u *rowUnits) fit(row *Row) string {
	if row.Micros <= 0 || row.AlgGBps <= 0 || row.Bytes < 1 || contradiction(row.Bytes, row.Micros, row.AlgGBps) == "" {
		return ""
	}
	rates := []factor{{1, ""}}
	if !u.named {
		rates = append(rates, factor{.125, "bandwidths are taken for Gb/s"})
	}
	for _, size := range u.sizes() {
		for _, rate := range rates {
			bytes := math.Round(float64(row.Bytes) * size.by)
			if bytes > 1<<53 || contradiction(int64(bytes), row.Micros, row.AlgGBps*rate.by) != "" {
				continue
			}
			row.Bytes, row.AlgGBps, row.BusGBps = int64(bytes), row.AlgGBps*rate.by, row.BusGBps*rate.by
			return strings.Trim(size.text+", "+rate.text, ", ")
		}
	}
	return ""
}
