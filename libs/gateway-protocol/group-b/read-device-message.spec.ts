import { inspect } from 'node:util';
import Ajv2020 from 'ajv/dist/2020';
import { Validator } from 'class-validator';
import * as fc from 'fast-check';
import { at, BODY_NAMES, classOf, DEVICE_SAMPLES, pathsOf, read, refusal, sampleOf, shown, withValue } from '../testing/device-samples';
import type { MessageClass } from '../shared/validation/message-fields';
import { deviceSchema } from '../message-schema';
import { membersOf, holdsCardNumberOf } from './members/member-table';
import { SessionRequest } from './messages';
import { readDeviceBody, readDeviceMessage } from './read-device-message';

const NUMBER = '4444333322221111';
const PERFORMS = ['PerformVerificationRequest', 'PerformSaleRequest', 'PerformTransferRequest'] as const;

describe('the body of a device message', () => {
  it.each([null, 'text', 7, true, [], [{}]])('is refused if it is %j and not an object', (json) =>
    expect(readDeviceMessage(SessionRequest, json)).toStrictEqual(refusal('body', 'must be an object')),
  );

  it('is parsed as strict JSON and then validated', () => {
    const bytes = (text: string) => Buffer.from(text, 'utf8');
    const session = DEVICE_SAMPLES.SessionRequest.session;
    expect(readDeviceBody(SessionRequest, bytes(JSON.stringify({ session, more: 1 })))).toEqual({ ok: { session } });
    expect(readDeviceBody(SessionRequest, bytes('{"session":{},"session":{}}'))).toStrictEqual(
      refusal('body', 'must not hold a key twice'),
    );
    expect(readDeviceBody(SessionRequest, bytes('{"session":{}}'))).toStrictEqual(refusal('session.accessToken', 'is required'));
    expect(readDeviceBody(SessionRequest, bytes('[]'))).toStrictEqual(refusal('body', 'must be an object'));
  });
});

describe('a choice between card and reference (interface, section 4.5) [W98, W100, W101]', () => {
  const complaint = 'must hold exactly one of card and reference';
  const funds = {
    sourceOfFunds: { card: at(sampleOf('PerformSaleRequest'), 'sourceOfFunds.card'), reference: { clientCardId: 'c-1' } },
    destinationOfFunds: { card: { number: '5555555555554444' }, reference: { clientCardId: 'c-2' } },
  } as const;

  it.each([
    ['PerformSaleRequest', 'sourceOfFunds'],
    ['PerformTransferRequest', 'sourceOfFunds'],
    ['PerformTransferRequest', 'destinationOfFunds'],
  ] as const)('%s, %s: requires exactly one of the two', (name, path) => {
    const { card, reference } = funds[path];
    for (const wrong of [{}, { card, reference }, { card: null, reference: null }])
      expect(read(name, withValue(sampleOf(name), path, wrong))).toStrictEqual(refusal(path, complaint));
    for (const right of [{ card }, { reference }, { card, reference: null }, { card: null, reference }]) {
      const answer = read(name, withValue(sampleOf(name), path, right));
      const held = Object.fromEntries(Object.entries(right).filter(([, value]) => value !== null));
      expect('ok' in answer && at(shown(answer.ok), path)).toStrictEqual(held);
    }
  });
});

describe('a holder (interface, section 2.6: printedName may replace firstName and lastName) [W97]', () => {
  const holder = (value: unknown) =>
    read('PerformVerificationRequest', withValue(sampleOf('PerformVerificationRequest'), 'sourceCard.holder', value));

  it.each([{ printedName: 'J S' }, { firstName: 'J', lastName: 'S' }, { printedName: 'J S', firstName: 'J' }])(
    'is accepted with %j',
    (value) => {
      const answer = holder(value);
      expect('ok' in answer && at(shown(answer.ok), 'sourceCard.holder')).toStrictEqual(value);
    },
  );

  it.each([
    [{}, 'firstName'],
    [{ lastName: 'S' }, 'firstName'],
    [{ firstName: 'J' }, 'lastName'],
    [{ firstName: 'J', printedName: null }, 'lastName'],
  ])('is refused with %j because %s is missing', (value, missing) =>
    expect(holder(value)).toStrictEqual(refusal(`sourceCard.holder.${missing}`, 'is required')),
  );
});

