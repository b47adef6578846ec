/** An error response of GoTrue: status, code, and a message for developers. */
export type GoTrueError = Error & { status: number; code: string };

/** Returns an error with a code. */
export const goTrueError = (status: number, code: string, message: string): GoTrueError =>
  Object.assign(new Error(message), { status, code });

/** Returns an OAuth error, which some grants of GoTrue still use. */
export const invalidGrantError = (message: string): GoTrueError => goTrueError(400, "invalid_grant", message);

export const isGoTrueError = (error: unknown): error is GoTrueError =>
  error instanceof Error && "status" in error && "code" in error;

/** Returns the body of an error. Clients that send an API version of 2024 or later get another format. */
export function bodyOf({ status, code, message }: GoTrueError, version: string | undefined): object {
  // Errors of the gateway have no code.
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

/** Returns the parameters of an error in a redirect. */
export const parametersOf = ({ status, code, message }: GoTrueError): Record<string, string> => ({
  ...(oauthNames[status] && { error: oauthNames[status] }),
  error_code: code,
  error_description: message,
});
