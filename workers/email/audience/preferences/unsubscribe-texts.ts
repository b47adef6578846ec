import type { PageLanguage } from "../../../kit/http/request/page-language";

/** The kinds of categories, which have different sentences. */
export type CategoryKind = "transactional" | "bulk" | "list";

type PageTexts = Record<
  | ("askTitle" | "doneTitle" | "undoneTitle" | "unknownTitle" | "unknown" | "awayTitle" | "away")
  | ("button" | "undo" | "mistake" | "stays" | "to" | "choices" | "everything" | "signUp" | "signUpAgain")
  | ("named" | "allNewsletters" | "announcements" | "announcementsStay" | "left"),
  string
> &
  Record<"ask" | "done" | "undone" | "from", Record<CategoryKind, string>>;

/**
 * Texts of the page. `named` is the accessible name of a button. `from` replaces `{who}` and `to` replaces `{address}`; both
 * are empty when the value is unknown.
 */
export const UNSUBSCRIBE_TEXTS: Record<PageLanguage, PageTexts> = {
  en: {
    askTitle: "Unsubscribe?",
    doneTitle: "You are unsubscribed",
    undoneTitle: "You are subscribed again",
    unknownTitle: "This link is not valid",
    unknown: "The link is incomplete or was changed. Open it again from the message you received.",
    awayTitle: "This does not work right now",
    away: "Nothing was changed. Try again in a moment.",
    button: "Unsubscribe",
    undo: "Subscribe again",
    mistake: "Was that a mistake?",
    stays: "Messages for signing in and about security are still sent.",
    announcementsStay: "Announcements, and messages for signing in and about security, are still sent.",
    left: "You will no longer receive any newsletter{who}{address}.",
    choices: "More choices",
    named: "{action}: {name}",
    allNewsletters: "All newsletters",
    announcements: "You will still receive announcements.",
    everything: "All newsletters and announcements",
    signUp: "To receive this newsletter again, sign up for it.",
    signUpAgain: "Sign up again",
    ask: {
      transactional: "You will stop receiving notifications{who}{address}.",
      bulk: "You will stop receiving newsletters and announcements{who}{address}.",
      list: "You will stop receiving the newsletter “{list}”{who}{address}.",
    },
    done: {
      transactional: "You will no longer receive notifications{who}{address}.",
      bulk: "You will no longer receive newsletters and announcements{who}{address}.",
      list: "You will no longer receive the newsletter “{list}”{who}{address}.",
    },
    undone: {
      transactional: "You will receive notifications{who}{address} as before.",
      bulk: "You will receive newsletters and announcements{who}{address} as before.",
      list: "You will receive the newsletter “{list}”{who}{address} as before.",
    },
    from: { transactional: " from {company}", bulk: " from {company}", list: " from {company}" },
    to: " to {address}",
  },
  fr: {
    askTitle: "Se désabonner\u00a0?",
    doneTitle: "Désabonnement effectué",
    undoneTitle: "Réabonnement effectué",
    unknownTitle: "Ce lien n’est pas valide",
    unknown: "Le lien est incomplet ou a été modifié. Ouvrez-le à nouveau depuis le message reçu.",
    awayTitle: "Cela ne fonctionne pas pour le moment",
    away: "Rien n’a été modifié. Réessayez dans un instant.",
    button: "Se désabonner",
    undo: "Se réabonner",
    mistake: "C’était une erreur\u00a0?",
    stays: "Les messages de connexion et de sécurité sont toujours envoyés.",
    announcementsStay: "Les annonces et les messages de connexion et de sécurité sont toujours envoyés.",
    left: "Vous ne recevrez plus aucune lettre d’information{who}{address}.",
    choices: "Autres choix",
    named: "{action}\u00a0: {name}",
    allNewsletters: "Toutes les lettres d’information",
    announcements: "Vous recevrez toujours les annonces.",
    everything: "Toutes les lettres d’information et annonces",
    signUp: "Pour recevoir à nouveau cette lettre d’information, inscrivez-vous.",
    signUpAgain: "S’inscrire à nouveau",
    ask: {
      transactional: "Vous cesserez de recevoir les notifications{who}{address}.",
      bulk: "Vous cesserez de recevoir les lettres d’information et annonces{who}{address}.",
      list: "Vous cesserez de recevoir la lettre d’information «\u00a0{list}\u00a0»{who}{address}.",
    },
    done: {
      transactional: "Vous ne recevrez plus les notifications{who}{address}.",
      bulk: "Vous ne recevrez plus les lettres d’information et annonces{who}{address}.",
      list: "Vous ne recevrez plus la lettre d’information «\u00a0{list}\u00a0»{who}{address}.",
    },
    undone: {
      transactional: "Vous recevrez les notifications{who}{address} comme avant.",
      bulk: "Vous recevrez les lettres d’information et annonces{who}{address} comme avant.",
      list: "Vous recevrez la lettre d’information «\u00a0{list}\u00a0»{who}{address} comme avant.",
    },
    from: {
      transactional: " envoyées par {company}",
      bulk: " envoyées par {company}",
      list: " envoyée par {company}",
    },
    to: " à l’adresse {address}",
  },
};
