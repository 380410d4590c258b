import { hash } from 'node:crypto';
import type { Instant } from '@app/kernel';
import { openPage, type OpenPage } from './open-page';
import { samplePage } from './testing/sample-page';

const REST = { at: 1_797_000_000_000 as Instant, log: { origin: 'log-1', size: 4_711 } };
const pageOf = (change: (page: ReturnType<typeof samplePage>) => Partial<OpenPage> = () => ({}), script = ''): string => {
  const page = samplePage();
  return openPage({ ...page, ...REST, ...change(page) }, script);
};
/** As a reader sees it: no markup, one space between words. */
const textOf = (page: string): string =>
  page
    .replace(/<(style|script)[^]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
const withState = (change: Partial<OpenPage['state']>): string => pageOf(({ state }) => ({ state: { ...state, ...change } }));

describe('open.html', () => {
  it('tells the payment in sentences', () => {
    const text = textOf(pageOf());
    for (const sentence of [
      'acme, 29 November 2026, VISA 444433••••••1111',
      'The merchant acme asked for a payment of 87.10 USD with the card VISA 444433••••••1111 on 29 November 2026, 00:45:20 UTC .',
      'It was approved at gate sim-a on 29 November 2026, 00:46:22 UTC. Its approval code is Z9C4AX.',
      'Text on the statement ACME*TICKETS',
      'The issuer confirmed the payer by 3-D Secure (electronic commerce indicator 05).',
      'the merchant’s system confirmed it with HTTP 200.',
      '20.00 USD was refunded on 29 November 2026, 02:45:21 UTC .',
      'A chargeback of 67.10 USD was recorded on 10 December 2026, 14:32:00 UTC : case CB-4711, reason code 10.4, first stage.',
      'The last day to contest it is 22 December 2026.',
      '3 earlier orders of this card with this merchant were approved and never disputed.',
      'All of them have the same IP address, e-mail or postal address as this one.',
      'Payer must authenticate transaction PNTEST-1',
    ])
      expect(text).toContain(sentence);
    expect(text).not.toContain('[sealed] ·');
  });

  it.each<[string, () => string, string]>([
    [
      'a declined order',
      () => withState({ status: 'declined', approvalCode: null }),
      'It was declined at gate sim-a on 29 November 2026, 00:46:22 UTC: no money moved.',
    ],
    [
      'an unknown outcome',
      () => withState({ status: 'unknown', finalAt: null }),
      'It has an unknown outcome at gate sim-a: money may have moved.',
    ],
    [
      'a payer who was not asked',
      () => pageOf(({ state }) => ({ state: { ...state, payerAuthentication: null, eci: null }, timeline: [] })),
      'The payer was not asked to authenticate: the gate reported no 3-D Secure result.',
    ],
    ['no refund', () => withState({ followUps: [] }), 'Nothing was refunded or cancelled.'],
    ['erased data', () => pageOf(() => ({ consumer: undefined })), 'The payer’s personal data were erased.'],
    [
      'no earlier order',
      () => pageOf(({ earlierOrders }) => ({ earlierOrders: { ...earlierOrders, orders: [] } })),
      'Of 4 earlier orders of this card with this merchant, none was approved and undisputed.',
    ],
    ['an order without a card', () => withState({ card: null }), 'acme, 29 November 2026 '],
  ])('has words for %s', (_what, page, text) => {
    expect(textOf(page())).toContain(text);
  });

  it('leaves out the dispute if there is none', () => {
    expect(withState({ reports: [] })).not.toContain('The dispute');
  });

  it('shows hostile texts as texts, in the page and in its data', () => {
    const page = pageOf(undefined, 'start();');
    expect(page).toContain('Two tickets &lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain('JANE &lt;b&gt;DOE&lt;/b&gt;');
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page.match(/<script[^>]*>/g)).toStrictEqual(['<script type="application/json" id="data">', '<script>']);
    expect(page).not.toMatch(/<(?:img|link|iframe|b>DOE)|src=(?!x)|url\(|https?:/);
    const hostile = pageOf(({ steps }) => ({
      steps: {
        ...steps,
        steps: steps.steps.map((step) => ({ ...step, changes: [{ field: 'a', before: null, after: '</script><!--\u2028' }] })),
      },
    }));
    expect(hostile).toContain('\\u003c/script\\u003e\\u003c!--\\u2028');
  });

  it('shows control and bidirectional characters as codes', () => {
    const page = pageOf(({ consumer }) => ({ consumer: { ...consumer, holder: 'DOE \u202e\u2066ENAJ\u0007', city: '\u200bRiga' } }));
    expect(page).toContain('DOE \\u{202e}\\u{2066}ENAJ\\u{7}');
    expect(page).toContain('\\u{200b}Riga');
    expect(page).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  it('allows its own style and script only, by their digests', () => {
    const page = pageOf(undefined, 'start();');
    const digestOf = (name: string): string =>
      `'sha256-${hash('sha256', new RegExp(`<${name}>([^]*?)</${name}>`).exec(page)?.[1] ?? '', 'base64')}'`;
    expect(/Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]).toBe(
      `default-src 'none'; base-uri 'none'; form-action 'none'; style-src ${digestOf('style')}; script-src ${digestOf('script')}`,
    );
    expect(pageOf()).toContain("script-src 'none'");
  });
});
