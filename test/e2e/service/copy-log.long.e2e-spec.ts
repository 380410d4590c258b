import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StreamName } from '@app/event-store';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { ChainedWriter } from '@app/event-store/testing';
import { WireServer } from '../../fakes/eventstoredb';
import { systemClock, systemScheduler } from '@app/kernel';
import { Merchant } from '../../support/merchants/merchant';
import type { Order } from '../../support/merchants/signed-requests';
import { orch, startOrch, type OrchEnded } from '../../support/processes/orch';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'copy-log-e2e-'));
const configuration = sandboxConfiguration();
const PASSWORD = 'pass-w0rd-of-nobody';
let service: Service;
let server: WireServer;
let events = '';
let order: Order & { readonly serial: string };
let cardReference = '';
let copiedBeside: OrchEnded;
let refusedCopy: OrchEnded;
let pid = 0;
let rest: OrchEnded;

const copy = (from: string, to: string, ...more: readonly string[]): Promise<OrchEnded> =>
  orch(['--json', 'copy-log', '--from', from, '--to', to, ...more], {});
const said = ({ out }: OrchEnded): Readonly<Record<string, unknown>> => JSON.parse(out) as Record<string, unknown>;

beforeAll(async () => {
  service = await Service.start({ configuration });
  server = await WireServer.start();
  events = join(service.dataDir, 'events.sqlite');
  const acme = new Merchant(service);
  cardReference = await acme.registeredCard();
  order = await acme.approvedSale();
  ({ pid } = service);
  copiedBeside = await copy(events, server.connectionString);
  refusedCopy = await copy(server.connectionString, events);
  await service.stop();
  rest = await copy(events, server.connectionString);
});

afterAll(async () => {
  await server.kill();
  await service.dispose();
  rmSync(folder, { recursive: true });
});

describe('the log of a sandbox that becomes production', () => {
  it('is copied while the service runs and remains its only writer', () => {
    expect(copiedBeside.problems).toBe('');
    expect(said(copiedBeside)).toMatchObject({ outcome: 'equal', phase: 'verify', faults: [], leftOut: { events: 0 } });
    expect(refusedCopy.code).toBe(4);
    expect(refusedCopy.problems).toContain(`--to: ${events} is in use: process ${pid} writes it since`);
  });

  it('is completed after the service stops, and is then equal on both sides', async () => {
    expect(rest).toMatchObject({ code: 0, problems: '' });
    const verified = await copy(events, server.connectionString, '--verify-only');
    expect(verified.code).toBe(0);
    expect(said(verified)).toMatchObject({ outcome: 'equal', appended: 0, hasSourceGoneOn: false });
    const categories = said(verified)['categories'] as readonly { readonly category: string; readonly streams: number }[];
    expect(categories.find(({ category }) => category === 'payment')?.streams).toBe(2);
    expect(categories.find(({ category }) => category === 'serial')?.streams).toBe(2);
  });

  it('is copied back to a file with vault and key ring, and continues without repeating a serial number', async () => {
    const dataDir = join(folder, 'moved');
    mkdirSync(dataDir, { mode: 0o700 });
    const ended = await orch(['copy-log', '--from', server.connectionString, '--to', join(dataDir, 'events.sqlite')], {});
    expect(ended.code).toBe(0);
    expect(ended.out).toContain('the same on both sides, by every stream’s hash chain');
    expect(ended.out).toContain('needs the vault and the key ring of the source');
    for (const name of readdirSync(service.dataDir).filter((file) => /^(vault|simulator)/.test(file))) {
      copyFileSync(join(service.dataDir, name), join(dataDir, name));
    }
    const moved = await Service.start({ configuration, dataDir });
    try {
      const acme = new Merchant(moved);
      expect(await acme.finalStatus(order)).toMatchObject({ status: 'approved', 'paynet-order-id': order.orderId });
      const charged = await acme.accepted(acme.rebill(cardReference));
      expect(await acme.finalStatus(charged)).toMatchObject({ status: 'approved' });
      const numberOf = (serial: string): number => Number.parseInt(serial.replaceAll('-', ''), 16);
      expect(numberOf(charged.serial)).toBeGreaterThan(numberOf(order.serial));
      await moved.stop();
    } finally {
      await moved.dispose();
    }
    // The copy has events that the source lacks, which must not be overwritten.
    const refused = await copy(server.connectionString, join(dataDir, 'events.sqlite'));
    expect(refused.code).toBe(4);
    expect(said(refused)).toMatchObject({ outcome: 'refused', appended: 0 });
    const differs = await orch(['copy-log', '--verify-only', '--from', events, '--to', join(dataDir, 'events.sqlite')], {});
    expect(differs.code).toBe(1);
    expect(differs.out).toContain('not the same on both sides');
  });
});

