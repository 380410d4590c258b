import { timeEnoughFor, timeOver } from '../call-limit';
import { readFileSync } from 'node:fs';
import type { ChargeAnswer, ChargeRequest, GateCapability, InquiryAnswer, SentRequest } from '@app/gateway-adapters/contract';
import type { AttemptKey, Currency } from '@app/kernel';
import { expectApproved, expectDeclined, inquiryAt, isRefusedAgain, neverReceived, textOf } from './expected-gate-answers';
import { itFollowsUp } from './follow-ups';
import { completeAt, itCompletesAuthentications, itHostsAuthentications } from './payer-authentication';
import { itChargesRegisteredCards } from './registered-cards';
import { itTransfers, transferAt } from './transfers';
import { itListens } from './listening';
import { itWithdrawsRandomSums } from './random-sums';
import { itSurvivesTheWire } from './wire-faults';
import type { GateTraits, GateUnderContract, WantedAnswer } from './gate-under-contract';

const SAME_TIME = 5;
const ALIAS = /^(?!status$)[a-z0-9-]{1,64}$/;
const CURRENCY = /^[A-Z]{3}$/;
const UNKNOWN_KEY = '00000000-0000-4000-8000-000000000000' as AttemptKey;

const CAPABILITIES = {
  authorising: ({ operations }) => operations.includes('authorise'),
  verifying: ({ operations }) => operations.includes('verify'),
  capturing: ({ operations }) => operations.includes('capture'),
  returning: ({ operations }) => operations.includes('return'),
  voiding: ({ operations }) => operations.includes('void'),
  transferring: ({ transfers }) => transfers,
  quoting: ({ quotes }) => quotes,
  rebilling: ({ tokens }) => tokens !== undefined,
  registering: ({ tokens }) => tokens === 'registration',
} as const satisfies Partial<Record<GateCapability, (traits: GateTraits) => boolean>>;

const base64Cores = (text: string): readonly Buffer[] =>
  [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]).toString('base64url');
    return Buffer.from(encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + text.length) * 4) / 3)));
  });

/** The encodings in which a text may be hidden in bytes (safety, section 5.6), by name. */
const encodingsOf = (text: string): ReadonlyMap<string, Buffer> => {
  const groups = text.match(/.{1,4}/g) ?? [];
  const [first, second, third] = base64Cores(text);
  const hex = Buffer.from(text).toString('hex');
  return new Map([
    ['plain', Buffer.from(text)],
    ['spaced', Buffer.from(groups.join(' '))],
    ['dashed', Buffer.from(groups.join('-'))],
    ['reversed', Buffer.from([...text].reverse().join(''))],
    ['hex', Buffer.from(hex)],
    ['upper-case hex', Buffer.from(hex.toUpperCase())],
    ['UTF-16LE', Buffer.from(text, 'utf16le')],
    ['UTF-16BE', Buffer.from(text, 'utf16le').swap16()],
    ['base64', first ?? Buffer.from(text)],
    ['base64, shifted by one', second ?? Buffer.from(text)],
    ['base64, shifted by two', third ?? Buffer.from(text)],
  ]);
};

const tracesOf = (text: string, bytes: Uint8Array): readonly string[] => {
  const haystack = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return [...encodingsOf(text)].filter(([, needle]) => haystack.includes(needle)).map(([name]) => name);
};

