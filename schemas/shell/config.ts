import * as z from "zod";
import { colorTokens } from "./color-tokens.ts";

// The configuration of a shell: `platform.config.ts` or `platform.config.json`. The validator, the JSON Schema, and the types
// of the command line and the client are derived from this schema. cli/config contains the rules that involve several values.

// `meta` repeats checks that zod cannot convert to JSON Schema, so that the JSON Schema accepts the same values.
const httpUrl = z.url({ protocol: /^https?$/ }).meta({ pattern: "^[Hh][Tt][Tt][Pp][Ss]?:" });
const origin = z.string().regex(/^https?:\/\/[^/?#@\s]+$/, "an origin: scheme, host and port");
const filePath = z.string().min(1);
const shellPath = z
  .string()
  .regex(/^\/?([A-Za-z0-9_.~-]+(\/[A-Za-z0-9_.~-]+)*)?\/?$/, "segments of A-Z a-z 0-9 - _ . ~");
/** An absolute http(s) URL, or a path on the origin of the shell. */
const link = z.string().min(1);
const languageTag = z.string().regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, "a language tag, such as en or fr-CA");

/** A text, or one text per language. `resolveText` in page.ts selects the text for a language. */
export const localized = z
  .union([
    z.string().min(1),
    z
      .record(languageTag, z.string().min(1))
      .refine((texts) => Object.keys(texts).length > 0, { error: "text in at least one language" })
      .meta({ minProperties: 1 }),
  ])
  .meta({ id: "Localized" });

const requirements = {
  requiresStaff: z.boolean().default(false),
  requiresOwner: z.boolean().default(false),
  requiresDevMode: z.boolean().default(false),
};

/** An item of the navigation: an embedded application, a view of the shell, or a link. */
const itemShape = z.object({
  label: localized,
  /** Segments of `A-Z a-z 0-9 - _ . ~`. An empty path or `/` is the root item. */
  path: shellPath,
  url: link,
  icon: filePath.optional(),
  hidden: z.boolean().default(false),
  hideWhenLoggedOut: z.boolean().default(false),
  hiddenOnMobile: z.boolean().default(false),
  hiddenOnDesktop: z.boolean().default(false),
  requiresAuth: z.boolean().default(false),
  ...requirements,
  requiresGroups: z.array(z.string().min(1)).optional(),
  openIn: z.enum(["default", "modal", "drawer", "external"]).default("default"),
  drawerPosition: z.enum(["right", "left", "top", "bottom"]).default("right"),
  position: z.enum(["start", "end"]).default("start"),
  settings: link.optional(),
  /** The default is true for a URL that contains `/#`. */
  useHashRouter: z.boolean().optional(),
  safeForAuthToken: z.boolean().default(false),
  shareUser: z.boolean().default(false),
  keepAlive: z.boolean().default(true),
  prefetch: z.boolean().default(true),
  permissions: z
    .array(
      z.enum([
        "camera",
        "microphone",
        "geolocation",
        "clipboard-read",
        "display-capture",
        "web-share",
        "autoplay",
        "picture-in-picture",
        "encrypted-media",
        "publickey-credentials-get",
      ]),
    )
    .optional(),
  sandbox: z
    .array(
      z.enum([
        "allow-modals",
        "allow-pointer-lock",
        "allow-presentation",
        "allow-orientation-lock",
        "allow-popups-to-escape-sandbox",
      ]),
    )
    .optional(),
});

export const navigationItem = itemShape.meta({ id: "NavigationItem" });

const groupOf = <Entry extends z.ZodType>(entry: Entry) =>
  z.object({
    title: localized,
    items: z.array(entry),
    position: z.enum(["start", "end"]).default("start"),
    collapsed: z.boolean().default(false),
  });
const innerGroup = groupOf(navigationItem).meta({ id: "InnerGroup" });
/** A group of the navigation. Groups can be nested at most two levels deep. */
export const navigationGroup = groupOf(z.union([navigationItem, innerGroup])).meta({ id: "NavigationGroup" });

const cssColor = z
  .string()
  .regex(
    /^(#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|(rgba?|hsla?|oklch)\([^;{}()]+\))$/,
    "hex, rgb, hsl or oklch",
  );
const cssLength = z.string().regex(/^(0|\d*\.?\d+(px|rem|em))$/, "a CSS length, such as 0.5rem");
type ColorToken = (typeof colorTokens)[number];
const colors = Object.fromEntries(colorTokens.map((token) => [token, cssColor.optional()]));
const palette = z
  .object({
    ...(colors as Record<ColorToken, z.ZodOptional<typeof cssColor>>),
    radius: cssLength.optional(),
  })
  .meta({ id: "Palette" });

const theme = z.object({
  /** The name `default` is reserved for the built-in theme. */
  name: z.string().regex(/^(?!default$)[a-z0-9-]{1,64}$/, "a name of its own in a-z 0-9 -, at most 64"),
  displayName: localized.optional(),
  colors: z.object({ light: palette, dark: palette }),
  fonts: z
    .object({
      body: z.string().min(1),
      heading: z.string().min(1),
      files: z.array(filePath),
      letterSpacing: z.string(),
      lineHeight: z.union([z.string(), z.number()]),
    })
    .partial()
    .optional(),
});

const cookie = z.object({
  name: z.string().min(1),
  host: z.string().min(1),
  provider: z.string().min(1).optional(),
  durationSeconds: z.number().int().nonnegative(),
  category: z.enum(["strict_necessary", "functional_performance", "targeting", "social_media_embedded"]),
  type: z.string().min(1),
  description: localized.optional(),
});

const legalText = z.union([z.string().min(1), z.object({ file: filePath })]);
const legalDocument = z.union([legalText, z.record(languageTag, legalText)]);

const login = z.object({
  methods: z.array(z.enum(["password", "oauth", "magic_link", "web3"])).optional(),
  oauthProviders: z.array(z.string().regex(/^[a-z0-9_-]{1,64}$/, "a-z 0-9 _ -, at most 64")).optional(),
  panelUrl: z.string().optional(),
  panelImage: z.string().optional(),
});

const backend = z.object({
  type: z.enum(["platform", "supabase"]),
  url: httpUrl,
  publishableKey: z.string().min(1).optional(),
  companyId: z
    .union([z.number().int().positive(), z.string().regex(/^[1-9]\d{0,15}$/, "a positive integer")])
    .optional(),
  adminPathname: shellPath.min(1).optional(),
  adminUrl: httpUrl.optional(),
  loginUrl: httpUrl.optional(),
  login: login.optional(),
});

/** The complete configuration. */
export const shellConfig = z.object({
  $schema: z.string().optional(),
  port: z.number().int().min(1).max(65535).default(3000),
  title: z.string().min(1).max(100).optional(),
  version: z.string().min(1).max(64).optional(),
  favicon: filePath.optional(),
  appIcon: filePath.optional(),
  logo: z.union([filePath, z.object({ light: filePath, dark: filePath })]).optional(),
  language: z.union([languageTag, z.array(languageTag).min(1)]).default(["en", "fr"]),
  messages: z.record(languageTag, z.record(z.string(), z.string())).optional(),
  layout: z.enum(["sidebar", "app-bar", "fullscreen", "windows"]).default("sidebar"),
  startUrl: z
    .string()
    .regex(/^\/(?![/\\])/, "a path that begins with one /")
    .optional(),
  navigation: z.array(z.union([navigationItem, navigationGroup])).default([]),
  administration: z
    .object({
      title: localized,
      navigation: z.array(
        itemShape
          .pick({ label: true, path: true, url: true, icon: true, requiresStaff: true })
          .extend({ openIn: z.enum(["default", "external"]).default("default") }),
      ),
    })
    .optional(),
  themes: z.array(theme).default([]),
  defaultTheme: z.string().default("default"),
  cookieConsent: z.object({ cookies: z.array(cookie) }).optional(),
  legalDocuments: z
    .object({
      privacyPolicy: legalDocument,
      termsOfService: legalDocument,
      legalNotice: legalDocument,
      dataProcessingAgreement: legalDocument,
    })
    .partial()
    .optional(),
  backend: backend.optional(),
  storage: z
    .object({ url: httpUrl, filesUrl: httpUrl.optional(), showInSettings: z.boolean().default(true) })
    .optional(),
  embed: z
    .object({ keepAlive: z.number().int().min(0).max(20).default(5), prefetch: z.boolean().default(true) })
    .prefault({}),
  serviceWorker: z.boolean().default(true),
  security: z
    .object({
      frameOrigins: z.array(origin).default([]),
      connectOrigins: z.array(origin).default([]),
      strictFrames: z.boolean().default(false),
    })
    .prefault({}),
  errorReporting: z
    .object({ dsn: httpUrl, environment: z.string().optional(), release: z.string().optional() })
    .optional(),
  desktop: z
    .object({
      identifier: z.string(),
      window: z.record(z.string(), z.union([z.number(), z.boolean()])),
      updater: z.object({ endpoint: httpUrl, pubkey: z.string() }),
    })
    .partial()
    .optional(),
  hosting: z
    .object({
      url: httpUrl,
      app: z.string().regex(/^[a-z][a-z0-9-]{2,62}$/, "3 to 63 of a-z 0-9 -, the first a letter"),
    })
    .optional(),
});

/** A configuration before defaults are applied. */
export type ShellConfigInput = z.input<typeof shellConfig>;
/** A configuration after defaults are applied. */
export type ShellConfig = z.output<typeof shellConfig>;
export type NavigationItem = z.output<typeof navigationItem>;
export type NavigationGroup = z.output<typeof navigationGroup>;
export type Localized = z.output<typeof localized>;
