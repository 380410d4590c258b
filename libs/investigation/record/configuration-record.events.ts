import type { Instant } from '@app/kernel';

/** Why an event has the digest of a configuration and no copy. */
export const OMISSIONS = ['too-large', 'looks-like-card-number'] as const;
type Omission = (typeof OMISSIONS)[number];

/**
 * A process started with a configuration that is not the one on record. Where the newest event has its digest already, there is none: equal processes
 * and restarts add nothing.
 */
export type ConfigurationTookEffect = {
  readonly type: 'ConfigurationTookEffect';
  readonly data: {
    /** SHA-256 over the redacted copy and the names of the keys, hex. */
    readonly digest: string;
    /** The redacted copy as RFC 8785 text, cut into parts; empty where it was left out. */
    readonly copy: readonly string[];
    readonly omitted?: Omission;
    /** The names of the keys that the vault has. */
    readonly keys: readonly string[];
    readonly tookEffectAt: Instant;
  };
};

export type ConfigurationRecordEvent = ConfigurationTookEffect;
