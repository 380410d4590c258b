import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readChained, type StoredEvent, type StreamName } from '@app/event-store';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemClock, systemScheduler } from '@app/kernel';
import { foldCardReference } from '../card-reference/card-reference.fold';
import { foldOrderStatus, type OrderEvent } from '../order-status/order-status.fold';
import { logEventOf } from '../engine/log-event';
import { ORDER_STATUS_CATEGORIES } from '../order-status/order-status.table';
import type { OrderStatusView } from '../order-status/order-status.view';
import { decodeAny } from './event-codecs';

/*
 * Each `events-<release>.sqlite` was written by that release and never changes. For a new release, add a file with its build (`orch sandbox
 * --once` in an empty DATA_DIR).
 */
const RELEASES = join(__dirname, 'golden', 'releases');
const files = readdirSync(RELEASES).filter((name) => name.endsWith('.sqlite'));

const folder = mkdtempSync(join(tmpdir(), 'release-logs-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface OpenedLog {
  readonly events: readonly StoredEvent[];
  readonly log: EmbeddedEventStore;
}

/** Opened for writing, as the service does, so that migrations run. */
const opened = async <Result>(file: string, read: (opened: OpenedLog) => Promise<Result>): Promise<Result> => {
  const path = join(folder, file);
  copyFileSync(join(RELEASES, file), path);
  const log = await EmbeddedEventStore.open({ path, clock: systemClock, scheduler: systemScheduler });
  try {
    const events: StoredEvent[] = [];
    const subscription = log.subscribe('all', 'start');
    for await (const item of subscription) {
      if (item.kind === 'caught-up') break;
      if (item.kind === 'event') events.push(item.event);
    }
    await subscription.cancel();
    return await read({ events, log });
  } finally {
    await log.close();
  }
};

const ORDER_CATEGORIES: ReadonlySet<string> = new Set(ORDER_STATUS_CATEGORIES);
const categoryOf = (stream: StreamName): string => stream.slice(0, stream.indexOf('-'));
const bytesOf = (events: readonly StoredEvent[]): string =>
  createHash('sha256')
    .update(
      events
        .map(({ stream, revision, id, type, data, metadata }) => [stream, revision, id, type, data, metadata].join('\u0000'))
        .join('\n'),
    )
    .digest('hex');

it('a recorded log exists for release 0.2.0', () => {
  expect(files).toContain('events-0.2.0.sqlite');
});

describe.each(files)('log %s of an earlier release', (file) => {
  it('is readable, with valid chains, decodable events and only final orders', async () => {
    await opened(file, async ({ events, log }) => {
      expect(events.length).toBeGreaterThan(50);
      const views = new Map<StreamName, OrderStatusView>();
      for (const stream of new Set(events.map((event) => event.stream))) {
        let view: OrderStatusView | undefined;
        let reference: Parameters<typeof foldCardReference>[0];
        let count = 0;
        for await (const stored of readChained(log, stream)) {
          count += 1;
          const event = decodeAny(stored);
          expect([stored.type, event?.type]).toStrictEqual([stored.type, stored.type]);
          if (event === undefined) continue;
          if (ORDER_CATEGORIES.has(categoryOf(stream))) view = foldOrderStatus(view, logEventOf(stored, event as OrderEvent));
          if (categoryOf(stream) === 'cardReference') reference = foldCardReference(reference, logEventOf(stored, event) as never);
        }
        expect(count).toBe(events.filter((event) => event.stream === stream).length);
        if (view !== undefined) views.set(stream, view);
        if (categoryOf(stream) === 'cardReference') expect(reference?.card.face.bin).toMatch(/^\d{6}$/);
      }
      const ends = [...views.values()].map(({ status }) => status);
      expect(ends).toContain('approved');
      expect(ends).toContain('declined');
      expect(ends.filter((status) => !['approved', 'declined', 'filtered', 'error'].includes(status))).toStrictEqual([]);
      expect(views.size).toBeGreaterThan(5);
    });
  });

  it('keeps every stored byte when opened, and accepts new events', async () => {
    const before = await opened(file, ({ events }) => Promise.resolve(bytesOf(events)));
    await opened(file, async ({ events, log }) => {
      expect(bytesOf(events)).toBe(before);
      const [first] = events;
      if (first === undefined) throw new Error('an empty log');
      const { type, data, metadata } = first;
      const again = { id: '00000000-0000-5000-8000-000000000001' as typeof first.id, type, data, metadata };
      const stream = 'once-golden.release' as StreamName;
      await expect(log.append(stream, 'no_stream', [again])).resolves.toMatchObject({ kind: 'appended' });
      expect(log.comparePositions(await log.head(), events.at(-1)?.position ?? first.position)).toBeGreaterThan(0);
    });
  });
});
