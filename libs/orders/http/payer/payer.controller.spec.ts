import 'reflect-metadata';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Handler, type Request, type Response } from 'express';
import { VaultUnavailable } from '@app/card-vault';
import { OutcomeUnknown, StoreUnavailable, type StreamName } from '@app/event-store';
import { sendAnswer, type HttpReply } from '@app/http/server';
import { ATTEMPT_KEY } from '@app/testing';
import { PayerController } from './payer.controller';
import type { PayerJourney } from './payer-journey';
import { encodePayerLink } from './payer-link';

const STREAM = `payment-${'a'.repeat(52)}` as StreamName;
const LINK = encodePayerLink(STREAM, ATTEMPT_KEY);

describe('a payer’s page while a store is unavailable (safety, F11)', () => {
  let server: Server;
  let error: Error;
  const reported: unknown[] = [];
  const fail = () => Promise.reject(error);
  const journey = {
    startAuthentication: fail,
    showOrder: fail,
    completeAuthentication: fail,
    reportFailure: (failure: unknown) => reported.push(failure),
  };
  const controller = new PayerController(journey as unknown as PayerJourney);

  beforeAll(async () => {
    const app = express();
    const answer =
      (reply: (request: Request) => Promise<HttpReply>): Handler =>
      async (request, response) =>
        sendAnswer(response, await reply(request));
    app.get(
      '/start',
      answer(() => controller.start(LINK)),
    );
    app.post(
      '/start',
      answer(() => controller.startByPost(LINK)),
    );
    app.get(
      '/return',
      answer(() => controller.showOrder(STREAM, ATTEMPT_KEY)),
    );
    app.post(
      '/return',
      answer((request) => controller.completeAuthentication(STREAM, ATTEMPT_KEY, request)),
    );
    app.use((_error: unknown, _request: Request, response: Response, _next: unknown) => void response.status(500).end('not a page'));
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => (reported.length = 0));

  const ask = async (method: string, path: string) => {
    const init = { method, ...(method === 'POST' && { body: new URLSearchParams({ password: 'hint' }) }) };
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, init);
    const { status, headers } = response;
    return { status, type: headers.get('content-type'), refresh: headers.get('refresh'), body: await response.text() };
  };

  it.each([
    ['the log', new StoreUnavailable('away')],
    ['the vault', new VaultUnavailable('away')],
  ])('is a page with status 503 that reloads itself if %s is unavailable', async (_name, away) => {
    error = away;
    for (const [method, path] of ['GET /start', 'POST /start', 'GET /return'].map((line) => line.split(' '))) {
      const { status, type, refresh, body } = await ask(method ?? '', path ?? '');
      expect({ status, type, refresh }).toStrictEqual({ status: 503, type: 'text/html;charset=utf-8', refresh: '5' });
      expect(body).toContain('This page reloads automatically');
      expect(body).not.toContain('away');
    }
    expect(reported).toStrictEqual([away, away, away]);
  });

  it('asks the payer to reload after a form post, which an automatic reload would omit', async () => {
    error = new OutcomeUnknown('lost');
    const { status, type, refresh, body } = await ask('POST', '/return');
    expect({ status, type, refresh }).toStrictEqual({ status: 503, type: 'text/html;charset=utf-8', refresh: null });
    expect(body).toContain('Reload this page and confirm');
    expect(reported).toStrictEqual([error]);
  });

  it('has status 500 after an unexpected error', async () => {
    error = new Error('a bug');
    await expect(ask('GET', '/start')).resolves.toMatchObject({ status: 500, body: 'not a page' });
    expect(reported).toStrictEqual([]);
  });
});
