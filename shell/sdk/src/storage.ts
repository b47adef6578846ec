import type { StorageOperation } from "../../../schemas/shell/messages.ts";
import type { Result } from "../types/common.ts";
import type { Platform } from "../types/full.ts";
import type { createCore } from "./core.ts";
import { done, failed } from "./result.ts";

type Core = ReturnType<typeof createCore>;

const STORAGE_TIMEOUT = 120_000;
/** Disables the timeout of operations that depend on the user or on upload progress. The shell always responds to them. */
const NO_TIMEOUT = 0;

/** Creates the methods for the company's files. Applications need the trust level `token`. */
export function createStorage({
  link,
  ready,
  send,
}: Core): Pick<Platform, "storage" | "selectStorage" | "answerSelection"> {
  const call = async <Data>(op: StorageOperation, fields: Record<string, unknown>): Promise<Result<Data>> => {
    await ready;
    return await link.request(
      "PLATFORM_STORAGE_REQUEST",
      { op, ...fields },
      (response) => {
        if (response.type !== "PLATFORM_STORAGE_RESPONSE") return undefined;
        const { payload } = response;
        return "error" in payload ? failed(payload.error.code, payload.error.status) : done(payload.data as Data);
      },
      op === "upload" ? NO_TIMEOUT : STORAGE_TIMEOUT,
    );
  };
  return {
    storage: {
      listBuckets: () => call("listBuckets", {}),
      from: (bucket) => ({
        list: (prefix = "", options) => call("list", { ...options, bucket, prefix }),
        get: (path) => call("get", { bucket, path }),
        download: (path) => call("download", { bucket, path }),
        upload: (path, body, options) => call("upload", { ...options, bucket, path, body }),
        move: (from, to, options) => call("move", { ...options, bucket, from, to }),
        remove: (paths) => call("remove", { bucket, paths: [paths].flat() }),
        createFolder: (path) => call("createFolder", { bucket, path }),
        removeFolder: (path) => call("removeFolder", { bucket, path }),
        folderStats: (path = "") => call("folderStats", { bucket, path }),
      }),
    },
    async selectStorage({ multiple = false, mode = "any" } = {}) {
      await ready;
      return await link.request(
        "PLATFORM_SELECT_STORAGE",
        { multiple, mode },
        (response) => {
          if (response.type !== "PLATFORM_SELECT_STORAGE_RESULT") return undefined;
          const { payload } = response;
          return done("items" in payload ? { cancelled: false, items: payload.items } : { cancelled: true, items: [] });
        },
        NO_TIMEOUT,
      );
    },
    answerSelection: (items) =>
      send("PLATFORM_SELECT_STORAGE_RESULT", items === null ? { cancelled: true } : { items }),
  };
}
