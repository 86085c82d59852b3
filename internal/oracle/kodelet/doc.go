// Package kodelet judges the kodelet dialect by the last kodelet that runs executable hooks:
// see package oracle. It is in no registry: ORACLE_KODELET names the program, built from its
// sources.
package kodelet
