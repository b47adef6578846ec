import type { ShellSettings } from "../../../../schemas/shell/messages.ts";
import { consentedHosts } from "../consent/consent.ts";
import type { Frame } from "../frames/frame.ts";
import { layoutOf } from "../layouts/layouts.ts";
import { isListed, itemsOf, pathOf } from "../router/navigation.ts";
import type { Shell } from "../shell/shell.ts";
import { textOf } from "../shell/use-text.ts";
import { currentViewer } from "../shell/viewer.ts";
import { readTokens } from "../theme/apply.ts";
import { compact } from "./read.ts";

const absolute = (address: string): string =>
  new URL(/^(https?:|\/)/.test(address) ? address : `/${address}`, location.origin).href;
const iconOf = (icon: string | undefined) => (icon === undefined ? null : absolute(icon));

/** Returns the settings that every frame receives: appearance, language, navigation, consent. */
function commonSettings(shell: Shell): ShellSettings {
  const { page, settings, language, appearance, consent } = shell;
  const { config, version, target } = page.get();
  const local = settings.get();
  const { themeName, mode, theme } = appearance.get();
  const { code, dir } = language.get();
  const viewer = currentViewer(shell);
  const fonts = theme?.fonts;
  return {
    shell: { version, target, layout: layoutOf(config, local) },
    appearance: {
      themeName,
      mode,
      colorScheme: local.colorScheme ?? "system",
      density: local.density ?? "comfortable",
      tokens: readTokens(),
      fonts: compact({ ...fonts, files: fonts?.files?.map(absolute) }),
    },
    language: { code, dir, available: config.language },
    region: { timeZone: local.region ?? Intl.DateTimeFormat().resolvedOptions().timeZone },
    navigation: itemsOf(config.navigation)
      .filter(({ item }) => isListed(item, viewer))
      .map(({ item }) => ({ path: pathOf(item), label: textOf(shell, item.label), icon: iconOf(item.icon) })),
    cookieConsent: consentedHosts(config, consent.get()),
    developer: { enabled: local.developerMode === true, ...(local.logs && { logs: local.logs }) },
  };
}

/** Returns the links for the administration, including the file explorer if it is configured. */
function administration(shell: Shell): ShellSettings["administration"] | null {
  const { config } = shell.page.get();
  const adminConfig = config.administration;
  const files = config.storage?.filesUrl;
  if (adminConfig === undefined && files === undefined) return null;
  const links = (adminConfig?.navigation ?? []).map(({ label, path, url, icon, requiresStaff, openIn }) => ({
    label: textOf(shell, label),
    path,
    url: absolute(url),
    icon: iconOf(icon),
    requiresStaff,
    openIn,
  }));
  const { t } = shell.language.get();
  const storage =
    files === undefined
      ? []
      : [
          {
            label: t("settings.storage"),
            path: "storage",
            url: files,
            icon: null,
            requiresStaff: false,
            openIn: "default",
          },
        ];
  return {
    title: adminConfig === undefined ? t("admin.title") : textOf(shell, adminConfig.title),
    navigation: [...links, ...storage],
  };
}

/** Returns the settings that a frame receives by its trust level, without the session. */
export function settingsFor(shell: Shell, frame: Frame): ShellSettings {
  const { backend, storage } = shell.page.get().config;
  const common = commonSettings(shell);
  if (frame.level !== "token") return common;
  const admin = frame.isAdmin ? administration(shell) : null;
  return {
    ...common,
    ...(backend && { backend: { type: backend.type, url: backend.url, companyId: backend.companyId ?? null } }),
    ...(storage && { storage: { url: storage.url, filesUrl: storage.filesUrl ?? null } }),
    ...(admin && { administration: admin }),
  };
}
