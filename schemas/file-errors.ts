import type { ErrorTable } from "./errors";

/** Error codes of services that store and serve files. */
export const fileErrors = {
  precondition_failed: { status: 412, message: "The object does not match If-Match or If-None-Match." },
  incomplete_body: {
    status: 400,
    message: "The body is incomplete: it has fewer bytes than Content-Length, or the form has no closing boundary.",
  },
  checksum_mismatch: { status: 400, message: "The checksum does not match the body." },
  storage_error: { status: 502, message: "The object store failed to read or write the bytes. Try again." },
  range_not_satisfiable: { status: 416, message: "The range is outside the object; see Content-Range." },
} satisfies ErrorTable;
