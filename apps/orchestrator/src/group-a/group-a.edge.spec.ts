import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { noFailpoints, Secret } from '@app/kernel';
import { GetCardInfoRequest, parseFormAnswer } from '@app/gateway-protocol';
import type { Accounts } from '@app/merchant-accounts';
import { OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import { VirtualClock } from '@app/testing';
import type { Admission } from '../rate-limit/rate-limit';
import { GroupAEdge, type ServedRequest } from './group-a.edge';
import type { IdempotencyKeys } from './idempotency/idempotency-keys';
import type { OauthDesk } from './oauth/oauth-desk';
import type { Answer, ControlProof, GroupAOperation } from './operation';

const SERIAL = '00000000-0000-0000-0000-000000000001';
const merchant = { login: 'acme', controlKey: new Secret('k'), rebillControl: 'with-endpoint' };
const accounts = {
  entryPoint: () => ({ kind: 'endpoint', id: '1001', merchant: 'acme' }),
  merchant: () => merchant,
} as unknown as Accounts;

const operation = ({
  isSigned = () => true,
  ...parts
}: Partial<
  Pick<GroupAOperation<GetCardInfoRequest>, 'perform'> & Pick<ControlProof, 'isSigned'>
>): GroupAOperation<GetCardInfoRequest> => ({
  name: 'get-card-info',
  message: GetCardInfoRequest,
  amount: 'none',
  proof: { kind: 'control', hasLogin: true, isSigned },
  perform: (): Promise<Answer> => Promise.resolve({ kind: 'answer', pairs: [['type', 'get-card-info-response']] }),
  ...parts,
});

describe('what fails inside a request', () => {
  let server: Server;
  let serve: GroupAOperation<GetCardInfoRequest>;
  let admission: Admission = { kind: 'admitted' };
  const errors: unknown[] = [];
  const served: ServedRequest[] = [];
  const edge = new GroupAEdge({
    accounts,
    oauth: {} as OauthDesk,
    idempotencyKeys: {} as IdempotencyKeys,
    serials: { next: () => SERIAL },
    clock: new VirtualClock(),
    failpoints: noFailpoints,
    rateLimit: { admit: () => Promise.resolve(admission), close: () => Promise.resolve() },
    onServed: (request) => served.push(request),
    onError: (_serial, error) => errors.push(error),
  });
  beforeAll(async () => {
    const app = express();
    app.post('/', (request: Request, response: Response) => edge.serve(request, response, 'endpoint', '1001', serve));
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => {
    errors.length = 0;
    served.length = 0;
    admission = { kind: 'admitted' };
  });

  const ask = async () => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'login=acme&cardrefid=a&control=b',
    });
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, fields: Object.fromEntries(parseFormAnswer(await response.text())) };
  };
  const bug = new Error('a secret detail');

  it.each([
    { what: 'a bug before the operation', parts: { isSigned: (): boolean => { throw bug; } }, code: '99', outcome: 'internal' }, // prettier-ignore
    { what: 'a bug in the operation', parts: { perform: () => Promise.reject(bug) }, code: '99', outcome: 'internal' },
    {
      what: 'a store that is away',
      parts: { perform: () => Promise.reject(new StoreUnavailable('x')) },
      code: '20',
      outcome: 'temporarily-unavailable',
    },
    {
      what: 'an answer of the store that was lost',
      parts: { perform: () => Promise.reject(new OutcomeUnknown('x')) },
      code: '21',
      outcome: 'acceptance-unknown',
    },
  ])('$what is told in the interface’s own form, with code $code', async ({ parts, code, outcome }) => {
    serve = operation(parts);
    const { status, fields } = await ask();
    expect(status).toBe(200);
    expect(fields).toMatchObject({ type: 'error', 'serial-number': SERIAL, 'error-code': code });
    expect(JSON.stringify(fields)).not.toContain('secret');
    expect(errors).toHaveLength(1);
    expect(served).toMatchObject([{ outcome }]);
  });

  it('a request beyond the merchant’s rate is told so with code 20, and when to come again (decisions, section 3)', async () => {
    const performed = jest.fn();
    serve = operation({ perform: performed });
    admission = { kind: 'limited', retryAfterMs: 1_001 };
    const { status, retryAfter, fields } = await ask();
    expect([status, retryAfter]).toStrictEqual([200, '2']);
    expect(fields).toStrictEqual({
      type: 'error',
      'serial-number': SERIAL,
      'error-message': 'Too many requests, nothing was accepted',
      'error-code': '20',
    });
    expect(performed).not.toHaveBeenCalled();
    expect([errors, served]).toMatchObject([[], [{ outcome: 'rate-limited', merchant: 'acme' }]]);
  });

  it('a stranger uses up no merchant’s rate (safety, T35)', async () => {
    serve = operation({ isSigned: () => false });
    admission = { kind: 'limited', retryAfterMs: 1 };
    const { retryAfter, fields } = await ask();
    expect([retryAfter, fields['error-code']]).toStrictEqual([null, '2']);
  });
});
