import { isoInstant, type Instant } from '@app/kernel';
import type { OrderState } from '../as-of/dated-events';
import type { OrderSteps } from '../as-of/order-steps';
import type { Consumer, EarlierOrders } from './earlier-orders';
import { html, type Html } from './html';

/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

export interface TimelineEntry {
  readonly at: Instant;
  /** Subject of the event: the order, a card reference, a delivery, an operator. */
  readonly of: string;
  readonly type: string;
  readonly actor: string;
  readonly details: Json;
}

export interface OpenPage {
  /** The order at the pack's time. */
  readonly state: OrderState;
  readonly steps: OrderSteps;
  /** Undefined if the personal data were erased. */
  readonly consumer: Consumer | undefined;
  readonly earlierOrders: EarlierOrders;
  readonly timeline: readonly TimelineEntry[];
  /** Events recorded later are not in the pack. */
  readonly at: Instant;
  readonly log: { readonly origin: string; readonly size: number };
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
export const day = (iso: string): string => `${Number(iso.slice(8, 10))} ${MONTHS[Number(iso.slice(5, 7)) - 1] ?? ''} ${iso.slice(0, 4)}`;
const clock = (iso: string): string => `${iso.slice(11, 19)} UTC`;
export const time = (iso: string): Html => html`<time datetime="${iso}">${day(iso)}, ${clock(iso)}</time>`;
export const sum = (amount: string, currency: string): string => `${amount} ${currency}`;
const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
const oneOf = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1) ?? ''}`;

type Facts = readonly (readonly [name: string, value: Html | string | null])[];
export const facts = (rows: Facts): Html => {
  const known = rows.filter(([, value]) => value !== null && value !== '');
  return html`<dl>
    ${known.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
};
export const section = (title: string, ...parts: readonly Html[]): Html =>
  html`<section>
    <h2>${title}</h2>
    ${parts}
  </section>`;
const paragraph = (text: string | Html): Html => html`<p>${text}</p>`;

export const cardText = (card: OrderState['card']): string | null =>
  card === null ? null : `${card.brand} ${card.bin}••••••${card.lastFour}`;

const STATUS_TEXTS: Readonly<Record<string, readonly [verb: string, meaning: string]>> = {
  approved: ['was approved', ''],
  declined: ['was declined', ': no money moved'],
  chain_declined: ['was declined', ': no money moved'],
  filtered: ['was refused', ' before a gate was asked: no money moved'],
  error: ['failed', ': no money moved'],
  unknown: ['has an unknown outcome', ': money may have moved'],
  processing: ['was not completed yet', ''],
};

const isEntry =
  (...types: readonly string[]) =>
  ({ type }: TimelineEntry): boolean =>
    types.includes(type);

