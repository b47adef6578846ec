// Prints `N passed, N failed` (and skipped) of a vitest JSON report; exits 1 without a passed test or with a failed one.
import { readFileSync } from "node:fs";

const report = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const {
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: skipped,
  numFailedTestSuites: suites,
} = report;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = passed > 0 && failed === 0 && suites === 0 && report.success ? 0 : 1;
