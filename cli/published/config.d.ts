// Written from schemas/shell/config.ts by scripts/generate-config-types.ts.

export type NavigationItem = {
  /** Label in the navigation, and title of the frame. */
  label: Localized;
  /** Path below the shell's root, without leading or trailing slashes; empty for the root. The longest matching path wins. */
  path: string;
  /** URL to show: an absolute URL, a path of this origin, or a view of the shell (/__welcome, /__settings, /legal, /login). */
  url: string;
  /** Image in static/; SVG files under /icons/ take the text colour. Default: the first letter of the label. */
  icon?: string | undefined;
  /** Hides the item; its path still works. Default false. */
  hidden?: boolean | undefined;
  /** Shown to signed-in users only. Default false. */
  hideWhenLoggedOut?: boolean | undefined;
  /** Hidden on small screens. Default false. */
  hiddenOnMobile?: boolean | undefined;
  /** Hidden on large screens. Default false. */
  hiddenOnDesktop?: boolean | undefined;
  /** Redirects to the sign-in without a session. Default false. */
  requiresAuth?: boolean | undefined;
  /** Shown to staff only. This is no access control: services check access themselves. Default false. */
  requiresStaff?: boolean | undefined;
  /** Shown to owners of the company only. Default false. */
  requiresOwner?: boolean | undefined;
  /** Shown in developer mode only. Default false. */
  requiresDevMode?: boolean | undefined;
  /** Shown to members of at least one of these groups. */
  requiresGroups?: readonly string[] | undefined;
  /** In place, over the page, or in a new tab. Default "default". */
  openIn?: "default" | "modal" | "drawer" | "external" | undefined;
  /** Side on which a drawer opens. Default "right". */
  drawerPosition?: "right" | "left" | "top" | "bottom" | undefined;
  /** Start, or the end: footer of the sidebar, right side of the app bar. Default "start". */
  position?: "start" | "end" | undefined;
  /** URL of the application's page under Settings, Applications. */
  settings?: string | undefined;
  /** Whether the application routes by the URL fragment (#). Default: true for a url with /#. */
  useHashRouter?: boolean | undefined;
  /** Passes the access token and the user's data to the application. For your own applications only. Default false. */
  safeForAuthToken?: boolean | undefined;
  /** Passes the user's data to the application, without a token. Default false. */
  shareUser?: boolean | undefined;
  /** Keeps the frame alive in the background when the user leaves it. Default true. */
  keepAlive?: boolean | undefined;
  /** Loads the frame when the pointer is over the item. Default true. */
  prefetch?: boolean | undefined;
  /** Device features that the application may request. */
  permissions?: readonly ("camera" | "microphone" | "geolocation" | "clipboard-read" | "display-capture" | "web-share" | "autoplay" | "picture-in-picture" | "encrypted-media" | "publickey-credentials-get")[] | undefined;
  /** Permissions of the frame in addition to the defaults. */
  sandbox?: readonly ("allow-modals" | "allow-pointer-lock" | "allow-presentation" | "allow-orientation-lock" | "allow-popups-to-escape-sandbox")[] | undefined;
};

export type Localized = string | Readonly<Record<string, string>>;

export type NavigationGroup = {
  /** Heading. */
  title: Localized;
  /** Items, and groups one level deeper. */
  items: readonly (NavigationItem | InnerGroup)[];
  /** Start or end of the navigation. Default "start". */
  position?: "start" | "end" | undefined;
  /** Whether the group is collapsed initially. Default false. */
  collapsed?: boolean | undefined;
};

export type InnerGroup = {
  /** Heading. */
  title: Localized;
  /** Items. */
  items: readonly NavigationItem[];
  /** Start or end of the navigation. Default "start". */
  position?: "start" | "end" | undefined;
  /** Whether the group is collapsed initially. Default false. */
  collapsed?: boolean | undefined;
};

export type Palette = {
  background?: string | undefined;
  foreground?: string | undefined;
  card?: string | undefined;
  cardForeground?: string | undefined;
  popover?: string | undefined;
  popoverForeground?: string | undefined;
  primary?: string | undefined;
  primaryForeground?: string | undefined;
  secondary?: string | undefined;
  secondaryForeground?: string | undefined;
  muted?: string | undefined;
  mutedForeground?: string | undefined;
  accent?: string | undefined;
  accentForeground?: string | undefined;
  destructive?: string | undefined;
  destructiveForeground?: string | undefined;
  border?: string | undefined;
  input?: string | undefined;
  ring?: string | undefined;
  sidebarBackground?: string | undefined;
  sidebarForeground?: string | undefined;
  sidebarPrimary?: string | undefined;
  sidebarPrimaryForeground?: string | undefined;
  sidebarAccent?: string | undefined;
  sidebarAccentForeground?: string | undefined;
  sidebarBorder?: string | undefined;
  sidebarRing?: string | undefined;
  radius?: string | undefined;
};

