import { randomUUID } from 'node:crypto';
import {
  AcceptedResponse,
  readDeviceMessage,
  SaleStatusResponse,
  TransferStatusResponse,
  VerificationStatusResponse,
} from '@app/gateway-protocol';
import { cardOf, Device, type Asked } from '../../support/devices/device';
import { Merchant } from '../../support/merchants/merchant';
import { SANDBOX_CONTROL_KEY } from '../../support/merchants/signed-requests';
import { orch } from '../../support/processes/orch';
import { Payer } from '../../support/merchants/payer';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { answerRight, answerStatus, ScriptedMerchant } from '../../support/devices/scripted-merchant';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

let merchant: ScriptedMerchant;
let service: Service;
let device: Device;
let payer: Payer;

beforeAll(async () => {
  merchant = await ScriptedMerchant.start(SANDBOX_CONTROL_KEY);
  service = await Service.start({
    configuration: sandboxConfiguration({
      ports: [merchant.port],
      acme: { merchantUrl: merchant.url },
      endpoints: [
        { id: '1004', currency: 'USD', gates: ['sim-a', 'sim-b'], transferRates: 'consumer', callbackUrl: `${merchant.url}/callback` },
        { id: '1005', currency: 'USD', gates: ['sim-a'], randomSum: 'required' },
      ],
      gates: [
        {
          alias: 'sim-b',
          adapter: 'simulator',
          currencies: ['USD', 'EUR'],
          commission: { ratePerTenThousand: 100, minCentis: 200 },
          descriptor: 'test-b',
        },
      ],
      whole: { groupB: { notificationWaitSeconds: 1, feeChoiceMinutes: 5 } },
    }),
  });
  device = new Device(service, merchant, SANDBOX_CONTROL_KEY);
  payer = new Payer(service);
});
afterAll(async () => {
  await service?.dispose();
  await merchant?.stop();
});

const verification = (securityCode = '123', endpointId = '1001'): Asked => ({
  operation: 'verification',
  endpointId,
  body: { sourceCard: cardOf(securityCode) },
});
const sale = (securityCode = '123', endpointId = '1001'): Asked => ({
  operation: 'sale',
  endpointId,
  amountCentis: 1_042,
  body: { sourceOfFunds: { card: cardOf(securityCode) } },
});
const transfer = (securityCode = '123', endpointId = '1004'): Asked => ({
  operation: 'transfer',
  endpointId,
  amountCentis: 100_000,
  body: { sourceOfFunds: { card: cardOf(securityCode) }, destinationOfFunds: { card: { number: '5555555555554444' } } },
});

const sourceReference = (invoiceId: string): string => {
  const [call] = merchant.of('notification', invoiceId);
  const { reference, sourceCard } = (call?.body ?? {}) as {
    readonly reference?: { readonly serverCardId: string };
    readonly sourceCard?: { readonly reference?: { readonly serverCardId: string } };
  };
  return (reference ?? sourceCard?.reference)?.serverCardId ?? '';
};

