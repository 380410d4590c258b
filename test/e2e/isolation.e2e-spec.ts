import { randomBytes } from 'node:crypto';
import { makeOrderId } from '@app/kernel';
import { wholeNumber } from '../support/crash/run-settings';
import { Merchant, type Answer, type MerchantSettings, type Sending } from '../support/merchant';
import { OTHER_CONTROL_KEY, sandboxConfiguration } from '../support/sandbox-configuration';
import { Service } from '../support/service';

jest.setTimeout(60_000);

/** Safety, B14: the whole matrix in each run, 100 times on demand. */
const TIMES = wholeNumber('ISOLATION_TIMES', 1);

/** All by which one merchant could name what is another's. */
interface Identifiers {
  readonly clientOrderId: string;
  readonly orderId: string;
  readonly serial: string;
  readonly cardRefId: string;
  readonly endpoint: string;
  readonly group: string;
  readonly login: string;
}
type Name = keyof Identifiers;

interface Route {
  readonly name: string;
  /** Those that a request of this route carries. */
  readonly identifiers: readonly Name[];
  readonly ask: (me: Merchant, ids: Identifiers, sending: Sending) => Promise<Answer>;
  /** Of a route that makes orders: who asks makes one under the client_orderid, so that each request wants a new one. */
  readonly makesOrders?: true;
}

const AT: readonly Name[] = ['endpoint', 'group'];

/** Every route of Group A that this service has; one that joins them is one row more. */
const ROUTES: readonly Route[] = [
  {
    name: 'sale',
    makesOrders: true,
    identifiers: ['clientOrderId'],
    ask: (me, ids, sending) => me.sale({ client_orderid: ids.clientOrderId }, sending),
  },
  {
    name: 'make-rebill-sale',
    makesOrders: true,
    identifiers: ['clientOrderId', 'cardRefId', 'login'],
    ask: (me, ids, sending) => me.rebill(ids.cardRefId, { client_orderid: ids.clientOrderId, login: ids.login }, sending),
  },
  {
    name: 'create-card-ref',
    identifiers: ['clientOrderId', 'orderId', 'login'],
    ask: (me, ids, sending) => me.createCardRef(ids, { login: ids.login }, sending),
  },
  {
    name: 'get-card-info',
    identifiers: ['cardRefId', 'login'],
    ask: (me, ids, sending) => me.cardInfo(ids.cardRefId, { login: ids.login }, sending),
  },
  {
    name: 'status',
    identifiers: ['clientOrderId', 'orderId', 'login'],
    ask: (me, ids, sending) => me.status(ids, { login: ids.login }, sending),
  },
  {
    name: 'status by client_orderid',
    identifiers: ['clientOrderId', 'login'],
    ask: (me, { clientOrderId, login }, sending) => me.status({ clientOrderId }, { login }, sending),
  },
  {
    name: 'status by-request-sn',
    identifiers: ['clientOrderId', 'orderId', 'serial', 'login'],
    ask: (me, ids, sending) => me.status(ids, { 'by-request-sn': ids.serial, login: ids.login }, sending),
  },
];

const subsetsOf = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  items.reduce<readonly (readonly Item[])[]>((subsets, item) => [...subsets, ...subsets.map((subset) => [...subset, item])], [[]]);

const withoutDate = ({ date: _, ...headers }: Answer['headers']) => headers;
/** A request that is taken makes an order of its own, whose id is new each time; so is every serial number. */
const OWN_EACH_TIME = ['serial-number', 'paynet-order-id'];

/** All that an answer shows, byte for byte, but for what the request itself said and what is its own each time. */
const shownBy = ({ status, headers, body, fields }: Answer, said: readonly string[]) => {
  const own = OWN_EACH_TIME.flatMap((name) => fields[name] ?? []);
  const masked = [...own, ...said]
    .sort((one, other) => other.length - one.length)
    .reduce((text, value) => text.replaceAll(value, '*'), body);
  return { status, headers: withoutDate(headers), masked };
};

interface Party {
  readonly merchant: Merchant;
  readonly ids: Identifiers;
}

let service: Service;
let parties: readonly [Party, Party];

const CLIENT_ORDER_ID_LENGTH = 40;
/** All of one length: an answer repeats it. */
const newClientOrderId = (merchant: Merchant): string => merchant.newOrderId('s').padEnd(CLIENT_ORDER_ID_LENGTH, 'x');

