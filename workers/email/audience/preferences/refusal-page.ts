import { emailErrors } from "../../../../schemas/email/errors";
import { choosePageLanguage } from "../../../kit/http/request/page-language";
import type { Problem } from "../../../kit/problem";
import { unavailablePage } from "./unsubscribe-page.present";

/** Returns the HTML page for a Problem. It reports an error of the service and asks the user to try again. */
export function refusalPage(request: Request, { code, options }: Problem, requestId: string): Promise<Response> {
  const language = choosePageLanguage(request.headers.get("accept-language") ?? undefined);
  const { status } = emailErrors[code as keyof typeof emailErrors];
  return unavailablePage(language, { status, headers: options.headers ?? {}, support: { code, requestId } });
}
