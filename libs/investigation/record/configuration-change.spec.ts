import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import type { Instant, Sealed } from '@app/kernel';
import { deciderSpec } from '@app/testing';
import {
  appliedConfigurations,
  configurationChangeCodec,
  type ConfigurationChangeCommand,
  type ConfigurationChangeEvent,
} from './configuration-change';

goldenSpec(configurationChangeCodec, join(__dirname, 'golden/configuration-change'));

const { given } = deciderSpec(appliedConfigurations);
const NOW = 1_704_067_200_000 as Instant;
const reason = 'sealed' as Sealed;
const applied = (digest: string): ConfigurationChangeEvent => ({ type: 'ConfigurationApplied', data: { digest, reason, appliedAt: NOW } });
const apply = (digest: string): ConfigurationChangeCommand => ({ type: 'ApplyConfiguration', data: { digest, reason, now: NOW } });
const report = (process: string, digest: string, why?: string): ConfigurationChangeCommand => ({
  type: 'ReportConfiguration',
  data: { process, digest, outcome: why === undefined ? 'taken' : 'kept', ...(why !== undefined && { why }), now: NOW },
});
const followed = (process: string, digest: string, why?: string): ConfigurationChangeEvent => ({
  type: 'ConfigurationFollowed',
  data: { process, digest, outcome: why === undefined ? 'taken' : 'kept', ...(why !== undefined && { why }), followedAt: NOW },
});

describe('appliedConfigurations', () => {
  it('applies a configuration, also if it was applied before', () => {
    given().when(apply('d-1')).then(applied('d-1'));
    given(applied('d-1'), applied('d-2')).when(apply('d-1')).then(applied('d-1'));
  });

  it('refuses a configuration if another one was applied after the expected revision, and not because of a report', () => {
    const after = (revision: bigint | undefined): ConfigurationChangeCommand => ({
      type: 'ApplyConfiguration',
      data: { digest: 'd-2', reason, after: { revision }, now: NOW },
    });
    given().when(after(undefined)).then(applied('d-2'));
    given(applied('d-1')).when(after(undefined)).thenRejected({ reason: 'configuration-moved' });
    given(applied('d-1'), followed('p-1', 'd-1')).when(after(0n)).then(applied('d-2'));
    given(applied('d-1'), followed('p-1', 'd-1'), applied('d-3')).when(after(0n)).thenRejected({ reason: 'configuration-moved' });
    given(applied('d-1'), followed('p-1', 'd-1'), applied('d-3')).when(after(2n)).then(applied('d-2'));
  });

  it('records the report of a process once until it changes or another configuration is applied', () => {
    given(applied('d-1')).when(report('p-1', 'd-1')).then(followed('p-1', 'd-1'));
    given(applied('d-1'), followed('p-1', 'd-1')).when(report('p-1', 'd-1')).thenRejected({ reason: 'reported-before' });
    given(applied('d-1'), followed('p-1', 'd-0', 'the file differs'))
      .when(report('p-1', 'd-1'))
      .then(followed('p-1', 'd-1'));
    given(applied('d-1'), followed('p-1', 'd-1'), applied('d-2')).when(report('p-1', 'd-2')).then(followed('p-1', 'd-2'));
  });

  it('keeps the newest report of each process for the newest configuration, and at most 1,000', () => {
    const { state } = given(applied('d-1'), followed('p-0', 'd-1'), applied('d-2'), followed('p-1', 'd-1', 'x'), followed('p-1', 'd-2'));
    expect([...state.followed.values()].map(({ process, digest }) => [process, digest])).toStrictEqual([['p-1', 'd-2']]);
    const many = Array.from({ length: 1_001 }, (_, index) => followed(`p-${index}`, 'd-1'));
    expect([...given(applied('d-1'), ...many).state.followed.keys()].slice(0, 1)).toStrictEqual(['p-1']);
  });
});
