// Package examples is the scenarios, profiles and configurations of this folder, as the program carries them.
//
// Each file begins with a comment: the question that it answers, a line of "#" alone, then what it describes. The name
// of an example is its path without the extension: h100-128, plan/1024.
package examples
