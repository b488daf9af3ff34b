// Package examples is the scenarios, profiles and configurations of this folder, as the program carries them.
//
// Each file begins with a comment. Its first paragraph is the question that the example answers; a line of "#" ends the
// paragraph. The name of an example is its path without the extension: h100-128, plan/1024.
package examples
