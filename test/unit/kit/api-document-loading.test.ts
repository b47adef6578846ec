import { expect, it, vi } from "vitest";
import { describeApi } from "../../../workers/hosting/app";

const seen = vi.hoisted(() => ({ generator: false }));
vi.mock("@asteasolutions/zod-to-openapi", (importOriginal) => {
  seen.generator = true;
  return importOriginal();
});
// The application is built, but nothing of the runtime is used.
vi.mock("cloudflare:workers", () => ({ DurableObject: class {}, WorkerEntrypoint: class {} }));
vi.mock("cloudflare:sockets", () => ({ connect: () => undefined }));

it("loads the generator when a document is asked for, and makes the document once", async () => {
  expect(seen.generator).toBe(false);
  const document = await describeApi();
  expect(seen.generator).toBe(true);
  expect(Object.keys(document.paths ?? {}).length).toBeGreaterThan(10);
  expect(await describeApi()).toBe(document);
});
