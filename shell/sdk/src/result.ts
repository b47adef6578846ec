import type { Failure, Result } from "../types/common.ts";

export const done = <Data>(data: Data): Result<Data> => ({ data, error: null });

export const failed = (code: Failure["code"], status?: number): { data: null; error: Failure } => ({
  data: null,
  error: status === undefined ? { code } : { code, status },
});
