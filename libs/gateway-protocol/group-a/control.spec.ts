import * as fc from 'fast-check';
import { isCardRefId, isOrderId, isOrderNumber, Secret, type OrderKind } from '@app/kernel';
import { expectSame, sampleOrderNumbers, wholeNumber } from '@app/testing';
import {
  accountVerificationControl,
  amountFollowUpControl,
  callbackControl,
  cardInfoControl,
  initialPaymentControl,
  isControl,
  isRebillControl,
  orderControl,
  type RebillControl,
  rebillControl,
} from './control';
import { decoyControlKey } from '../shared/control-key';
import { encodeForm, parseForm } from './forms/form-codec';

const key = new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20');

describe('interface 5.1: known answers (protocol decisions, section 5) [W306]', () => {
  it('signs a sale as in the known answer', () => {
    const signed = { entryPoint: '1111', clientOrderId: '902B4FF5', amountMinor: 1042n, email: 'john.smith@gmail.com' };
    expect(initialPaymentControl(signed, key)).toBe('c6bdd88a78834ef4b863b088827a459f039e8257');
  });

  it('signs create-card-ref v2 and order status as in the known answer [W307]', () => {
    const signed = { login: 'merchantlogin', clientOrderId: '902B4FF5', orderId: '161944' };
    expect(orderControl(signed, key)).toBe('1cd4c88052e861c1f56a57ff0d3741c40e4d589f');
  });

  const rebill = {
    entryPoint: '1111',
    login: 'merchantlogin',
    clientOrderId: '902B4FF5',
    cardRefId: '1326586',
    amountMinor: 1042n,
    currency: 'USD',
  };

  it('signs a recurrent payment by the step list as in the known answer [W308]', () => {
    expect(rebillControl(rebill, key)).toBe('32d2d34c1715aff2224989ad6ff60b1889b2a63b');
  });

  it('omits only the end point from a recurrent payment if signed by the field table ("without-endpoint")', () => {
    const text = { login: 'merchantlogin', clientOrderId: '902B4FF5', orderId: '13265861042USD' };
    expect(rebillControl(rebill, key, 'without-endpoint')).toBe(orderControl(text, key));
  });

  it('signs a callback as in the known answer [W309, W327]', () => {
    const signed = { status: 'approved', orderId: '1234567', clientOrderId: 'hf-abc' };
    expect(callbackControl(signed, new Secret('test-merchant-control'))).toBe('652ace404c4dfe8bba069ecee594ec23a89340e1');
  });

  it('signs an account verification as a sale without amount, and a follow-up as an order with amount', () => {
    const { entryPoint, clientOrderId, email } = { entryPoint: '1111', clientOrderId: '902B4FF5', email: 'a@b.example' };
    expect(accountVerificationControl({ entryPoint, clientOrderId, email }, key)).toBe(
      orderControl({ login: entryPoint, clientOrderId, orderId: email }, key),
    );
    expect(amountFollowUpControl({ login: 'a', clientOrderId: 'b', orderId: 'c' }, { amountMinor: 5n, currency: 'USD' }, key)).toBe(
      orderControl({ login: 'a', clientOrderId: 'b', orderId: 'c5USD' }, key),
    );
  });

  it.each<[accepted: RebillControl, withEndpoint: boolean, withoutEndpoint: boolean]>([
    ['with-endpoint', true, false],
    ['without-endpoint', false, true],
    ['either', true, true],
  ])("accepts the rebillControl variants that the merchant's setting allows: %s [W295]", (accepted, withEndpoint, withoutEndpoint) => {
    expect(isRebillControl(rebill, rebillControl(rebill, key, 'with-endpoint'), key, accepted)).toBe(withEndpoint);
    expect(isRebillControl(rebill, rebillControl(rebill, key, 'without-endpoint'), key, accepted)).toBe(withoutEndpoint);
    expect(isRebillControl(rebill, '', key, accepted)).toBe(false);
    expect(isRebillControl({ ...rebill, amountMinor: 1043n }, rebillControl(rebill, key), key, accepted)).toBe(false);
    expect(isRebillControl(rebill, rebillControl(rebill, key), decoyControlKey(key), accepted)).toBe(false);
  });

  it('writes 40 lower-case hexadecimal characters, and accepts either case but no similar text [W137, W504]', () => {
    const computed = rebillControl(rebill, key);
    expect(computed).toMatch(/^[0-9a-f]{40}$/);
    for (const same of [computed, computed.toUpperCase(), computed.slice(0, 20) + computed.slice(20).toUpperCase()]) {
      expect(isControl(computed, same)).toBe(true);
      expect(isRebillControl(rebill, same, key, 'either')).toBe(true);
    }
    for (const other of ['', computed.toUpperCase().slice(1), `${computed}0`, `${computed.slice(0, 39)}g`, `0x${computed}`]) {
      expect(isControl(computed, other)).toBe(false);
    }
  });
});

