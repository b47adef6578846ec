// Written from schemas/shell/config.ts by scripts/generate-config-types.ts.

export type NavigationItem = {
  /** Text in the navigation and title of the frame. */
  label: Localized;
  /** Address below the shell's root, without slashes at its ends; empty is the root. The longest matching one wins. */
  path: string;
  /** What is shown: an absolute URL, a path of this origin, or a view of the shell (/__welcome, /__settings, /legal, /login). */
  url: string;
  /** Picture of static/; SVG files under /icons/ are drawn in the text colour. Else the first letter of the label. */
  icon?: string | undefined;
  /** Not listed; the address keeps working. Default false. */
  hidden?: boolean | undefined;
  /** Listed for signed-in people only. Default false. */
  hideWhenLoggedOut?: boolean | undefined;
  /** Not listed on small screens. Default false. */
  hiddenOnMobile?: boolean | undefined;
  /** Not listed on large screens. Default false. */
  hiddenOnDesktop?: boolean | undefined;
  /** Leads to the sign-in without a session. Default false. */
  requiresAuth?: boolean | undefined;
  /** For staff only. Services decide; this shapes the view. Default false. */
  requiresStaff?: boolean | undefined;
  /** For owners of the company only. Default false. */
  requiresOwner?: boolean | undefined;
  /** In developer mode only. Default false. */
  requiresDevMode?: boolean | undefined;
  /** For members of at least one of these groups. */
  requiresGroups?: readonly string[] | undefined;
  /** In place, over the page, or in a new tab. Default "default". */
  openIn?: "default" | "modal" | "drawer" | "external" | undefined;
  /** Side that a drawer comes from. Default "right". */
  drawerPosition?: "right" | "left" | "top" | "bottom" | undefined;
  /** Start, or the end: footer of the sidebar, right side of the app bar. Default "start". */
  position?: "start" | "end" | undefined;
  /** Page of the application under Settings, Applications. */
  settings?: string | undefined;
  /** Whether the application's addresses follow #; true for a url with /#. */
  useHashRouter?: boolean | undefined;
  /** The application gets the access token and the person's data. For applications of your own only. Default false. */
  safeForAuthToken?: boolean | undefined;
  /** The application gets the person's data, without token. Default false. */
  shareUser?: boolean | undefined;
  /** Kept in the background when left. Default true. */
  keepAlive?: boolean | undefined;
  /** Loaded when it is pointed at. Default true. */
  prefetch?: boolean | undefined;
  /** Device features that the application may ask for. */
  permissions?: readonly ("camera" | "microphone" | "geolocation" | "clipboard-read" | "display-capture" | "web-share" | "autoplay" | "picture-in-picture" | "encrypted-media" | "publickey-credentials-get")[] | undefined;
  /** What the frame may do besides the usual. */
  sandbox?: readonly ("allow-modals" | "allow-pointer-lock" | "allow-presentation" | "allow-orientation-lock" | "allow-popups-to-escape-sandbox")[] | undefined;
};

export type Localized = string | Readonly<Record<string, string>>;

export type NavigationGroup = {
  /** Heading. */
  title: Localized;
  /** Items, and groups of one more level. */
  items: readonly (NavigationItem | InnerGroup)[];
  /** Start or end of the navigation. Default "start". */
  position?: "start" | "end" | undefined;
  /** Closed at first. Default false. */
  collapsed?: boolean | undefined;
};

