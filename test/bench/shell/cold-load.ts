import type { Browser, CDPSession } from "playwright-core";
import { medianOf, type Row } from "./table.ts";

const runs = 5;
/** network conditions of "Slow 4G" in DevTools */
const network = { latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 };
const slowdown = 4;
const settleMs = 3_000;

type PageTimings = { first: number; largest: number; blocking: number; shift: number; view: number };
type Load = PageTimings & { busy: number };

/** Loads a page without a cache, over a slow connection and with a slow CPU, as DevTools simulates them. */
async function loadOnce(browser: Browser, url: string): Promise<Load> {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 412, height: 823 } });
  await context.addInitScript(observe);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await session.send("Network.emulateNetworkConditions", { offline: false, ...network });
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  const takeTrace = await trace(session);
  await page.goto(url, { waitUntil: "load" });
  await page.locator("h1:visible, .frame-room iframe").first().waitFor({ state: "attached" });
  await page.waitForTimeout(settleMs);
  const timings = await page.evaluate(read);
  const busy = busyOf(await takeTrace());
  await context.close();
  return { ...timings, busy };
}

type Event = { name: string; pid: number; tid: number; ts: number; tdur?: number };

/** Starts a trace. Returns a function that ends the trace and returns its events. */
async function trace(session: CDPSession): Promise<() => Promise<Event[]>> {
  const events: Event[] = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as Event[])));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["loading", "disabled-by-default-devtools.timeline"] },
  });
  return async () => {
    const complete = new Promise((done) => session.once("Tracing.tracingComplete", done));
    await session.send("Tracing.end");
    await complete;
    return events;
  };
}

/** Returns the blocking time in ms, measured as CPU time, so that other processes do not affect it. */
function busyOf(events: Event[]): number {
  const first = events.find(({ name }) => name === "firstContentfulPaint");
  return (
    events
      // Counts the whole task, including the promise callbacks at its end.
      .filter(({ name, pid, tid }) => name === "RunTask" && pid === first?.pid && tid === first.tid)
      .filter(({ ts }) => ts > (first?.ts ?? 0))
      .reduce((sum, { tdur = 0 }) => sum + Math.max(0, tdur / 1000 - 50), 0)
  );
}

/** Measures cold loads of pages of a site. Returns the medians of several runs. */
export async function measureColdLoads(browser: Browser, site: string, paths: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const path of paths) {
    const loads: Load[] = [];
    for (let run = 0; run < runs; run += 1) loads.push(await loadOnce(browser, site + path));
    const median = (name: keyof Load) => medianOf(loads.map((load) => load[name]));
    const fastest = (name: keyof Load) => Math.min(...loads.map((load) => load[name]));
    rows.push(
      { name: `${path}  first paint`, value: median("first"), target: 1000, unit: "ms" },
      { name: `${path}  largest paint`, value: median("largest"), target: 1500, unit: "ms" },
      { name: `${path}  largest paint, fastest`, value: fastest("largest"), target: 1500, unit: "ms" },
      { name: `${path}  blocking time`, value: median("blocking"), target: 50, unit: "ms" },
      { name: `${path}  blocking time, CPU only`, value: median("busy"), target: 50, unit: "ms" },
      { name: `${path}  layout shift`, value: median("shift"), target: 0.02, unit: "" },
      { name: `${path}  view rendered`, value: median("view"), unit: "ms" },
    );
  }
  return rows;
}

type Measurements = { largest: number; shift: number; tasks: { start: number; duration: number }[]; view: number };
type ObservedWindow = { measurements: Measurements };

/** Runs in the page before its own scripts and records paints, layout shifts and long tasks for `read`. */
function observe() {
  if (window.top !== window) return;
  const measurements: Measurements = { largest: 0, shift: 0, tasks: [], view: 0 };
  (window as unknown as ObservedWindow).measurements = measurements;
  const observeEntries = (type: string, onEntry: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(onEntry)).observe({ type, buffered: true });
  observeEntries("largest-contentful-paint", ({ startTime }) => {
    measurements.largest = startTime;
  });
  observeEntries("layout-shift", (entry) => {
    const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
    if (!hadRecentInput) measurements.shift += value;
  });
  observeEntries("longtask", ({ startTime, duration }) => measurements.tasks.push({ start: startTime, duration }));
  const checkView = () => {
    // The first paint already contains headings, but its content is still loading.
    const isLoading = document.querySelector('main [aria-busy="true"]') !== null;
    if (isLoading || document.querySelector("main h1, .frame-room iframe") === null) requestAnimationFrame(checkView);
    else measurements.view = performance.now();
  };
  requestAnimationFrame(checkView);
}

/**
 * Runs in the page and returns its measurements. Blocking time is the part of each task beyond 50 ms after the first
 * paint.
 */
function read(): PageTimings {
  const { measurements } = window as unknown as ObservedWindow;
  const first = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN;
  const blocking = measurements.tasks
    .map(({ start, duration }) => start + duration - Math.max(first, start + 50))
    .filter((ms) => ms > 0)
    .reduce((sum, ms) => sum + ms, 0);
  return { first, largest: measurements.largest, blocking, shift: measurements.shift, view: measurements.view };
}
