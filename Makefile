# What developers run most. 'make' alone lists it.

.PHONY: help test fmt check bench fuzz soak build oracle

help:
	@echo "make test    all tests"
	@echo "make check   everything that CI checks"
	@echo "make fmt     format the code"
	@echo "make bench   the benchmarks, as docs/performance.md reports them"
	@echo "make fuzz    every fuzz target, FUZZTIME=30s each"
	@echo "make soak    a long run of hostile hooks, and the full numbers of random texts and swaps"
	@echo "make build   the commands, into dist/"
	@echo "make oracle  the dialects beside the programs they come from; VERSION=latest"

test:
	go test ./...

fmt:
	. .ci/tools.sh && "$$GOFUMPT" -w $$(git ls-files '*.go')

check:
	.ci/run

BENCHTIME ?= 1s
BENCHCOUNT ?= 1
bench:
	go test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) -count $(BENCHCOUNT) ./...

FUZZTIME ?= 30s
fuzz:
	.ci/fuzz $(FUZZTIME)

soak:
	go test -v -run Soak -count 1 -timeout 30m -tags soak ./internal/soak
	HOOKLINE_SOAK=1 go test -run 'TestRandomTextsWriteNothingProtected|TestSwapAndStart' -count 1 -timeout 30m ./agent/tool ./discovery

build:
	mkdir -p dist
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o dist/ ./cmd/...

.PHONY: docs
docs:
	UPDATE_DOCS=1 go test -count 1 -run 'TestPagesAreFresh|TestCommandsPageIsFresh|TestSchemaIsFresh|TestSchemasAreFresh' ./internal/reference ./cmd/hookline ./dialect/worker

# Installs programs of others into a cache and says their licences; proprietary ones run
# with ORACLE_ACCEPT=1 only.
oracle:
	ORACLE_VERSION=$(VERSION) go test -count 1 -timeout 3h -parallel 2 -tags oracle -v ./internal/oracle/...
