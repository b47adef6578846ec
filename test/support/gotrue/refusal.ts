/** What GoTrue refuses with: status, code, and a sentence for developers. */
export type GoTrueRefusal = Error & { status: number; code: string };

/** A refusal with a code of its own. */
export const refuse = (status: number, code: string, message: string): GoTrueRefusal =>
  Object.assign(new Error(message), { status, code });

/** A refusal in the words of OAuth, which some grants still have. */
export const refuseGrant = (message: string): GoTrueRefusal => refuse(400, "invalid_grant", message);

export const isRefusal = (error: unknown): error is GoTrueRefusal =>
  error instanceof Error && "status" in error && "code" in error;

/** Its body: clients that name a version of 2024 or later get another form than those that name none. */
export function bodyOf({ status, code, message }: GoTrueRefusal, version: string | undefined): object {
  // The gateway, which has no codes.
  if (code === "") return { message };
  if (code === "invalid_grant") return { error: code, error_description: message };
  if (version !== undefined && version >= "2024-01-01") return { code, message };
  return { code: status, error_code: code, msg: message };
}

const oauthNames: Record<number, string> = {
  400: "invalid_request",
  401: "unauthorized_client",
  403: "access_denied",
  500: "server_error",
  503: "temporarily_unavailable",
};

/** Its parameters where a browser is sent back with it. */
export const parametersOf = ({ status, code, message }: GoTrueRefusal): Record<string, string> => ({
  ...(oauthNames[status] && { error: oauthNames[status] }),
  error_code: code,
  error_description: message,
});
