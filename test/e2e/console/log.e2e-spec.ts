import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync, zipSync } from 'fflate';
import type { Page, Route } from 'playwright-core';
import { Console, faultsOfLooks, HAS_BROWSER, settled, tokenOf, WITHOUT_BROWSER } from '../../support/console/console';
import { Merchant, type Accepted } from '../../support/merchants/merchant';
import { orch, type OrchEnded } from '../../support/processes/orch';
import { until } from '../../support/until';

jest.setTimeout(120_000);
/** More events than the proof of an order keeps. */
const LONG = 105;
const STOPPED_AFTER = 30;
const LONG_CHECK_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'console-log-'));
const [pack, mutant] = ['pack.zip', 'mutant.zip'].map((name) => join(folder, name)) as [string, string];
const withBrowser = HAS_BROWSER ? it : it.skip;
let served: Console;
let order: Accepted;
let key: string;

const asAdmin = (...words: readonly string[]): Promise<OrchEnded> =>
  orch(words, { ...served.service.orchEnvironment, ORCH_OPERATOR_TOKEN: tokenOf('admin') });

beforeAll(async () => {
  if (!HAS_BROWSER) return console.warn(WITHOUT_BROWSER);
  served = await Console.open();
  order = await new Merchant(served.service).approvedSale();
  key = (await asAdmin('log', 'key', 'show')).out.trim();
  // A pack is refused until a checkpoint covers its newest event.
  await until(async () => (await asAdmin('evidence', order.orderId, '--reason', 'test', '-o', pack)).code === 0, {
    what: 'the evidence pack',
    timeoutMs: 60_000,
  });
  const files = unzipSync(readFileSync(pack));
  const changed = strFromU8(files['events.ndjson'] ?? new Uint8Array()).replace('"AttemptApproved"', '"AttemptDeclined"');
  writeFileSync(mutant, zipSync({ ...files, 'events.ndjson': Buffer.from(changed) }, { level: 0, mtime: new Date(1980, 0, 1) }));
  return undefined;
}, 180_000);
afterAll(async () => {
  await served?.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  if (HAS_BROWSER) expect(served.faults).toStrictEqual([]);
});

/** By the keyboard only. */
const trustKey = async (page: Page, text = key): Promise<void> => {
  await page.getByLabel('Published key of the log').focus();
  await page.keyboard.insertText(text);
  await page.keyboard.press('Enter');
};
const shows = (page: Page, text: string | RegExp): Promise<void> => page.locator('main').getByText(text).first().waitFor();