describe('a device that verifies a card, pays by card and reference, and transfers money (interface, sections 4.2 to 4.8)', () => {
  it('verifies a card by check, gate and notification, and then gets APPROVED [W102, W104, W117, W152, W405, W406, W415, W486]', async () => {
    const asked = device.initiate(verification());
    const accepted = await device.perform(asked);
    expect(readDeviceMessage(AcceptedResponse, accepted.json)).toHaveProperty('ok');
    const { token } = accepted.json['session'] as { token: string };
    expect(token).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const status = await device.statusWhen(asked, token, 'APPROVED', 'DECLINED');
    expect(status).toStrictEqual({
      invoiceId: asked.invoiceId,
      session: { token },
      state: 'APPROVED',
      bankOrderId: expect.stringMatching(/^PNTEST-[12]\d{9}$/),
    });
    expect(readDeviceMessage(VerificationStatusResponse, status)).toHaveProperty('ok');
    const [check] = merchant.of('check', asked.invoiceId);
    expect(check?.body).toMatchObject({ session: { ...(asked.body['session'] as object), token } });
    expect(merchant.of('notification', asked.invoiceId)).toMatchObject([
      { operation: 'verification', body: { sourceCard: { bin: 444433 }, session: { token } } },
    ]);
    expect(sourceReference(asked.invoiceId)).toMatch(/^[a-z][a-z0-9]{18}c$/);
  });

  it("pays by card, and then by the card's reference, which does not change [W396, W397]", async () => {
    const first = device.initiate(sale());
    const token = await device.performed(first);
    const status = await device.statusWhen(first, token, 'APPROVED', 'DECLINED');
    expect(status).toMatchObject({
      state: 'APPROVED',
      orderId: expect.stringMatching(/^[12]\d{9}$/),
      transaction: { amountCentis: 1_042 },
    });
    expect(readDeviceMessage(SaleStatusResponse, status)).toHaveProperty('ok');
    const serverCardId = sourceReference(first.invoiceId);

    const again = device.initiate({
      ...sale(),
      body: { sourceOfFunds: { reference: { clientCardId: 'client-card-1', securityCode: '123' } } },
      invoice: { sourceServerCardId: serverCardId },
    });
    const secondToken = await device.performed(again);
    const repeated = await device.statusWhen(again, secondToken, 'APPROVED', 'DECLINED');
    expect(repeated).toMatchObject({ state: 'APPROVED' });
    expect(merchant.of('check', again.invoiceId)[0]?.body).toMatchObject({
      sourceOfFunds: { reference: { clientCardId: 'client-card-1' } },
    });
    expect(sourceReference(again.invoiceId)).toBe(serverCardId);

    const acme = new Merchant(service);
    const order = { clientOrderId: again.invoiceId, orderId: repeated['orderId'] as string };
    const { fields } = await acme.createCardRef(order);
    expect(fields).toMatchObject({ type: 'create-card-ref-response', status: 'approved', 'card-ref-id': serverCardId });
    expect((await acme.status(order)).fields['card-hash-id']).toBe(fields['unq-card-ref-id']);
    const found = await orch(['find', order.orderId, '--json'], service.orchEnvironment);
    expect(JSON.parse(found.out)).toMatchObject({ orderId: order.orderId, cardRefId: serverCardId });
  });

  it("is offered the gates' transfer fees, chooses one once, and the callback reports it [W60, W153, W345, W376]", async () => {
    const asked = device.initiate(transfer());
    const token = await device.performed(asked);
    const offered = await device.statusWhen(asked, token, 'TRANSFER_FEE_REQUEST');
    expect(readDeviceMessage(TransferStatusResponse, offered)).toHaveProperty('ok');
    expect(offered['transferFeeList']).toStrictEqual([
      { assignedId: 'sim-a', commissionCentis: 1_500, currency: 'USD' },
      { assignedId: 'sim-b', commissionCentis: 1_000, currency: 'USD' },
    ]);
    expect((await device.complete(asked, token, 'sim-3ds')).json).toMatchObject({ error: { cause: 'INVALID_REQUEST' } });
    const choices = await Promise.all(
      Array.from({ length: 10 }, (_, at) => device.complete(asked, token, at % 2 === 0 ? 'sim-b' : 'sim-a')),
    );
    const winners = choices.filter(({ json }) => 'session' in json);
    expect(winners.map(({ json }) => json)).toStrictEqual([{ invoiceId: asked.invoiceId, session: { token } }]);
    const refusals = choices.filter(({ json }) => 'error' in json).map(({ json }) => json['error'] as { cause: string; code: string });
    expect(new Set(refusals.map(({ cause }) => cause))).toStrictEqual(new Set(['INVALID_REQUEST']));
    expect(new Set(refusals.map(({ code }) => code)).size).toBe(9);

    const chosen = choices.findIndex(({ json }) => 'session' in json) % 2 === 0 ? 1_000 : 1_500;
    const status = await device.statusWhen(asked, token, 'APPROVED', 'DECLINED');
    expect(status).toMatchObject({ state: 'APPROVED', transaction: { amountCentis: 100_000, commissionCentis: chosen } });
    expect((await device.complete(asked, token, 'sim-b')).json).toMatchObject({ error: { cause: 'INVALID_REQUEST' } });
    expect(merchant.of('notification', asked.invoiceId)[0]?.body).toMatchObject({ destinationCard: { bin: 555555 } });
    const [callback] = await until(
      () => {
        const heard = merchant.of('callback', asked.invoiceId);
        return heard.length > 0 && heard;
      },
      { what: 'the callback' },
    );
    expect(callback?.body).toMatchObject({
      status: 'approved',
      orderid: status['orderId'],
      merchant_order: asked.invoiceId,
      type: 'transfer',
    });
  });

  it('registers a card used only as destination, so that get-card-info returns its BIN and last four (protocol decisions, section 4) [W294]', async () => {
    const asked = device.initiate({
      ...transfer('123', '1001'),
      body: { sourceOfFunds: { card: cardOf('123') }, destinationOfFunds: { card: { number: '5105105105105100' } } },
    });
    await device.statusWhen(asked, await device.performed(asked), 'APPROVED', 'DECLINED');
    const [told] = merchant.of('notification', asked.invoiceId);
    const { reference } = told?.body['destinationCard'] as { readonly reference: { readonly serverCardId: string } };
    const { 'serial-number': _serial, ...card } = (await new Merchant(service).cardInfo(reference.serverCardId)).fields;
    expect(card).toStrictEqual({ type: 'get-card-info-response', bin: '510510', 'last-four-digits': '5100' });
  });

  it("gets DECLINED with the reason of an issuer's decline, and no card notification is sent [W385, W397]", async () => {
    const asked = device.initiate(sale('116'));
    const token = await device.performed(asked);
    expect(await device.statusWhen(asked, token, 'APPROVED', 'DECLINED')).toMatchObject({
      state: 'DECLINED',
      errorCode: 116,
      bankOrderId: expect.any(String),
    });
    expect(merchant.of('notification', asked.invoiceId)).toStrictEqual([]);
  });

  it('gets DECLINED 111 without a required random sum, and AUTHENTICATED with the sum of the newest verification [W110, W364, W365]', async () => {
    const untold = device.initiate(sale('123', '1005'));
    expect(await device.statusWhen(untold, await device.performed(untold), 'DECLINED')).toMatchObject({ errorCode: 111 });
    const proof = device.initiate(verification());
    expect(await device.statusWhen(proof, await device.performed(proof), 'APPROVED')).not.toHaveProperty('randomSumAuthStatus');
    const told = device.initiate({ ...sale('123', '1005'), invoice: { more: { transaction: { randomSumCentis: 111 } } } });
    expect(await device.statusWhen(told, await device.performed(told), 'APPROVED', 'DECLINED')).toMatchObject({
      state: 'APPROVED',
      randomSumAuthStatus: 'AUTHENTICATED',
    });
  });
});

