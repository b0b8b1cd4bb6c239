import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A page on loopback. */
export interface Served {
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly paths: readonly string[];
  close(): Promise<void>;
}

/** Scripts of the page itself and nothing else: no code from texts, and no connection to anywhere. */
const POLICY = "default-src 'none'; script-src 'self'; connect-src 'none'";
const PAGE = '<!doctype html><meta charset="utf-8"><title>proof</title><script type="module" src="/page.js"></script>';

/** Serves a page that runs one module, under a policy that forbids to make code. */
export async function serve(code: string): Promise<Served> {
  const paths: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    paths.push(url);
    const [status, type, body] =
      url === "/"
        ? [200, "text/html", PAGE]
        : url === "/page.js"
          ? [200, "text/javascript", code]
          : [404, "text/plain", ""];
    response.writeHead(status, { "content-type": `${type}; charset=utf-8`, "content-security-policy": POLICY });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    paths,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
