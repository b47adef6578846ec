// What `npm start` shows: a shell with two embedded applications. Both stand on origins of their own (apps/, served by serve.ts),
// so that each is given what its item says and no more.

const identity = process.env.PLATFORM_IDENTITY_URL ?? "http://localhost:8787/identity";
const tiny = new URL(process.env.EXAMPLES_URL ?? "http://localhost:3001");

// The same server by its other name: to a browser this is another origin.
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
          // told who is signed in
          shareUser: true,
        },
        {
          label: { en: "Orders", fr: "Commandes" },
          path: "orders",
          url: new URL("/orders", full).href,
          icon: "icons/package.svg",
          requiresAuth: true,
          // also given the access token
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
  // Settings show what the company stores; applications store files through the shell.
  storage: { url: new URL(identity).origin },
};
