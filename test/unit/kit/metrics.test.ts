import { describe, expect, it } from "vitest";
import { chooseFormat, exposeMetrics, type Family, renderMetrics } from "../../../workers/kit/metrics/exposition";

const families: Family[] = [
  { name: "app_users_total", type: "gauge", help: 'People, "all" of them.\nA \\ too.', samples: [{ value: 12 }] },
  {
    name: "app_logins_total",
    type: "counter",
    help: "Sign-ins.",
    samples: [{ labels: { provider: 'a"b\\c\nd', company_id: 7 }, value: 3 }],
  },
  { name: "app_empty_total", type: "counter", help: "None yet.", samples: [] },
];

describe("the metrics exposition", () => {
  it("is text 0.0.4 with escaped values and labels in alphabetical order", () => {
    expect(renderMetrics(families, "text")).toBe(
      [
        '# HELP app_users_total People, "all" of them.\\nA \\\\ too.',
        "# TYPE app_users_total gauge",
        "app_users_total 12",
        "# HELP app_logins_total Sign-ins.",
        "# TYPE app_logins_total counter",
        'app_logins_total{company_id="7",provider="a\\"b\\\\c\\nd"} 3',
        "# HELP app_empty_total None yet.",
        "# TYPE app_empty_total counter",
        "",
      ].join("\n"),
    );
  });

  it("is OpenMetrics 1.0 with counter names without _total, escaped help texts and an end marker", () => {
    const text = renderMetrics(families, "openmetrics");
    expect(text).toContain('# HELP app_users_total People, \\"all\\" of them.\\nA \\\\ too.\n');
    expect(text).toContain("# TYPE app_logins counter\napp_logins_total{");
    expect(text).toContain("# TYPE app_users_total gauge\n");
    expect(text.endsWith("\n# EOF\n")).toBe(true);
  });
});

describe("the format of a scrape", () => {
  it.each([
    [null, "text"],
    ["", "text"],
    ["*/*", "text"],
    ["text/plain", "text"],
    ["application/json", "text"],
    ["application/*", "text"],
    ["application/openmetrics-text", "openmetrics"],
    ["APPLICATION/OpenMetrics-Text; Version=1.0.0", "openmetrics"],
    ['application/openmetrics-text; version="1.0.0"; charset=utf-8', "openmetrics"],
    ["application/openmetrics-text; version=0.0.1", "text"],
    ["application/openmetrics-text;q=0", "text"],
    ["application/openmetrics-text;q=nonsense", "text"],
    ["*/*, application/openmetrics-text", "openmetrics"],
    ["application/openmetrics-text;q=0.5, text/plain;q=0.9", "text"],
    ["application/openmetrics-text;q=0.9, text/plain;q=0.5", "openmetrics"],
    ["text/plain, application/openmetrics-text", "text"],
    ["application/openmetrics-text, text/plain", "openmetrics"],
    ["constructor, application/openmetrics-text;q=0.1", "openmetrics"],
    // The headers that Prometheus servers of versions 2 and 3 send.
    [
      "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
      "openmetrics",
    ],
    [
      "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
      "openmetrics",
    ],
  ])("for Accept %s is %s", (accept, format) => {
    expect(chooseFormat(accept)).toBe(format);
  });

  it("determines the content type", () => {
    const types = ["text/plain", "application/openmetrics-text"].map((accept) =>
      exposeMetrics(families, accept).headers.get("content-type"),
    );
    expect(types).toEqual([
      "text/plain; version=0.0.4; charset=utf-8",
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
    ]);
  });
});
