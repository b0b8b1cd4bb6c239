import { connect, type Socket } from "node:net";
import type { PostgresConnection } from "./pool.js";

/** What the protocol has for a request to stop what another connection does. */
const STOP_REQUEST = 80_877_102;
/** A server that cannot be reached is not waited for any longer. */
const STOP_WITHIN_MS = 2_000;

/**
 * Asks the server to stop the statement that a connection runs, over a connection of its own, and resolves once it has
 * passed that on. The statement may have ended before. Does nothing where the connection does not say how to reach its server.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
export async function stopStatement({ host, port, processID, secretKey }: PostgresConnection): Promise<void> {
  if (host === undefined || port === undefined) return;
  if (typeof processID !== "number" || typeof secretKey !== "number") return;
  const request = Buffer.alloc(16);
  request.writeInt32BE(request.length, 0);
  request.writeInt32BE(STOP_REQUEST, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  await sent(host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host), request);
}

/** Resolves when the server has closed the connection, which it does when it has done what was asked. */
function sent(socket: Socket, request: Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.setTimeout(STOP_WITHIN_MS, () => socket.destroy());
    // A server that is not there runs no statement: its connection fails by itself.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => resolve());
    socket.end(request);
  });
}
