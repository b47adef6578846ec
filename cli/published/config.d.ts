// Written from schemas/shell/config.ts by scripts/generate-config-types.ts.

export type NavigationItem = {
  label: Localized;
  path: string;
  url: string;
  icon?: string;
  /** Default false. */
  hidden?: boolean;
  /** Default false. */
  hideWhenLoggedOut?: boolean;
  /** Default false. */
  hiddenOnMobile?: boolean;
  /** Default false. */
  hiddenOnDesktop?: boolean;
  /** Default false. */
  requiresAuth?: boolean;
  /** Default false. */
  requiresStaff?: boolean;
  /** Default false. */
  requiresOwner?: boolean;
  /** Default false. */
  requiresDevMode?: boolean;
  requiresGroups?: readonly string[];
  /** Default "default". */
  openIn?: "default" | "modal" | "drawer" | "external";
  /** Default "right". */
  drawerPosition?: "right" | "left" | "top" | "bottom";
  /** Default "start". */
  position?: "start" | "end";
  settings?: string;
  useHashRouter?: boolean;
  /** Default false. */
  safeForAuthToken?: boolean;
  /** Default false. */
  shareUser?: boolean;
  /** Default true. */
  keepAlive?: boolean;
  /** Default true. */
  prefetch?: boolean;
  permissions?: readonly (
    | "camera"
    | "microphone"
    | "geolocation"
    | "clipboard-read"
    | "display-capture"
    | "web-share"
    | "autoplay"
    | "picture-in-picture"
    | "encrypted-media"
    | "publickey-credentials-get"
  )[];
  sandbox?: readonly (
    | "allow-modals"
    | "allow-pointer-lock"
    | "allow-presentation"
    | "allow-orientation-lock"
    | "allow-popups-to-escape-sandbox"
  )[];
};

export type Localized = string | Readonly<Record<string, string>>;

export type NavigationGroup = {
  title: Localized;
  items: readonly (NavigationItem | InnerGroup)[];
  /** Default "start". */
  position?: "start" | "end";
  /** Default false. */
  collapsed?: boolean;
};

export type InnerGroup = {
  title: Localized;
  items: readonly NavigationItem[];
  /** Default "start". */
  position?: "start" | "end";
  /** Default false. */
  collapsed?: boolean;
};

export type Palette = {
  background?: string;
  foreground?: string;
  card?: string;
  cardForeground?: string;
  popover?: string;
  popoverForeground?: string;
  primary?: string;
  primaryForeground?: string;
  secondary?: string;
  secondaryForeground?: string;
  muted?: string;
  mutedForeground?: string;
  accent?: string;
  accentForeground?: string;
  destructive?: string;
  destructiveForeground?: string;
  border?: string;
  input?: string;
  ring?: string;
  sidebarBackground?: string;
  sidebarForeground?: string;
  sidebarPrimary?: string;
  sidebarPrimaryForeground?: string;
  sidebarAccent?: string;
  sidebarAccentForeground?: string;
  sidebarBorder?: string;
  sidebarRing?: string;
  radius?: string;
};

export type ShellConfig = {
  $schema?: string;
  /** Default 3000. */
  port?: number;
  title?: string;
  version?: string;
  favicon?: string;
  appIcon?: string;
  logo?:
    | string
    | {
        light: string;
        dark: string;
      };
  /** Default ["en","fr"]. */
  language?: string | readonly string[];
  messages?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Default "sidebar". */
  layout?: "sidebar" | "app-bar" | "fullscreen" | "windows";
  startUrl?: string;
  /** Default []. */
  navigation?: readonly (NavigationItem | NavigationGroup)[];
  administration?: {
    title: Localized;
    navigation: readonly {
      label: Localized;
      path: string;
      url: string;
      icon?: string;
      /** Default false. */
      requiresStaff?: boolean;
      /** Default "default". */
      openIn?: "default" | "external";
    }[];
  };
  /** Default []. */
  themes?: readonly {
    name: string;
    displayName?: Localized;
    colors: {
      light: Palette;
      dark: Palette;
    };
    fonts?: {
      body?: string;
      heading?: string;
      files?: readonly string[];
      letterSpacing?: string;
      lineHeight?: string;
      number;
    };
  }[];
  /** Default "default". */
  defaultTheme?: string;
  cookieConsent?: {
    cookies: readonly {
      name: string;
      host: string;
      durationSeconds: number;
      category: "strict_necessary" | "functional_performance" | "targeting" | "social_media_embedded";
      type: string;
      description?: Localized;
    }[];
  };
  legalDocuments?: {
    privacyPolicy?:
      | string
      | {
          file: string;
        }
      | Readonly<
          Record<
            string,
            | string
            | {
                file: string;
              }
          >
        >;
    termsOfService?:
      | string
      | {
          file: string;
        }
      | Readonly<
          Record<
            string,
            | string
            | {
                file: string;
              }
          >
        >;
    legalNotice?:
      | string
      | {
          file: string;
        }
      | Readonly<
          Record<
            string,
            | string
            | {
                file: string;
              }
          >
        >;
    dataProcessingAgreement?:
      | string
      | {
          file: string;
        }
      | Readonly<
          Record<
            string,
            | string
            | {
                file: string;
              }
          >
        >;
  };
  backend?: {
    type: "platform" | "supabase";
    url: string;
    publishableKey?: string;
    companyId?: number | string;
    adminPathname?: string;
    adminUrl?: string;
    loginUrl?: string;
    login?: {
      methods?: readonly ("password" | "oauth" | "magic_link" | "web3")[];
      oauthProviders?: readonly string[];
      panelUrl?: string;
      panelImage?: string;
    };
  };
  storage?: {
    url: string;
    filesUrl?: string;
    /** Default true. */
    showInSettings?: boolean;
  };
  /** Default {}. */
  embed?: {
    /** Default 5. */
    keepAlive?: number;
    /** Default true. */
    prefetch?: boolean;
  };
  /** Default true. */
  serviceWorker?: boolean;
  /** Default {}. */
  security?: {
    /** Default []. */
    frameOrigins?: readonly string[];
    /** Default []. */
    connectOrigins?: readonly string[];
    /** Default false. */
    strictFrames?: boolean;
  };
  errorReporting?: {
    dsn: string;
    environment?: string;
    release?: string;
  };
  desktop?: {
    identifier?: string;
    window?: Readonly<Record<string, number, boolean>>;
    updater?: {
      endpoint: string;
      pubkey: string;
    };
  };
  hosting?: {
    url: string;
    app: string;
  };
};
