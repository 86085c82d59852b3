// Package wire is what the providers that speak HTTP share: a transport that
// turns error answers into *model.APIError, watches for silence and limits
// sizes, and the rules that sort errors.
package wire
