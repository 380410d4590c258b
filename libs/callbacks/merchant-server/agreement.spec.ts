import type { CheckAnswer } from './check-call';
import { agreementOf, type SentTexts } from './agreement';

const texts = (given: Readonly<Record<string, string>>) => new Map(Object.entries(given));
const CUSTOMER = { holder: 'KIM LEE', email: 'kim@example.com' };
const sent = (customer: Readonly<Record<string, string>> = {}, more: Partial<SentTexts> = {}): SentTexts => ({
  currency: 'USD',
  customer: texts({ ...CUSTOMER, ...customer }),
  details: texts({ purpose: 'shoes' }),
  device: texts({ serialNumber: 'SN-1' }),
  ...more,
});
const BILLING = { address: { city: 'Riga', country: 'LVA', postcodeZip: '1001', state: 'RI', street: 'One 1' }, phone: '371' };
const BILLED = { phone: '371', country: 'LV', state: 'RI', city: 'Riga', zipCode: '1001', address1: 'One 1' };
const plain = (filled: ReturnType<typeof agreementOf>) =>
  typeof filled === 'string'
    ? filled
    : Object.fromEntries(Object.entries(filled).map(([name, value]) => [name, Object.fromEntries(value as Map<string, string>)]));

describe('the texts of a check response (protocol decisions, section 8)', () => {
  it('change nothing if they are absent or equal to the request', () => {
    const same: CheckAnswer = {
      currency: 'USD',
      email: 'kim@example.com',
      billing: BILLING,
      birthDay: '31121999',
      ipAddresses: ['192.0.2.1'],
    };
    const all = sent(
      { ...BILLED, birthday: '19991231' },
      { device: texts({ ipAddresses: '192.0.2.1' }), details: texts({ ipAddress: '192.0.2.1' }) },
    );
    expect(agreementOf(sent(), {})).toStrictEqual({});
    expect(agreementOf(all, same)).toStrictEqual({});
  });

  it('fill in the texts that the app omitted and keep the others [W108, W398]', () => {
    const answer: CheckAnswer = { billing: BILLING, birthDay: '31121999', ipAddresses: ['192.0.2.1', '192.0.2.2'] };
    expect(plain(agreementOf(sent({ city: 'Riga' }), answer))).toStrictEqual({
      customer: { ...CUSTOMER, ...BILLED, birthday: '19991231' },
      details: { purpose: 'shoes', ipAddress: '192.0.2.1' },
    });
  });

  it.each<[string, CheckAnswer, Readonly<Record<string, string>>, Partial<SentTexts>]>([
    ['currency', { currency: 'EUR' }, {}, {}],
    ['consumer.email', { email: 'lee@example.com' }, {}, {}],
    ['consumer.birthDay', { birthDay: '01012000' }, { birthday: '19991231' }, {}],
    ['billing.phone', { billing: { phone: '2' } }, { phone: '1' }, {}],
    ['billing.address.city', { billing: { address: { city: 'Tartu' } } }, { city: 'Riga' }, {}],
    ['billing.address.country', { billing: { address: { country: 'EST' } } }, { country: 'LV' }, {}],
    ['billing.address.postcodeZip', { billing: { address: { postcodeZip: '2' } } }, { zipCode: '1' }, {}],
    ['billing.address.state', { billing: { address: { state: 'NY' } } }, { state: 'CA' }, {}],
    ['billing.address.street', { billing: { address: { street: 'b' } } }, { address1: 'a' }, {}],
    ['billing.address.street2', { billing: { address: { street2: 'b' } } }, {}, { device: texts({ street2: 'a' }) }],
    ['consumer.ipAddresses', { ipAddresses: ['192.0.2.9'] }, {}, { device: texts({ ipAddresses: '192.0.2.1 192.0.2.2' }) }],
  ])("fail the check if they contradict the app's %s [W109, W111, W399]", (_member, answer, customer, more) => {
    expect(agreementOf(sent(customer, more), answer)).toBe('contradiction');
  });

  it('fill in an optional e-mail address that the app omitted [W533]', () => {
    const without = { ...sent(), customer: texts({ holder: 'KIM LEE' }) };
    expect(plain(agreementOf(without, { email: 'kim@example.com' }))).toStrictEqual({
      customer: { holder: 'KIM LEE', email: 'kim@example.com' },
    });
    expect(agreementOf(without, {})).toStrictEqual({});
  });

  it('may list the IP addresses in any order', () => {
    const device = texts({ ipAddresses: '192.0.2.1 192.0.2.2' });
    expect(
      agreementOf(sent({}, { device, details: texts({ ipAddress: '192.0.2.1' }) }), { ipAddresses: ['192.0.2.2', '192.0.2.1'] }),
    ).toStrictEqual({});
  });
});

describe('a repeat by reference (protocol decisions, section 8, repeat sale and transfer) [W99, W429]', () => {
  const EMAIL = 'kim@example.com';

  it('(2) takes the texts missing from both app and response from the card mapping [W428]', () => {
    const mapped = texts({ holder: 'KIM LEE', email: EMAIL, phone: '1', city: 'Riga', zipCode: '1001' });
    const own = sent({}, { customer: texts({ email: EMAIL, city: 'Tartu' }), mapped });
    expect(plain(agreementOf(own, { email: EMAIL, billing: { address: { postcodeZip: '2002' } } }))).toStrictEqual({
      customer: { email: EMAIL, city: 'Tartu', zipCode: '2002', holder: 'KIM LEE', phone: '1' },
    });
  });

  it.each([
    ['the same in perform and answer', EMAIL, EMAIL, EMAIL, 'agreed'],
    ['none in the answer', EMAIL, EMAIL, undefined, 'contradiction'],
    ['another in perform and answer', EMAIL, 'lee@example.com', 'lee@example.com', 'contradiction'],
    ['another in the answer', EMAIL, EMAIL, 'lee@example.com', 'contradiction'],
    ['none in mapping or answer', undefined, EMAIL, undefined, 'agreed'],
    ['none in the mapping, the app’s in the answer', undefined, EMAIL, EMAIL, 'agreed'],
    ['none in perform, the mapping’s in the answer', EMAIL, undefined, EMAIL, 'agreed'],
    ['none in perform, another in the answer', EMAIL, undefined, 'lee@example.com', 'contradiction'],
    ['none in perform or answer', EMAIL, undefined, undefined, 'contradiction'],
    ['none in perform or mapping, one in the answer', undefined, undefined, EMAIL, 'agreed'],
    ['none anywhere', undefined, undefined, undefined, 'agreed'],
  ] as const)('(3) consumer.email: %s [W99, W533]', (_what, mappedEmail, own, answered, outcome) => {
    const mapped = texts({ holder: 'KIM LEE', ...(mappedEmail !== undefined && { email: mappedEmail }) });
    const agreement = agreementOf(
      { ...sent(), customer: texts({ holder: 'KIM LEE', ...(own !== undefined && { email: own }) }), mapped },
      answered === undefined ? {} : { email: answered },
    );
    expect(agreement === 'contradiction' ? agreement : 'agreed').toBe(outcome);
  });
});