describe('a status response (interface, section 3.2)', () => {
  const NEEDED = {
    APPROVED: 'bankOrderId',
    DECLINED: 'bankOrderId',
    REDIRECT_REQUEST: 'redirectUrl',
    TRANSFER_FEE_REQUEST: 'transferFeeList',
  } as const;
  const answer = (name: 'VerificationStatusResponse' | 'SaleStatusResponse' | 'TransferStatusResponse', state: string, missing?: string) =>
    read(
      name,
      missing === undefined
        ? withValue(sampleOf(name), 'state', state)
        : withValue(withValue(sampleOf(name), 'state', state), missing, undefined),
    );

  it.each(Object.entries(NEEDED))(
    'in the state %s requires %s for every operation that has the state, and in other states does not [W56-58, W118]',
    (state, needed) => {
      for (const name of ['VerificationStatusResponse', 'SaleStatusResponse', 'TransferStatusResponse'] as const) {
        if (state === 'TRANSFER_FEE_REQUEST' && name !== 'TransferStatusResponse') continue;
        expect('ok' in answer(name, state)).toBe(true);
        for (const other of new Set(Object.values(NEEDED)))
          if (other === needed) expect(answer(name, state, other)).toStrictEqual(refusal(other, 'is required'));
          else expect('ok' in answer(name, state, other)).toBe(true);
        expect('ok' in answer(name, 'PROCESSING', needed)).toBe(true);
      }
    },
  );

  it('accepts only the states of its operation [W61]', () => {
    for (const name of ['VerificationStatusResponse', 'SaleStatusResponse'] as const)
      for (const state of ['TRANSFER_FEE_REQUEST', 'approved', 'UNKNOWN', ''])
        expect(answer(name, state)).toStrictEqual(refusal('state', 'must be PROCESSING or REDIRECT_REQUEST or APPROVED or DECLINED'));
    expect(answer('TransferStatusResponse', 'FILTERED')).toMatchObject({ refused: { field: 'state' } });
  });

  it('requires 1 to 100 fees, each of them complete (interface, section 4.7) [W127]', () => {
    const fees = (list: unknown) => read('TransferStatusResponse', withValue(sampleOf('TransferStatusResponse'), 'transferFeeList', list));
    const fee = { assignedId: 'sim-a', commissionCentis: 1, currency: 'USD' };
    expect(fees([])).toStrictEqual(refusal('transferFeeList', 'must hold 1 to 100 entries'));
    expect(fees(Array.from({ length: 101 }, () => fee))).toStrictEqual(refusal('transferFeeList', 'must hold 1 to 100 entries'));
    expect(fees([fee, 7])).toStrictEqual(refusal('transferFeeList', 'must hold objects'));
    expect(fees([fee, { ...fee, currency: 'usd' }])).toStrictEqual(
      refusal('transferFeeList.1.currency', 'must be an ISO 4217 code in upper case'),
    );
  });
});

describe('error causes (interface, section 7.2)', () => {
  const ALLOWED = {
    MerchantErrorResponse: ['FILTERED', 'INVALID_REQUEST', 'SERVER_FAILED', 'SERVER_UNAVAILABLE'],
    PerformErrorResponse: ['INVALID_REQUEST', 'INVALID_CONFIGURATION', 'INTERNAL_ERROR', 'PROCESSING_FAILED'],
    StatusErrorResponse: ['FILTERED', 'INVALID_REQUEST', 'INTERNAL_ERROR', 'PROCESSING_FAILED', 'ORDER_NOT_FOUND'],
  } as const;

  it.each(Object.entries(ALLOWED))('%s: accepts only the causes %j [W158-160]', (name, allowed) => {
    const body = name as keyof typeof ALLOWED;
    for (const cause of [...new Set(Object.values(ALLOWED).flat()), 'OTHER', 'filtered']) {
      const isAllowed = allowed.some((one) => one === cause);
      expect([cause, 'ok' in read(body, withValue(sampleOf(body), 'error.cause', cause))]).toStrictEqual([cause, isAllowed]);
    }
  });
});

