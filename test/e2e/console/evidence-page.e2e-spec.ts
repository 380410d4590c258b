import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { source as AXE } from 'axe-core';
import { strFromU8, unzipSync, zipSync, type ZipOptions } from 'fflate';
import type { Browser, Page } from 'playwright-core';
import { HAS_BROWSER, openBrowser, WITHOUT_BROWSER } from '../../support/http/browser';
import { Merchant } from '../../support/merchants/merchant';
import { orch } from '../../support/processes/orch';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(120_000);

const PAYER = { email: 'jane@example.com', address1: '7 Drill Street', city: 'Springfield', zip_code: '12345' };
const ATTACK = `Two tickets </q><script>document.title = 'attacked'</script><img src=x onerror="document.title = 'attacked'">`;
const PRINTED_PAGES_MAX = 3;
const ONE_WAY: ZipOptions = { level: 0, mtime: new Date(1980, 0, 1) };
interface Judged {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

const folder = mkdtempSync(join(tmpdir(), 'evidence-page-'));
const [pack, mutant, opened] = ['pack.zip', 'mutant.zip', 'open.html'].map((name) => join(folder, name)) as [string, string, string];
let browser: Browser | undefined;
let page: Page;
let key: string;
const problems: string[] = [];

const makePacks = async (): Promise<void> => {
  const service = await Service.start({ configuration: sandboxConfiguration(), stores: 'files' });
  try {
    const acme = new Merchant(service);
    await acme.approvedSale({ ...PAYER, amount: '12.00' });
    const disputed = await acme.approvedSale({ ...PAYER, amount: '87.10', order_desc: ATTACK });
    const make = () => orch(['evidence', disputed.orderId, '--reason', 'test', '-o', pack], service.orchEnvironment);
    // A pack is refused until a checkpoint covers its newest event.
    await until(async () => (await make()).code === 0, { what: 'the evidence pack', timeoutMs: 60_000 });
    key = (await orch(['log', 'key', 'show'], service.orchEnvironment)).out.trim();
  } finally {
    await service.dispose();
  }
  const files = unzipSync(readFileSync(pack));
  writeFileSync(opened, files['open.html'] ?? '');
  const changed = strFromU8(files['events.ndjson'] ?? new Uint8Array()).replace('"AttemptApproved"', '"AttemptDeclined"');
  writeFileSync(mutant, zipSync({ ...files, 'events.ndjson': Buffer.from(changed) }, ONE_WAY));
};

beforeAll(async () => {
  if (!HAS_BROWSER) return console.warn(WITHOUT_BROWSER);
  await makePacks();
  browser = await openBrowser();
  return undefined;
}, 180_000);
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = async (width: number): Promise<void> => {
  if (browser === undefined) throw new Error('no browser');
  page = await browser.newPage({ viewport: { width, height: 844 } });
  problems.length = 0;
  page.on('console', (message) => void problems.push(message.text()));
  page.on('pageerror', (error) => void problems.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) problems.push(`asked for ${request.url()}`);
  });
  await page.goto(pathToFileURL(opened).href);
};
const result = (text: string): Promise<void> => page.locator('#result', { hasText: text }).waitFor();
const withBrowser = HAS_BROWSER ? it : it.skip;

describe('open.html of an evidence pack, from disk', () => {
  afterEach(async () => {
    expect(problems).toStrictEqual([]);
    await page.close();
  });

  withBrowser('shows the payment and its history, and no text of the merchant becomes markup', async () => {
    await open(1_280);
    expect(await page.locator('h1').textContent()).toBe('87.10 USD');
    expect(await page.locator('q').textContent()).toBe(ATTACK);
    expect(await page.title()).toMatch(/^87\.10 USD, acme, order \d+$/);
    expect(await page.locator('.earlier tbody tr').count()).toBe(1);
    const words = page.locator('#moment-words strong');
    const all = await page.locator('.timeline li').count();
    await page.getByRole('button', { name: 'One event back' }).click();
    const before = await words.textContent();
    await page.getByRole('slider', { name: 'Event' }).press('Home');
    expect([before, await words.textContent()]).toStrictEqual([
      expect.stringMatching(new RegExp(`^[1-${all}] of `)) as string,
      expect.stringContaining('1 of ') as string,
    ]);
  });

  withBrowser('holds for the pack under the published key, and proves no signer without it', async () => {
    await open(1_280);
    await page.getByLabel('Evidence pack (zip)').setInputFiles(pack);
    await result('It holds under the key that came with it.');
    for (const place of ['the Log screen', '/log', 'orch log key show']) await page.locator('#key-hint', { hasText: place }).waitFor();
    expect(await page.locator('#verdict').getAttribute('class')).toBe('verdict unsure');
    await page.getByLabel('Published public key').fill(`${key}x`);
    await result('The key is not of the form');
    await page.getByLabel('Published public key').fill(key);
    await result('All of it holds.');
    expect(await page.locator('#verdict').textContent()).toBe('All of it holds. Details');
  });

  withBrowser('refuses a changed pack that is dropped on the page, and names the fault', async () => {
    await open(1_280);
    await page.getByLabel('Published public key').fill(key);
    const bytes = readFileSync(mutant).toString('base64');
    await page.evaluate(`{
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob('${bytes}'), (one) => one.charCodeAt(0))], 'pack.zip'));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }`);
    await result('The pack is not as it was signed.');
    const faults = await page.locator('#result li').allTextContents();
    expect(faults).toStrictEqual([
      'Files: events.ndjson: not the one that the manifest names',
      expect.stringMatching(/^Events: event \d+ \(AttemptDeclined, .*\): not in the log as it stands here/) as string,
      expect.stringMatching(/^Events: .*does not follow the event before it$/) as string,
    ]);
  });

  withBrowser('is accessible in both themes, fits a phone, and prints on few pages', async () => {
    await open(390);
    await page.getByLabel('Evidence pack (zip)').setInputFiles(pack);
    await result('It holds under the key');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.evaluate(AXE);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const { violations } = await page.evaluate<Judged>('axe.run()');
      expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toStrictEqual([]);
    }
    await page.emulateMedia({ media: 'print' });
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(PRINTED_PAGES_MAX);
  });
});
