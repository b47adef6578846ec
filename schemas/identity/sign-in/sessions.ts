import * as z from "zod";
import { lazySchema } from "../../lazy-schema";

/** A session in `GET /api/v1/sessions`. */
export const sessionSchema = lazySchema(() =>
  z
    .object({
      id: z.uuid(),
      created_at: z.iso.datetime(),
      last_refresh_at: z.iso.datetime(),
      expires_at: z.iso.datetime().describe("expiry unless the session is refreshed before"),
      provider: z.string(),
      country: z.string().nullable(),
      user_agent: z.string(),
      current: z.boolean().describe("whether this is the session of the request"),
    })
    .meta({
      id: "Session",
      examples: [
        {
          id: "0b8f6c1e-4f57-4a55-9d2c-0d1f3f1c9a77",
          created_at: "2026-01-30T08:00:00.000Z",
          last_refresh_at: "2026-01-31T09:30:00.000Z",
          expires_at: "2026-02-07T09:30:00.000Z",
          provider: "magic_link",
          country: "FR",
          user_agent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:146.0) Gecko/20100101 Firefox/146.0",
          current: true,
        },
      ],
    }),
);
