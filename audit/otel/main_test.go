package otel

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	colmetric "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collector is an OTLP receiver over HTTP.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []*traces.Span
	metrics map[string]*metrics.Metric
	service string
	headers []http.Header
	raw     []byte
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{metrics: map[string]*metrics.Metric{}}
	c.Server = httptest.NewServer(http.HandlerFunc(c.receive))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.headers = append(c.headers, r.Header)
	c.raw = append(c.raw, body...)
	var answer proto.Message
	switch r.URL.Path {
	case "/v1/traces":
		var req coltrace.ExportTraceServiceRequest
		err = proto.Unmarshal(body, &req)
		for _, rs := range req.ResourceSpans {
			c.service = value(rs.Resource.Attributes, "service.name")
			for _, ss := range rs.ScopeSpans {
				c.spans = append(c.spans, ss.Spans...)
			}
		}
		answer = &coltrace.ExportTraceServiceResponse{}
	case "/v1/metrics":
		var req colmetric.ExportMetricsServiceRequest
		err = proto.Unmarshal(body, &req)
		for _, rm := range req.ResourceMetrics {
			for _, sm := range rm.ScopeMetrics {
				for _, m := range sm.Metrics {
					c.metrics[m.Name] = m
				}
			}
		}
		answer = &colmetric.ExportMetricsServiceResponse{}
	default:
		http.NotFound(w, r)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b, err := proto.Marshal(answer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(b)
}

// span finds the one span of a name.
func (c *collector) span(t *testing.T, name string) *traces.Span {
	t.Helper()
	var found *traces.Span
	for _, s := range c.spans {
		if s.Name == name {
			if found != nil {
				t.Fatalf("two spans %q", name)
			}
			found = s
		}
	}
	if found == nil {
		t.Fatalf("no span %q among %d", name, len(c.spans))
	}
	return found
}

func value(attrs []*common.KeyValue, key string) string {
	for _, kv := range attrs {
		if kv.Key == key {
			return kv.Value.GetStringValue()
		}
	}
	return ""
}