/** Rules for every adapter, whatever gate is behind it (architecture, rules 4 and 12; safety, I1, I1b, I9, F1 and F2). */
export const describeGateContract = (name: string, traits: GateTraits, open: () => Promise<GateUnderContract>): void => {
  describe(`the gate contract, kept by ${name}`, () => {
    let world: GateUnderContract;
    beforeEach(async () => (world = await open()));
    afterEach(() => world.close());

    const charge = (request: ChargeRequest): Promise<ChargeAnswer> => {
      const { charging } = world.gate;
      if (charging === undefined) throw new Error('the gate cannot charge');
      return charging.charge(request, timeEnoughFor(request));
    };
    const inquire = (sent: SentRequest, gate = world.gate): Promise<InquiryAnswer> => inquiryAt(gate, sent);

    it('has a valid profile and valid limits', () => {
      const { alias, currencies, longestFlightMs, descriptor, threeDSecure, cvvRequired } = world.gate.profile;
      expect(alias).toMatch(ALIAS);
      expect(currencies.length).toBeGreaterThan(0);
      expect(new Set(currencies).size).toBe(currencies.length);
      for (const currency of currencies) expect(currency).toMatch(CURRENCY);
      expect(Number.isFinite(longestFlightMs) && longestFlightMs > 0).toBe(true);
      expect(descriptor).not.toBe('');
      expect({ threeDSecure, cvvRequired }).toEqual({ threeDSecure: traits.authentication !== 'none', cvvRequired: traits.cvvRequired });
      const { payerAuthentication = 'none' } = world.gate;
      expect(typeof payerAuthentication === 'string' ? payerAuthentication : 'completed').toBe(traits.authentication);
    });

    it('has exactly the capabilities that its traits declare', () => {
      const had = Object.keys(CAPABILITIES).filter((name) => world.gate[name as keyof typeof CAPABILITIES] !== undefined);
      expect(had).toEqual(Object.keys(CAPABILITIES).filter((name) => CAPABILITIES[name as keyof typeof CAPABILITIES](traits)));
    });

    it('answers an inquiry like the charge: approved', async () => {
      const request = world.request('approved');
      const answer = expectApproved(await charge(request));
      expect(await inquire(request)).toEqual(answer);
      expect(world.approvedCharges(request.orderId)).toBe(1);
    });

    it('answers an inquiry like the charge: declined', async () => {
      const request = world.request('declined');
      const answer = expectDeclined(await charge(request));
      expect(await inquire(request)).toEqual(answer);
      expect(world.approvedCharges(request.orderId)).toBe(0);
    });

    it('reports a final result after an unknown outcome, and does not change it', async () => {
      const request = world.request('unknown');
      expect((await charge(request)).kind).toBe('unknown');
      await world.settle();
      const settled = await inquire(request);
      expect(['approved', 'declined']).toContain(settled.kind);
      await world.settle();
      expect(await inquire(request)).toEqual(settled);
      expect(world.approvedCharges(request.orderId)).toBe(settled.kind === 'approved' ? 1 : 0);
    });

    it('reports an unknown key as never received, also when asked again', async () => {
      const unknown = { ...world.request('approved'), key: UNKNOWN_KEY };
      expect(await inquire(unknown)).toEqual(neverReceived(traits));
      expect(await inquire(unknown)).toEqual(neverReceived(traits));
    });

    it('charges once per key if repeated, concurrent, or with another amount', async () => {
      const request = world.request('approved');
      const answers = await Promise.all(Array.from({ length: SAME_TIME }, () => charge(request)));
      const dearer = { ...request.amount, minor: request.amount.minor + 100n };
      for (const answer of answers) expect(answer).toEqual(expectApproved(answers[0] ?? answer));
      const other = await charge({ ...request, amount: dearer });
      if (other.kind !== 'unknown' && !isRefusedAgain(other, traits)) expect(other).toEqual(answers[0]);
      expect(world.approvedCharges(request.orderId)).toBe(1);
    });

    it('gives the same answer to another process', async () => {
      const request = world.request('approved');
      const answer = await charge(request);
      expect(await inquire(request, await world.inAnotherProcess())).toEqual(answer);
    });

    it('refuses another currency than its own without recording the request', async () => {
      const request = world.request('approved');
      const otherCurrency = { minor: request.amount.minor, currency: 'XTS' as Currency };
      expect(world.gate.profile.currencies).not.toContain(otherCurrency.currency);
      expect(await charge({ ...request, amount: otherCurrency })).toEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
      expect(await inquire(request)).toEqual(neverReceived(traits));
    });

    it("sends nothing after the call's time limit, and returns a result without throwing", async () => {
      const { charging, inquiring } = world.gate;
      const request = world.request('approved');
      const answer = await charging?.charge(request, timeOver());
      expect(['unknown', 'not-asked']).toContain(answer?.kind);
      expect(await inquiring?.inquire(request, timeOver())).toEqual({ kind: 'unknown', cause: expect.any(String) as string });
      await world.settle();
      expect(await inquire(request)).toEqual(neverReceived(traits));
      expect(world.approvedCharges(request.orderId)).toBe(0);
    });

    itFollowsUp(() => world, traits);
    if (traits.transfers) itTransfers(() => world, traits);
    it(`${traits.listens ? 'listens' : 'does not listen'} to notifications of the acquirer`, () =>
      expect(world.gate.listening !== undefined).toBe(traits.listens || traits.answersRequests === true));
    if (traits.listens) itListens(() => world, traits);
    if (traits.tokens !== undefined) itChargesRegisteredCards(() => world, traits);
    if (traits.wireFaults === 'here') itSurvivesTheWire(() => world);
    if (traits.withdrawsRandomSum) itWithdrawsRandomSums(() => world, traits);

    if (traits.cvvRequired) {
      it('refuses a charge without a required CVV, without recording the request', async () => {
        const { cvv: _cvv, ...request } = world.request('approved');
        expect(await charge(request)).toEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
        expect(await inquire(request)).toEqual(neverReceived(traits));
      });
    }

    if (traits.authentication === 'completed') itCompletesAuthentications(() => world);
    if (traits.authentication === 'hosted') itHostsAuthentications(() => world);

    it('exposes and stores no card number or CVV in answers, errors and files', async () => {
      const wanted: readonly WantedAnswer[] = [
        'approved',
        'declined',
        'unknown',
        ...(traits.authentication === 'none' ? [] : ['payer-needed' as const]),
      ];
      const charges = wanted.map((answer) => world.request(answer));
      const transfers = traits.transfers ? wanted.map((answer) => world.transfer(answer)) : [];
      const asks: readonly (() => Promise<ChargeAnswer>)[] = [
        ...charges.map((request) => () => charge(request)),
        ...transfers.map((request) => () => transferAt(world.gate, request)),
      ];
      const requests = [...charges, ...transfers];
      const answers: unknown[] = [];
      for (const [index, request] of requests.entries()) {
        answers.push(await asks[index]?.(), await inquire(request));
        if (traits.authentication === 'completed') answers.push(await completeAt(world, request, world.payer.passes));
      }
      const files = world.files().map((path) => readFileSync(path));
      expect(files.length).toBeGreaterThan(0);
      await world.close();
      files.push(...world.files().map((path) => readFileSync(path)));
      for (const ask of asks) answers.push(await ask().catch((error: unknown) => String((error as Error).stack)));
      const shown = Buffer.from(textOf(answers));
      for (const { cvv } of requests) if (cvv !== undefined) expect(shown.includes(`"${cvv.reveal()}"`)).toBe(false);
      const numbers = [...requests.map(({ card }) => card.reveal()), ...transfers.map(({ destination }) => destination.reveal())];
      for (const { number } of numbers)
        expect([...tracesOf(number, shown), ...files.flatMap((bytes) => tracesOf(number, bytes))]).toEqual([]);
      // Proves that the scanner finds a planted number; a broken scanner would always pass.
      const [{ number: planted = '' } = {}] = numbers;
      for (const before of ['', 'a', 'ab']) {
        const text = Buffer.from(`${before}${planted};`);
        const hidden = [
          text,
          Buffer.from(text.toString('hex')),
          Buffer.from(text.toString('base64')),
          Buffer.from(text.toString(), 'utf16le'),
        ];
        expect(hidden.map((bytes) => tracesOf(planted, bytes).length > 0)).toEqual(hidden.map(() => true));
      }
    });
  });
};
