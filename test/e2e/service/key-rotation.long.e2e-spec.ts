import { readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Merchant } from '../../support/merchants/merchant';
import { orch, type OrchEnded } from '../../support/processes/orch';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(300_000);

const REWRAPPED_WITHIN_MS = 200_000;

let service: Service;
let acme: Merchant;

beforeAll(async () => {
  service = await Service.start({ configuration: sandboxConfiguration() });
  acme = new Merchant(service);
}, 60_000);
afterAll(() => service.dispose());

interface KeyUse {
  readonly primary: number;
  readonly keys: readonly { readonly id: number; readonly cards: number; readonly orderKeys: number }[];
  readonly retired: readonly string[];
}
const verb = (...args: readonly string[]): Promise<OrchEnded> => orch(args, service.orchEnvironment);
const keys = async (): Promise<KeyUse> => {
  const { code, out, problems } = await verb('--json', 'keys');
  if (code !== 0) throw new Error(problems);
  return JSON.parse(out) as KeyUse;
};
const under = (use: KeyUse, id: number): number =>
  use.keys.filter((key) => key.id === id).reduce((sum, { cards, orderKeys }) => sum + cards + orderKeys, 0);

it('a key rotated at run time re-encrypts all rows and can then be retired, and all cards remain usable', async () => {
  const ring = join(service.dataDir, 'vault-keyring.json');
  const cardRefId = await acme.registeredCard();
  const before = await keys();
  expect(before).toMatchObject({ primary: 1, retired: [] });
  expect(under(before, 1)).toBeGreaterThan(1);
  expect((await verb('keys', 'retire', '1')).code).toBe(4);

  const rotated = await verb('keys', 'rotate');
  expect([rotated.code, rotated.problems]).toStrictEqual([0, '']);
  expect(statSync(ring).mode & 0o777).toBe(0o600);
  // The next request makes the service load the ring, and new data uses the new key.
  expect(await keys()).toMatchObject({ primary: 2 });
  const young = await acme.registeredCard();
  expect((await keys()).keys.find(({ id }) => id === 2)?.cards).toBe(1);
  expect((await verb('keys', 'retire', '1')).problems).toContain('are under kek:1');

  await until(async () => under(await keys(), 1) === 0 || undefined, {
    what: 'all rows to be wrapped anew',
    timeoutMs: REWRAPPED_WITHIN_MS,
  });
  const soon = await verb('keys', 'retire', '1');
  expect([soon.code, soon.problems]).toStrictEqual([4, expect.stringContaining('a process may not have read it yet')]);
  const longAgo = Date.now() / 1_000 - 3_600;
  utimesSync(ring, longAgo, longAgo);
  expect((await verb('keys', 'retire', '1')).code).toBe(0);
  expect(readFileSync(ring, 'utf8')).toContain('kek:1');
  expect(await keys()).toMatchObject({ primary: 2, retired: ['kek:1'], keys: [{ id: 2 }] });

  for (const reference of [cardRefId, young])
    expect(await acme.finalStatus(await acme.accepted(acme.rebill(reference)))).toMatchObject({ status: 'approved' });
  await service.restart();
  for (const reference of [cardRefId, young]) {
    expect((await acme.cardInfo(reference)).fields).toMatchObject({ 'card-printed-name': 'JOHN SMITH' });
    expect(await acme.finalStatus(await acme.accepted(acme.rebill(reference)))).toMatchObject({ status: 'approved' });
  }
});
