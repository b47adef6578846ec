import type { commonErrors, ErrorTable, FieldErrors } from "../../schemas/errors";
import type { webhookErrors } from "../../schemas/webhooks/errors";

/** What may be said beside the code: field codes, headers of the answer, extra keys of the body, the log-only cause. */
type ProblemOptions = {
  field_errors?: FieldErrors;
  headers?: Record<string, string>;
  extra?: Record<string, unknown>;
  cause?: unknown;
};

/** The codes by which the kit refuses, in the table of every service that uses what refuses by them. */
export type KitErrorCode = keyof typeof commonErrors | keyof typeof webhookErrors | "company_id_not_allowed";

/**
 * An expected refusal. The code is a key of the service's error table (schemas/<service>/errors.ts): each service has a
 * `Problem` of its own table in its problem.ts, so that a misspelt code does not compile.
 */
export class Problem<Code extends string = KitErrorCode> extends Error {
  readonly code: string;
  readonly options: ProblemOptions;

  constructor(code: NoInfer<Code>, options: ProblemOptions = {}) {
    super(code, { cause: options.cause });
    this.name = "Problem";
    this.code = code;
    this.options = options;
  }
}

/** A 400 `validation_failed` with the given field codes. */
export function invalid(field_errors: FieldErrors): Problem {
  return new Problem("validation_failed", { field_errors });
}

/** The wire form of a problem: status, body and headers. `withMessage` adds the developer's sentence (identity). */
export function presentProblem(
  problem: Problem<string>,
  table: ErrorTable,
  requestId: string,
  withMessage: boolean,
): { status: number; body: Record<string, unknown>; headers: Record<string, string> } {
  const entry = table[problem.code];
  if (!entry) throw new Error(`error code without an entry in the table: ${problem.code}`, { cause: problem });
  const { field_errors, headers = {}, extra = {} } = problem.options;
  const hasFields = field_errors !== undefined && Object.keys(field_errors).length > 0;
  return {
    status: entry.status,
    headers,
    body: {
      error_code: entry.code ?? problem.code,
      ...(withMessage ? { message: entry.message } : {}),
      ...(hasFields ? { field_errors } : {}),
      ...extra,
      request_id: requestId,
    },
  };
}