export type InnerGroup = {
  /** Heading. */
  title: Localized;
  /** Items. */
  items: readonly NavigationItem[];
  /** Start or end of the navigation. Default "start". */
  position?: "start" | "end" | undefined;
  /** Closed at first. Default false. */
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
  /** Address of this schema, for editors. */
  $schema?: string | undefined;
  /** Port of the development server. Default 3000. */
  port?: number | undefined;
  /** Name of the application: document title, header, installed app. */
  title?: string | undefined;
  /** Shown under Settings, Updates. */
  version?: string | undefined;
  /** Icon of the tab; /favicon.svg when static/ has it, else the built-in mark. */
  favicon?: string | undefined;
  /** Square mark for the installed app: SVG or PNG of static/. */
  appIcon?: string | undefined;
  /** Wide mark that stands for the title in the header, or one for light and one for dark. */
  logo?: string | {
    light: string;
    dark: string;
  } | undefined;
  /** Offered languages, the default one first. Default ["en","fr"]. */
  language?: string | readonly string[] | undefined;
  /** Interface texts by language and key: adds a language, or replaces single texts. */
  messages?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /** Arrangement of the navigation; windows comes later and shows sidebar. Default "sidebar". */
  layout?: "sidebar" | "app-bar" | "fullscreen" | "windows" | undefined;
  /** Where / leads. */
  startUrl?: string | undefined;
  /** Items and groups, in order. Default []. */
  navigation?: readonly (NavigationItem | NavigationGroup)[] | undefined;
  /** Links that are handed to the administration application. */
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
  /** Palettes besides the built-in one. Default []. */
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
  /** Name of the theme that is shown first. Default "default". */
  defaultTheme?: string | undefined;
  /** Cookies that people are asked about; without it nothing is asked. */
  cookieConsent?: {
    cookies: readonly ({
      name: string;
      host: string;
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
  /** Service that signs people in; without it there is no sign-in. */
  backend?: {
    /** platform: the identity service; supabase: a GoTrue-compatible project. */
    type: "platform" | "supabase";
    /** Base URL of its API. */
    url: string;
    /** Public key of a supabase project; never a service-role key. */
    publishableKey?: string | undefined;
    /** Company that people sign in to; needed for the type platform. */
    companyId?: number | string | undefined;
    /** Address of the administration in the shell. */
    adminPathname?: string | undefined;
    /** Administration application that is framed there. */
    adminUrl?: string | undefined;
    /** Public origin of this shell, for platform login. */
    loginUrl?: string | undefined;
    /** Sign-in page. */
    login?: {
      /** Offered methods; those that the service has switched off are not drawn. */
      methods?: readonly ("password" | "oauth" | "magic_link" | "web3")[] | undefined;
      /** Providers and the order of their buttons. */
      oauthProviders?: readonly string[] | undefined;
      /** Page beside the form on wide screens; of this shell's, the backend's or the storage's origin. */
      panelUrl?: string | undefined;
      /** Picture in its place. */
      panelImage?: string | undefined;
    } | undefined;
  } | undefined;
  /** Storage service, for its panel in the settings and for embedded applications. */
  storage?: {
    /** Base URL of its API. */
    url: string;
    /** Explorer application for files. */
    filesUrl?: string | undefined;
    /** Whether Settings has a section for it. Default true. */
    showInSettings?: boolean | undefined;
  } | undefined;
  /** How frames are kept and loaded ahead. Default {}. */
  embed?: {
    /** How many frames stay alive. Default 5. */
    keepAlive?: number | undefined;
    /** Whether an item is loaded when it is pointed at. Default true. */
    prefetch?: boolean | undefined;
  } | undefined;
  /** Whether a build opens without a network and can be installed. Default true. */
  serviceWorker?: boolean | undefined;
  /** Origins that pages and frames may reach. Default {}. */
  security?: {
    /** Origins that overlays may show besides those of items. Default []. */
    frameOrigins?: readonly string[] | undefined;
    /** Origins that the page may call besides the backend's. Default []. */
    connectOrigins?: readonly string[] | undefined;
    /** Frames of configured origins only, instead of any https. Default false. */
    strictFrames?: boolean | undefined;
  } | undefined;
  /** Where errors of production pages are sent; without it nowhere. */
  errorReporting?: {
    /** Address that takes the reports. */
    dsn: string;
    /** Name of this installation. */
    environment?: string | undefined;
    /** Name of this version. */
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
  /** Where platform deploy uploads; not in the page. */
  hosting?: {
    /** Hosting service. */
    url: string;
    /** Name of the application there. */
    app: string;
  } | undefined;
};
