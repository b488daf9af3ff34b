// Package page is the page with which people look into a run: views of its series in a browser, from a
// server on loopback, or in one file.
//
// # Parts
//
// The views are plain scripts in assets, a file each, which become one script in the order of their names.
// They have no build step. All draw from one state (assets/10-state.js), which is also the address of the
// page, and all get their data by a path: from the server, or from the data in the file. So the
// file is the same page. Data are the columns of a Parquet file, and the matrix of a quantity, link by
// interval.
//
// # Trust
//
// A run folder may come from anybody. Texts of a folder reach the page as JSON and become text nodes;
// no view builds HTML from them. The policy of the page forbids scripts in the document, other servers,
// forms and frames. report.html of a folder is shown in a frame without scripts.
//
// The server answers on loopback only, and refuses requests by other names of its host and from other
// origins, which a page of another site could make the browser send. What shows, begins, pauses or stops a run needs
// a token, which other users of the machine do not have.
//
// # Runs that go on
//
// The server and a run meet in the run's folder alone (package runstore): either may be killed. New runs are
// processes that package cli begins.
package page
