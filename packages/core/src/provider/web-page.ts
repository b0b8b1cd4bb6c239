import { TinyAgentsError } from "../errors.js";

/**
 * For adapters: an answer as it is, unless it is a web page, which is what the wrong address gives. `hint`: what is
 * to be said of `baseUrl`.
 *
 * @throws `provider_bad_request`.
 */
export async function refuseWebPage(
  answer: Response,
  { provider, hint }: { readonly provider: string; readonly hint: string },
): Promise<Response> {
  if (!answer.ok || answer.headers.get("content-type")?.startsWith("text/html") !== true) return answer;
  await answer.body?.cancel();
  throw new TinyAgentsError("provider_bad_request", `${provider} answered with a web page. Is baseUrl right? ${hint}`, {
    details: { provider, status: answer.status },
  });
}
