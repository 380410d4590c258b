import { wholeNumber } from '@app/testing';
import { newOperatorToken, sha256OfToken } from '@app/configuration';
import { MerchantServer } from '../../support/devices/merchant-server';
import { sendFuzzed, type FuzzRun } from '../../support/fuzz/fuzz-run';
import { operatorOutcomeOf } from '../../support/fuzz/operator-answer-faults';
import { fuzzedOperatorRequest, OPERATOR_ROUTES, type OperatorFuzzTarget, type OperatorSide } from '../../support/fuzz/operator-request';
import { Merchant } from '../../support/merchants/merchant';
import { formOf } from '../../support/merchants/payer';
import { freePort } from '../../support/processes/free-port';
import { heldMib } from '../../support/processes/resident-memory';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';
import { ERROR_LEVEL, FIRST, GROWTH_MIB_MAX, SEED } from '../../support/fuzz/fuzz-settings';

/** Requests to each port; the two APIs have the larger share of safety, B12. */
const COUNT = wholeNumber('FUZZ_REQUESTS', 2_000);
const WARM_UP_SHARE = 0.5;
const MS_PER_REQUEST_MAX = 60;
/** Fewer requests do not reach every outcome of every route. */
const COUNT_OF_A_WHOLE_RUN = 2_000;

jest.setTimeout(60_000 + COUNT * MS_PER_REQUEST_MAX);

let service: Service;
let server: MerchantServer;
let acme: Merchant;
let target: OperatorFuzzTarget;
const outcomes = new Set<string>();
const tokens = { operator: newOperatorToken(), viewer: newOperatorToken() };
const authorization = { operator: `Bearer ${tokens.operator}`, viewer: `Bearer ${tokens.viewer}` };

const operatorAnswer = async (path: string): Promise<Readonly<Record<string, unknown>> | undefined> => {
  const { status, body } = await service.send(service.operatorUrl + path, { headers: { authorization: authorization.operator } });
  return status === 200 ? (JSON.parse(body) as Record<string, unknown>) : undefined;
};

const payerPages = async () => {
  const order = await acme.accepted(acme.sale({ cvv2: '321' }, { at: '1003' }));
  const status = await acme.statusWhen(order, ({ html }) => html !== undefined, 'the authentication page');
  const pathOf = (url: string): string => new URL(url, service.baseUrl).pathname;
  const link = pathOf(status['redirect-to'] ?? '');
  const form = formOf((await service.request(link)).body);
  if (form === undefined) throw new Error('no form leads to the authentication');
  const back = Object.values(form.fields).find((value) => value.includes('/return'));
  if (back === undefined) throw new Error('no field names the way back');
  return { 'payer link': [link], 'simulator page': [pathOf(form.action)], 'payer return': [pathOf(back)] };
};

beforeAll(async () => {
  const [callbackPort, operatorPort] = [await freePort(), await freePort()];
  const operators = [
    { name: 'kim', role: 'admin', tokenSha256: sha256OfToken(tokens.operator) },
    { name: 'sam', role: 'viewer', tokenSha256: sha256OfToken(tokens.viewer) },
  ];
  const whole = { callbacks: { speedFactor: 1 }, operators, documents: 'on' };
  [service, server] = await Promise.all([
    Service.start({ configuration: sandboxConfiguration({ ports: [callbackPort], whole }), stores: 'files' }),
    MerchantServer.start({ environment: { OPERATOR_PORT: String(operatorPort) } }),
  ]);
  acme = new Merchant(service);
  const order = await acme.accepted(acme.sale({ server_callback_url: `http://127.0.0.1:${callbackPort}/callback` }));
  const { 'receipt-id': receiptId = '' } = await acme.finalStatus(order);
  const pages = await payerPages();
  const delivery = await until(
    async () => {
      const answer = await operatorAnswer(`/orders/${order.orderId}/deliveries`);
      return (answer?.['deliveries'] as readonly { readonly deliveryId: string }[] | undefined)?.[0];
    },
    { what: 'the delivery of the callback' },
  );
  target = {
    hosts: {
      'operator port': new URL(service.operatorUrl).host,
      'public port': new URL(service.baseUrl).host,
      "merchant server's operator port": `127.0.0.1:${operatorPort}`,
    },
    ...authorization,
    orderIds: [order.orderId],
    deliveryIds: [delivery.deliveryId],
    streams: [`payment-${'a'.repeat(52)}`],
    searched: [order.orderId, order.clientOrderId, receiptId],
    pages: { ...pages, receipt: [`/paynet/view-receipt/1001/${receiptId}/`, `/paynet/view-receipt/1001/${'a'.repeat(24)}/`] },
  };
}, 60_000);
afterAll(async () => {
  await service?.dispose();
  await server?.dispose();
});

const runOf = (side: OperatorSide): FuzzRun => ({
  seed: SEED,
  port: () => Number(target.hosts[side].split(':')[1]),
  request: fuzzedOperatorRequest(side, SEED, target),
  outcomeOf: operatorOutcomeOf,
  outcomes,
});

const expected = (side: OperatorSide): readonly string[] =>
  OPERATOR_ROUTES.filter((route) => route.side === side).flatMap(({ name, isGuarded, method }) => {
    const guarded = isGuarded ? ['401', ...(name === 'unknown' ? [] : ['403'])] : [];
    const carriedOut = { resolution: '409', settlement: '409', resend: '202', unparking: '404' }[name] ?? '200';
    const refused = method === 'POST' ? ['400', '404', '415'] : [];
    return [...new Set([carriedOut, ...guarded, ...refused])].map((outcome) => `${name} ${outcome}`);
  });

describe(`${COUNT} mutated requests to each port outside the two APIs, seed ${SEED} (safety, B12)`, () => {
  it.each(['operator port', 'public port', "merchant server's operator port"] as const)(
    'each get a response without 5xx from the %s, and the program keeps running and grows by 64 MiB at most',
    async (side) => {
      const program = side === "merchant server's operator port" ? server : service;
      const run = runOf(side);
      const warmUp = Math.ceil(COUNT * WARM_UP_SHARE);
      expect(await sendFuzzed(run, FIRST, warmUp)).toStrictEqual([]);
      const warmMib = await heldMib(program.pid);
      expect(await sendFuzzed(run, FIRST + warmUp, COUNT - warmUp)).toStrictEqual([]);
      expect((await heldMib(program.pid)) - warmMib).toBeLessThan(GROWTH_MIB_MAX);
      if (COUNT >= COUNT_OF_A_WHOLE_RUN) expect(expected(side).filter((outcome) => !outcomes.has(outcome))).toStrictEqual([]);

      const { stdout } = program;
      const lines = stdout.slice(0, stdout.lastIndexOf('\n')).split('\n');
      const failures = lines.map((line) => JSON.parse(line) as { level: number }).filter(({ level }) => level >= ERROR_LEVEL);
      expect(failures).toStrictEqual([]);
      expect(program.stderr).toBe('');
      expect((await acme.status(await acme.approvedSale())).fields).toMatchObject({ status: 'approved' });
    },
  );
});
