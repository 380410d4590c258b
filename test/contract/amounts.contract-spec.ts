import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Request } from 'express';
import fc from 'fast-check';
import { settlementFormatOf } from '@app/gateway-adapters/registry';
import { Form, readAmount, ReturnRequest, validateMessage } from '@app/gateway-protocol';
import { formatAmount, parseAmount, type Instant } from '@app/kernel';
import { csvRecord, isSetAside, SettlementLines } from '@app/reconciliation';
import { amountMinor } from '@app/testing/any-amount';
import { orderOf } from '../../apps/cli/src/device/device';
import { TypedSecrets } from '../../apps/cli/src/device/typed-secrets';
import { ListOrdersRequest } from '../../apps/orchestrator/src/operator/list-orders.request';
import { readQuestion } from '../../apps/orchestrator/src/operator/question.pipe';
import { RouteQuestionRequest } from '../../apps/orchestrator/src/operator/operator.requests';
import { readAction } from '../../apps/orchestrator/src/operator/read-action';
import { reportIn, ReportRequest } from '../../apps/orchestrator/src/operator/operator-disputes.controller';

const NOW = Date.UTC(2026, 10, 24) as Instant;
const NUMBER_OF_RUNS = 300;

const posted = async <Message extends object>(body: object, Message: new () => Message): Promise<Message> => {
  const request = new IncomingMessage(new Socket());
  request.headers['content-type'] = 'application/json';
  request.push(Buffer.from(JSON.stringify(body)));
  request.push(null);
  const read = await readAction(request as Request, Message);
  if ('refused' in read) throw new Error(read.refused.error);
  return read.ok;
};

const settled = (adapter: Parameters<typeof settlementFormatOf>[0], fields: Readonly<Record<string, string>>) => {
  const format = settlementFormatOf(adapter);
  if (format === undefined) throw new Error('no format');
  const lines = new SettlementLines(format);
  const file = csvRecord(format.columns) + csvRecord(format.columns.map((name) => fields[name] ?? ''));
  const [line] = [...lines.push(Buffer.from(file)), ...lines.end()];
  if (line === undefined || isSetAside(line)) throw new Error('the line is set aside');
  return line;
};
const paynetLine = {
  'merchant-order-id': 'o-1',
  'paynet-order-id': '1000000001',
  'by-request-sn': '00000000-0000-0000-0000-000000000001',
  'transaction-type': 'sale',
  status: 'approved',
  amount: '1.00',
  currency: 'USD',
  'transaction-date': '2026-11-24 08:30:00 UTC',
};
const simulatorLine = {
  key: 'key-1',
  original: 'key-1',
  operation: 'charge',
  status: 'approved',
  amount: '1.00',
  currency: 'USD',
  processed_at: '2026-11-24T08:30:00.000Z',
};

const keyboard = { input: process.stdin, isTerminal: false, ask: () => undefined };
const NAMED = { login: 'acme', client_orderid: 'o-1', orderid: '1000000001', currency: 'USD', control: 'x' };

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  parseAmount,
  'a return of an amount, before its signature': (text) => {
    const read = readAmount(Form.of([['amount', text]]), 'optional');
    return 'ok' in read ? read.ok : read.refused.message;
  },
  'a return of an amount': (text) => {
    const read = validateMessage(ReturnRequest, Form.of(Object.entries({ ...NAMED, amount: text })));
    return 'ok' in read ? parseAmount(read.ok.amount ?? '') : read.refused.message;
  },
  'the settlement file of an upstream gateway': (text) => settled('paynet', { ...paynetLine, amount: text }).amount.minor,
  'its commissions': (text) => settled('paynet', { ...paynetLine, commission: text }).commissionMinor,
  'the settlement file of the simulator': (text) => settled('simulator', { ...simulatorLine, amount: text }).amount.minor,
  'the commissions of the simulator': (text) => settled('simulator', { ...simulatorLine, commission: text }).commissionMinor,
  'a chargeback at the operator port': async (text) => {
    const request = await posted({ actor: 'ann', kind: 'chargeback', case: 'C-1', amount: text, currency: 'USD' }, ReportRequest);
    const read = reportIn(request, NOW);
    return 'ok' in read && read.ok.kind === 'chargeback' ? read.ok.amount.minor : read;
  },
  'a list of orders by their amounts': async (text) => {
    const query = new URLSearchParams({ actor: 'ann', amountFrom: text, currency: 'USD' }).toString();
    return BigInt((await readQuestion(ListOrdersRequest, { url: `/audit/orders?${query}` })).amountFrom ?? -1);
  },
  'a question about a route': async (text) => parseAmount((await posted({ endpoint: '1', amount: text }, RouteQuestionRequest)).amount),
  'orch device --amount': async (text) => {
    const options = { email: 'a@b.example', currency: 'USD', amount: text, card: 'ref:x', birthday: '01011990' };
    const order = await orderOf('sale', options, new TypedSecrets(keyboard));
    return 'amountCentis' in order ? order.amountCentis : undefined;
  },
};

it.each(Object.entries(READERS))('%s parses every amount that this service writes', async (_reader, read) => {
  await fc.assert(
    fc.asyncProperty(amountMinor, async (minor) => {
      expect(await read(formatAmount(minor))).toBe(minor);
    }),
    { numRuns: NUMBER_OF_RUNS },
  );
});
