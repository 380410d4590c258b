import { hash } from 'node:crypto';
import { isoInstant, type Instant } from '@app/kernel';
import { eventWords, type EventWords, type TrailEvent } from '../words';
import { Html, html, dataElement } from './html';
import { STYLE } from './open-page-style';
import {
  authenticationText,
  cardText,
  day,
  deliveryText,
  disputeText,
  earlierTable,
  facts,
  type OpenPage,
  payerFacts,
  paymentText,
  refundText,
  section,
  sum,
  time,
  type TimelineEntry,
} from './page-sections';

export type { Json, OpenPage, TimelineEntry } from './page-sections';

/** An event type without words is shown by its name. */
const wordsOf = ({ type, details }: TimelineEntry): EventWords => {
  try {
    return eventWords({ type, data: details } as unknown as TrailEvent);
  } catch {
    return { title: type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase(), facts: [], tone: 'plain' };
  }
};
/** Sealed texts say nothing to the recipient. */
const SEALED = /\[sealed\]/;

const titled = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const timelineList = ({ timeline }: OpenPage): Html => {
  let lastDay = '';
  return html`<ol class="timeline">
    ${timeline.map((entry) => {
      const at = isoInstant(entry.at);
      const words = wordsOf(entry);
      const isNewDay = day(at) !== lastDay;
      lastDay = day(at);
      return html`<li class="${words.tone}">
        <time datetime="${at}">${isNewDay ? html`<b>${day(at)}</b> ` : null}${at.slice(11, 23)}</time>
        <div>
          <strong>${titled(words.title)}</strong>
          <span>${words.facts.filter((fact) => !SEALED.test(fact)).join(' · ')}</span>
          <small>${entry.of}, by ${entry.actor}</small>
        </div>
      </li>`;
    })}
  </ol>`;
};

const NEW_LINE = new Html('\n');

const appendix = ({ timeline }: OpenPage): Html => html`
  <p>
    The data of each event as recorded, personal data sealed. <code>events.ndjson</code> has the events byte for byte,
    <code>evidence.json</code> everything else.
  </p>
  ${timeline.map(
    (entry, at) =>
      html`<details>
        <summary>${at + 1}. ${entry.type}, ${isoInstant(entry.at)}</summary>
        <pre>
${JSON.stringify(entry.details, null, 2)
            .split('\n')
            .map((line) => html`${line}${NEW_LINE}`)}</pre>
      </details>`,
  )}
`;

const fieldName = (field: string): string =>
  titled(
    field
      .replace(/\[(\d+)\]/g, (_, at: string) => ` ${Number(at) + 1}`)
      .replaceAll('.', ' · ')
      .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase(),
  );

/** For the page's script: every state of the order as changes. */
const stepsData = ({ state, steps, timeline }: OpenPage): Html => {
  const ofOrder = timeline.filter(({ of }) => of === 'order');
  return dataElement('data', {
    orderId: state.orderId,
    steps: steps.steps.map(({ event, changes }, at) => ({
      title: titled(wordsOf(ofOrder[at] ?? { at: 0 as Instant, of: 'order', type: event.type, actor: '', details: null }).title),
      knownAt: event.knownAt,
      trueAt: event.trueAt,
      actor: event.actor,
      changes: changes.map(({ field, after }) => [fieldName(field), after === null ? null : String(after)]),
    })),
  });
};

const checkPart = ({ log: { origin, size } }: OpenPage): Html => html`
  <section id="check" aria-labelledby="check-title">
    <h2 id="check-title">Check this pack</h2>
    <p>
      Every event below is proven in the log <code>${origin}</code> by a signed head over ${size} events. Check the whole zip, not this page
      only. Nothing leaves your computer.
    </p>
    <div id="check-form" hidden>
      <div class="field">
        <label for="key">Published public key of the log</label>
        <input id="key" autocomplete="off" spellcheck="false" placeholder="NAME+ID+BASE64" aria-describedby="key-hint" />
        <p id="key-hint" class="note">
          Take it from where the service publishes it, never from this pack: its console offers it on the Log screen, <code>/log</code> of
          its operator port returns it as <code>publicKey</code>, and <code>orch log key show</code> prints it.
        </p>
      </div>
      <div class="field drop" id="drop">
        <label for="pack">Evidence pack (zip), chosen or dropped here</label>
        <input id="pack" type="file" accept=".zip,application/zip" />
      </div>
      <div id="result" role="status" aria-live="polite"></div>
    </div>
    <p class="note">
      A forged pack may bring a forged page. If you do not trust the source of this page, run
      <code>python3 verify.py pack.zip --key KEY</code> with the <code>verify.py</code> of the project. It applies the same rules.
    </p>
  </section>
`;

const MOMENT = html`
  <section id="moment" aria-labelledby="moment-title" hidden>
    <h2 id="moment-title">The order at a moment</h2>
    <div class="bar">
      <button type="button" id="back" aria-label="One event back">‹</button>
      <input id="at" type="range" min="0" value="0" aria-label="Event" />
      <button type="button" id="on" aria-label="One event on">›</button>
    </div>
    <div role="status" aria-live="polite" id="moment-words"></div>
    <table class="state">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody id="state"></tbody>
    </table>
  </section>
`;

/** Byte for byte, as the policy names its digest. */
const element = (name: 'style' | 'script', text: string): Html => new Html(`<${name}>${text}</${name}>`);

const digestOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/**
 * The evidence for people: a single file that loads nothing, to read, print and check.
 * @param script checks packs and steps through the order; without it the page only shows
 */
export const openPage = (page: OpenPage, script: string): string => {
  const { state, at } = page;
  const { orderId, clientOrderId, merchant, amount, currency, card } = state;
  const policy = `default-src 'none'; base-uri 'none'; form-action 'none'; style-src ${digestOf(STYLE)}; script-src ${script === '' ? "'none'" : digestOf(script)}`;
  const title = `${sum(amount, currency)}, ${merchant}, order ${orderId}`;
  const end = state.finalAt ?? state.acceptedAt;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${new Html(policy)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${element('style', STYLE)}
      </head>
      <body>
        <header>
          <p class="eyebrow">Evidence of a payment, as of ${time(isoInstant(at))}</p>
          <h1>${sum(amount, currency)}</h1>
          <p class="lead">${merchant}, ${day(end)}${card === null ? null : `, ${cardText(card) ?? ''}`}</p>
          <p id="verdict" class="verdict" hidden>Not checked in this browser yet. <a href="#check">Check this pack</a></p>
        </header>
        <main>
          ${section(
            'The payment',
            paymentText(page),
            facts([
              ['Amount', sum(amount, currency)],
              ['Date', time(end)],
              ['Text on the statement', state.descriptor],
              ['Merchant', merchant],
              ['Card', cardText(card)],
              ['Order', orderId],
              ['Merchant’s order number', clientOrderId],
              ['Retrieval reference number', state.rrn],
              ['Approval code', state.approvalCode],
              ['Gate’s transaction', state.transactionId],
            ]),
          )}
          ${section('How the payer authenticated', authenticationText(page))}
          ${section('What was delivered and confirmed', deliveryText(page))} ${section('Refunds', refundText(page))} ${disputeText(page)}
          ${section('The payer', payerFacts(page))} ${section('Earlier undisputed orders', earlierTable(page))} ${checkPart(page)} ${MOMENT}
          ${section('Timeline', timelineList(page))}
          <section class="appendix">
            <h2>Appendix: raw data</h2>
            ${appendix(page)}
          </section>
        </main>
        ${stepsData(page)} ${script === '' ? null : element('script', script)}
      </body>
    </html> `.text;
};
