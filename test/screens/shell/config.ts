import { fakeBackendUrl } from "../../support/shell/fake-identity.ts";
import { ARABIC } from "./arabic.ts";

const legal = "# Heading\n\nSome **text**.\n\n## More\n\n- [a link](/legal)\n\n1. one\n";
const LABELS: Record<string, { fr: string; ar: string }> = {
  Home: { fr: "Accueil", ar: "الرئيسية" },
  Work: { fr: "Travail", ar: "العمل" },
  Orders: { fr: "Commandes", ar: "الطلبات" },
  Reports: { fr: "Rapports", ar: "التقارير" },
  Notes: { fr: "Notes", ar: "الملاحظات" },
  Guarded: { fr: "Équipe", ar: "الفريق" },
  Staff: { fr: "Administration", ar: "الإدارة" },
  Elsewhere: { fr: "Site public", ar: "الموقع العام" },
  Settings: { fr: "Paramètres", ar: "الإعدادات" },
};
const label = (en: string) => ({ en, ...LABELS[en] });
/** Icons of the examples; the other items show the first letter of their label. */
const ICONS: Record<string, string> = {
  home: "house",
  orders: "package",
  reports: "list-checks",
  settings: "settings",
};
const item = (name: string, path: string, overrides = {}) => ({
  label: label(name),
  path,
  ...(ICONS[path] && { icon: `icons/${ICONS[path]}.svg` }),
  url: "/__welcome",
  ...overrides,
});

/**
 * Returns the configuration of a shell with navigation items of every kind. `application` is the origin of their
 * application.
 */
export function screenConfig(application: string) {
  const backend = { type: "platform", url: fakeBackendUrl, companyId: 1, login: { methods: ["magic_link", "oauth"] } };
  return {
    title: "Aster",
    language: ["en", "fr", "ar"],
    messages: { ar: ARABIC },
    version: "1.2.3",
    navigation: [
      item("Home", "home"),
      {
        title: label("Work"),
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

const CROWD = [
  [
    "Sales",
    "Orders",
    "Quotes and price lists",
    "Customers",
    "Contracts that end within the next three months",
    "Returns",
  ],
  ["Warehouse", "Stock", "Suppliers", "Incoming deliveries", "Shipments", "Stocktaking"],
  ["Finance", "Invoices", "Payments", "Expense reports and reimbursements", "Budgets", "Tax"],
];

/** A navigation with more items than a sidebar and a start page have room for, some with long labels. */
const crowdedNavigation = (application: string) =>
  CROWD.map(([title, ...names], at) => ({
    title,
    items: names.map((name, index) => ({ label: name, path: `place-${at}-${index}`, url: `${application}/reports` })),
  }));

/** Returns variants of the shell by name, as changes to its configuration. */
export function screenVariants(config: ReturnType<typeof screenConfig>, application: string): Record<string, object> {
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
  const many = (title: string, labels: string[]) => ({
    title,
    items: labels.map((label) =>
      item(label, label.toLowerCase().replaceAll(" ", "-"), { url: "https://example.com/app" }),
    ),
  });
  return {
    sidebar: {},
    many: {
      navigation: [
        item("Home", "home"),
        many("Sales", ["Orders", "Customers", "Quotes", "Invoices and reminders of the northern regions", "Prices"]),
        many("Stock", ["Items", "Warehouses", "Suppliers", "Deliveries", "Returns", "Stocktaking"]),
        many("Company", ["People", "Contracts", "Accounting", "Devices", "Travel", "Documents", "Reports"]),
        item("Settings", "settings", { url: "/__settings", position: "end" }),
      ],
    },
    "app-bar": { layout: "app-bar" },
    fullscreen: { layout: "fullscreen" },
    consent: { cookieConsent: { cookies } },
    crowded: {
      title: "Aster Trading and Shipping Company of the Northern and Eastern Provinces",
      navigation: [config.navigation[0], ...crowdedNavigation(application), config.navigation.at(-1)],
    },
    accountless: { backend: undefined, storage: undefined },
    companyless: { backend: { ...config.backend, companyId: undefined, login: { methods: ["magic_link"] } } },
    panel: { backend: { ...config.backend, login: { ...config.backend.login, panelUrl: "/panel.html" } } },
  };
}
