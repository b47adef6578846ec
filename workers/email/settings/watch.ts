import { type CountedCode, DEFAULT_THRESHOLDS, isCountedCode } from "../../../schemas/email/alerts";
import { choice, listOf, schemaOf, seconds, url } from "../../kit/settings/setting-types";
import type { SettingsTable, SettingType } from "../../kit/settings/settings";
import { isSecret } from "../../kit/webhooks/posting/signing-secret";
import { mailAddress } from "../setting-types";

/** Counts by code, such as `messages_waiting=500,lanes_paused=0`. The counts that are not named keep their default. */
const thresholds: SettingType<Record<CountedCode, number>> = () =>
  schemaOf("a comma-separated list of code=count, with the codes of docs/specification/watch.md", (input) => {
    const counts: Record<CountedCode, number> = { ...DEFAULT_THRESHOLDS };
    for (const entry of input.split(",").map((part) => part.trim())) {
      if (entry === "") continue;
      const [code = "", count = ""] = entry.split("=");
      if (!isCountedCode(code) || !/^\d{1,4}$/.test(count) || Number(count) > 1000) return undefined;
      counts[code] = Number(count);
    }
    return counts;
  });

const signingSecret: SettingType<string> = () =>
  schemaOf("1 to 256 characters; after whsec_, base64", (input) => (isSecret(input) ? input : undefined));

/** The settings of the job `watch`. */
export const watchTable = {
  emails: {
    name: "WATCH_EMAILS",
    type: listOf(mailAddress),
    default: "",
    meaning:
      "Addresses that get a mail when a condition of the job `watch` starts and when it ends; none: the staff of identity",
  },
  language: {
    name: "WATCH_LANGUAGE",
    type: choice("en", "fr"),
    default: "en",
    meaning: "Language of the mails to `WATCH_EMAILS`",
  },
  webhookUrl: {
    name: "WATCH_WEBHOOK_URL",
    type: url,
    meaning: "URL that gets a signed POST when a condition of the job `watch` starts and when it ends",
  },
  webhookSecret: {
    name: "WATCH_WEBHOOK_SECRET",
    type: signingSecret,
    secret: "given",
    meaning: "Secret that signs the posts to `WATCH_WEBHOOK_URL`, required with that URL",
  },
  thresholds: {
    name: "WATCH_THRESHOLDS",
    type: thresholds,
    default: { shown: "see [watch](specification/watch.md#counts)", text: () => "" },
    meaning:
      "From which count on `watch` reports an entry of the overviews, such as `messages_waiting=500`; 0: never. At most 1000",
  },
  holdMs: {
    name: "WATCH_HOLD_SECONDS",
    type: seconds(0, 86_400),
    default: "240",
    meaning:
      "How long a condition must hold before it is reported, and be over before its end is; the default means two checks in a row",
  },
} as const satisfies SettingsTable;
