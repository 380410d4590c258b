import { ORDER_KINDS, type Instant, type MerchantLogin } from '@app/kernel';
import { readChained, SERIAL_CATEGORY, SERIAL_SERIES, serialCodec, type StreamName } from '@app/event-store';
import { configurationInForce } from '@app/configuration-record';
import { orderSeries } from '@app/order-processing';
import { CommandFailed, EXIT } from '../command-failed';
import type { EventLogReader } from '../service/event-log';

type Log = Pick<EventLogReader, 'read'>;

const SERIES: readonly string[] = [SERIAL_SERIES, ...Object.values(ORDER_KINDS).map(orderSeries)];
const NEWEST = Number.MAX_SAFE_INTEGER as Instant;

interface Range {
  readonly first: bigint;
  readonly end: bigint;
}

/** From the first number to the end of the last block, for a process reserves its blocks one behind the other. */
const numbersOf = async (log: Log, stream: StreamName): Promise<Range | undefined> => {
  let range: Range | undefined;
  for await (const stored of readChained(log, stream)) {
    const { first, count } = serialCodec.decode(stored).data;
    range = { first: range?.first ?? first, end: first + BigInt(count) };
  }
  return range;
};

const overlap = (one: Range | undefined, other: Range | undefined): boolean =>
  one !== undefined && other !== undefined && one.first < other.end && other.first < one.end;

interface RecordedMerchant {
  readonly login: string;
  readonly suspended?: true;
  readonly controlKey?: { readonly keyId: string };
}

interface Standing {
  readonly kind: 'no-service' | 'absent' | 'open' | 'suspended' | 'not-on-record';
  /** A digest of the merchant's control key under the service key. */
  readonly keyId?: string | undefined;
}

/** What the newest configuration on record says of the merchant. */
const standingOf = async (log: Log, merchant: MerchantLogin): Promise<Standing> => {
  const inForce = await configurationInForce(log, NEWEST);
  if (inForce === undefined) return { kind: 'no-service' };
  const { copy, omitted } = inForce.data;
  if (omitted !== undefined) return { kind: 'not-on-record' };
  const { accounts } = JSON.parse(copy.join('')) as {
    readonly accounts: { readonly merchants: readonly RecordedMerchant[] };
  };
  const found = accounts.merchants.find(({ login }) => login === merchant);
  if (found === undefined) return { kind: 'absent' };
  return { kind: found.suspended === true ? 'suspended' : 'open', keyId: found.controlKey?.keyId };
};

const REFUSALS: Readonly<Record<'absent' | 'open', string>> = {
  absent: 'is not in the newest configuration on record',
  open: 'is not suspended in the newest configuration on record',
};

/** `cell`: a service runs on the target, which may go on with the merchant. `study`: none was ever started on it, and none may be. */
export type CopyPurpose = { readonly kind: 'study' } | { readonly kind: 'cell'; readonly notOnRecord: readonly ('source' | 'target')[] };

/**
 * Whether a merchant may be copied into the log of another cell: neither cell works for it at present, so that no two send one attempt, both know its
 * requests by the same keys, and no number that one has given can be given by the other.
 * @throws CommandFailed with exit code 4 where that is not so
 */
export const purposeOfCopy = async (source: Log, target: Log, merchant: MerchantLogin): Promise<CopyPurpose> => {
  const sides = { source: await standingOf(source, merchant), target: await standingOf(target, merchant) };
  if (sides.target.kind === 'no-service') return { kind: 'study' };
  for (const [side, { kind }] of Object.entries(sides)) {
    if (kind !== 'absent' && kind !== 'open') continue;
    throw new CommandFailed(`--merchant: ${merchant} ${REFUSALS[kind]} of the ${side}: two cells would work on its orders`, EXIT.refused);
  }
  const [ours, theirs] = [sides.source.keyId, sides.target.keyId];
  if (ours !== undefined && theirs !== undefined && ours !== theirs) {
    throw new CommandFailed(
      `--merchant: the control key of ${merchant}, or the service key of the key rings, is not the same in both cells: requests would not be known again`,
      EXIT.refused,
    );
  }
  for (const name of SERIES) {
    const stream = `${SERIAL_CATEGORY}-${name}` as StreamName;
    if (!overlap(await numbersOf(source, stream), await numbersOf(target, stream))) continue;
    throw new CommandFailed(
      `--merchant: both logs give the same numbers (${stream}): each cell needs numbers of its own, by cell in its configuration`,
      EXIT.refused,
    );
  }
  const notOnRecord = (['source', 'target'] as const).filter((side) => sides[side].kind === 'not-on-record');
  return { kind: 'cell', notOnRecord };
};
