import * as z from "zod";

/** A complete ISO 8601 time with offset, as unix ms; it must exist in the calendar. */
export const timeText = () =>
  z.iso.datetime({ offset: true, error: "invalid" }).transform((text, context) => {
    const ms = Date.parse(text);
    if (Number.isSafeInteger(ms)) return ms;
    context.addIssue({ code: "custom", message: "invalid" });
    return z.NEVER;
  });

/** An integer id of at least 1. */
export const idText = () =>
  z
    .string("invalid")
    .regex(/^[1-9]\d{0,14}$/, "invalid")
    .transform(Number);

/** A uuid in any case; what is stored is in lower case. */
export const uuidText = () => z.guid("invalid").toLowerCase();

/** `true` or `false`. */
export const booleanText = () => z.enum(["true", "false"], "invalid").transform((text) => text === "true");
