import type { PresetName } from "../../../../schemas/email/content/presets";
import { date, type InLanguage, list, optional, type Preset, serviceDesigns, shopDesigns, text, url } from "./preset";

type Story = { title: string; summary: string; url?: string; image_url?: string };

/** Returns a list of titles, each with a summary and an optional link. */
const stories = (name: string, labels: readonly [string, string], t: InLanguage, sample: readonly Story[]) =>
  list(
    name,
    labels,
    [
      text("title", ["Title", "Titre"], t("A longer season", "Une saison plus longue")),
      text("summary", ["Summary", "Résumé"], t("What changes this winter.", "Ce qui change cet hiver.")),
      optional(url("url", ["Link", "Lien"], "https://www.example.com/news")),
      optional(url("image_url", ["Picture", "Image"], "https://shop.example.com/pictures/season.png")),
    ],
    sample,
  );

/** The presets for news, offers and notices. */
export const NEWS_PRESETS = {
  "newsletter.published": {
    labels: { en: "Newsletter published", fr: "Newsletter publiée" },
    description: {
      en: "Sends an issue of a newsletter to a reader who confirmed the subscription.",
      fr: "Envoie un numéro de la newsletter à une personne qui a confirmé son inscription.",
    },
    variables: (t) => [
      text("title", ["Title", "Titre"], t("What the season brings", "Ce que la saison apporte")),
      text(
        "intro",
        ["Introduction", "Introduction"],
        t("Three things worth your time.", "Trois sujets à ne pas manquer."),
      ),
      stories("stories", ["Stories", "Articles"], t, [
        {
          title: t("A longer season", "Une saison plus longue"),
          summary: t(
            "We stay open until the end of January, and explain why the winter suits us.",
            "Nous restons ouverts jusqu’à fin janvier, et l’hiver nous va bien.",
          ),
          url: "https://www.example.com/news/season",
          image_url: "https://shop.example.com/pictures/season.png",
        },
        {
          title: t("Meet the glassblowers", "Rencontre avec les souffleurs"),
          summary: t(
            "Two sisters, one furnace and a carafe that took three years to get right.",
            "Deux sœurs, un four et une carafe qui a demandé trois ans de travail.",
          ),
          url: "https://www.example.com/news/glass",
        },
        {
          title: t("One evening in December", "Une soirée en décembre"),
          summary: t("Come by on the 12th for a cup and a story.", "Passez le 12 pour une tasse et une histoire."),
        },
      ]),
      url("issue_url", ["Read the whole issue", "Lire tout le numéro"], "https://www.example.com/news/12"),
    ],
    designs: shopDesigns("newsletter"),
    texts: {
      en: {
        subject: "{{ title }}",
        preheader: "{{ intro }}",
        lead: "{{ intro }}",
        button: "Read the whole issue",
        footnote: "",
      },
      fr: {
        subject: "{{ title }}",
        preheader: "{{ intro }}",
        lead: "{{ intro }}",
        button: "Lire tout le numéro",
        footnote: "",
      },
    },
  },
  "promotion.started": {
    labels: { en: "Promotion started", fr: "Promotion lancée" },
    description: {
      en: "Announces an offer to customers who want to hear about offers.",
      fr: "Annonce une offre aux clients qui souhaitent les recevoir.",
    },
    variables: (t) => [
      text("discount", ["Discount", "Remise"], t("20%", "20\u00a0%")),
      optional(text("code", ["Code", "Code"], "EARLY20")),
      optional(date("ends_on", ["Last day", "Dernier jour"], "2026-12-06")),
      url("offer_url", ["See the offer", "Voir l’offre"], "https://shop.example.com/offer"),
    ],
    designs: shopDesigns("promo"),
    texts: {
      en: {
        subject: '{{ discount }} off at {{ company_name|default:"our shop" }}',
        preheader: "For a few days, everything in the shop costs less.",
        lead: "For a few days, everything in the shop costs {{ discount }} less.\n\nEnter the code {{ code }} when you pay.",
        button: "See the offer",
        footnote: "",
      },
      fr: {
        subject: '{{ discount }} de remise chez {{ company_name|default:"nous" }}',
        preheader: "Pendant quelques jours, toute la boutique est en promotion.",
        lead: "Pendant quelques jours, profitez de {{ discount }} de remise sur toute la boutique.\n\nSaisissez le code {{ code }} au moment de payer.",
        button: "Voir l’offre",
        footnote: "",
      },
    },
  },
  "feature.announced": {
    labels: { en: "Feature announced", fr: "Nouveauté annoncée" },
    description: {
      en: "Presents one new feature to users, and what they can do with it.",
      fr: "Présente une nouveauté et ce qu’elle permet de faire.",
    },
    variables: (t) => [
      text("feature", ["Feature", "Nouveauté"], t("Shared drafts", "Brouillons partagés")),
      text(
        "summary",
        ["Summary", "Résumé"],
        t(
          "You can now write a draft together, and see each change as it is made.",
          "Vous pouvez désormais écrire un brouillon à plusieurs et voir chaque changement en direct.",
        ),
      ),
      optional(
        stories("details", ["Details", "Détails"], t, [
          {
            title: t("Write together", "Écrire ensemble"),
            summary: t("Everyone you invite sees the same text.", "Les personnes invitées voient le même texte."),
          },
          {
            title: t("Undo anything", "Tout annuler"),
            summary: t("Each version is kept for 30 days.", "Chaque version est conservée 30 jours."),
          },
        ]),
      ),
      url("feature_url", ["Try it", "Essayer"], "https://app.example.com/new"),
    ],
    designs: serviceDesigns("feature-announcement"),
    texts: {
      en: {
        subject: "New: {{ feature }}",
        preheader: "{{ summary }}",
        lead: "{{ summary }}",
        button: "Try it",
        footnote: "Everyone has it from today. There is nothing to switch on.",
      },
      fr: {
        subject: "Nouveau\u00a0: {{ feature }}",
        preheader: "{{ summary }}",
        lead: "{{ summary }}",
        button: "Essayer",
        footnote: "Tout le monde en profite dès aujourd’hui, sans rien activer.",
      },
    },
  },
  "release.published": {
    labels: { en: "Release published", fr: "Mise à jour publiée" },
    description: {
      en: "Lists what changed in a product, for its users.",
      fr: "Présente aux utilisateurs ce qui a changé dans un produit.",
    },
    variables: (t) => [
      text("title", ["Title", "Titre"], t("What changed in November", "Ce qui a changé en novembre")),
      stories("changes", ["Changes", "Changements"], t, [
        {
          title: t("Search finds attachments", "La recherche trouve les pièces jointes"),
          summary: t("Also in mails from last year.", "Y compris dans les e-mails de l’année dernière."),
          url: "https://app.example.com/changes/search",
        },
        {
          title: t("Exports take seconds", "Des exports en quelques secondes"),
          summary: t("Even with 100,000 rows.", "Même avec 100\u00a0000 lignes."),
        },
        {
          title: t("Dark mode is easier to read", "Le mode sombre est plus lisible"),
          summary: t("Tables have more contrast.", "Les tableaux sont plus contrastés."),
        },
      ]),
      url("changes_url", ["See all changes", "Voir tous les changements"], "https://app.example.com/changes"),
    ],
    designs: serviceDesigns("product-update"),
    texts: {
      en: {
        subject: "{{ title }}",
        preheader: "What is new, what got better and what was fixed.",
        lead: "These are the changes that you may notice, the most useful one first.",
        button: "See all changes",
        footnote: "",
      },
      fr: {
        subject: "{{ title }}",
        preheader: "Les nouveautés, les améliorations et les corrections.",
        lead: "Voici les changements que vous pourriez remarquer, le plus utile d’abord.",
        button: "Voir tous les changements",
        footnote: "",
      },
    },
  },
  "notice.published": {
    labels: { en: "Notice published", fr: "Avis publié" },
    description: {
      en: "Sends a short message whose title and text your application writes.",
      fr: "Envoie un court message dont votre application écrit le titre et le texte.",
    },
    variables: (t) => [
      text("title", ["Title", "Titre"], t("Maintenance on Saturday", "Maintenance samedi")),
      text(
        "message",
        ["Message", "Message"],
        t(
          "The shop is closed on Saturday from 6 to 8 in the morning. Orders that you place before then ship as planned.",
          "La boutique est fermée samedi de 6\u00a0h à 8\u00a0h. Les commandes passées avant partent comme prévu.",
        ),
      ),
      optional(url("details_url", ["Read more", "En savoir plus"], "https://www.example.com/status")),
    ],
    designs: serviceDesigns("text-only"),
    texts: {
      en: {
        subject: "{{ title }}",
        preheader: "{{ message }}",
        lead: "{{ message }}",
        button: "Read more",
        footnote: "",
      },
      fr: {
        subject: "{{ title }}",
        preheader: "{{ message }}",
        lead: "{{ message }}",
        button: "En savoir plus",
        footnote: "",
      },
    },
  },
} as const satisfies Partial<Record<PresetName, Preset>>;
