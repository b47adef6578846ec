import type { PageLanguage } from "../../../kit/http/request/page-language";

type Texts = Record<
  | ("title" | "note" | "email" | "firstName" | "optional" | "empty" | "button" | "noScript")
  | ("sentTitle" | "sent" | "sentNote" | "back")
  | (
      | "emailRequired"
      | "emailInvalid"
      | "nameInvalid"
      | "turnstile"
      | "tooMany"
      | "unavailable"
      | "notAllowed"
      | "invalid"
    )
  | ("unknownTitle" | "unknown")
  | ("askTitle" | "ask" | "confirm" | "askNote" | "doneTitle" | "done" | "alreadyTitle" | "already")
  | ("expiredTitle" | "expired" | "from" | "to"),
  string
>;

/** Texts of the sign-up page, the form to paste and the confirmation page. */
export const SIGN_UP_TEXTS: Record<PageLanguage, Texts> = {
  en: {
    title: "Subscribe to {list}",
    note: "You will get an email with a link. Your subscription begins when you open it and confirm.",
    email: "Email address",
    firstName: "First name",
    optional: "(optional)",
    empty: "Leave this field empty",
    button: "Subscribe",
    noScript: "This form has a security check that needs JavaScript. Turn JavaScript on and reload the page.",
    sentTitle: "Check your inbox",
    sent: "We are sending a link to {address}. Open it to confirm your subscription.",
    sentNote:
      "Nothing arrives if the address is subscribed already, or if we sent a link a few minutes ago. Look in your spam folder too.",
    back: "Use another address",
    emailRequired: "Type your email address.",
    emailInvalid: "This address is not complete. It looks like name@example.com.",
    nameInvalid: "This name is too long. Use at most 150 characters.",
    turnstile: "The security check did not succeed. Do it again.",
    tooMany: "There were too many sign-ups. Nothing is lost: try again in {wait}.",
    unavailable: "Signing up does not work right now. Nothing is lost: try again in a moment.",
    notAllowed: "The page with this form may not sign anyone up. Use this page instead.",
    invalid: "The form could not be read. Fill it in again.",
    unknownTitle: "This newsletter does not exist",
    unknown:
      "The link is incomplete or old, or the newsletter has ended. Open it again from the page where you found it.",
    askTitle: "Confirm your subscription",
    ask: "You will receive “{list}”{who}{address}.",
    confirm: "Confirm subscription",
    askNote: "If you did not ask for this, close the page. You will then get no mail.",
    doneTitle: "You are subscribed",
    done: "You will receive “{list}”{who}{address}. Every issue has a link to unsubscribe.",
    alreadyTitle: "You are already subscribed",
    already: "You receive “{list}”{who}{address}. Every issue has a link to unsubscribe.",
    expiredTitle: "This link does not work any more",
    expired: "Its time is over, or a newer mail has replaced it. Open the newest mail, or sign up again.",
    from: " from {company}",
    to: " at {address}",
  },
  fr: {
    title: "S’abonner à {list}",
    note: "Vous recevrez un e-mail avec un lien. Votre abonnement commence lorsque vous l’ouvrez et confirmez.",
    email: "Adresse e-mail",
    firstName: "Prénom",
    optional: "(facultatif)",
    empty: "Laissez ce champ vide",
    button: "S’abonner",
    noScript: "La vérification de sécurité de ce formulaire nécessite JavaScript. Activez-le, puis rechargez la page.",
    sentTitle: "Consultez votre messagerie",
    sent: "Nous envoyons un lien à {address}. Ouvrez-le pour confirmer votre abonnement.",
    sentNote:
      "Rien n’arrive si l’adresse est déjà abonnée ou si un lien a été envoyé il y a quelques minutes. Regardez aussi dans vos courriers indésirables.",
    back: "Utiliser une autre adresse",
    emailRequired: "Saisissez votre adresse e-mail.",
    emailInvalid: "Cette adresse n’est pas complète. Elle ressemble à nom@example.com.",
    nameInvalid: "Ce prénom est trop long. Utilisez 150 caractères au plus.",
    turnstile: "La vérification de sécurité n’a pas abouti. Recommencez-la.",
    tooMany: "Les inscriptions sont trop nombreuses. Rien n’est perdu\u00a0: réessayez dans {wait}.",
    unavailable: "L’inscription ne fonctionne pas pour le moment. Rien n’est perdu\u00a0: réessayez dans un instant.",
    notAllowed: "La page de ce formulaire ne peut inscrire personne. Utilisez plutôt celle-ci.",
    invalid: "Le formulaire n’a pas pu être lu. Remplissez-le à nouveau.",
    unknownTitle: "Cette lettre d’information n’existe pas",
    unknown:
      "Le lien est incomplet ou ancien, ou la lettre d’information a pris fin. Ouvrez-le à nouveau depuis la page où vous l’avez trouvé.",
    askTitle: "Confirmer votre abonnement",
    ask: "Vous recevrez «\u00a0{list}\u00a0»{who}{address}.",
    confirm: "Confirmer l’abonnement",
    askNote: "Si vous n’avez rien demandé, fermez la page. Vous ne recevrez alors aucun message.",
    doneTitle: "Abonnement confirmé",
    done: "Vous recevrez «\u00a0{list}\u00a0»{who}{address}. Chaque numéro contient un lien de désabonnement.",
    alreadyTitle: "Abonnement déjà confirmé",
    already: "Vous recevez «\u00a0{list}\u00a0»{who}{address}. Chaque numéro contient un lien de désabonnement.",
    expiredTitle: "Ce lien ne fonctionne plus",
    expired: "Il a expiré ou un e-mail plus récent l’a remplacé. Ouvrez le dernier e-mail ou inscrivez-vous à nouveau.",
    from: " ({company})",
    to: " à l’adresse {address}",
  },
};