describe('a request that repeats its own card number (protocol decisions, sections 4 and 8; safety, T33)', () => {
  const withCard = (name: (typeof PERFORMS)[number]): unknown =>
    name === 'PerformTransferRequest'
      ? withValue(sampleOf(name), 'sourceOfFunds', at(sampleOf('PerformSaleRequest'), 'sourceOfFunds'))
      : sampleOf(name);

  it.each(PERFORMS)('%s: is refused for the number in any text long enough for it [W371]', (name) => {
    const json = withCard(name);
    let tried = 0;
    for (const path of pathsOf(classOf(name), json).filter((one) => typeof at(json, one) === 'string' && !/[cC]ard\.number$/.test(one))) {
      const minLength = String(at(json, path)).length;
      for (const text of [NUMBER, NUMBER.padEnd(Math.max(minLength, 32), 'x')]) {
        if (!('ok' in read(name, withValue(json, path, text.replaceAll(/\d/g, 'y'))))) continue;
        expect([path, read(name, withValue(json, path, text))]).toStrictEqual([path, refusal(path, 'must not hold the card number')]);
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThanOrEqual(14);
    expect(read(name, withValue(json, 'order.description', 'card 4444-3333 2222.1111!'))).toMatchObject({
      refused: { field: 'order.description' },
    });
    expect('ok' in read(name, withValue(json, 'order.description', 'card 4444 3333 2222 1112'))).toBe(true);
  });

  it("is refused for the receiving card's number too, unless it is in a card number field", () => {
    const json = withValue(withCard('PerformTransferRequest'), 'destinationOfFunds.card.number', NUMBER);
    expect('ok' in read('PerformTransferRequest', json)).toBe(true);
    const other = withValue(json, 'destinationOfFunds.card.number', '5555555555554444');
    expect(read('PerformTransferRequest', withValue(other, 'billing.phone', '5555555555554444'))).toStrictEqual(
      refusal('billing.phone', 'must not hold the card number'),
    );
  });

  it('is refused for the number in the invoice id of the path [W371]', () => {
    const byNumber = sampleOf('PerformVerificationRequest');
    const byReference = withValue(sampleOf('PerformSaleRequest'), 'sourceOfFunds', { reference: { clientCardId: NUMBER } });
    expect(holdsCardNumberOf(byNumber, `inv-${NUMBER}`)).toBe(true);
    expect(holdsCardNumberOf(withValue(byNumber, 'consumer', 1), NUMBER)).toBe(true);
    expect(holdsCardNumberOf(byNumber, 'inv-4444333322221112')).toBe(false);
    expect(holdsCardNumberOf(byReference, NUMBER)).toBe(false);
    expect(holdsCardNumberOf({ number: '4' }, NUMBER)).toBe(false);
  });
});

describe('a parsed message (safety, T32)', () => {
  it.each(PERFORMS)('%s prints neither card number nor security code', (name) => {
    const answer = read(name, sampleOf(name));
    const redacted = ['4444333322221111', '5555555555554444', '"123"', "'123'", '1234567', "'1234'", '"1234"'];
    for (const printed of [JSON.stringify(answer), inspect(answer, { depth: 9 }), inspect(answer, { depth: 9, showHidden: true })]) {
      for (const secret of redacted) expect(printed).not.toContain(secret);
    }
    expect(JSON.stringify(answer)).toContain('[redacted]');
    expect('ok' in answer && shown(answer.ok)).toStrictEqual(sampleOf(name));
  });
});

describe('class-validator with the same classes', () => {
  const validator = new Validator();
  const isTaken = (message: object): boolean => validator.validateSync(message, { forbidUnknownValues: true }).length === 0;
  const asInstance = (Message: MessageClass, json: unknown): unknown => {
    if (Array.isArray(json)) return json.map((entry) => asInstance(Message, entry));
    if (typeof json !== 'object' || json === null) return json;
    return Object.assign(
      Object.create(Message.prototype as object) as object,
      Object.fromEntries(Object.entries(json).map(([key, value]) => [key, asInstance(childOf(Message, key) ?? Object, value)])),
    );
  };
  const childOf = (Message: MessageClass, key: string): MessageClass | undefined =>
    Message === Object ? undefined : membersOf(Message).find(({ name }) => name === key)?.child;

  const odd = fc.oneof(
    fc.constantFrom<unknown>(
      undefined,
      null,
      '',
      'x',
      'USD',
      0,
      -1,
      1.5,
      13,
      2_031,
      true,
      [],
      {},
      [{}],
      ['x'],
      '\ud83d',
      'x'.repeat(40),
      'x'.repeat(200),
      NUMBER,
    ),
    fc.string({ maxLength: 60 }),
    fc.integer(),
  );

  it('TransferStatusResponse: accepts null for the fee list only in states that do not require it', () => {
    const sample = sampleOf('TransferStatusResponse') as object;
    for (const [state, isFit] of [
      ['PROCESSING', true],
      ['TRANSFER_FEE_REQUEST', false],
    ] as const) {
      const json = { ...sample, state, transferFeeList: null };
      expect([
        isTaken(asInstance(classOf('TransferStatusResponse'), json) as object),
        'ok' in read('TransferStatusResponse', json),
      ]).toStrictEqual([isFit, isFit]);
    }
  });

  it.each(BODY_NAMES)('%s: agrees with readDeviceMessage on any changed member', (name) => {
    const sample = sampleOf(name);
    const paths = pathsOf(classOf(name), sample);
    fc.assert(
      fc.property(fc.constantFrom(...paths), odd, (path, value) => {
        const json = withValue(sample, path, value);
        const answer = read(name, json);
        fc.pre(!('refused' in answer && answer.refused.message.endsWith('hold the card number')));
        expect([json, isTaken(asInstance(classOf(name), json) as object)]).toStrictEqual([json, 'ok' in answer]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the JSON schema of a message', () => {
  const ajv = new Ajv2020({ strict: true, formats: { uri: true } });

  it.each(BODY_NAMES)('%s: accepts the sample and all that the reader accepts, and refuses a missing member', (name) => {
    const validate = ajv.compile(deviceSchema(classOf(name)));
    const sample = sampleOf(name);
    expect([validate(sample), validate.errors]).toStrictEqual([true, null]);
    for (const path of pathsOf(classOf(name), sample)) {
      const without = withValue(sample, path, undefined);
      const isConditional = /bankOrderId|redirectUrl|transferFeeList$|firstName|lastName/.test(path);
      if (!isConditional) expect([path, validate(without)]).toStrictEqual([path, 'ok' in read(name, without)]);
    }
  });

  it('contains the limits of the interface, section 2.6', () => {
    expect(deviceSchema(classOf('PerformVerificationRequest'))).toMatchObject({
      type: 'object',
      required: ['consumer', 'session', 'transaction', 'sourceCard'],
      properties: {
        consumer: {
          required: ['device'],
          properties: { email: { minLength: 3, maxLength: 128 }, ipAddresses: { type: 'array', items: { minLength: 7, maxLength: 15 } } },
        },
        location: { properties: { lat: { type: 'number', minimum: -90, maximum: 90 } } },
        sourceCard: { properties: { expiry: { properties: { month: { type: 'integer', minimum: 1, maximum: 12 } } } } },
      },
    });
  });
});
