import type { default_contents } from "../../../db/email/schema";
import { sql } from "../../kit/db";

export type DefaultContentKey = Pick<typeof default_contents.$inferSelect, "language" | "checksum">;

/** Bind: event type. Checksums of the present default contents, one a language; the contents themselves stay unread. */
export const currentContentsOf = sql(
  "SELECT language, checksum FROM default_contents WHERE event_type = ?1 AND current = 1",
);
