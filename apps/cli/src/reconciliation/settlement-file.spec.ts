import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { looksLikeCardNumberInReference } from '@app/event-store';
import { settlementFormatOf } from '@app/gateway-adapters/registry';
import type { Instant } from '@app/kernel';
import type { OrderStatusView } from '@app/read-models';
import { csvRecord, isSetAside, SettlementLines } from '@app/reconciliation';
import { settledRows, settlementFile } from './settlement-file';

const AT = 1_767_225_600_000 as Instant;
const SERIAL = '00000000-0000-0000-0000-000000000001';
const always = (): boolean => true;

const viewOf = (clientOrderId: string, transactionId: string, rrn: string): OrderStatusView =>
  ({
    clientOrderId,
    orderId: '1000000001',
    operation: 'sale',
    status: 'approved',
    currency: 'USD',
    amountMinor: '1042',
    commissionMinor: '10',
    finalAt: AT,
    requests: [{ serial: SERIAL }],
    receipt: { transactionId, rrn },
    followUps: [
      { serial: SERIAL, operation: 'reversal', status: 'declined', amountMinor: '5', finalAt: AT, receipt: null },
      { serial: SERIAL, operation: 'capture', status: 'approved', amountMinor: '5', finalAt: null, receipt: null },
    ],
  }) as unknown as OrderStatusView;

const readBack = (view: OrderStatusView) => {
  const format = settlementFormatOf('paynet');
  if (format === undefined) throw new Error('no format');
  const lines = new SettlementLines(format);
  const file = [format.columns, ...settledRows(view, always)].map(csvRecord).join('');
  const rows = [...lines.push(Buffer.from(file)), ...lines.end()];
  return rows.map((row) => {
    if (isSetAside(row)) throw new Error(`line ${row.line} is set aside`);
    return row;
  });
};

describe('the settlement file of a merchant', () => {
  it('contains the order and the follow-ups that ended in the period', () => {
    expect(readBack(viewOf('inv-1', 'T-1', '123'))).toMatchObject([
      {
        line: 2,
        original: 'inv-1',
        reference: SERIAL,
        operation: 'sale',
        status: 'approved',
        amount: { minor: 1_042n, currency: 'USD' },
        commissionMinor: 10n,
        processedAt: AT,
        gateOrderId: '1000000001',
        rrn: '123',
      },
      { line: 3, original: 'inv-1', operation: 'return', status: 'declined', amount: { minor: 5n } },
    ]);
    expect(settledRows(viewOf('inv-1', '', ''), () => false)).toStrictEqual([]);
  });

  it('contains later gate reports that moved money, which the reader marks as later events', () => {
    const report = (kind: string, transactionType: string | null, change: object = {}) => ({
      kind,
      reportId: `${kind}-1`,
      eventId: SERIAL,
      amountMinor: '500',
      outcome: null,
      receivedAt: AT,
      shown: transactionType === null ? null : { transactionType, stage: 'chargeback_approved' },
      ...change,
    });
    const reports = [
      report('chargeback', 'chargeback'),
      report('representment', 'chargeback', { outcome: 'lost' }),
      report('representment', 'chargeback', { outcome: 'won' }),
      report('reversal', 'reversal'),
      report('reversal', 'cancel'),
      report('fraud-warning', null),
      report('chargeback', 'chargeback', { receivedAt: AT + 1 }),
    ];
    const view = { ...viewOf('inv-1', '', ''), followUps: [], reports } as unknown as OrderStatusView;
    const rows = settledRows(view, (at) => at === AT);
    expect(rows.map(([, , , type, , amount, , , , caseId]) => [type, amount, caseId])).toStrictEqual([
      ['sale', '10.42', ''],
      ['chargeback', '5.00', 'chargeback-1'],
      ['representment_won', '5.00', 'representment-1'],
      ['reported_reversal', '5.00', 'reversal-1'],
      ['reported_cancel', '5.00', 'reversal-1'],
    ]);
    const read = settlementFormatOf('paynet')?.read ?? (() => undefined);
    expect(rows.slice(1).map((fields) => read(fields))).toMatchObject(rows.slice(1).map(() => ({ original: 'inv-1', isLaterEvent: true })));
  });

  it('can be read back for any client_orderid, transaction id and RRN', () => {
    const sign = fc.constantFrom(...'=+-@\'",;\t\n\r a1é４👛＝');
    const named = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit: sign, maxLength: 12 }));
    const clientOrderId = named
      .map((text) => [...text.replaceAll(/\p{Cc}/gu, '').trim()].slice(0, 128).join(''))
      .filter((text) => text !== '');
    fc.assert(
      fc.property(clientOrderId, named, named, (id, transactionId, rrn) => {
        fc.pre(![id, transactionId, rrn].some(looksLikeCardNumberInReference));
        const [line, followUp] = readBack(viewOf(id, transactionId, rrn));
        expect([line?.original, followUp?.original]).toStrictEqual([id, id]);
        if (/^[ -~]{1,128}$/.test(rrn)) expect(line?.rrn).toBe(rrn);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the settlement file of a simulator gate', () => {
  const before = { ...process.env };
  afterEach(() => (process.env = { ...before }));

  it('fails if there is no ledger and does not create one', async () => {
    process.env.DATA_DIR = join(tmpdir(), 'orch-nowhere');
    await expect(settlementFile({ simulator: 'sim-a' }, () => undefined)).rejects.toMatchObject({
      name: 'CommandFailed',
      message: `no ledger at ${join(tmpdir(), 'orch-nowhere', 'simulator.sqlite')}. Set DATA_DIR to the folder of the service`,
    });
    expect(existsSync(process.env.DATA_DIR)).toBe(false);
  });
});
