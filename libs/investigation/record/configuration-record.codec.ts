import { eventCodec, f, streamName, type EventCodec, type StreamName } from '@app/event-store';
import { OMISSIONS, type ConfigurationRecordEvent, type ConfigurationTookEffect } from './configuration-record.events';

const CONFIGURATION_CATEGORY = 'configuration';

/** One stream for all processes of the service. */
export const configurationStream = (): StreamName => streamName(CONFIGURATION_CATEGORY, 'orchestrator');

export const configurationRecordCodec: EventCodec<ConfigurationRecordEvent> = eventCodec<ConfigurationRecordEvent>(CONFIGURATION_CATEGORY, {
  ConfigurationTookEffect: {
    version: 1,
    meaning:
      'A process started with a configuration other than the newest on record: its digest, and a copy in which every secret is its id alone.',
    schema: f.object<ConfigurationTookEffect['data']>({
      digest: f.hash(),
      copy: f.list<ConfigurationTookEffect['data']['copy']>(f.text()),
      omitted: f.optional(f.oneOf(...OMISSIONS)),
      keys: f.list<ConfigurationTookEffect['data']['keys']>(f.id()),
      tookEffectAt: f.instant(),
    }),
  },
});
