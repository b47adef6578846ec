import { findTheme } from "../../theme/theme.ts";
import { handler, ignorePayload, type Sender } from "../handler.ts";
import { compact, readFields, readNumber, readOneOf, readText } from "../read.ts";
import { sessionPayload } from "../session-payload.ts";

const schemes = ["light", "dark", "system"] as const;

/** Reads preferences. Returns undefined if the shell does not offer one of the values. */
function readPreferences(payload: unknown, { shell }: Sender) {
  const fields = readFields(payload);
  if (fields === undefined) return undefined;
  const { config } = shell.page.get();
  const isTheme = fields.themeName === "default" || findTheme(config.themes, String(fields.themeName)) !== undefined;
  const isZone = fields.region === "UTC" || Intl.supportedValuesOf("timeZone").some((zone) => zone === fields.region);
  const preferences = {
    themeName: isTheme ? readText(fields.themeName, 64) : undefined,
    language: readOneOf(fields.language, config.language),
    region: isZone ? readText(fields.region, 64) : undefined,
    colorScheme: readOneOf(fields.colorScheme, schemes),
  };
  const hasInvalidValue = Object.entries(preferences).some(
    ([name, value]) => fields[name] !== undefined && value === undefined,
  );
  return hasInvalidValue ? undefined : compact(preferences);
}

export const sessionHandlers = {
  PLATFORM_SESSION_REQUESTED: handler({
    level: "user",
    from: "any",
    read: (payload) => {
      const { id, minTtl } = readFields(payload) ?? {};
      const requestId = readText(id, 128);
      if (requestId === undefined || (minTtl !== undefined && readNumber(minTtl, 0, 86_400) === undefined))
        return undefined;
      return { id: requestId, ...compact({ minTtl: readNumber(minTtl, 0, 86_400) }) };
    },
    run({ shell, frame, send }, { id, minTtl }) {
      sessionPayload(shell, frame, minTtl).then(
        (payload) => send("PLATFORM_SESSION", { id, ...payload }),
        () => send("PLATFORM_ERROR", { type: "PLATFORM_SESSION_REQUESTED", id, code: "unavailable" }),
      );
    },
  }),
  PLATFORM_PREFERENCES_UPDATE: handler({
    level: "user",
    from: "any",
    read: readPreferences,
    run({ shell }, change) {
      shell.settings.set((last) => ({ ...last, ...change }));
      void shell.session?.updatePreferences(change);
    },
  }),
  PLATFORM_LOGOUT: handler({
    level: "token",
    from: "any",
    read: ignorePayload,
    run: ({ shell }) => void shell.session?.logout(),
  }),
};
