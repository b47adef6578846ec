import type { ShellMessages } from "../../../../../schemas/shell/messages.ts";
import { randomUuid } from "../../session/service-error.ts";
import type { Shell } from "../../shell/shell.ts";
import { type Fields, readFields, readText } from "../read.ts";
import { sendBody } from "./send-body.ts";
import { readStorageCall, type StorageCall } from "./storage-request.ts";
import { readExceededQuota, type Upload, watchUpload } from "./uploads.ts";

type Answer = ShellMessages["PLATFORM_STORAGE_RESPONSE"];
type Result = { data: unknown } | { error: { status: number; code: string } };

/** Time limit for a response, and for an upload without progress, ms. */
const LIMIT = 120_000;
const failure = (status: number, code: string): Result => ({ error: { status, code } });

/**
 * Runs a storage operation for an application with the user's session. The operation continues if the user leaves the
 * application.
 */
export async function callStorage(shell: Shell, id: string, fields: Fields): Promise<Answer> {
  return { id, ...(await resultOf(shell, fields)) };
}

async function resultOf(shell: Shell, fields: Fields): Promise<Result> {
  const { page, session } = shell;
  const { storage } = page.get().config;
  if (storage === undefined) return failure(503, "storage_not_configured");
  const token = await session?.getAccessToken({}).catch(() => null);
  if (!token) return failure(401, "not_signed_in");
  const call = readStorageCall(fields);
  if (call === undefined) return failure(400, "invalid_payload");
  const url = `${storage.url}/storage/v1/${call.path}`;
  const headers = { ...call.headers, authorization: `Bearer ${token.accessToken}`, "x-request-id": randomUuid() };
  if (fields.op === "upload" && call.body !== undefined) {
    const upload = watchUpload(shell, readText(fields.path, 1024)?.split("/").findLast(Boolean) ?? "", call.body.size);
    return await sendUpload(url, { ...call, headers }, call.body, upload);
  }
  return await send(url, { ...call, headers }).catch(failureOf);
}

function failureOf(error: unknown): Result {
  const isTimeout = error instanceof DOMException && error.name === "TimeoutError";
  return failure(isTimeout ? 504 : 503, isTimeout ? "timeout" : "service_unavailable");
}

async function send(url: string, { method, json, body, headers, responseType }: StorageCall): Promise<Result> {
  const response = await fetch(url, {
    method,
    credentials: "omit",
    signal: AbortSignal.timeout(LIMIT),
    headers: {
      accept: responseType === "json" ? "application/json" : "*/*",
      ...(json && { "content-type": "application/json" }),
      ...headers,
    },
    ...(json ? { body: JSON.stringify(json) } : body && { body }),
  });
  if (!response.ok) return failure(response.status, codeOf(await response.json().catch(() => null)));
  return { data: responseType === "blob" ? await response.blob() : await response.json() };
}

/** Uploads have no total time limit. An upload runs as long as bytes are sent, and the user sees the progress. */
async function sendUpload(url: string, call: StorageCall, body: Blob, upload: Upload): Promise<Result> {
  const { method, headers = {} } = call;
  const { progress } = upload;
  const sending = sendBody(url, {
    method,
    headers: { accept: "application/json", ...headers },
    body,
    stallTimeout: LIMIT,
    onProgress: progress,
  });
  return await sending.then(
    ({ status, text }) => {
      const payload = parseJson(text);
      if (status < 200 || status > 299) {
        const code = codeOf(payload);
        upload.end({ code, quota: readExceededQuota(readFields(payload)?.quota) });
        return failure(status, code);
      }
      upload.end(null);
      // Views of the storage usage reload on this event.
      dispatchEvent(new Event("platform:uploaded"));
      return { data: payload };
    },
    (error: unknown) => {
      const result = failureOf(error);
      if ("error" in result) upload.end({ code: result.error.code, quota: null });
      return result;
    },
  );
}

const codeOf = (payload: unknown): string => readText(readFields(payload)?.error_code, 64) ?? "storage_error";

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