const memberOf = (details: Json, name: string): Json => {
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return null;
  return (details as { readonly [name: string]: Json })[name] ?? null;
};
const textMember = (details: Json, name: string): string => {
  const value = memberOf(details, name);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

export const paymentText = ({ state }: OpenPage): Html => {
  const { amount, currency, merchant, card, acceptedAt, gate, approvalCode, finalAt, status } = state;
  const how = card === null ? '' : ` with the card ${cardText(card) ?? ''}`;
  const by = gate === null ? '' : ` at gate ${gate}`;
  const end = finalAt === null ? '' : ` on ${day(finalAt)}, ${clock(finalAt)}`;
  const [verb, meaning] = STATUS_TEXTS[status] ?? [`has the status ${status}`, ''];
  const code = approvalCode === null || approvalCode === '' ? '' : ` Its approval code is ${approvalCode}.`;
  return html`<p>
    The merchant ${merchant} asked for a ${state.kind === 'transfer' ? 'transfer' : 'payment'} of ${sum(amount, currency)}${how} on
    ${time(acceptedAt)}. It ${verb}${by}${end}${meaning}.${code}
  </p>`;
};

const AUTHENTICATION_TEXTS: Readonly<Record<string, string>> = {
  AUTHENTICATED: 'The issuer confirmed the payer by 3-D Secure',
  NOT_AUTHENTICATED: 'The issuer did not confirm the payer by 3-D Secure',
  UNSUPPORTED: 'The card or its issuer does not support 3-D Secure',
  UNKNOWN: 'The gate did not report the result of 3-D Secure',
};

export const authenticationText = ({ state: { payerAuthentication, eci }, timeline }: OpenPage): Html => {
  const sentences: Html[] = [];
  const sent = timeline.findLast(isEntry('PayerChallenged'));
  const back = timeline.findLast(isEntry('PayerReturned'));
  if (sent !== undefined) sentences.push(html`The payer was sent to authenticate on ${time(isoInstant(sent.at))}. `);
  if (back !== undefined) sentences.push(html`The payer came back on ${time(isoInstant(back.at))}. `);
  if (timeline.some(isEntry('RandomSumWithdrawn')))
    sentences.push(html`A random amount was withdrawn from the card, for the payer to name it. `);
  const indicator = eci === null ? '' : ` (electronic commerce indicator ${eci})`;
  if (payerAuthentication !== null)
    sentences.push(html`${AUTHENTICATION_TEXTS[payerAuthentication] ?? `The gate reported ${payerAuthentication}`}${indicator}. `);
  else if (eci !== null) sentences.push(html`The gate reported the electronic commerce indicator ${eci}. `);
  return sentences.length === 0
    ? paragraph('The payer was not asked to authenticate: the gate reported no 3-D Secure result.')
    : html`<p>${sentences}</p>`;
};

export const deliveryText = ({ state: { merchant }, consumer, timeline }: OpenPage): Html => {
  const purpose = consumer?.description ?? consumer?.purpose;
  const delivered = timeline.filter(isEntry('CallbackDelivered'));
  const failed = timeline.filter(isEntry('CallbackExhausted'));
  return html`${paragraph(
      purpose === undefined || purpose === ''
        ? 'The order has no description.'
        : html`The merchant described the order as: <q>${purpose}</q>.`,
    )}${delivered.map((entry) =>
      paragraph(
        html`The outcome was delivered to ${merchant} on ${time(isoInstant(entry.at))}; the merchant’s system confirmed it with HTTP
        ${textMember(entry.details, 'status')}.`,
      ),
    )}${failed.map((entry) =>
      paragraph(html`The outcome could not be delivered to ${merchant}; the last attempt failed on ${time(isoInstant(entry.at))}.`),
    )}${
      delivered.length + failed.length === 0
        ? paragraph('No delivery of the outcome to the merchant’s system is recorded; the merchant may have asked for it.')
        : null
    }
    <p class="note">Shipment of goods is not part of this record. The merchant adds proof of it.</p>`;
};

const FOLLOW_UP_TEXTS: Readonly<Record<string, string>> = {
  reversal: 'refunded',
  cancel: 'cancelled',
  void: 'voided',
};
const FOLLOW_UP_STATUS: Readonly<Record<string, string>> = {
  declined: 'was declined',
  error: 'failed',
  unknown: 'has an unknown outcome',
  processing: 'was not completed yet',
};

export const refundText = ({ state: { followUps, reports, currency } }: OpenPage): Html => {
  const refunds = followUps.filter(({ operation }) => operation !== 'capture');
  const reversals = reports.filter(({ kind, misfit }) => kind === 'reversal' && misfit === null);
  if (refunds.length + reversals.length === 0) return paragraph('Nothing was refunded or cancelled.');
  return html`${refunds.map(({ operation, amount, status, acceptedAt, finalAt }) => {
    const done = FOLLOW_UP_TEXTS[operation] ?? operation;
    return paragraph(
      status === 'approved'
        ? html`${sum(amount, currency)} was ${done} on ${time(finalAt ?? acceptedAt)}.`
        : html`A request of ${time(acceptedAt)} for ${sum(amount, currency)} to be ${done} ${FOLLOW_UP_STATUS[status] ?? `is ${status}`}.`,
    );
  })}${reversals.map(({ amount, currency: paid, receivedAt }) =>
    paragraph(html`The gate reported on ${time(receivedAt)} that ${sum(amount ?? '', paid ?? '')} was reversed.`),
  )}`;
};

const REPORT_TEXTS: Readonly<Record<string, string>> = {
  chargeback: 'A chargeback',
  'fraud-warning': 'A fraud warning',
  representment: 'The result of a representment',
};

export const disputeText = ({ state: { reports } }: OpenPage): Html | null => {
  const disputes = reports.filter(({ kind, misfit }) => kind !== 'reversal' && misfit === null);
  if (disputes.length === 0) return null;
  return section(
    'The dispute',
    ...disputes.map((report) => {
      const amount = report.amount === null ? '' : ` of ${sum(report.amount, report.currency ?? '')}`;
      const reason = report.reasonCode === null ? '' : `, reason code ${report.reasonCode}`;
      const stage = report.stage === null ? '' : `, ${report.stage} stage`;
      const outcome = report.outcome === null ? '' : `: ${report.outcome}`;
      return html`<p>
        ${REPORT_TEXTS[report.kind] ?? report.kind}${amount} was recorded on ${time(report.receivedAt)}${outcome}: case
        ${report.case}${reason}${stage}.
        ${report.respondBy === undefined ? null : html`The last day to contest it is ${day(report.respondBy)}.`}
      </p>`;
    }),
  );
};

const ADDRESS = ['address1', 'street2', 'zipCode', 'city', 'state', 'country'] as const;

export const payerFacts = ({ consumer }: OpenPage): Html => {
  if (consumer === undefined) return paragraph('The payer’s personal data were erased.');
  const name = consumer.holder ?? [consumer.firstName, consumer.lastName].filter(Boolean).join(' ');
  const address = ADDRESS.map((part) => consumer[part] ?? '').filter((text) => text !== '');
  return facts([
    ['Name', name],
    ['E-mail', consumer.email ?? null],
    ['Phone', consumer.phone ?? consumer.cellPhone ?? null],
    ['Address', address.join(', ')],
    ['IP address', consumer.ipAddress ?? consumer.ipAddresses ?? null],
    ['Device', consumer.serialNumber ?? consumer.imei ?? null],
    ['Site', consumer.siteUrl ?? null],
  ]);
};

const MATCHES = [
  ['ipAddress', 'IP address', 'IP address'],
  ['device', 'Device', 'device'],
  ['email', 'E-mail', 'e-mail'],
  ['address', 'Postal address', 'postal address'],
] as const;

export const earlierTable = ({ earlierOrders: { orders, looked, isCut, unreadable } }: OpenPage): Html => {
  if (orders.length === 0)
    return paragraph(`Of ${counted(looked, 'earlier order')} of this card with this merchant, none was approved and undisputed.`);
  const matching = orders.filter(({ sameAs }) => sameAs !== null && MATCHES.some(([name]) => sameAs[name])).length;
  const shared = MATCHES.filter(([name]) => orders.some(({ sameAs }) => sameAs?.[name] === true)).map(([, , text]) => text);
  const who =
    matching === orders.length
      ? matching === 1
        ? 'It has'
        : 'All of them have'
      : `${matching} of them ${matching === 1 ? 'has' : 'have'}`;
  const match = matching === 0 ? 'None has payer data in common with this one' : `${who} the same ${oneOf(shared)} as this one`;
  const cell = (isSame: boolean | undefined): Html =>
    isSame === true
      ? html`<td class="match">
          <b><i aria-hidden="true">✓</i> <span>same</span></b>
        </td>`
      : html`<td class="match">${isSame === false ? '–' : '?'}</td>`;
  return html`<p>
      ${counted(orders.length, 'earlier order')} of this card with this merchant ${orders.length === 1 ? 'was' : 'were'} approved and never
      disputed. ${match}. ${isCut ? 'The card has more orders than a pack covers.' : null}
      ${unreadable === 0 ? null : `${counted(unreadable, 'further order')} could not be read.`}
    </p>
    <table class="earlier">
      <thead>
        <tr>
          <th scope="col">Order</th>
          <th scope="col" class="amount">Amount</th>
          ${MATCHES.map(([, text]) => html`<th scope="col" class="match">${text}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${orders.map(
          ({ acceptedAt, orderId, amount, currency, sameAs }) =>
            html`<tr>
              <th scope="row">${day(acceptedAt)}<small>${orderId}</small></th>
              <td class="amount">${sum(amount, currency)}</td>
              ${MATCHES.map(([name]) => cell(sameAs?.[name]))}
            </tr>`,
        )}
      </tbody>
    </table>`;
};
