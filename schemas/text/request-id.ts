/** The format of `X-Request-ID`: 1 to 64 characters of `[A-Za-z0-9._-]`. */
export const requestIdPattern = /^[A-Za-z0-9._-]{1,64}$/;
