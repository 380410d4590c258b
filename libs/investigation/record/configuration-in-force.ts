import { metadataOf, readChained, type EventStore } from '@app/event-store';
import type { Instant } from '@app/kernel';
import { configurationRecordCodec, configurationStream } from './configuration-record.codec';
import type { ConfigurationTookEffect } from './configuration-record.events';

/** The configuration that applied at a moment. */
export interface ConfigurationInForce {
  readonly data: ConfigurationTookEffect['data'];
  /** The boot id of the process that brought it. */
  readonly bootId: string;
  /** When another replaced it on record; undefined for the newest. */
  readonly replacedAt: Instant | undefined;
}

/**
 * The newest configuration on record that took effect by then. While processes with different configurations run side by side it is that of the one which
 * started last. Undefined where none was on record by then. @throws StoreUnavailable, BrokenChain
 */
export const configurationInForce = async (log: Pick<EventStore, 'read'>, at: Instant): Promise<ConfigurationInForce | undefined> => {
  let found: Omit<ConfigurationInForce, 'replacedAt'> | undefined;
  for await (const stored of readChained(log, configurationStream())) {
    const { data } = configurationRecordCodec.decode(stored);
    if (data.tookEffectAt > at) return found && { ...found, replacedAt: data.tookEffectAt };
    found = { data, bootId: metadataOf(stored).correlation };
  }
  return found && { ...found, replacedAt: undefined };
};