describe('one order copied to a laptop', () => {
  it.each([
    ['its orderid', () => [order.orderId]],
    ['its client_orderid', () => [order.clientOrderId, '--merchant', 'acme']],
  ])("contains only the order's streams if copied by %s, and shows the order as in production", async (name, words) => {
    const DATA_DIR = join(folder, `study by ${name}`);
    const [text = '', ...more] = words();
    const ended = await copy(server.connectionString, join(DATA_DIR, 'events.sqlite'), '--order', text, ...more);
    expect(ended).toMatchObject({ code: 0, problems: '' });
    expect(said(ended)).toMatchObject({ outcome: 'equal', categories: [{ category: 'payment', streams: 1 }] });
    const show = (from: string) => orch(['show', order.orderId, '--merchant', 'acme'], { DATA_DIR: from });
    const studied = await show(DATA_DIR);
    expect(studied).toMatchObject({ code: 0, problems: '' });
    expect(studied.out).toBe((await show(service.dataDir)).out);
  });
});

describe('copy-log interrupted by Ctrl-C', () => {
  it('stops between two appends, and the command that it prints resumes the copy', async () => {
    const path = join(folder, 'many.sqlite');
    const store = await EmbeddedEventStore.open({ path, clock: systemClock, scheduler: systemScheduler });
    const writer = new ChainedWriter(store);
    const streams = 1_200;
    await Promise.all(Array.from({ length: streams }, (_, index) => writer.write(`payment-${index}` as StreamName, 2, `request ${index}`)));
    await store.close();
    const target = await WireServer.start();
    try {
      const args = ['copy-log', '--from', path, '--to', target.connectionString];
      const { child, ended } = startOrch(args, {});
      await until(() => target.log.eventsOf('payment-100').length > 0, { what: 'some of the copy' });
      child.kill('SIGINT');
      const stopped = await ended;
      expect(stopped.code).toBe(130);
      expect(stopped.out).toContain('stopped between two appends: the same command again goes on from there');
      const before = target.log.length;
      const again = await orch(args, {});
      expect(again.code).toBe(0);
      expect(again.out).toContain(`equal: ${2 * streams} events of ${streams} streams, the same on both sides`);
      expect(target.log.length).toBeGreaterThan(before);
    } finally {
      await target.kill();
    }
  });
});

describe('an impossible copy is refused in one line without a password', () => {
  const line = async (from: string, to: string, ...more: readonly string[]): Promise<string> => {
    const ended = await orch(['copy-log', '--from', from, '--to', to, ...more], {});
    expect(ended.out).toBe('');
    expect(ended.code).toBeGreaterThan(0);
    expect(ended.problems).not.toContain(PASSWORD);
    expect(ended.problems.trim().split('\n')).toHaveLength(1);
    return ended.problems.trim();
  };
  const file = join(folder, 'new.sqlite');

  it('if an address is invalid', async () => {
    expect(await line(`mysql://me:${PASSWORD}@db/log`, file)).toBe('--from: expected is a path, file:, esdb:// or esdb+discover://');
    expect(await line(events, `postgres://me:${PASSWORD}@db/log`)).toBe(
      '--to: an event log lies in a file or in EventStoreDB, not in PostgreSQL',
    );
    expect(await line(events, `esdb://me:${PASSWORD}@host:99999`)).toBe('--to: a port is none');
    expect(await line(events, events)).toBe('--from and --to name the same log');
  });

  it('if a file is missing or is not an event log', async () => {
    expect(await line(join(folder, 'nowhere.sqlite'), file)).toBe(`--from: no event log at ${join(folder, 'nowhere.sqlite')}`);
    expect(existsSync(file)).toBe(false);
    const vault = join(service.dataDir, 'vault.sqlite');
    expect(await line(vault, file)).toBe(`--from: ${vault} is no event log`);
    const size = statSync(vault).size;
    expect(await line(events, vault)).toBe(`--to: ${vault} is no event log`);
    expect(statSync(vault).size).toBe(size);
    const text = __filename;
    expect(await line(text, file)).toBe(`--from: ${text} is no event log`);
  });
});