export type ShellConfig = {
  /** URL of this schema, for editors. */
  $schema?: string | undefined;
  /** Port of the development server. Default 3000. */
  port?: number | undefined;
  /** Name of the application: document title, header, installed app. */
  title?: string | undefined;
  /** Shown under Settings, This browser. */
  version?: string | undefined;
  /** Icon of the browser tab. Default: /favicon.svg in static/, else the built-in icon. */
  favicon?: string | undefined;
  /** Square icon of the installed app: an SVG or PNG in static/. */
  appIcon?: string | undefined;
  /** Wide logo that replaces the title in the header: one image, or one for light and one for dark. */
  logo?: string | {
    light: string;
    dark: string;
  } | undefined;
  /** Available languages, the default first. Default ["en","fr"]. */
  language?: string | readonly string[] | undefined;
  /** Interface texts by language and key, to add a language or replace single texts. */
  messages?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /** Layout of the navigation; windows is not available yet, so the sidebar is shown. Default "sidebar". */
  layout?: "sidebar" | "app-bar" | "fullscreen" | "windows" | undefined;
  /** Path or URL that / opens. */
  startUrl?: string | undefined;
  /** Items and groups, in order. Default []. */
  navigation?: readonly (NavigationItem | NavigationGroup)[] | undefined;
  /** Links passed to the administration application. */
  administration?: {
    title: Localized;
    navigation: readonly ({
      label: Localized;
      path: string;
      url: string;
      icon?: string | undefined;
      /** Default false. */
      requiresStaff?: boolean | undefined;
      /** Default "default". */
      openIn?: "default" | "external" | undefined;
    })[];
  } | undefined;
  /** Themes in addition to the built-in one. Default []. */
  themes?: readonly ({
    name: string;
    displayName?: Localized | undefined;
    colors: {
      light: Palette;
      dark: Palette;
    };
    fonts?: {
      body?: string | undefined;
      heading?: string | undefined;
      files?: readonly string[] | undefined;
      letterSpacing?: string | undefined;
      lineHeight?: string | number | undefined;
    } | undefined;
  })[] | undefined;
  /** Name of the initial theme. Default "default". */
  defaultTheme?: string | undefined;
  /** Cookies that need consent; without it no banner is shown. */
  cookieConsent?: {
    cookies: readonly ({
      name: string;
      host: string;
      provider?: string | undefined;
      durationSeconds: number;
      category: "strict_necessary" | "functional_performance" | "targeting" | "social_media_embedded";
      type: string;
      description?: Localized | undefined;
    })[];
  } | undefined;
  /** Markdown documents, shown under /legal. */
  legalDocuments?: {
    privacyPolicy?: string | {
      file: string;
    } | Readonly<Record<string, string | {
      file: string;
    }>> | undefined;
    termsOfService?: string | {
      file: string;
    } | Readonly<Record<string, string | {
      file: string;
    }>> | undefined;
    legalNotice?: string | {
      file: string;
    } | Readonly<Record<string, string | {
      file: string;
    }>> | undefined;
    dataProcessingAgreement?: string | {
      file: string;
    } | Readonly<Record<string, string | {
      file: string;
    }>> | undefined;
  } | undefined;
  /** Service that signs users in; without it there is no sign-in. */
  backend?: {
    /** platform: the identity service; supabase: a GoTrue-compatible project. */
    type: "platform" | "supabase";
    /** Base URL of the backend's API. */
    url: string;
    /** Public key of a Supabase project; never a service-role key. */
    publishableKey?: string | undefined;
    /** Company that users sign in to; required for the type platform. */
    companyId?: number | string | undefined;
    /** Path of the administration in the shell. */
    adminPathname?: string | undefined;
    /** URL of the administration application in its frame. */
    adminUrl?: string | undefined;
    /** Public origin of this shell, for platform login. */
    loginUrl?: string | undefined;
    /** Sign-in page. */
    login?: {
      /** Sign-in methods to show; methods disabled in the service are hidden. */
      methods?: readonly ("password" | "oauth" | "magic_link" | "web3")[] | undefined;
      /** Providers and the order of their buttons. */
      oauthProviders?: readonly string[] | undefined;
      /** Page next to the form on wide screens, from the origin of the shell, the backend or the storage service. */
      panelUrl?: string | undefined;
      /** Image to show instead of `panelUrl`. */
      panelImage?: string | undefined;
    } | undefined;
  } | undefined;
  /** Storage service, for the settings and for embedded applications. */
  storage?: {
    /** Base URL of the storage API. */
    url: string;
    /** URL of the file explorer application. */
    filesUrl?: string | undefined;
    /** Whether Settings has a section for storage. Default true. */
    showInSettings?: boolean | undefined;
  } | undefined;
  /** How frames are kept alive and prefetched. Default {}. */
  embed?: {
    /** Maximum number of frames kept alive. Default 5. */
    keepAlive?: number | undefined;
    /** Whether items load when the pointer is over them. Default true. */
    prefetch?: boolean | undefined;
  } | undefined;
  /** Whether the built shell works offline and can be installed. Default true. */
  serviceWorker?: boolean | undefined;
  /** Origins that pages and frames may use. Default {}. */
  security?: {
    /** Origins that overlays may show in addition to those of items. Default []. */
    frameOrigins?: readonly string[] | undefined;
    /** Origins that the page may call in addition to the backend's. Default []. */
    connectOrigins?: readonly string[] | undefined;
    /** Allows frames of configured origins only, instead of any https origin. Default false. */
    strictFrames?: boolean | undefined;
  } | undefined;
  /** Where production pages send errors; without it they send none. */
  errorReporting?: {
    /** URL that receives the reports. */
    dsn: string;
    /** Name of the environment. */
    environment?: string | undefined;
    /** Name of the release. */
    release?: string | undefined;
  } | undefined;
  /** Desktop application. */
  desktop?: {
    identifier?: string | undefined;
    window?: Readonly<Record<string, number | boolean>> | undefined;
    updater?: {
      endpoint: string;
      pubkey: string;
    } | undefined;
  } | undefined;
  /** Where `platform deploy` uploads; not part of the page. */
  hosting?: {
    /** Base URL of the hosting service. */
    url: string;
    /** Name of the application in the hosting service. */
    app: string;
  } | undefined;
};
