// Configuration that `npm start` uses: a shell with two embedded applications. Each has an origin of its own (apps/, served by
// serve.ts), so it receives exactly what its item allows.

const identity = process.env.PLATFORM_IDENTITY_URL ?? "http://localhost:8787/identity";
const tiny = new URL(process.env.EXAMPLES_URL ?? "http://localhost:3001");

// The server of `tiny` under another name of this machine (localhost or 127.0.0.1), which browsers treat as another origin.
const full = new URL(tiny);
full.hostname = tiny.hostname === "127.0.0.1" ? "localhost" : "127.0.0.1";

export default {
  port: 3000,
  title: "Aster Trading",
  version: "1.0.0",
  language: ["en", "fr"],
  navigation: [
    { label: { en: "Home", fr: "Accueil" }, path: "home", url: "/__welcome", icon: "icons/house.svg" },
    {
      title: { en: "Work", fr: "Travail" },
      items: [
        {
          label: { en: "Today", fr: "Aujourd’hui" },
          path: "today",
          url: new URL("/today", tiny).href,
          icon: "icons/list-checks.svg",
          // receives the signed-in user
          shareUser: true,
        },
        {
          label: { en: "Orders", fr: "Commandes" },
          path: "orders",
          url: new URL("/orders", full).href,
          icon: "icons/package.svg",
          requiresAuth: true,
          // also receives the access token
          safeForAuthToken: true,
        },
      ],
    },
    {
      label: { en: "Settings", fr: "Paramètres" },
      path: "settings",
      url: "/__settings",
      icon: "icons/settings.svg",
      position: "end",
    },
  ],
  backend: {
    type: "platform",
    url: identity,
    companyId: 1,
    login: { methods: ["magic_link", "oauth"] },
  },
  // The settings show the company's storage usage; applications store files through the shell.
  storage: { url: new URL(identity).origin },
};
