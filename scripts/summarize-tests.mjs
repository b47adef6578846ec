// Prints one last line, "N passed, N failed", from vitest's JSON report. Plain JavaScript: it may run under any Node.
import { readFileSync } from "node:fs";

const path = process.argv[2];
if (!path) throw new Error("usage: summarize-tests.mjs <report.json>");
const report = JSON.parse(readFileSync(path, "utf8"));
// A file that failed before its first test counts as one failure.
const brokenFiles = report.testResults.filter(
  (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
);
const failed = report.numFailedTests + brokenFiles.length;
if (report.numPendingTests > 0) console.log(`${report.numPendingTests} skipped`);
if (failed > 0 || report.numPassedTests === 0) process.exitCode = 1;
console.log(`${report.numPassedTests} passed, ${failed} failed`);
