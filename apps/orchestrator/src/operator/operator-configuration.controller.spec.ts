import { configurationFrom, LiveConfiguration, type Configuration } from '@app/configuration';
import { FOLLOWED_EVERY_MS, type AnyEvent } from '@app/event-store';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { ConfigurationService, OperatorLists, QueryAudit, type WhatIfJson } from '@app/investigation';
import { approvalStream, causeOf } from '@app/investigation/approvals';
import { configurationChangeStream } from '@app/investigation/record';
import { settle } from '@app/testing';
import { OperatorWorld, type Asked } from '../testing/operator-world';
import { FourEyes } from './four-eyes';
import { OperatorApprovalsController } from './operator-approvals.controller';
import { OperatorConfigurationController } from './operator-configuration.controller';

const SECRET = '00112233-4455-6677-8899-AABBCCDDEEFF';
const BECAUSE = { reason: 'acme sells more' };
const AGREED = { reason: 'checked' };
const ALWAYS = { approvals: { applyConfiguration: 'always' } };
const file = (maxAmount: string, more: object = ALWAYS): string =>
  JSON.stringify({
    merchants: [{ login: 'acme', controlKey: SECRET, endpoints: [{ id: '1001', currency: 'USD', gates: ['sim-a'], maxAmount }] }],
    gates: [{ alias: 'sim-a', adapter: 'simulator', currencies: ['USD'] }],
    ...more,
  });
const read = (text: string): Configuration =>
  configurationFrom(text, { source: 'file', folder: '/', environment: {}, adapters: GATE_ADAPTERS });

let world: OperatorWorld;
let disk: string;
let isKilled: boolean;
let services: ConfigurationService[];
const whatIfs = new Map<string, WhatIfJson>();

/** A process with the file of that time. */
const startProcess = async (bootId: string, text = () => disk): Promise<{ service: ConfigurationService; live: LiveConfiguration }> => {
  const { log: store, vault, clock, ids, audit } = world;
  const live = new LiveConfiguration(read(text()));
  const service = new ConfigurationService({
    live,
    load: () => read(text()),
    store,
    sealer: vault,
    digests: vault,
    clock,
    ids,
    scheduler: clock,
    bootId,
    audit,
    questions: new QueryAudit(audit, vault),
    whatIfs: { find: (id) => Promise.resolve(whatIfs.get(id)) },
    onTaken: () => undefined,
    onKept: () => undefined,
    onError: () => undefined,
  });
  await service.start();
  services.push(service);
  return { service, live };
};

let live: LiveConfiguration;
let service: ConfigurationService;
const serve = async (text: string): Promise<void> => {
  disk = text;
  ({ live, service } = await startProcess('one'));
  const fourEyes = world.fourEyes(live.view, () => isKilled, service);
  await world.serve(
    [OperatorConfigurationController, OperatorApprovalsController],
    [
      [ConfigurationService, service],
      [FourEyes, fourEyes],
      [OperatorLists, {}],
      [QueryAudit, new QueryAudit(world.audit, world.vault)],
    ],
  );
};

beforeEach(async () => {
  services = [];
  isKilled = false;
  world = await OperatorWorld.open();
  world.operator('boss', 'admin');
  world.operator('chief', 'admin');
  world.operator('kim', 'operator');
  world.operator('lim', 'admin', ['acme']);
});
afterEach(async () => {
  for (const one of services) one.stop();
  await world.close();
});

const apply = (name = 'boss', more: object = {}): Promise<Asked> => world.ask(name, '/configuration/apply', { ...BECAUSE, ...more });
const idOf = ({ body }: Asked): string => (body['approval'] as { readonly approvalId: string }).approvalId;
const decide = (name: string, id: string, what: 'approving' | 'execution' = 'approving', message: object = AGREED): Promise<Asked> =>
  world.ask(name, `/approvals/${id}/${what}`, message);
const maxAmount = (): bigint | undefined => live.view.accounts.merchants[0].endpoints[0].maxAmountMinor;
const applied = async (): Promise<readonly (AnyEvent & { readonly by: string; readonly cause: string })[]> =>
  (await world.events(configurationChangeStream())).filter(({ type }) => type === 'ConfigurationApplied');

