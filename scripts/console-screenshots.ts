import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser } from '../test/support/http/browser';
import { pixelsOf, withPalette } from './documents/palette-png';

/** Makes the console's pictures of the documents from a demonstration: `npm run docs:images`. DATA_DIR names a filled one. */
const OUT = join('docs', 'images');
const ORCH = join('dist', 'apps', 'cli', 'src', 'main.js');
const WIDTH = 1_440;
const HEIGHT = { min: 900, max: 1_100 };
const BYTES_MAX = 150_000;
/** Until a skeleton would be shown, or a list is drawn. */
const DRAWN_MS = 800;
const START_TIMEOUT_MS = 300_000;

interface Served {
  readonly consoleUrl: string;
  readonly operatorUrl: string;
  readonly stop: () => Promise<void>;
}

const serve = (): Promise<Served> =>
  new Promise((started, failed) => {
    // With the ports of the filling: others would be another configuration than the applied one, which the overview reports.
    const child = spawn(process.execPath, [ORCH, '--json', 'sandbox', '--demo'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise<void>((over) => child.once('close', () => over()));
    const timer = setTimeout(() => child.kill('SIGTERM'), START_TIMEOUT_MS);
    child.once('close', (code) => failed(new Error(`the sandbox ended with code ${code}`)));
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      const line = out.split('\n').find((one) => one.includes('"serving"'));
      if (line === undefined) return;
      clearTimeout(timer);
      const { consoleUrl, operatorUrl } = JSON.parse(line) as Served;
      const stop = async (): Promise<void> => {
        child.kill('SIGTERM');
        await ended;
      };
      started({ consoleUrl, operatorUrl, stop });
    });
  });

const settled = async (page: Page): Promise<void> => {
  await page.locator('h1').waitFor();
  await page.waitForTimeout(DRAWN_MS);
  await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' });
};

/** So that the picture ends where the screen ends, if that is not far. @throws Error if a part of the screen is cut at the right */
const fit = async (page: Page, name: string): Promise<void> => {
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ width: WIDTH, height: Math.min(Math.max(height, HEIGHT.min), HEIGHT.max) });
  await settled(page);
  const cut = await page.evaluate<number>(
    "[...document.querySelectorAll('.table-region, .tabs')].filter((one) => one.scrollWidth > one.clientWidth + 1).length",
  );
  if (cut > 0) throw new Error(`${name}: ${cut} tables or tabs are wider than their place at ${WIDTH} px`);
};

/** With another status in the gate's file. */
const caseOfStatus = async (page: Page, operatorUrl: string): Promise<string> => {
  const answer = await page.request.get(`${operatorUrl}/reconciliation/cases`);
  const { cases } = (await answer.json()) as {
    readonly cases?: readonly { readonly caseId: string; readonly differences: readonly { readonly field: string }[] }[];
  };
  const found = cases?.find(({ differences }) => differences.some(({ field }) => field === 'status'));
  if (found === undefined) throw new Error(`no case of a status: ${await answer.text()}`);
  return found.caseId;
};

/** By the identifier that its merchant gave it. */
const orderOf = async (page: Page, operatorUrl: string, name: string): Promise<string> => {
  const answer = await page.request.get(`${operatorUrl}/orders/find?q=${name}`);
  const { found } = (await answer.json()) as { readonly found?: readonly { readonly order: { readonly orderId: string } }[] };
  const [first] = found ?? [];
  if (first === undefined) throw new Error(`no order ${name}: ${await answer.text()}`);
  return first.order.orderId;
};

/** The picture shows a check that succeeded. */
const prove = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Fill in the key of this service' }).click();
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Trust this key' }).click();
  await page.getByRole('button', { name: /^Check \d+\sevents$/ }).click();
  await page.getByText(/^All \d+\sevents verified$/).waitFor();
};

const main = async (): Promise<void> => {
  const served = await serve();
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT.min }, colorScheme: 'light', reducedMotion: 'reduce' });
    await page.goto(served.consoleUrl);
    await settled(page);
    const [large, disputed] = [
      await orderOf(page, served.operatorUrl, 'acme-large-1'),
      await orderOf(page, served.operatorUrl, 'acme-disputed-1'),
    ];
    const SCREENS: readonly (readonly [name: string, path: string, act?: (page: Page) => Promise<void>])[] = [
      ['orders', '/orders'],
      ['order', `/orders/${large}?at=3`],
      ['queues', '/queues?queue=callbacks&merchant=fjord'],
      ['gates', '/gates'],
      ['case', `/queues?queue=cases&case=${await caseOfStatus(page, served.operatorUrl)}`],
      ['proof', `/orders/${disputed}?tab=proof`, prove],
      // Last, because a process signs its first checkpoint after ten seconds.
      ['overview', '/'],
    ];
    mkdirSync(OUT, { recursive: true });
    for (const [name, path, act] of SCREENS) {
      await page.setViewportSize({ width: WIDTH, height: HEIGHT.min });
      await page.goto(`${served.operatorUrl}/console${path}`);
      await settled(page);
      await act?.(page);
      await fit(page, name);
      const png = withPalette(pixelsOf(await page.screenshot({ type: 'png' })));
      if (png.length > BYTES_MAX) throw new Error(`${name} has ${png.length} bytes, more than ${BYTES_MAX}`);
      writeFileSync(join(OUT, `console-${name}.png`), png);
      process.stdout.write(`${resolve(OUT, `console-${name}.png`)}: ${Math.round(png.length / 1_000)} kB\n`);
    }
  } finally {
    await browser.close();
    await served.stop();
  }
};

void main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
