import type { commonErrors, ErrorTable, FieldErrors } from "../../schemas/errors";
import type { fileErrors } from "../../schemas/file-errors";
import type { webhookErrors } from "../../schemas/webhooks/errors";

/**
 * Details of a problem: field codes, response headers, extra keys of the body, and a cause that is only logged.
 * `message` replaces the message of the table with a more specific one.
 */
type ProblemOptions = {
  message?: string;
  field_errors?: FieldErrors;
  headers?: Record<string, string>;
  extra?: Record<string, unknown>;
  cause?: unknown;
};

/**
 * The error codes that the kit throws. The error table of a service contains the codes of the kit functions that it
 * uses.
 */
export type KitErrorCode =
  | keyof typeof commonErrors
  | keyof typeof webhookErrors
  | keyof typeof fileErrors
  | "company_id_not_allowed";

/**
 * An expected error with a code. The code is a key of the service's error table (schemas/<service>/errors.ts). Each
 * service exports a `Problem` typed by its own table from its problem.ts, so a misspelt code does not compile.
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

/** Returns a 400 `validation_failed` with the given field codes. */
export function invalid(field_errors: FieldErrors): Problem {
  return new Problem("validation_failed", { field_errors });
}

/**
 * Additions to an error body. `withMessage` adds the message for developers. `withStatus` adds the status as text, and
 * the code as `error`, for clients of an older API. Those clients show only the message, so it names the invalid
 * fields.
 */
export type ProblemForm = { withMessage: boolean; withStatus?: boolean };

/** Maximum number of fields that a message names. */
const MAX_LISTED_FIELDS = 5;

/**
 * Returns the message that describes a problem. For a 400 `validation_failed` it names the fields, because some
 * clients show nothing else.
 */
export function messageOf({ code, options }: Problem<string>, table: ErrorTable): string | undefined {
  const fields = Object.entries(options.field_errors ?? {});
  if (code !== "validation_failed" || fields.length === 0) return options.message ?? table[code]?.message;
  const listedFields = fields.slice(0, MAX_LISTED_FIELDS).map(([name, codes]) => `${name} (${codes.join(", ")})`);
  return `The request is not valid: ${listedFields.join(", ")}${fields.length > MAX_LISTED_FIELDS ? ", …" : ""}.`;
}

/** Returns status, body and headers of a problem. */
export function presentProblem(
  problem: Problem<string>,
  table: ErrorTable,
  requestId: string,
  { withMessage, withStatus = false }: ProblemForm,
): { status: number; body: Record<string, unknown>; headers: Record<string, string> } {
  const entry = table[problem.code];
  if (!entry) throw new Error(`the error table has no entry for ${problem.code}`, { cause: problem });
  const { message = entry.message, field_errors, headers = {}, extra = {} } = problem.options;
  const hasFields = field_errors !== undefined && Object.keys(field_errors).length > 0;
  const error_code = entry.code ?? problem.code;
  return {
    status: entry.status,
    headers,
    body: {
      error_code,
      ...(withMessage ? { message: withStatus ? messageOf(problem, table) : message } : {}),
      ...(hasFields ? { field_errors } : {}),
      ...(withStatus ? { statusCode: String(entry.status), error: error_code } : {}),
      ...extra,
      request_id: requestId,
    },
  };
}
