import { masked, TourReport } from './visit';
import { terminalOutput } from '../../terminal';

it('masks the middle digits of a card number and the whole CVV and keeps other fields', () => {
  expect(masked('credit_card_number', '4444333322221111')).toBe('444433******1111');
  expect(masked('cvv2', '123')).toBe('***');
  expect(masked('sourceCard.number', '4444333322221111')).toBe('444433******1111');
  expect(masked('sourceOfFunds.card.number', '4444333322221111')).toBe('444433******1111');
  expect(masked('sourceOfFunds.reference.securityCode', '1234')).toBe('****');
  expect(masked('amount', '10.42')).toBe('10.42');
});

const shown = (isJson: boolean, show: (report: TourReport) => void): string => {
  let out = '';
  const streams = { stdout: { isTTY: false, write: (text: string) => Boolean((out += text)) }, stderr: { write: () => true } };
  show(new TourReport(terminalOutput(isJson, streams)));
  return out;
};

const whole = (report: TourReport): void => {
  report.say('a note');
  report.step('Pay', 'a card is charged');
  report.request('POST', '/paynet/api/v2/sale/1', [['amount', '10.42']]);
  report.answer('200', [['type', 'async-response']]);
  report.claim('it is approved', true);
  report.claim('it is paid twice', false);
  report.command('see the order', 'orch show p-1');
};

describe('the report of a tour', () => {
  it('prints readable lines, with the purpose above each command', () => {
    expect(shown(false, whole).split('\n')).toStrictEqual([
      'a note',
      '',
      '1. Pay',
      '   a card is charged',
      '   → POST /paynet/api/v2/sale/1',
      '     amount  10.42',
      '   ← 200',
      '     type  async-response',
      '   ✓ it is approved',
      '   ✗ it is paid twice',
      '',
      '# see the order',
      'orch show p-1',
      '',
    ]);
  });

  it('prints one JSON object per line with --json', () => {
    const lines = shown(true, whole).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toStrictEqual([
      { version: 1, kind: 'note', text: 'a note' },
      { version: 1, kind: 'step', number: 1, title: 'Pay', told: 'a card is charged' },
      { version: 1, kind: 'request', method: 'POST', url: '/paynet/api/v2/sale/1', fields: { amount: '10.42' } },
      { version: 1, kind: 'answer', head: '200', fields: { type: 'async-response' } },
      { version: 1, kind: 'claim', text: 'it is approved', holds: true },
      { version: 1, kind: 'claim', text: 'it is paid twice', holds: false },
      { version: 1, kind: 'command', purpose: 'see the order', line: 'orch show p-1' },
    ]);
  });
});
