/**
 * The base URL of a server as requests are put behind it: without slashes at its end.
 *
 * `factory`: whose option `baseUrl` it is, for the error.
 * @throws TypeError that says what is wrong, and never has the URL: it may hold a password.
 */
export function readBaseUrl(factory: string, url: string): string {
  const wrong = wrongUrl(url);
  if (wrong !== undefined) throw new TypeError(`${factory}: baseUrl ${wrong}`);
  return url.replace(/\/+$/, "");
}

function wrongUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return "is no absolute URL";
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") return "is not http(s)";
  if (username === "" && password === "" && search === "" && hash === "") return undefined;
  return "has a user name, a password, a query or a fragment. Use apiKey and headers.";
}

/** Shorter header values are words such as `true`; taking them out would make errors unreadable. */
const SHORTEST_SECRET = 8;

/**
 * The texts that must not appear in an error of a server that is sent this key and these headers. Of a header they are
 * its value and the words of it: of `Bearer abc` a server may repeat `abc` alone.
 */
export function secretsOf(
  apiKey: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): readonly string[] {
  const sent = Object.values(headers)
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((text) => text.length >= SHORTEST_SECRET);
  return apiKey === undefined ? sent : [apiKey, ...sent];
}

/**
 * The passwords that stand in the address of a server, before its host (`postgresql://user:PASSWORD@host`) or as its query
 * (`?password=`), as written and decoded. Read from the text: an address that is no URL may have one too.
 */
export function passwordsIn(address: string): readonly string[] {
  const before = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*?:([^@/?#]*)@/i.exec(address)?.[1];
  const asked = /[?&]password=([^&#]*)/i.exec(address)?.[1];
  return [before, asked].flatMap((secret) => (secret === undefined || secret === "" ? [] : [secret, decoded(secret)]));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
