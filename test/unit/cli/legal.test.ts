import { describe, expect, test } from "vitest";
import { isSafeTarget, renderMarkdown } from "../../../cli/config/legal/markdown.ts";

describe("legal document", () => {
  test("renders headings, paragraphs, nested lists, quotes, tables and code", () => {
    const html = renderMarkdown(
      "a\nb\n\n- a\n  - b\n\n1. x\n\n> q\n\n| h | n |\n|---|--:|\n| c | 1 |\n\n---\n\n```\n<code>\n```\n\n*e* `c`",
    );
    for (const part of [
      "<p>a\nb</p>",
      "<ul>\n<li>a\n<ul>\n<li>b</li>",
      "<ol>\n<li>x</li>",
      "<blockquote>\n<p>q</p>",
      '<div class="table-scroll" tabindex="0"><table><thead>',
      '<td class="right">1</td>',
      "<hr>",
      "<pre><code>&lt;code&gt;\n</code></pre>",
      "<em>e</em> <code>c</code>",
    ])
      expect(html).toContain(part);
    expect(html).not.toContain("style=");
  });

  test("renders headings from the second level on, and omits a leading title", () => {
    expect(renderMarkdown("# Privacy\n\n## What\n\n### More\n\n## Who")).toBe(
      "<h2>What</h2>\n<h3>More</h3>\n<h2>Who</h2>\n",
    );
    expect(renderMarkdown("Text\n\n# A\n\n#### B\n\n###### C")).toBe(
      "<p>Text</p>\n<h2>A</h2>\n<h5>B</h5>\n<h6>C</h6>\n",
    );
    expect(renderMarkdown("# Privacy")).toBe("");
  });

  test.each([
    "<script>x</script> & <b onclick=x>",
    '<img src=x onerror="x">',
    "<iframe srcdoc=x></iframe>\n\n<style>*{}</style>",
    "`<b>`",
    "    <b>indented</b>",
    '![x](https://evil.example/pixel.png "t")',
    '[x](/a "t\\" onclick=\\"x")',
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
  ])("renders HTML as text: %j", (source) => {
    const tags = renderMarkdown(source).match(/<[^>]*>/g) ?? [];
    for (const tag of tags) expect(tag).toMatch(/^<\/?(?:p|code|pre|a)(?: (?:href|title|target|rel)="[^"<>]*")*>$/);
    expect(renderMarkdown(source)).not.toMatch(/<a [^>]*href="(?!\/a"|https:)/);
  });

  test.each([
    "javascript:alert(1)",
    "JAVASCRIPT:x",
    "java&#115;cript:x",
    "data:text/html,x",
    "vbscript:x",
    "blob:x",
    "x",
    "//evil.example",
    "/\\evil",
    "/%5cevil",
    "\\\\evil",
    "file:///x",
    "ftp://x.example",
    "relative",
    "#a",
    "?a",
    "https:",
    "http:evil.example",
    "https:/evil.example",
  ])("renders no link to %s", (href) => {
    expect(renderMarkdown(`[x](${href}) [x](<${href}>) <${href}>`)).not.toContain("<a ");
  });

  test.each([
    [
      "[it](https://a.example/x_(y))",
      '<a href="https://a.example/x_(y)" target="_blank" rel="noopener noreferrer">it</a>',
    ],
    ["[it](/legal/x)", '<a href="/legal/x">it</a>'],
    ["a@b.example", '<a href="mailto:a@b.example">a@b.example</a>'],
    [
      "<https://a.example>",
      '<a href="https://a.example" target="_blank" rel="noopener noreferrer">https://a.example</a>',
    ],
    ["see https://a.example/b.", "https://a.example/b</a>."],
    ["example.com", "<p>example.com</p>"],
  ])("renders the links in: %s", (source, html) => {
    expect(renderMarkdown(source)).toContain(html);
  });

  test("renders malformed and deeply nested texts quickly", () => {
    for (const source of ["**", "[", "- ", "|\n|-|", "```", ">", "#", "*a _b* c_", "[]()", "\n\n\n", "a|b\n-|-"])
      expect(() => renderMarkdown(source)).not.toThrow();
    const startedAt = performance.now();
    for (const part of ["[", "*a_", "> ", "`", "<a "]) renderMarkdown(part.repeat(5000));
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });
});

test("allows http, https, mailto and paths of the own origin as link targets", () => {
  expect(isSafeTarget("/a")).toBe(true);
  expect(isSafeTarget("mailto:a@b.example")).toBe(true);
  for (const target of ["", "/", "a"]) expect([target, isSafeTarget(target)]).toEqual([target, target === "/"]);
});
