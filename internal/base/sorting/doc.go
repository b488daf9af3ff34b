// Package sorting sorts lists where the time of sorting does not matter. slices.SortFunc and slices.SortStableFunc are
// compiled anew for each type of list, 5 to 9 KB of program each; here all types share one copy of the code, and equal
// entries come in the same order as by package slices.
package sorting
