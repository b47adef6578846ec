import { fakeBackendUrl } from "./fake-identity.ts";

const legal = "# Heading\n\nSome **text**.\n\n## More\n\n- [a link](/legal)\n\n1. one\n";
const item = (label: string, path: string, overrides = {}) => ({ label, path, url: "/__welcome", ...overrides });

/**
 * Returns the configuration of a shell with navigation items of every kind. `application` is the origin of their
 * application.
 */
export function screenConfig(application: string) {
  const backend = { type: "platform", url: fakeBackendUrl, companyId: 1, login: { methods: ["magic_link", "oauth"] } };
  return {
    title: "Aster",
    version: "1.2.3",
    navigation: [
      item("Home", "home"),
      {
        title: "Work",
        items: [
          item("Orders", "orders", { url: `${application}/app`, settings: `${application}/settings` }),
          item("Reports", "reports", { url: `${application}/reports` }),
        ],
      },
      item("Notes", "notes", { url: `${application}/notes`, openIn: "drawer" }),
      item("Guarded", "guarded", { requiresAuth: true }),
      item("Staff", "staff", { requiresStaff: true, hidden: true }),
      item("Elsewhere", "elsewhere", { url: "https://example.com", openIn: "external" }),
      item("Settings", "settings", { url: "/__settings", position: "end" }),
    ],
    legalDocuments: { privacyPolicy: legal, termsOfService: legal },
    backend,
    storage: { url: fakeBackendUrl, filesUrl: `${fakeBackendUrl}/files` },
  };
}

/** Returns variants of the shell by name, as changes to its configuration. */
export function screenVariants(config: ReturnType<typeof screenConfig>): Record<string, object> {
  const cookies = [
    {
      name: "_a",
      host: "stats.example",
      provider: "Stats for Aster",
      durationSeconds: 86_400,
      category: "targeting",
      type: "HTTP",
      description: { en: "Counts the visits of each page.", fr: "Compte les visites de chaque page." },
    },
    { name: "_b", host: "aster.example", durationSeconds: 0, category: "strict_necessary", type: "HTTP" },
  ];
  return {
    sidebar: {},
    "app-bar": { layout: "app-bar" },
    fullscreen: { layout: "fullscreen" },
    consent: { cookieConsent: { cookies } },
    accountless: { backend: undefined, storage: undefined },
    companyless: { backend: { ...config.backend, companyId: undefined, login: { methods: ["magic_link"] } } },
    panel: { backend: { ...config.backend, login: { ...config.backend.login, panelUrl: "/panel.html" } } },
  };
}
