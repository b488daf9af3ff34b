package report

// Integer is n with thousands apart: 12,345.
func Integer(n int64) string { return exactCount(n) }
