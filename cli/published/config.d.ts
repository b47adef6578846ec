// Written from schemas/shell/config.ts by scripts/generate-config-types.ts.

export type NavigationItem = {
  label: Localized;
  path: string;
  url: string;
  icon?: string | undefined;
  /** Default false. */
  hidden?: boolean | undefined;
  /** Default false. */
  hideWhenLoggedOut?: boolean | undefined;
  /** Default false. */
  hiddenOnMobile?: boolean | undefined;
  /** Default false. */
  hiddenOnDesktop?: boolean | undefined;
  /** Default false. */
  requiresAuth?: boolean | undefined;
  /** Default false. */
  requiresStaff?: boolean | undefined;
  /** Default false. */
  requiresOwner?: boolean | undefined;
  /** Default false. */
  requiresDevMode?: boolean | undefined;
  requiresGroups?: readonly string[] | undefined;
  /** Default "default". */
  openIn?: "default" | "modal" | "drawer" | "external" | undefined;
  /** Default "right". */
  drawerPosition?: "right" | "left" | "top" | "bottom" | undefined;
  /** Default "start". */
  position?: "start" | "end" | undefined;
  settings?: string | undefined;
  useHashRouter?: boolean | undefined;
  /** Default false. */
  safeForAuthToken?: boolean | undefined;
  /** Default false. */
  shareUser?: boolean | undefined;
  /** Default true. */
  keepAlive?: boolean | undefined;
  /** Default true. */
  prefetch?: boolean | undefined;
  permissions?:
    | readonly (
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
      )[]
    | undefined;
  sandbox?:
    | readonly (
        | "allow-modals"
        | "allow-pointer-lock"
        | "allow-presentation"
        | "allow-orientation-lock"
        | "allow-popups-to-escape-sandbox"
      )[]
    | undefined;
};

export type Localized = string | Readonly<Record<string, string>>;

export type NavigationGroup = {
  title: Localized;
  items: readonly (NavigationItem | InnerGroup)[];
  /** Default "start". */
  position?: "start" | "end" | undefined;
  /** Default false. */
  collapsed?: boolean | undefined;
};

export type InnerGroup = {
  title: Localized;
  items: readonly NavigationItem[];
  /** Default "start". */
  position?: "start" | "end" | undefined;
  /** Default false. */
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
  $schema?: string | undefined;
  /** Default 3000. */
  port?: number | undefined;
  title?: string | undefined;
  version?: string | undefined;
  favicon?: string | undefined;
  appIcon?: string | undefined;
  logo?:
    | string
    | {
        light: string;
        dark: string;
      }
    | undefined;
  /** Default ["en","fr"]. */
  language?: string | readonly string[] | undefined;
  messages?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /** Default "sidebar". */
  layout?: "sidebar" | "app-bar" | "fullscreen" | "windows" | undefined;
  startUrl?: string | undefined;
  /** Default []. */
  navigation?: readonly (NavigationItem | NavigationGroup)[] | undefined;
  administration?:
    | {
        title: Localized;
        navigation: readonly {
          label: Localized;
          path: string;
          url: string;
          icon?: string | undefined;
          /** Default false. */
          requiresStaff?: boolean | undefined;
          /** Default "default". */
          openIn?: "default" | "external" | undefined;
        }[];
      }
    | undefined;
  /** Default []. */
  themes?:
    | readonly {
        name: string;
        displayName?: Localized | undefined;
        colors: {
          light: Palette;
          dark: Palette;
        };
        fonts?:
          | {
              body?: string | undefined;
              heading?: string | undefined;
              files?: readonly string[] | undefined;
              letterSpacing?: string | undefined;
              lineHeight?: string | number | undefined;
            }
          | undefined;
      }[]
    | undefined;
  /** Default "default". */
  defaultTheme?: string | undefined;
  cookieConsent?:
    | {
        cookies: readonly {
          name: string;
          host: string;
          durationSeconds: number;
          category: "strict_necessary" | "functional_performance" | "targeting" | "social_media_embedded";
          type: string;
          description?: Localized | undefined;
        }[];
      }
    | undefined;
  legalDocuments?:
    | {
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
            >
          | undefined;
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
            >
          | undefined;
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
            >
          | undefined;
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
            >
          | undefined;
      }
    | undefined;
  backend?:
    | {
        type: "platform" | "supabase";
        url: string;
        publishableKey?: string | undefined;
        companyId?: number | string | undefined;
        adminPathname?: string | undefined;
        adminUrl?: string | undefined;
        loginUrl?: string | undefined;
        login?:
          | {
              methods?: readonly ("password" | "oauth" | "magic_link" | "web3")[] | undefined;
              oauthProviders?: readonly string[] | undefined;
              panelUrl?: string | undefined;
              panelImage?: string | undefined;
            }
          | undefined;
      }
    | undefined;
  storage?:
    | {
        url: string;
        filesUrl?: string | undefined;
        /** Default true. */
        showInSettings?: boolean | undefined;
      }
    | undefined;
  /** Default {}. */
  embed?:
    | {
        /** Default 5. */
        keepAlive?: number | undefined;
        /** Default true. */
        prefetch?: boolean | undefined;
      }
    | undefined;
  /** Default true. */
  serviceWorker?: boolean | undefined;
  /** Default {}. */
  security?:
    | {
        /** Default []. */
        frameOrigins?: readonly string[] | undefined;
        /** Default []. */
        connectOrigins?: readonly string[] | undefined;
        /** Default false. */
        strictFrames?: boolean | undefined;
      }
    | undefined;
  errorReporting?:
    | {
        dsn: string;
        environment?: string | undefined;
        release?: string | undefined;
      }
    | undefined;
  desktop?:
    | {
        identifier?: string | undefined;
        window?: Readonly<Record<string, number | boolean>> | undefined;
        updater?:
          | {
              endpoint: string;
              pubkey: string;
            }
          | undefined;
      }
    | undefined;
  hosting?:
    | {
        url: string;
        app: string;
      }
    | undefined;
};
