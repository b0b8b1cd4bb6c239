import type { StorageBackend } from "@tinyagents/core";
import { tenantLog } from "./tenant-log.js";
import { type TenantOptions, tenantStore } from "./tenant-store.js";

/** What a tenant has of a backend. Whoever opened the backend closes it. */
export type TenantBackend<B extends Pick<StorageBackend, "store" | "log">> = Pick<B, Extract<keyof B, "store" | "log">>;

/**
 * What one tenant has of a backend, see `tenantStore` and `tenantLog`.
 * @throws `TypeError` for an empty id, and for options that cannot be.
 */
export function tenantBackend<B extends Pick<StorageBackend, "store" | "log">>(
  { store, log }: B,
  tenantId: string,
  options?: TenantOptions,
): TenantBackend<B> {
  return {
    ...(store === undefined ? {} : { store: tenantStore(store, tenantId, options) }),
    ...(log === undefined ? {} : { log: tenantLog(log, tenantId, options) }),
  } as TenantBackend<B>;
}
