import type { Page } from 'playwright-core';
import {
  axeFaults,
  Console,
  focusedText,
  HAS_BROWSER,
  overflowOf,
  settled,
  tokenOf,
  WITHOUT_BROWSER,
  type Theme,
} from '../../support/console/console';

jest.setTimeout(60_000);
const START_TIMEOUT_MS = 120_000;

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

(HAS_BROWSER ? describe : describe.skip)('the sign-in of the console', () => {
  let served: Console;
  let page: Page;

  beforeAll(async () => {
    served = await Console.open();
  }, START_TIMEOUT_MS);
  afterAll(() => served?.close(), START_TIMEOUT_MS);
  afterEach(async () => {
    await page.context().close();
    expect(served.faults).toEqual([]);
  });

  const token = () => page.getByLabel('Token');
  const error = () => page.locator('.field-error');

  it('exchanges a token for a session, and opens the address that was asked for', async () => {
    page = await served.newPage();
    await page.goto(served.addressOf('/queues?queue=callbacks'));
    await page.getByText(`Test ${served.service.baseUrl.replace('http://', '')}, release 0.2.0`).waitFor();
    await token().fill(tokenOf('viewer'));
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    expect(page.url()).toBe(served.addressOf('/queues?queue=callbacks'));
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.toContain(tokenOf('viewer'));
  });

  it('ties the refusal of a wrong token to the field, which keeps the focus', async () => {
    page = await served.newPage();
    await page.goto(served.addressOf('/'));
    await token().fill('orch_no_such_token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await error().getByText('No operator has this token').waitFor();
    expect(await token().getAttribute('aria-invalid')).toBe('true');
    expect(await token().getAttribute('aria-describedby')).toContain(await error().getAttribute('id'));
    expect(await page.locator('input:focus').count()).toBe(1);
    expect(await axeFaults(page)).toEqual([]);
    await token().fill('');
    await page.keyboard.press('Enter');
    await error().getByText('Paste your token').waitFor();
  });

  it('asks again after the end of the session, and returns to the same screen', async () => {
    page = await served.signedIn('viewer', '/gates');
    await page.context().clearCookies();
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Your session ended').waitFor();
    expect(await focusedText(page)).toBe('Sign in to the console');
    await token().fill(tokenOf('viewer'));
    await page.keyboard.press('Enter');
    await settled(page);
    expect(await page.locator('h1').textContent()).toBe('Overview');
    expect(page.url()).toBe(served.addressOf('/'));
  });

  it('opens the same screen for the same person after a sign-out, and the overview for another person', async () => {
    page = await served.signedIn('viewer', '/gates');
    for (const [person, heading] of [
      ['viewer', 'Gates'],
      ['investigator', 'Overview'],
    ] as const) {
      await page.locator('header summary').click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await token().fill(tokenOf(person));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    }
    expect(page.url()).toBe(served.addressOf('/'));
  });

  it('ends the session on request, and a copy of its cookie with it', async () => {
    page = await served.signedIn('viewer');
    const copy = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    await page.locator('summary', { hasText: 'viewer' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await token().waitFor();
    expect(await page.context().cookies()).toEqual([]);
    const { status } = await served.service.send(`${served.service.operatorUrl}/session`, { headers: { cookie: copy } });
    expect(status).toBe(401);
  });

  it.each<Theme>(['light', 'dark'])('has no fault of axe in the %s theme, and fits 320 px', async (theme) => {
    page = await served.newPage({ theme, width: 320 });
    await page.goto(served.addressOf('/'));
    await token().waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });
});
