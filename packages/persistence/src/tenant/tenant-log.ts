import type { AppendStore } from "@tinyagents/core";
import { streamName } from "../stream-name.js";
import { placeOfTenant, type TenantOptions } from "./tenant-store.js";

/**
 * The streams of one tenant, as a log of their own: what it is given and gives are names without the tenant. Nothing of
 * another tenant can be named, listed, followed or deleted through it. Any character may be in a tenant's id.
 * @throws `TypeError` for an empty id, and for options that cannot be.
 */
export function tenantLog(log: AppendStore, tenantId: string, options: TenantOptions = {}): AppendStore {
  const before = `${streamName(...placeOfTenant(tenantId, options, "tenantLog"))}/`;
  // What is no name is handed on as it is: the log refuses it.
  const nameOf = (stream: string): string => (typeof stream === "string" && stream !== "" ? before + stream : stream);
  const { watch } = log;
  return {
    capabilities: log.capabilities,
    append: (stream, values, options) => log.append(nameOf(stream), values, options),
    read: (stream, range) => log.read(nameOf(stream), range),
    head: (stream, options) => log.head(nameOf(stream), options),
    offsetOf: (stream, key, options) => log.offsetOf(nameOf(stream), key, options),
    truncate: (stream, options) => log.truncate(nameOf(stream), options),
    delete: (stream, options) => log.delete(nameOf(stream), options),
    async streams(start = "", range) {
      const wanted = typeof start === "string" ? before + start : start;
      const after = typeof range?.after === "string" ? before + range.after : range?.after;
      const names = await log.streams(wanted, range === undefined ? undefined : { ...range, after });
      const own = names.filter((name) => name.startsWith(before) && name.length > before.length);
      return own.map((name) => name.slice(before.length));
    },
    ...(watch === undefined
      ? {}
      : { watch: (stream, onAppend, options) => watch.call(log, nameOf(stream), onAppend, options) }),
  };
}
