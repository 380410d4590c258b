import type { ControlKey } from '@app/gateway-protocol';

/** Who we are at the upstream gateway, and where it takes our requests. */
export interface UpstreamAccount {
  readonly login: string;
  readonly controlKey: ControlKey;
  /** An end point id for one currency, or an end point group id for several (interface, section 2.1). */
  readonly entryPoint: { readonly kind: 'endpoint' | 'group'; readonly id: string };
}

/** Below the base URL of the gateway (interface, section 4.1; protocol decisions, section 1). */
export const pathOf = ({ entryPoint: { kind, id } }: UpstreamAccount, operation: string, version: 'v2' | 'v4' = 'v2'): string =>
  `/api/${version}/${operation}/${kind === 'group' ? 'group/' : ''}${encodeURIComponent(id)}`;
