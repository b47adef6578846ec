import { emailErrors } from "../../../../schemas/email/errors";
import { choosePageLanguage } from "../../../kit/http/request/page-language";
import type { Problem } from "../../../kit/problem";
import { unsubscribeAwayPage } from "./unsubscribe-page.present";

/** A refusal for a browser on a page of this service: what is wrong is ours, the person may try again. */
export function refusalPage(request: Request, { code, options }: Problem, requestId: string): Promise<Response> {
  const language = choosePageLanguage(request.headers.get("accept-language") ?? undefined);
  const { status } = emailErrors[code as keyof typeof emailErrors];
  return unsubscribeAwayPage(language, { status, headers: options.headers ?? {}, support: { code, requestId } });
}
