import { expect, it } from "vitest";
import { createFaultReader } from "../../../scripts/support/start/faults";

const line = (fields: Record<string, unknown>) =>
  `\u001b[31m[ERROR] ${JSON.stringify({ time: "2026-11-22T10:00:00.000Z", level: "error", ...fields })}\u001b[0m`;
const setting = { service: "hosting", message: "invalid setting: SCHEDULER_ENABLED, allowed: true or false" };

it("reports an error of a service once across requests and isolates until the errors are cleared", () => {
  const faults = createFaultReader();
  const text = "hosting: invalid setting: SCHEDULER_ENABLED, allowed: true or false";
  expect(faults.read(line({ ...setting, request_id: "1" }))).toEqual({ text, isNew: true, isInvalidSetting: true });
  expect(faults.read(line({ ...setting, request_id: "2" }))?.isNew).toBe(false);
  const failedRequest = line({ service: "hosting", message: "request failed", cause: "Problem: service_unavailable" });
  expect(faults.read(failedRequest)?.isNew).toBe(false);
  expect(faults.read(line({ ...setting, service: "email" }))?.isNew).toBe(true);
  faults.forget();
  expect(faults.read(failedRequest)?.isNew).toBe(false);
  expect(faults.read(line(setting))?.isNew).toBe(true);
});

it("reports a failed request without an earlier error, with its cause", () => {
  const fault = createFaultReader().read(
    line({ service: "email", message: "request failed", cause: "Error: no table" }),
  );
  expect(fault).toEqual({ text: "email: request failed (Error: no table)", isNew: true, isInvalidSetting: false });
});

it("ignores log lines that report no fault of a service", () => {
  const { read, hasReported } = createFaultReader();
  const info = `{"time":"2026-11-22T10:00:00.000Z","level":"info","message":"request","service":"email"}`;
  const unreachable = line({ service: "edge", message: "service unreachable" });
  for (const other of ["", "Ready on http://localhost", '{"time":', info, unreachable]) expect(read(other)).toBeNull();
  expect(hasReported()).toBe(false);
});
