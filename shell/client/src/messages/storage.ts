import type { ShellMessages } from "../../../../schemas/shell/messages.ts";
import type { Shell } from "../shell/shell.ts";
import { type Fields, readFields, readText } from "./read.ts";
import { readStorageCall, type StorageCall } from "./storage-request.ts";

type Answer = ShellMessages["PLATFORM_STORAGE_RESPONSE"];

const LIMIT = 120_000;
const refusal = (id: string, status: number, code: string): Answer => ({ id, error: { status, code } });

/** Does what an application asks of the storage, with the session of the person. It goes on when the application is left. */
export async function callStorage({ page, session }: Shell, id: string, fields: Fields): Promise<Answer> {
  const { storage } = page.get().config;
  if (storage === undefined) return refusal(id, 503, "storage_not_configured");
  const token = await session?.getAccessToken({}).catch(() => null);
  if (!token) return refusal(id, 401, "not_signed_in");
  const call = readStorageCall(fields);
  if (call === undefined) return refusal(id, 400, "invalid_payload");
  try {
    const answer = await send(id, storage.url, token.accessToken, call);
    // What shows how much is stored reads it anew.
    if (fields.op === "upload" && "data" in answer) dispatchEvent(new Event("platform:uploaded"));
    return answer;
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    return refusal(id, isLate ? 504 : 503, isLate ? "timeout" : "service_unavailable");
  }
}

async function send(id: string, url: string, token: string, call: StorageCall): Promise<Answer> {
  const { method, path, json, body, headers, answer } = call;
  const response = await fetch(`${url}/storage/v1/${path}`, {
    method,
    credentials: "omit",
    signal: AbortSignal.timeout(LIMIT),
    headers: {
      accept: answer === "json" ? "application/json" : "*/*",
      authorization: `Bearer ${token}`,
      "x-request-id": crypto.randomUUID(),
      ...(json && { "content-type": "application/json" }),
      ...headers,
    },
    ...(json ? { body: JSON.stringify(json) } : body && { body }),
  });
  if (!response.ok) {
    const problem = readFields(await response.json().catch(() => null));
    return refusal(id, response.status, readText(problem?.error_code, 64) ?? "storage_error");
  }
  return { id, data: answer === "blob" ? await response.blob() : await response.json() };
}
