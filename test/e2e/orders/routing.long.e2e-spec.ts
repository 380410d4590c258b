import { Merchant } from '../../support/merchants/merchant';
import type { Fields } from '../../support/merchants/signed-requests';
import { orch } from '../../support/processes/orch';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';

jest.setTimeout(60_000);

const GATE = { adapter: 'simulator', currencies: ['USD'] };
const CIRCUIT = { calls: 2, openSeconds: 600 };

let service: Service;
let acme: Merchant;

beforeAll(async () => {
  const shares = [{ gate: 'sim-a', weight: 1 }, { gate: 'sim-b', weight: 1 }]; // prettier-ignore
  const configuration = sandboxConfiguration({
    endpoints: [
      {
        id: '1101',
        currency: 'USD',
        gates: ['sim-a', 'sim-b'],
        routing: [
          { name: 'large', when: { amountFrom: '100.00' }, then: { leastCommission: ['sim-a', 'sim-b'] } },
          { name: 'mir', when: { brands: ['MIR'] }, then: { cascade: ['sim-b'] } },
          { name: 'shared', then: { split: shares }, stickyByCustomer: true },
        ],
      },
      { id: '1102', currency: 'USD', gates: ['sim-out', 'sim-b'] },
    ],
    gates: [
      { ...GATE, alias: 'sim-b', descriptor: 'test-b', commission: { ratePerTenThousand: 0, minCentis: 1 } },
      { ...GATE, alias: 'sim-out', descriptor: 'test-out', simulate: { unavailable: true }, circuit: CIRCUIT },
    ],
  });
  service = await Service.start({ configuration });
  acme = new Merchant(service);
}, 60_000);

afterAll(() => service.dispose());

const saleAt = async (at: string, fields: Fields = {}) => acme.finalStatus(await acme.accepted(acme.sale(fields, { at })));
const verb = async (...args: readonly string[]) => {
  const { code, out, problems } = await orch(args, service.orchEnvironment);
  return { code, out, problems };
};
const explained = async (...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
  const { out } = await verb('--json', 'route', 'explain', '--endpoint', '1101', ...args);
  return JSON.parse(out) as Readonly<Record<string, unknown>>;
};

describe('routing by rules', () => {
  it('selects the gate that orch route explain names, and the order shows the rule', async () => {
    expect(await explained('--amount', '100.00')).toMatchObject({ rule: 'large', gates: ['sim-b', 'sim-a'] });
    const status = await saleAt('1101', { amount: '100.00' });
    expect(status).toMatchObject({ status: 'approved', descriptor: 'test-b' });
    const { out } = await verb('show', String(status['paynet-order-id']));
    expect(out).toContain('at sim-b, then sim-a, routing rule large');
  });

  it('selects the same gate for all orders of a customer', async () => {
    const email = 'customer-of-many-orders@example.com';
    const { gates } = await explained('--amount', '10.42', '--bin', '444455', '--customer', email);
    const descriptors = new Set<string | undefined>();
    for (let order = 0; order < 4; order++) descriptors.add((await saleAt('1101', { email }))['descriptor']);
    expect(descriptors).toStrictEqual(new Set([(gates as readonly string[])[0]?.replace('sim-', 'test-')]));
  });

  it('excludes a gate whose calls fail, and shows the open circuit', async () => {
    for (let order = 0; order < 2; order++) expect(await saleAt('1102')).toMatchObject({ status: 'approved', descriptor: 'test-b' });
    const status = await saleAt('1102');
    expect(status).toMatchObject({ status: 'approved', descriptor: 'test-b' });
    const story = await verb('show', String(status['paynet-order-id']));
    expect(story.out).toContain('at sim-b, routing rule default, without sim-out, whose circuit is open');
    expect(story.out).not.toContain('attempt 2 begun');
    const { code, out } = await verb('gates');
    expect(code).toBe(0);
    expect(out).toMatch(/^sim-out {2}simulator {2}circuit open {2}since \S+ {2}next probe at \S+$/m);
    expect(out).toMatch(/^sim-b {2}simulator {2}circuit closed/m);
  });

  it('refuses to explain an unknown entry point or a full card number', async () => {
    expect(await verb('route', 'explain', '--endpoint', '9', '--amount', '1')).toMatchObject({ code: 3 });
    expect(await verb('route', 'explain', '--endpoint', '1101', '--amount', '1', '--bin', '4444333322221111')).toMatchObject({ code: 2 });
  });
});