describe('safety 3.1: collisions of signed texts if field shapes are not enforced', () => {
  it('gives order status, create-card-ref and get-card-info the same control', () => {
    const shared = 'e76bb3141bedae21d1767bb1444d3d7942dd172f';
    expect(orderControl({ login: 'acme', clientOrderId: '12', orderId: '345' }, key)).toBe(shared);
    expect(orderControl({ login: 'acme', clientOrderId: '123', orderId: '45' }, key)).toBe(shared);
    expect(cardInfoControl({ login: 'acme', cardRefId: '12345' }, key)).toBe(shared);
  });

  it('gives recurrent payments of 123.45 and 23.45, and of end points 39 and 3, the same control', () => {
    const shared = '8ae7b1bb88cdf5ef8dd93616087884fa325db04e';
    const signed = { entryPoint: '39', login: 'acme', clientOrderId: 'inv-1', cardRefId: '77', amountMinor: 12345n, currency: 'USD' };
    expect(rebillControl(signed, key)).toBe(shared);
    expect(rebillControl({ ...signed, cardRefId: '771', amountMinor: 2345n }, key)).toBe(shared);
    expect(rebillControl({ ...signed, entryPoint: '3', login: '9acme' }, key)).toBe(shared);
  });
});

describe('safety 3.1: each signed text has one reading if field shapes are enforced [W316]', () => {
  const lowerCase = [...'abcdefghijklmnopqrstuvwxyz'];
  const digit = [...'0123456789'];
  const textFrom = (characters: readonly string[], minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });
  const shaped = (first: readonly string[], middleLength: number, last: string, isShape: (text: string) => boolean) =>
    fc
      .tuple(fc.constantFrom(...first), textFrom([...lowerCase, ...digit], middleLength, middleLength))
      .map(([head, middle]) => head + middle + last)
      .filter(isShape);
  const orderText = shaped(['p', 'r', 'v', 't'], 14, 'r', isOrderId);
  const orderNumber = fc.integer({ min: 1_000_000_000, max: 2_147_483_647 }).map(String);
  /** Ten digits, or sixteen characters that begin and end with a letter. */
  const orderId = fc.oneof(orderText, orderNumber);
  const cardRefId = shaped(lowerCase, 18, 'c', isCardRefId);
  // Merchant ids that look like parts of ours: an adversary's best choice.
  const clientOrderId = fc.oneof(
    textFrom([...digit, 'c', 'r', 'U', 'S', 'D'], 1, 30),
    fc.tuple(cardRefId, textFrom(digit, 1, 4)).map((parts) => parts.join('')),
    orderId,
  );
  const amountMinor = fc.bigInt({ min: 1n, max: 999_999_999_999n });
  const currency = textFrom([...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'], 3, 3);

  const isClientOrderId = (text: string): boolean => text.length >= 1 && text.length <= 128;
  const isAmount = (text: string): boolean => /^[1-9]\d{0,11}$/.test(text);
  const isCurrency = (text: string): boolean => /^[A-Z]{3}$/.test(text);

  /** Every split of a text into pieces of these shapes. */
  const readings = (text: string, shapes: readonly ((piece: string) => boolean)[]): string[][] => {
    const [isFirst, ...rest] = shapes;
    if (isFirst === undefined) return text === '' ? [[]] : [];
    const found: string[][] = [];
    for (let end = 0; end <= text.length; end++) {
      const piece = text.slice(0, end);
      if (isFirst(piece)) for (const tail of readings(text.slice(end), rest)) found.push([piece, ...tail]);
    }
    return found;
  };
  // The path fixes the entry point and so the login; only the rest is ambiguous.
  const ORDER = [isClientOrderId, isOrderId];
  const CARD = [isCardRefId];
  const REBILL = [isClientOrderId, isCardRefId, isAmount, isCurrency];
  const FOLLOW_UP = [isClientOrderId, isOrderId, isAmount, isCurrency];

  it('reads the text of an order status one way, for either length of order id [W491]', () => {
    fc.assert(
      fc.property(clientOrderId, orderId, (client, order) => {
        const text = client + order;
        expectSame(readings(text, ORDER), [[client, order]]);
        for (const other of [CARD, REBILL, FOLLOW_UP]) expectSame(readings(text, other), []);
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads the text of get-card-info one way', () => {
    fc.assert(
      fc.property(cardRefId, (card) => {
        expectSame(readings(card, CARD), [[card]]);
        for (const other of [ORDER, REBILL, FOLLOW_UP]) expectSame(readings(card, other), []);
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads a recurrent payment and a follow-up with an amount one way each', () => {
    fc.assert(
      fc.property(clientOrderId, cardRefId, orderText, amountMinor, currency, (client, card, order, minor, money) => {
        const rebill = [client, card, minor.toString(), money];
        const followUp = [client, order, minor.toString(), money];
        const byText = [isClientOrderId, (piece: string) => isOrderId(piece) && !isOrderNumber(piece), isAmount, isCurrency];
        expectSame(readings(rebill.join(''), REBILL), [rebill]);
        expectSame(readings(followUp.join(''), byText), [followUp]);
        for (const other of [ORDER, CARD, byText]) expectSame(readings(rebill.join(''), other), []);
        for (const other of [ORDER, CARD, REBILL]) expectSame(readings(followUp.join(''), other), []);
      }),
      { numRuns: 1_000 },
    );
  });

  it("reads a callback's status, order id of either length and client_orderid one way [W491]", () => {
    const FINAL = ['approved', 'declined', 'error', 'filtered'];
    const CALLBACK = [(piece: string) => FINAL.includes(piece), isOrderId, isClientOrderId];
    fc.assert(
      fc.property(fc.constantFrom(...FINAL), orderId, clientOrderId, (status, order, client) => {
        expectSame(readings(status + order + client, CALLBACK), [[status, order, client]]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads a follow-up by order number, where digits follow digits, as at most one existing order [W491]', () => {
    const numbers = sampleOrderNumbers();
    const KINDS: readonly OrderKind[] = ['payment', 'recurring', 'transfer'];
    fc.assert(
      fc.property(
        clientOrderId,
        fc.constantFrom(...KINDS),
        fc.nat({ max: 100_000_000 }),
        amountMinor,
        currency,
        (client, kind, place, minor, money) => {
          const orders = new Map([[client, numbers.numberAt(kind, place)]]);
          const text = [client, orders.get(client), minor.toString(), money].join('');
          const read = readings(text, FOLLOW_UP);
          // The adversary chooses every client_orderid, but the service chooses numbers.
          read.forEach(([name = ''], index) => {
            if (!orders.has(name)) orders.set(name, numbers.numberAt(kind, place + 1 + index));
          });
          const named = read.filter(([name = '', order]) => orders.get(name) === order);
          expect(named).toStrictEqual([[client, orders.get(client), minor.toString(), money]]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('gives two recurrent payments the same control only if all signed fields are equal', () => {
    const shared = { entryPoint: '1001', login: 'acme' };
    const tuple = fc.record({ clientOrderId, cardRefId, amountMinor, currency });
    fc.assert(
      fc.property(tuple, tuple, fc.subarray(['clientOrderId', 'cardRefId', 'amountMinor', 'currency'] as const), (one, other, taken) => {
        const mixed = { ...one, ...Object.fromEntries(taken.map((name) => [name, other[name]])) };
        const isSame = taken.every((name) => one[name] === other[name]);
        expectSame(isControl(rebillControl({ ...shared, ...one }, key), rebillControl({ ...shared, ...mixed }, key)), isSame);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Pairs of a tuple and another split of the same text; 1,000,000 on demand (safety, B16). */
const SIGNED_PAIRS = wholeNumber('SIGNED_PAIRS', 100_000);

describe(`safety B16: ${SIGNED_PAIRS} boundary shifts of random tuples`, () => {
  const SEED = 20_261;
  /** mulberry32: fast and deterministic. */
  const chance = (() => {
    let state = SEED;
    return (below: number): number => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
    };
  })();
  const drawn = (alphabet: string, length: number): string => {
    let text = '';
    for (let index = 0; index < length; index++) text += alphabet.charAt(chance(alphabet.length));
    return text;
  };
  const until = (isShape: (text: string) => boolean, draw: () => string): string => {
    for (let round = 0; round < 1_000; round++) {
      const text = draw();
      if (isShape(text)) return text;
    }
    throw new Error('no such text in 1,000 draws');
  };
  const DIGITS = '0123456789';
  const BASE36 = 'abcdefghijklmnopqrstuvwxyz0123456789';
  const orderText = (): string => until(isOrderId, () => `${drawn('prvt', 1)}${drawn(BASE36, 14)}r`);
  const orderId = (): string => (chance(2) === 0 ? orderText() : until(isOrderId, () => `${drawn('12', 1)}${drawn(DIGITS, 9)}`));
  const isOrderText = (text: string): boolean => isOrderId(text) && !isOrderNumber(text);
  const cardRefId = (): string => until(isCardRefId, () => `${drawn('abcdefghijklmnopqrstuvwxyz', 1)}${drawn(BASE36, 18)}c`);
  // As similar to our ids as possible.
  const clientOrderId = (): string =>
    drawn(`${DIGITS}crpUSD`, 1 + chance(12)) + (chance(3) === 0 ? orderId() : chance(2) === 0 ? cardRefId() : '');
  const amountMinor = (): string => `${1 + chance(9)}${drawn(DIGITS, chance(11))}`;
  const currency = (): string => drawn('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 3);

  const isAny = (text: string): boolean => text.length >= 1 && text.length <= 128;
  const isAmount = (text: string): boolean => /^[1-9]\d{0,11}$/.test(text);
  const isCurrency = (text: string): boolean => /^[A-Z]{3}$/.test(text);
  const SHAPES = [
    { name: 'status, create-card-ref, void', draw: () => [clientOrderId(), orderId()], fields: [isAny, isOrderId] },
    { name: 'get-card-info', draw: () => [cardRefId()], fields: [isCardRefId] },
    {
      name: 'recurrent payment',
      draw: () => [clientOrderId(), cardRefId(), amountMinor(), currency()],
      fields: [isAny, isCardRefId, isAmount, isCurrency],
    },
    {
      name: 'capture and return with an amount',
      // Numbers allow other readings, but only of existing orders (above).
      draw: () => [clientOrderId(), orderText(), amountMinor(), currency()],
      fields: [isAny, isOrderText, isAmount, isCurrency],
    },
  ] as const;

  /** The same text split for the other shape, with cuts shifted by a few characters. */
  const shifted = (pieces: readonly string[], count: number): readonly string[] => {
    const text = pieces.join('');
    const cuts = pieces.slice(0, -1).reduce<number[]>((ends, piece) => [...ends, (ends.at(-1) ?? 0) + piece.length], []);
    while (cuts.length < count - 1) cuts.push(chance(text.length));
    const moved = cuts
      .slice(0, count - 1)
      .map((cut) => Math.min(Math.max(cut + chance(9) - 4, 0), text.length))
      .sort((one, other) => one - other);
    return [...moved, text.length].map((end, index) => text.slice(index === 0 ? 0 : moved[index - 1], end));
  };

  it(
    'produce no other valid request [W491]',
    () => {
      const collisions: unknown[] = [];
      let moved = 0;
      for (let pair = 0; pair < SIGNED_PAIRS; pair++) {
        const one = SHAPES[pair % SHAPES.length];
        const other = SHAPES[chance(SHAPES.length)];
        if (one === undefined || other === undefined) throw new Error('no shape');
        const tuple = one.draw();
        const pieces = shifted(tuple, other.fields.length);
        const isSame = one === other && tuple.every((piece, index) => piece === pieces[index]);
        if (isSame) continue;
        moved++;
        if (other.fields.every((isShape, index) => isShape(pieces[index] ?? '')))
          collisions.push({ one: one.name, tuple, other: other.name, pieces });
      }
      expect(collisions).toStrictEqual([]);
      expect(moved).toBeGreaterThan(SIGNED_PAIRS * 0.9);
    },
    30_000 + SIGNED_PAIRS / 10,
  );

  it('produce other valid requests if field shapes are not enforced (safety, section 3.1)', () => {
    const isText = (text: string): boolean => text !== '';
    let collisions = 0;
    for (let pair = 0; pair < 1_000; pair++) {
      const tuple = [drawn(DIGITS, 6), drawn(DIGITS, 6)];
      const pieces = shifted(tuple, 2);
      if (pieces.every(isText) && pieces[0] !== tuple[0]) collisions++;
    }
    expect(collisions).toBeGreaterThan(500);
  });
});

describe('safety T23: control of a padded value', () => {
  it('signs the trimmed text of a form field [W269]', () => {
    const padding = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 });
    const value = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/^\s|\s$|\0/.test(text));
    fc.assert(
      fc.property(value, value, padding, padding, (client, order, before, after) => {
        const parsed = parseForm(
          Buffer.from(encodeForm([['login', `${before}acme${after}`], ['client_orderid', before + client], ['orderid', order + after]])), // prettier-ignore
        );
        if ('refused' in parsed) throw new Error(parsed.refused.message);
        const form = parsed.ok;
        const received = { login: form.text('login'), clientOrderId: form.text('client_orderid'), orderId: form.text('orderid') };
        expect(isControl(orderControl(received, key), orderControl({ login: 'acme', clientOrderId: client, orderId: order }, key))).toBe(
          true,
        );
      }),
    );
  });
});
