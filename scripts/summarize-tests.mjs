// Prints the slowest files of vitest's JSON report and, as the last line, "N passed, N failed". Fails if a test failed, or
// if the run exceeded the time budget on a machine that calibrate.mjs found quiet before and after it. The budget is for the
// machine whose speed calibrate.mjs records, so the time of a slower one is converted. Plain JavaScript, because any Node may
// run it.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const BUDGET_MINUTES = 7;

const [path, ...calibrationPaths] = process.argv.slice(2);
if (!path) throw new Error("usage: summarize-tests.mjs <report.json> [<calibration.json> ...]");
const read = (file) => JSON.parse(readFileSync(file, "utf8"));
const report = read(path);

const files = report.testResults.map(({ name, startTime, endTime }) => ({
  name,
  endTime,
  duration: endTime - startTime,
}));
console.log("Slowest files (seconds):");
for (const { name, duration } of files.toSorted((a, b) => b.duration - a.duration).slice(0, 10)) {
  console.log(`${(duration / 1000).toFixed(1).padStart(7)}  ${relative(process.cwd(), name)}`);
}

const minutes = (Math.max(...files.map(({ endTime }) => endTime)) - report.startTime) / 60_000;
const calibrations = calibrationPaths.map(read);
const isQuiet = calibrations.length > 0 && calibrations.every((calibration) => calibration.isQuiet);
const ratios = calibrations.map(({ cpu, recorded }) => recorded / cpu);
const speed = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length || 1;
const recordedMinutes = minutes * speed;
const isOverBudget = recordedMinutes > BUDGET_MINUTES;
console.log(
  `npm test took ${minutes.toFixed(1)} min, which is ${recordedMinutes.toFixed(1)} of ${BUDGET_MINUTES} min at the recorded speed; the machine is ${isQuiet ? "" : "not "}quiet.`,
);
for (const calibration of calibrations) console.log(`  ${JSON.stringify(calibration)}`);
if (isOverBudget && isQuiet)
  console.log(`Over the budget: see the slowest files, and docs/decisions/set-a-test-time-budget.md.`);

// A file that failed before its first test counts as one failure.
const brokenFiles = report.testResults.filter(
  (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
);
const failed = report.numFailedTests + brokenFiles.length;
if (report.numPendingTests > 0) console.log(`${report.numPendingTests} skipped`);
if (failed > 0 || report.numPassedTests === 0 || (isOverBudget && isQuiet)) process.exitCode = 1;
console.log(`${report.numPassedTests} passed, ${failed} failed`);
