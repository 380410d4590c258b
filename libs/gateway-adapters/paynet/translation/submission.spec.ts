import { readAnswer } from '../wire/answer-fields';
import { readSubmission } from './submission';

const KEY = '6f1e8a60-0000-4000-8000-000000000001';
const read = (body: string) => readSubmission(readAnswer(body), KEY);

describe('the upstream gateway’s answer to a request that moves money', () => {
  it('takes it: its own name of the order and of the request are kept', () => {
    expect(read(`type=async-response\n&serial-number=00-1\n&merchant-order-id=${KEY}\n&paynet-order-id=1000000007\n`)).toEqual({
      kind: 'accepted',
      gateOrderId: '1000000007',
      serial: '00-1',
    });
  });

  it.each([
    ['a field is wrong', '1'],
    ['the checksum is wrong', '2'],
    ['the currency is not served', '8'],
    ['a code of its own', '12345'],
  ])('is a refusal of what was not taken: %s', (_, code) => {
    expect(read(`type=validation-error&error-message=no&error-code=${code}`)).toEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
  });

  it('says that nothing was accepted: another gate may be asked', () => {
    expect(read('type=error&error-message=busy&error-code=20')).toEqual({ kind: 'not-asked', cause: 'unavailable' });
  });

  it.each([
    ['it does not know whether it was accepted', 'type=error&error-code=21'],
    ['an internal error', 'type=error&error-code=99'],
    ['an error of its own', 'type=error&error-code=4711'],
    ['an error without a code', 'type=error'],
    ['the key is in use there', 'type=validation-error&error-code=7'],
  ])('leaves open what became of it: %s', (_, body) => {
    expect(read(body)).toEqual({ kind: 'unknown', cause: 'gate-undecided' });
  });

  it.each([
    ['an empty body', ''],
    ['a page of a proxy', '<html><title>502 Bad Gateway</title></html>'],
    ['another order’s answer', 'type=async-response&merchant-order-id=other&paynet-order-id=1000000007'],
    ['an acceptance without a name of the order', `type=async-response&merchant-order-id=${KEY}`],
    ['an acceptance that names no order of ours', 'type=async-response&paynet-order-id=1000000007'],
    ['a type that nobody knows', `type=sale-response&merchant-order-id=${KEY}&paynet-order-id=1`],
  ])('is not recognised: %s', (_, body) => {
    expect(read(body)).toEqual({ kind: 'unknown', cause: 'unrecognised-answer' });
  });
});