describe('a configuration whose application needs an approval', () => {
  beforeEach(async () => {
    await serve(file('10.00'));
    disk = file('20.00');
  });

  it('is proposed with its digest and its changes, which the approver reads, and changes nothing', async () => {
    const answer = await apply();
    const { inForce } = await service.check({ operator: { name: 'kim', role: 'operator', tokenSha256: '' }, claimedActor: undefined });
    const configuration = {
      inForce,
      changes: [{ field: 'accounts.merchants.acme.endpoints.1001.maxAmountMinor', before: '1000', after: '2000' }],
      changeCount: 1,
    };
    expect(answer).toMatchObject({ status: 202, body: { approval: { action: 'apply-configuration', status: 'waiting', configuration } } });
    expect(await world.ask('chief', `/approvals/${idOf(answer)}`)).toMatchObject({ body: { merchant: null, configuration } });
    expect(JSON.stringify(await world.events(approvalStream(idOf(answer))), (_, value: unknown) => String(value))).not.toContain(SECRET);
    expect([maxAmount(), await applied()]).toStrictEqual([1_000n, []]);
  });

  it('is applied once after the approval of another admin, with the proposal as its cause', async () => {
    const id = idOf(await apply());
    expect(await decide('boss', id)).toMatchObject({ status: 403 });
    expect(await decide('kim', id)).toMatchObject({ status: 403 });
    const approved = await decide('chief', id);
    expect(approved).toMatchObject({ status: 202, body: { approval: { status: 'done' } } });
    expect(await decide('chief', id)).toStrictEqual(approved);
    expect(await applied()).toMatchObject([{ by: 'operator:chief', cause: causeOf(id) }]);
    expect(maxAmount()).toBe(2_000n);
    expect(await apply()).toMatchObject({ status: 200, body: { isApplied: false } });
  });

  it('is invalidated if another one was applied since, also the first one', async () => {
    const [first, second] = [idOf(await apply()), idOf(await apply('chief'))];
    await decide('chief', first);
    expect(await decide('boss', second)).toStrictEqual({ status: 409, body: { error: 'the proposal is invalidated' } });
    disk = file('30.00');
    const [third, fourth] = [idOf(await apply()), idOf(await apply('chief'))];
    await decide('chief', third);
    expect(await decide('boss', fourth)).toStrictEqual({ status: 409, body: { error: 'the proposal is invalidated' } });
    expect(await applied()).toHaveLength(2);
  });

  it('is applied once if two proposals are approved at the same time', async () => {
    const [first, second] = [idOf(await apply()), idOf(await apply('chief'))];
    const answers = await Promise.all([decide('chief', first), decide('boss', second)]);
    expect(answers.map(({ status }) => status).sort()).toStrictEqual([202, 409]);
    expect(await applied()).toHaveLength(1);
  });

  it('stays valid if a process only reports', async () => {
    await decide('chief', idOf(await apply()));
    disk = file('30.00');
    const id = idOf(await apply());
    await startProcess('two', () => file('20.00'));
    expect((await world.events(configurationChangeStream())).map(({ type }) => type)).toStrictEqual([
      'ConfigurationApplied',
      'ConfigurationFollowed',
      'ConfigurationFollowed',
    ]);
    expect(await decide('chief', id)).toMatchObject({ status: 202, body: { approval: { status: 'done' } } });
    expect(maxAmount()).toBe(3_000n);
  });

  it.each([
    ['the file changed since', () => (disk = file('99.00')), 'file-changed'],
    ['the file got a fault', () => (disk = '{'), 'faulty'],
  ])('is refused if %s', async (_, change, cause) => {
    const id = idOf(await apply());
    change();
    expect(await decide('chief', id)).toStrictEqual({ status: 409, body: { error: `the proposal is refused: ${cause}` } });
    expect([maxAmount(), await applied()]).toStrictEqual([1_000n, []]);
  });

  it('is refused if the approving process has another configuration in force than the proposing one', async () => {
    const id = idOf(await apply());
    let text = file('15.00');
    const other = await startProcess('two', () => text);
    text = disk;
    const answer = await world
      .fourEyes(other.live.view, undefined, other.service)
      .approve(id, { isAlone: false }, { operator: { name: 'chief', role: 'admin', tokenSha256: '' }, claimedActor: undefined });
    expect(answer).toMatchObject({ approval: { status: 'refused', cause: 'configuration-moved' } });
  });

  it('is decided by the rules before it, also if it removes the approval', async () => {
    disk = file('20.00', {});
    const answer = await apply();
    expect(answer).toMatchObject({ status: 202 });
    expect(answer.body).toHaveProperty('approval.configuration.changes', [
      { field: 'approvals.applyConfiguration', before: 'always' },
      expect.objectContaining({ field: expect.stringContaining('maxAmountMinor') }),
    ]);
    expect([live.view.approvals.applyConfiguration, await applied()]).toStrictEqual([{ from: [] }, []]);
    await decide('chief', idOf(answer));
    expect(live.view.approvals.applyConfiguration).toBeUndefined();
    disk = file('30.00', {});
    expect(await apply()).toMatchObject({ status: 200, body: { isApplied: true } });
  });

  it('is not proposed if the file has faults, needs a restart or is in force', async () => {
    disk = file('20.00', { ...ALWAYS, pathPrefix: '/other' });
    expect(await apply()).toMatchObject({ status: 409, body: { error: expect.stringContaining('pathPrefix: needs a restart') } });
    disk = '{';
    expect(await apply()).toMatchObject({ status: 409, body: { error: expect.stringContaining('the file has faults') } });
    disk = file('10.00');
    expect(await apply()).toMatchObject({ status: 200, body: { isApplied: false } });
  });

  it('is applied by an admin alone, with an action that raises an alarm', async () => {
    expect(await apply('boss', { alone: true })).toMatchObject({ status: 202, body: { approval: { status: 'done', isAlone: true } } });
    expect((await world.events())[0]).toMatchObject({ data: { action: 'act-alone', target: 'configuration' } });
    expect(maxAmount()).toBe(2_000n);
  });

  it('is applied once if the process ends between the approval and the action', async () => {
    const id = idOf(await apply());
    isKilled = true;
    expect((await decide('chief', id)).status).toBe(504);
    isKilled = false;
    const answers = await Promise.all([1, 2, 3].map(() => decide('chief', id, 'execution', {})));
    expect(answers.map(({ status }) => status)).toContain(202);
    expect(await applied()).toMatchObject([{ cause: causeOf(id) }]);
  });

  it('is unknown to an operator who is limited to merchants', async () => {
    const id = idOf(await apply());
    expect((await apply('lim')).status).toBe(403);
    expect(await world.ask('lim', `/approvals/${id}`)).toStrictEqual({ status: 404, body: { error: 'unknown-approval' } });
    expect(await decide('lim', id)).toStrictEqual({ status: 404, body: { error: 'unknown-approval' } });
  });
});

it('an approval that a configuration adds is required from then on', async () => {
  await serve(file('10.00', {}));
  disk = file('20.00');
  expect(await apply()).toMatchObject({ status: 200, body: { isApplied: true } });
  disk = file('30.00');
  expect(await apply()).toMatchObject({ status: 202 });
  await world.clock.advance(FOLLOWED_EVERY_MS);
  await settle();
  expect(maxAmount()).toBe(2_000n);
});
