import { RESULT_CODES } from '@app/kernel';
import { errorCatalogueMarkdown, REFUSALS } from './errors';
import { inWireOrder, REFUSAL_FIELDS, refusalResponse } from '../group-a/messages';

describe('interface 7.1: errors (protocol decisions, section 4)', () => {
  const entries = [...Object.values(REFUSALS), ...Object.values(RESULT_CODES)];

  it('has each code once but 20, which two things can be [W254]', () => {
    const codes = entries.map(({ code }) => code as number);
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toStrictEqual([20]);
  });

  it('answers a failed authentication as the interface shows it [W156]', () => {
    const response = refusalResponse({ name: 'authentication-failed', serialNumber: 's-1' });
    expect(inWireOrder(REFUSAL_FIELDS, response)).toStrictEqual([
      ['type', 'validation-error'],
      ['serial-number', 's-1'],
      ['error-message', 'INVALID_CONTROL_CODE'],
      ['error-code', '2'],
    ]);
  });

  it('names the field where one is at fault, and the order where it was readable', () => {
    const response = refusalResponse({
      name: 'malformed-field',
      serialNumber: 's-1',
      clientOrderId: 'inv-1',
      message: 'amount is required',
    });
    expect(inWireOrder(REFUSAL_FIELDS, response)).toStrictEqual([
      ['type', 'validation-error'],
      ['serial-number', 's-1'],
      ['merchant-order-id', 'inv-1'],
      ['error-message', 'amount is required'],
      ['error-code', '1'],
    ]);
  });

  it('is of type error for 20, 21 and 99 and of no other [W253]', () => {
    const ofTypeError = Object.values(REFUSALS).filter(({ type }) => type === 'error');
    expect(ofTypeError.map(({ code }) => code)).toStrictEqual([20, 20, 21, 99]);
  });

  it('prints every entry [W254]', () => {
    const markdown = errorCatalogueMarkdown();
    expect(markdown.split('\n').filter((line) => /^\| \d/.test(line))).toHaveLength(entries.length);
    expect(markdown).toContain('| 2 | validation-error | INVALID_CONTROL_CODE | authentication-failed |');
    expect(markdown).toContain('| 101 | declined | Expired card | expired-card |');
  });
});