describe('the log', () => {
  withBrowser('verifies the newest checkpoint under a key that a person pasted, and under no other', async () => {
    const page = await served.signedIn('viewer', '/log');
    await shows(page, 'This browser trusts no key yet. Paste the published key of the log.');
    await trustKey(page, 'no key');
    await shows(page, 'This is no key of the form NAME+ID+BASE64.');
    // The published example of golang.org/x/mod/sumdb/note.
    await page.getByLabel('Published key of the log').fill('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
    await page.keyboard.press('Enter');
    await shows(page, /^The trusted key did not sign the checkpoint of/);
    await page.getByRole('button', { name: 'Forget this key' }).click();
    await page.getByRole('button', { name: 'Fill in the key of this service' }).press('Enter');
    // Shown before the first signature, the key had no name of a log yet.
    expect((await page.getByLabel('Published key of the log').inputValue()).slice(-44)).toBe(key.slice(-44));
    await shows(page, `Its last 44 characters: ${key.slice(-44)}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the key of this service' }).press('Enter');
    await page.getByText('Key of this service copied').waitFor();
    expect((await page.evaluate<string>('navigator.clipboard.readText()')).slice(-44)).toBe(key.slice(-44));
    await page.getByRole('button', { name: 'Trust this key' }).press('Enter');
    await shows(page, 'Compare it first:');
    await page.getByLabel(/^I compared its last 44 characters/).check();
    await page.getByRole('button', { name: 'Trust this key' }).press('Enter');
    await shows(page, 'It is the first checkpoint that this browser sees. Each later one must continue it.');
    expect(await page.getByRole('link', { name: 'Prove an event' }).count()).toBe(0);
    await served.show(page, '/log');
    await shows(page, /of the older checkpoint\.$|that this browser saw last\.$/);
    await shows(page, 'Verified');
    await page.context().close();
  });

  withBrowser('compares two checkpoints, which the address keeps', async () => {
    const page = await served.signedIn('viewer', '/log');
    await trustKey(page);
    await new Merchant(served.service).approvedSale();
    const sizes = await until(
      async () => {
        await served.show(page, '/log');
        const found = await page.locator('tbody tr th, tbody tr td:first-child').allTextContents();
        return found.length > 1 ? found : undefined;
      },
      { what: 'a second checkpoint', timeoutMs: 60_000 },
    );
    await page.getByRole('button', { name: 'Compare' }).click();
    await shows(page, new RegExp(`^The log of ${sizes[0] ?? ''} events begins with the`));
    await page.reload();
    await settled(page);
    await shows(page, new RegExp(`^The log of ${sizes[0] ?? ''} events begins with the`));
    await page.context().close();
  });

  withBrowser('verifies a pack by keyboard, and refuses a changed one with the reason', async () => {
    const page = await served.signedIn('investigator', '/log?tab=pack');
    const field = page.getByLabel('Evidence pack (zip)');
    await field.setInputFiles(pack);
    await shows(page, 'It holds under the key that came with it.');
    await trustKey(page);
    await shows(page, 'All of it holds.');
    await field.focus();
    await field.setInputFiles(mutant);
    await shows(page, 'The pack is not as it was signed.');
    await shows(page, 'Files: events.ndjson: not the one that the manifest names');
    await shows(page, /^Events: event \d+ \(AttemptDeclined, .*\): not in the log as it stands here/);
    await page.context().close();
  });

  withBrowser('verifies each event of an order, and names the one that the service changed', async () => {
    const page = await served.signedIn('investigator', `/orders/${order.orderId}?tab=proof`);
    await trustKey(page);
    const check = page.getByRole('button', { name: /^Check/ });
    await check.press('Enter');
    await shows(page, /^All \d+\sevents verified$/);
    expect(await page.getByText('Not verified').count()).toBe(0);
    await page.route('**/audit/events/**', async (route) => {
      const answer = await route.fetch();
      const event = (await answer.json()) as { type: string; data: string };
      await route.fulfill({
        response: answer,
        json: event.type === 'OrderApproved' ? { ...event, data: event.data.replace('10', '11') } : event,
      });
    });
    await check.press('Enter');
    await shows(page, /^1\sevent not verified$/);
    await shows(page, /^The event is not number .* of the log that was signed: it was changed, moved or replaced\.$/);
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('link', { name: 'Open on the Log screen' }).first().click();
    await page.waitForURL(/\/log\?.*stream=/);
    await shows(page, 'Check this event');
    await page.context().close();
  });

  withBrowser('verifies each event of a long order, also after a stop', async () => {
    const page = await served.newPage();
    await served.beginSession(page, 'investigator');
    let total = 0;
    await page.route(/\/audit\/orders\/[^/]+\?/, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { trail: readonly { type: string }[] };
      const events = body.trail.filter(({ type }) => type !== 'OperatorQueryAnswered');
      const trail = Array.from({ length: Math.ceil(LONG / events.length) }, () => events).flat();
      total = trail.length;
      return route.fulfill({ response: answer, json: { ...body, trail: trail.map((entry, index) => ({ ...entry, number: index + 1 })) } });
    });
    await served.show(page, `/orders/${order.orderId}?tab=proof`);
    await page.getByRole('button', { name: 'Fill in the key of this service' }).click();
    await shows(page, 'A key that comes from the service proves less than one that was kept elsewhere.');
    await trustKey(page, '');
    await shows(page, 'Compare it first: a service that changed its log can give another key.');
    await page.getByLabel(/^I compared its last 44 characters/).check();
    await page.getByRole('button', { name: 'Trust this key' }).click();
    // The repeated events have the same answers.
    const answers = new Map<string, Awaited<ReturnType<Route['fetch']>>>();
    let asked = 0;
    await page.route(/\/audit\/events\/|\/log\/proofs/, async (route) => {
      const url = route.request().url();
      if (url.includes('/audit/events/') && ++asked > STOPPED_AFTER && !isStopped) return undefined;
      const answer = answers.get(url) ?? (await route.fetch());
      answers.set(url, answer);
      return route.fulfill({ response: answer });
    });
    let isStopped = false;
    await page.getByRole('button', { name: `Check ${total}\u00a0events` }).click();
    await page
      .locator('.proved')
      .nth(STOPPED_AFTER - 1)
      .waitFor();
    await shows(page, new RegExp(`^Checked 20 of ${total}\\sevents…$`));
    await page.getByRole('button', { name: 'Stop' }).click();
    await shows(page, `${STOPPED_AFTER} of ${total}\u00a0events verified`);
    isStopped = true;
    await page.getByRole('button', { name: `Check the other ${total - STOPPED_AFTER}\u00a0events` }).click();
    await page.getByText(`All ${total}\u00a0events verified`).waitFor({ timeout: LONG_CHECK_MS });
    await shows(page, `The list has the last ${total - 100}\u00a0events of the ${total} checked.`);
    expect(await page.locator('.proved').count()).toBe(total - 100);
    await page.context().close();
  });

  withBrowser('is accessible in both themes, and fits a phone', async () => {
    const found: string[] = [];
    const event = `/log?tab=event&stream=${encodeURIComponent(await served.streamOf(order))}&revision=1`;
    for (const path of ['/log', '/log?tab=pack', event, `/orders/${order.orderId}?tab=proof`])
      found.push(
        ...(await faultsOfLooks(served, {
          person: 'investigator',
          path,
          prepare: async (page) => {
            if (path.endsWith('pack')) await page.getByLabel('Evidence pack (zip)').setInputFiles(mutant);
            if (path === event) await shows(page, 'Order of events: holds');
            if (!path.endsWith('proof')) return;
            await page.getByRole('button', { name: /^Check/ }).click();
            await shows(page, 'Not fully checked');
          },
        })),
      );
    expect(found).toStrictEqual([]);
  });
});
