// Package golden compares the output of a test with a file that is reviewed like code, and rewrites
// the file when the test runs with -update. Only tests import it.
package golden
