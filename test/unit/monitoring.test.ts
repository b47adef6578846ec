import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const monitoring = pathOf("../../docs/monitoring");
const PROMTOOL = "promtool";
const hasPromtool = spawnSync(PROMTOOL, ["--version"]).status === 0;
if (!hasPromtool) {
  console.log(
    "promtool is not installed (Debian: apt-get install prometheus), so the alert rules are not checked by it",
  );
}

it.skipIf(!hasPromtool).each([
  ["check", "rules", `${monitoring}/alert-rules.yml`],
  ["check", "config", "--syntax-only", `${monitoring}/prometheus.yml`],
  ["test", "rules", pathOf("monitoring/alert-rules.test.yml")],
])("passes promtool %s %s", (...args) => {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { encoding: "utf8" });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
});

it("links each alert to a heading of the operation guide", () => {
  const rules = readFileSync(`${monitoring}/alert-rules.yml`, "utf8");
  const guide = readFileSync(pathOf("../../docs/operate.md"), "utf8");
  const headings = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) => text.toLowerCase().replaceAll(" ", "-"));
  const anchors = [...rules.matchAll(/runbook: docs\/operate\.md#(\S+)/g)].map(([, anchor]) => anchor);
  expect(anchors.length).toBe([...rules.matchAll(/- alert: /g)].length);
  expect(headings).toEqual(expect.arrayContaining(anchors));
});

it("lays the panels of the dashboard out without overlaps, each with a query of the chosen data source", () => {
  type Panel = {
    title: string;
    datasource: { uid: string };
    gridPos: { x: number; y: number; w: number; h: number };
    targets: { expr: string }[];
  };
  const { panels } = JSON.parse(readFileSync(`${monitoring}/grafana-dashboard.json`, "utf8")) as { panels: Panel[] };
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { title, datasource, targets } of panels) {
    expect(datasource.uid, title).toMatch(/^\$\{datasource\}$/);
    expect(targets.length, title).toBeGreaterThan(0);
  }
});
