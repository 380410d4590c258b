import fc from 'fast-check';
import { isRejection, type Sealed } from '@app/kernel';
import { deciderSpec } from '@app/testing';
import {
  answerCheck,
  cardId,
  checked,
  digest,
  facts,
  invoiceCard,
  later,
  mapped,
  openInvoice,
  opened,
  recordCards,
} from '../testing/sample-merchant-server';
import { ACCESS_TOKEN_LIFE_MS, MERCHANT_SERVER_OPERATIONS } from './terms';
import { invoice, type InvoiceCommand, type InvoiceEvent } from './invoice';

const { given } = deciderSpec(invoice);
const isChecked = given(opened, checked()).state;
const isMapped = given(opened, checked(), mapped).state;
if (isChecked.status !== 'checked' || isMapped.status !== 'mapped') throw new Error('the sample is wrong');

const wrong = [
  ['operation', { operation: 'transfer' }],
  ['access token', { accessToken: digest('other') }],
  ['serial number', { serialNumber: digest('other') }],
] as const;

describe('an invoice', () => {
  it('is opened once', () => {
    given().when(openInvoice).then(opened);
    given(opened).when(openInvoice).thenRejected({ reason: 'invoice-opened-before' });
  });

  it('records the session token of its check, and accepts a repeat as the same check', () => {
    given(opened).when(answerCheck()).then(checked());
    given(opened, checked()).when(answerCheck()).thenRejected({ reason: 'accepted-before', invoice: isChecked });
    given(opened, checked(), mapped)
      .when(answerCheck({ now: later(ACCESS_TOKEN_LIFE_MS * 100) }))
      .thenRejected({ reason: 'accepted-before', invoice: isMapped });
  });

  it('repeats the first answer to a check even if the facts have changed', () => {
    const changed = { session: facts.session, randomSum: 'sealed-sum' as Sealed };
    given(opened, checked())
      .when(answerCheck({ facts: changed }))
      .thenRejected({ reason: 'accepted-before', invoice: isChecked });
  });

  it('rejects a check with another session token (protocol decisions, section 8)', () => {
    const other = { ...facts, session: digest('another session') };
    given(opened, checked())
      .when(answerCheck({ facts: other }))
      .thenRejected({ reason: 'other-session' });
    given(opened, checked(), mapped)
      .when(answerCheck({ facts: other }))
      .thenRejected({ reason: 'other-session' });
  });

  it.each(['source', 'destination'] as const)('rejects a repeated check with another %s card', (use) => {
    const named = { ...facts, [use]: { clientCardId: cardId('another'), serverCardId: 'c' } };
    given(opened, checked())
      .when(answerCheck({ facts: named }))
      .thenRejected({ reason: 'other-session' });
  });

  it.each([...wrong, ['nonce', { nonce: digest('other') }]] as const)(
    'rejects a check with a wrong %s (safety, section 3.1)',
    (_, data) => {
      given(opened).when(answerCheck(data)).thenRejected({ reason: 'not-this-invoice' });
      given(opened, checked()).when(answerCheck(data)).thenRejected({ reason: 'not-this-invoice' });
    },
  );

  it('rejects a first check after the lifetime of an access token', () => {
    const now = later(ACCESS_TOKEN_LIFE_MS - 1);
    given(opened)
      .when(answerCheck({ now }))
      .then(checked({ answeredAt: now }));
    given(opened)
      .when(answerCheck({ now: later(ACCESS_TOKEN_LIFE_MS) }))
      .thenRejected({ reason: 'invoice-expired' });
  });

  it('accepts cards only after a check, and accepts the same cards again', () => {
    given(opened, checked()).when(recordCards()).then(mapped);
    given(opened, checked(), mapped).when(recordCards()).thenRejected({ reason: 'accepted-before', invoice: isMapped });
    given(opened).when(recordCards()).thenRejected({ reason: 'other-session' });
  });

  it.each([
    ['another card', { source: { ...invoiceCard, uniqueReferenceCardId: '987654321' } }],
    ['another name', { source: { ...invoiceCard, clientCardId: cardId('another') } }],
    ['one card more', { source: invoiceCard, destination: invoiceCard }],
    ['no card', {}],
  ])('rejects %s after its cards are recorded', (_, cards) => {
    given(opened, checked(), mapped).when(recordCards({ cards })).thenRejected({ reason: 'other-session' });
  });

  it.each(wrong)('rejects cards with a wrong %s', (_, data) => {
    given(opened, checked()).when(recordCards(data)).thenRejected({ reason: 'not-this-invoice' });
    given(opened, checked(), mapped).when(recordCards(data)).thenRejected({ reason: 'not-this-invoice' });
  });

  it('rejects cards of another session', () => {
    given(opened, checked())
      .when(recordCards({ session: digest('another') }))
      .thenRejected({ reason: 'other-session' });
  });

  it('is rejected as unknown if it was never opened', () => {
    given().when(answerCheck()).thenRejected({ reason: 'unknown-invoice' });
    given().when(recordCards()).thenRejected({ reason: 'unknown-invoice' });
  });

  it('throws for events out of order', () => {
    expect(() => given(opened, opened)).toThrow('InvoiceOpened twice');
    expect(() => given(checked())).toThrow('CheckAnswered of an invoice that is none');
    expect(() => given(opened, mapped)).toThrow('CardsMapped of an invoice that is opened');
  });

  it('accepts at most one session token for any sequence of commands', () => {
    const name = fc.constantFrom('token', 'serial', 'nonce', 'session', 'a', 'b');
    const command = fc.oneof(
      fc.constant<InvoiceCommand>(openInvoice),
      fc
        .record({ operation: fc.constantFrom(...MERCHANT_SERVER_OPERATIONS), token: name, serial: name, nonce: name, session: name })
        .map(({ operation, token, serial, nonce, session }): InvoiceCommand =>
          answerCheck({
            operation,
            accessToken: digest(token),
            serialNumber: digest(serial),
            nonce: digest(nonce),
            facts: { session: digest(session) },
          }),
        ),
      fc.constantFrom('a', 'b', 'session').map((session): InvoiceCommand => answerCheck({ facts: { session: digest(session) } })),
      fc.constantFrom('a', 'b', 'session').map((session): InvoiceCommand => recordCards({ session: digest(session) })),
    );
    let acceptedCount = 0;
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        const events: InvoiceEvent[] = [];
        const accepted = new Set<string>();
        for (const one of [openInvoice, ...commands]) {
          const { decision } = given(...events).when(one);
          const isAccepted = !isRejection<InvoiceEvent, { reason: string }>(decision) || decision.reason === 'accepted-before';
          if (one.type === 'AnswerCheck' && isAccepted) accepted.add(one.data.facts.session);
          if (!isRejection(decision)) events.push(...decision);
        }
        acceptedCount += accepted.size;
        expect(accepted.size).toBeLessThanOrEqual(1);
        expect(events.filter(({ type }) => type === 'CheckAnswered')).toHaveLength(accepted.size);
      }),
    );
    expect(acceptedCount).toBeGreaterThan(0);
  });
});
