import { wholeNumber } from '@app/testing';
import { Secret } from '@app/kernel';
import type { Begun } from '../../support/devices/merchant-server-client';
import { EMAIL, saleOrder, transferOrder, verificationOrder } from '../../support/devices/device-orders';
import { deviceOutcomeOf } from '../../support/fuzz/device-answer-faults';
import { DEVICE_ROUTES, fuzzedDeviceRequest, type DeviceFuzzTarget } from '../../support/fuzz/device-request';
import { sendFuzzed, type FuzzRun } from '../../support/fuzz/fuzz-run';
import { SANDBOX_CONTROL_KEY } from '../../support/merchants/signed-requests';
import { heldMib } from '../../support/processes/resident-memory';
import { CALLBACK_SECRET, finalOf, ThreeParties, type App } from '../../support/devices/three-parties';
import { ERROR_LEVEL, FIRST, GROWTH_MIB_MAX, SEED } from '../../support/fuzz/fuzz-settings';

/** Requests to each of the two servers; the merchant API has the larger share of safety, B12. */
const COUNT = wholeNumber('FUZZ_REQUESTS', 2_000);
const WARM_UP_SHARE = 0.25;
const MS_PER_REQUEST_MAX = 60;
const COUNT_OF_A_WHOLE_RUN = 2_000;
const INVOICES_EACH = 8;

jest.setTimeout(60_000 + COUNT * MS_PER_REQUEST_MAX);

let parties: ThreeParties;
let app: App;
let target: DeviceFuzzTarget;
const outcomes = new Set<string>();
const codes = new Set<string>();
const isCodeNew = (code: string): boolean => !codes.has(code) && codes.add(code).has(code);

beforeAll(async () => {
  parties = await ThreeParties.start({ parts: { whole: { callbacks: { speedFactor: 1 } } } });
  app = await parties.app(EMAIL);
  const runs = [verificationOrder(), saleOrder(), saleOrder('116'), transferOrder(), transferOrder()].map((order) =>
    app.session.run(order),
  );
  const transactions = (await Promise.all(runs)).flatMap((run) => (run.step === 'follow' ? [run.transaction] : []));
  const { accessToken, serialNumber, session } = app;
  const invoices: Begun[] = [];
  for (const { operation, ...order } of [verificationOrder(), saleOrder(), transferOrder()]) {
    for (let count = 0; count < INVOICES_EACH; count++) {
      const opened = await session.initiate({ operation, ...order } as Parameters<typeof session.initiate>[0]);
      if (opened.kind !== 'answered') throw new Error(`not opened: ${opened.kind}`);
      const { endpointId, invoiceId, nonce, signature } = opened.value;
      const begun = {
        operation,
        endpointId,
        invoiceId,
        nonce,
        signature,
        serialNumber,
        accessToken,
        token: `fuzz-${operation}-${count}`.padEnd(36, '0'),
      };
      if (count % 2 === 0) await parties.client.check(begun);
      invoices.push(begun);
    }
  }
  const baseUrls = { gateway: parties.gateway.baseUrl, server: parties.server.baseUrl };
  target = {
    baseUrls,
    controlKey: new Secret(SANDBOX_CONTROL_KEY),
    callbackSecret: new Secret(CALLBACK_SECRET),
    accessToken,
    serialNumber,
    transactions,
    invoices,
  };
}, 60_000);
afterAll(() => parties?.dispose());

const runOf = (side: 'gateway' | 'server'): FuzzRun => ({
  seed: SEED,
  port: () => Number(new URL(target.baseUrls[side]).port),
  request: fuzzedDeviceRequest(side, SEED, target),
  outcomeOf: deviceOutcomeOf(side, isCodeNew),
  outcomes,
});

describe(`${COUNT} mutated requests to each server, seed ${SEED} (safety, B12)`, () => {
  it.each(['gateway', 'server'] as const)(
    'each get a valid response from the %s, which keeps running and grows by 64 MiB at most [W158-161, W369, W370, W423]',
    async (side) => {
      const run = runOf(side);
      const pid = side === 'gateway' ? parties.gateway.pid : parties.server.pid;
      const warmUp = Math.ceil(COUNT * WARM_UP_SHARE);
      expect(await sendFuzzed(run, FIRST, warmUp)).toStrictEqual([]);
      const warmMib = await heldMib(pid);
      expect(await sendFuzzed(run, FIRST + warmUp, COUNT - warmUp)).toStrictEqual([]);
      expect((await heldMib(pid)) - warmMib).toBeLessThan(GROWTH_MIB_MAX);

      // Every operation was refused for a member and carried out, except the fee choice, which happens once. Not all requests failed at the
      // signature.
      const served = DEVICE_ROUTES.filter((route) => route.side === side).map(({ name }) => name);
      const met = served.flatMap((name) => [...(name === 'complete transfer' ? [] : [`${name} answered`]), `${name} INVALID_REQUEST`]);
      if (COUNT >= COUNT_OF_A_WHOLE_RUN) expect(met.filter((outcome) => !outcomes.has(outcome))).toStrictEqual([]);

      expect(finalOf(await app.session.run(saleOrder()))).toMatchObject({ state: 'APPROVED' });
      const output = side === 'gateway' ? parties.gateway.stdout : parties.server.stdout;
      const lines = output.slice(0, output.lastIndexOf('\n')).split('\n');
      const failures = lines.map((line) => JSON.parse(line) as { level: number }).filter(({ level }) => level >= ERROR_LEVEL);
      expect(failures).toStrictEqual([]);
    },
  );
});
