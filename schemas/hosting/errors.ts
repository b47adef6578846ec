import { commonErrors, type ErrorTable } from "../errors";
import { webhookErrors } from "../webhooks/errors";

/** Error codes of hosting; later parts add theirs. */
export const hostingErrors = {
  ...commonErrors,
  ...webhookErrors,
  company_id_not_allowed: { status: 400, message: "company_id is not allowed here; the token's company counts." },
  internal_error: { status: 500, message: "An unexpected fault; it was logged under the request id." },
} satisfies ErrorTable;