describe('a merchant server that is slow or refuses the check (protocol decisions, section 8)', () => {
  const failing = async (...reactions: Parameters<typeof merchant.reactions.check.push>) => {
    merchant.reactions.check.push(...reactions);
    const asked = device.initiate(sale());
    const status = await device.statusWhen(asked, await device.performed(asked), 'APPROVED', 'DECLINED');
    return { asked, status };
  };

  it('does not delay perform: the order is PROCESSING until the check is answered [W406]', async () => {
    const answers: (() => void)[] = [];
    merchant.reactions.check.push((response, right) => answers.push(() => answerRight(response, right)));
    const asked = device.initiate(sale());
    const token = await device.performed(asked);
    await until(() => answers.length === 1, { what: 'the check' });
    expect((await device.status(asked, token)).json).toMatchObject({ state: 'PROCESSING', session: { token } });
    answers[0]?.();
    expect(await device.statusWhen(asked, token, 'APPROVED', 'DECLINED')).toMatchObject({ state: 'APPROVED' });
  });

  it('ends the order PROCESSING_FAILED with an empty 403, and FILTERED with a FILTERED error [W128, W381, W425]', async () => {
    const refused = await failing(answerStatus(403));
    expect(refused.status).toMatchObject({ error: { cause: 'PROCESSING_FAILED' }, invoiceId: refused.asked.invoiceId });
    const filtered = await failing(answerStatus(400, { error: { cause: 'FILTERED', code: '1', message: 'no' } }));
    expect(filtered.status).toMatchObject({ error: { cause: 'FILTERED' }, invoiceId: filtered.asked.invoiceId });
  });
});

