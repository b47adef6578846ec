import * as z from "zod";
import { lazySchema } from "../lazy-schema";

/** The response to a new visit. */
export const visitSchema = lazySchema(() =>
  z
    .object({
      url: z.string().describe("link to the deployment; works once, within 10 minutes"),
    })
    .meta({
      id: "Visit",
      examples: [{ url: "https://k7m2p9q4r8st--1a2b3c4d.apps.example.com/.platform/visit?token=…" }],
    }),
);
