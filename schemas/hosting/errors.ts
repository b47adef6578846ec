import { commonErrors, type ErrorTable } from "../errors";
import { webhookErrors } from "../webhooks/errors";

/** Error codes of hosting. */
export const hostingErrors = {
  ...commonErrors,
  ...webhookErrors,
  company_id_not_allowed: {
    status: 400,
    message: "`company_id` is not allowed here. The token determines the company.",
  },
  internal_error: { status: 500, message: "Unexpected error. It was logged under the request id." },
} satisfies ErrorTable;
