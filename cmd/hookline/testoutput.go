package main

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// printTests prints the results of cases in the form that was asked for. Text is printed
// while they run.
func (a *app) printTests(w *workspace, results []testResult, o testOptions) error {
	failed := 0
	for _, r := range results {
		if !r.Passed {
			failed++
		}
	}
	switch {
	case o.asJSON:
		return a.printJSON(results)
	case o.asTAP:
		a.tap(w, results)
	case o.asJUnit:
		return a.junit(w, results, failed)
	default:
		a.printf("%d passed, %d failed\n", len(results)-failed, failed)
	}
	return nil
}

// tap prints the Test Anything Protocol.
func (a *app) tap(w *workspace, results []testResult) {
	a.printf("TAP version 13\n1..%d\n", len(results))
	for i, r := range results {
		mark := "ok"
		if !r.Passed {
			mark = "not ok"
		}
		a.printf("%s %d - %s (%s:%d)\n", mark, i+1, strings.ReplaceAll(line(r.Name), "#", `\#`), escaped(w.relative(r.File)), r.Line)
		for _, f := range r.Faults {
			a.printf("# %s\n", line(f))
		}
	}
}

// junitSuite and junitCase are what readers of JUnit's XML look at.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (a *app) junit(w *workspace, results []testResult, failed int) error {
	suite := junitSuite{Name: "hookline", Tests: len(results), Failures: failed}
	for _, r := range results {
		file := w.relative(r.File)
		c := junitCase{Class: file, Name: r.Name, File: file, Line: r.Line}
		if !r.Passed {
			c.Failure = &junitFailure{r.Faults[0], strings.Join(r.Faults, "\n")}
		}
		suite.Cases = append(suite.Cases, c)
	}
	b, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return fmt.Errorf("write the results as XML: %w", err)
	}
	a.printf("%s%s\n", xml.Header, b)
	return nil
}