describe("a request for another session's transaction", () => {
  it('gets the same token for a repeated perform, and INVALID_REQUEST for other content or a reused nonce [W103, W374, W394, W417]', async () => {
    const asked = device.initiate(sale());
    const token = await device.performed(asked);
    expect(await device.performed(asked)).toBe(token);
    const other = { ...asked, body: { ...asked.body, order: { description: 'other' } } };
    expect((await device.perform(other)).json).toMatchObject({ error: { cause: 'INVALID_REQUEST' }, invoiceId: asked.invoiceId });
    expect((await device.perform({ ...asked, invoiceId: randomUUID() })).json).toMatchObject({ error: { cause: 'INVALID_REQUEST' } });
  });

  it('gets the same ORDER_NOT_FOUND for another invoice, endpoint, operation or session, except for code and invoice [W75, W160, W377, W378, W423, W424]', async () => {
    const asked = device.initiate(sale());
    const token = await device.performed(asked);
    const strangers = [
      device.status({ ...asked, invoiceId: randomUUID() }, token),
      device.status({ ...asked, endpointId: '1002' }, token),
      device.status({ ...asked, endpointId: '9001' }, token),
      device.status({ ...asked, endpointId: '777' }, token),
      device.status({ ...asked, operation: 'verification' }, token),
      device.status({ ...asked, operation: 'transfer' }, token),
      device.status(asked, randomUUID()),
      device.status({ ...asked, accessToken: 'x'.repeat(64) }, token),
    ];
    const answers = await Promise.all(strangers);
    const bodies = answers.map(({ body }) => body.replace(/"code":"\d+"/, '"code":""').replace(/"invoiceId":"[^"]+"/, '"invoiceId":""'));
    expect(new Set(bodies).size).toBe(1);
    expect(answers[0]?.json).toMatchObject({ error: { cause: 'ORDER_NOT_FOUND' } });
    expect(new Set(answers.map(({ json }) => (json['error'] as { code: string }).code)).size).toBe(answers.length);
    const codes = answers.map(({ json }) => (json['error'] as { code: string }).code);
    const areLogged = () => {
      const logged = new Set(service.logLines().map(({ errorCode }) => errorCode));
      return codes.every((code) => logged.has(code));
    };
    await until(areLogged, { what: 'each code in the log' });
  });
});

describe('a restart during an order', () => {
  it('keeps the sessions: the payer can return, and a fee can be chosen for a card without CVV [W394]', async () => {
    const page = device.initiate(sale('321', '1003'));
    const pageToken = await device.performed(page);
    const { redirectUrl } = (await device.statusWhen(page, pageToken, 'REDIRECT_REQUEST')) as { redirectUrl: string };
    const done = device.initiate(sale());
    const doneToken = await device.performed(done);
    await device.statusWhen(done, doneToken, 'APPROVED');
    const serverCardId = sourceReference(done.invoiceId);
    const fee = device.initiate({
      ...transfer(),
      body: {
        sourceOfFunds: { reference: { clientCardId: 'client-card-1' } },
        destinationOfFunds: { reference: { clientCardId: 'client-card-1' } },
      },
      invoice: { sourceServerCardId: serverCardId, destinationServerCardId: serverCardId },
    });
    const feeToken = await device.performed(fee);
    await device.statusWhen(fee, feeToken, 'TRANSFER_FEE_REQUEST');

    await service.kill();
    await service.restart();
    expect((await device.status(done, doneToken)).json).toMatchObject({ state: 'APPROVED', session: { token: doneToken } });
    await payer.authenticate(redirectUrl, 'hint');
    expect(await device.statusWhen(page, pageToken, 'APPROVED', 'DECLINED')).toMatchObject({ state: 'APPROVED' });
    expect((await device.complete(fee, feeToken, 'sim-a')).json).toMatchObject({ session: { token: feeToken } });
    expect(await device.statusWhen(fee, feeToken, 'APPROVED', 'DECLINED')).toMatchObject({
      state: 'APPROVED',
      transaction: { commissionCentis: 1_500 },
    });
  });
});