const partyOf = async (ids: Pick<Identifiers, 'endpoint' | 'group'>, settings: MerchantSettings = {}): Promise<Party> => {
  const merchant = new Merchant(service, { ...settings, at: ids.endpoint });
  const { clientOrderId, orderId, serial } = await merchant.approvedSale({ client_orderid: newClientOrderId(merchant) });
  const { fields } = await merchant.createCardRef({ clientOrderId, orderId });
  return { merchant, ids: { ...ids, clientOrderId, orderId, serial, cardRefId: fields['card-ref-id'] ?? '', login: merchant.login } };
};

beforeAll(async () => {
  service = await Service.start({ configuration: sandboxConfiguration() });
  parties = [
    await partyOf({ endpoint: '1001', group: '2001' }),
    await partyOf({ endpoint: '9001', group: '9101' }, { login: 'other', controlKey: OTHER_CONTROL_KEY }),
  ];
});
afterAll(() => service.dispose());

/** Of the same form as what is there, and of nobody. */
const missing = ({ merchant }: Party): Identifiers => ({
  clientOrderId: newClientOrderId(merchant),
  orderId: makeOrderId('p', (size) => randomBytes(size)),
  serial: `00000000-0000-4000-8000-${randomBytes(6).toString('hex')}`,
  cardRefId: randomBytes(10).toString('hex'),
  endpoint: '7001',
  group: '7101',
  login: 'nobody',
});

/** Identifiers that are the other merchant's: of a route that makes orders with an order that nobody has asked by yet. */
const foreignTo = async (route: Route, { merchant, ids }: Party): Promise<Identifiers> => {
  if (route.makesOrders === undefined) return ids;
  const clientOrderId = newClientOrderId(merchant);
  await merchant.accepted(route.ask(merchant, { ...ids, clientOrderId }, { at: ids.endpoint }));
  return { ...ids, clientOrderId };
};

/** One merchant asks; of these names the identifiers are not its own. */
const askWith = async (
  { merchant, ids: own }: Party,
  route: Route,
  at: Name,
  strange: Identifiers,
  crossed: readonly Name[],
  json: boolean,
) => {
  const ids = {
    ...own,
    ...(route.makesOrders && { clientOrderId: newClientOrderId(merchant) }),
    ...Object.fromEntries(crossed.map((name) => [name, strange[name]])),
  };
  const answer = await route.ask(merchant, ids, { at: at === 'group' ? `group/${ids.group}` : ids.endpoint, json });
  return { answer, shown: shownBy(answer, [ids.clientOrderId, ids.orderId, ids.serial, ids.cardRefId]) };
};

describe('what is another merchant`s looks as what does not exist, byte for byte (safety, B14 and I10)', () => {
  it.each(ROUTES.map((route) => [route.name, route] as const))('%s: every identifier crossed, alone and together', async (_name, route) => {
    const differences: string[] = [];
    let pairs = 0;
    for (let time = 0; time < TIMES; time++) {
      for (const [asking, asked] of [parties, [parties[1], parties[0]] as const]) {
        for (const at of AT) {
          for (const crossed of subsetsOf([...route.identifiers, at]).slice(1)) {
            for (const json of [false, true]) {
              const foreign = await askWith(asking, route, at, await foreignTo(route, asked), crossed, json);
              const unknown = await askWith(asking, route, at, missing(asked), crossed, json);
              pairs += 1;
              if (JSON.stringify(foreign.shown) !== JSON.stringify(unknown.shown))
                differences.push(
                  `${asking.ids.login} with ${crossed.join(', ')} of ${asked.ids.login}: ${foreign.answer.body} / ${unknown.answer.body}`,
                );
            }
          }
        }
      }
    }
    expect(differences).toStrictEqual([]);
    expect(pairs).toBe(TIMES * 2 * AT.length * 2 * (2 ** (route.identifiers.length + 1) - 1));
  });

  it('and what is a merchant`s own is shown to it: the matrix can see a difference', async () => {
    for (const [asking, asked] of [parties, [parties[1], parties[0]] as const]) {
      const statusRoute = ROUTES.find(({ name }) => name === 'status');
      if (statusRoute === undefined) throw new Error('no such route');
      const own = await askWith(asking, statusRoute, 'endpoint', asking.ids, [], false);
      const foreign = await askWith(asking, statusRoute, 'endpoint', asked.ids, ['clientOrderId', 'orderId'], false);
      expect(own.answer.fields).toMatchObject({ type: 'status-response', status: 'approved' });
      expect(foreign.shown).not.toStrictEqual(own.shown);
    }
  });
});
