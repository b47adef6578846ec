// The shell around this application, in the words of its views.
import { platform } from "/platform/platform.js";
import { texts } from "./texts.js";

export { platform };

/** Texts of the shell's language. */
export const currentTexts = () => texts[platform.settings?.language.code.split("-")[0]] ?? texts.en;

/** An element with attributes and children; `onClick` among them. */
export function make(tag, { onClick, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (onClick !== undefined) made.addEventListener("click", onClick);
  made.append(...children);
  return made;
}

const locale = () => platform.settings?.language.code ?? "en";
export const money = (cents) =>
  new Intl.NumberFormat(locale(), { style: "currency", currency: "EUR" }).format(cents / 100);
export const day = (date) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeZone: "UTC" }).format(new Date(date));
