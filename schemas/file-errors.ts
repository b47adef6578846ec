import type { ErrorTable } from "./errors";

/** Codes of services that store and serve files. */
export const fileErrors = {
  precondition_failed: { status: 412, message: "The object is not as If-Match or If-None-Match says." },
  incomplete_body: {
    status: 400,
    message:
      "The body is not complete: it has not as many bytes as its headers say, or a form has no end of its boundary.",
  },
  checksum_mismatch: { status: 400, message: "The body does not have the given checksum." },
  storage_error: { status: 502, message: "The bytes could not be stored or read; try again." },
  range_not_satisfiable: { status: 416, message: "The range lies outside the object; see Content-Range." },
} satisfies ErrorTable;
