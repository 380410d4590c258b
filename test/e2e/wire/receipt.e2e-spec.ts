import { Merchant } from '../../support/merchants/merchant';
import { OTHER_CONTROL_KEY, sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';

jest.setTimeout(30_000);

let service: Service;
let acme: Merchant;

beforeAll(async () => {
  service = await Service.start({ configuration: sandboxConfiguration() });
  acme = new Merchant(service);
}, 60_000);
afterAll(() => service.dispose());

const receiptOf = async (fields: Parameters<Merchant['sale']>[0] = {}): Promise<string> => {
  const order = await acme.accepted(acme.sale(fields));
  const { 'receipt-id': receiptId = '' } = await acme.finalStatus(order);
  return receiptId;
};

describe('view-receipt (decisions, section 1; safety, T46)', () => {
  it('is a printable page without a script, available as soon as status contains its id [W43, W176]', async () => {
    for (let round = 0; round < 3; round++) {
      const receiptId = await receiptOf();
      const { status } = await service.request(`/paynet/view-receipt/1001/${receiptId}/`);
      expect(status).toBe(200);
    }
    const receiptId = await receiptOf({ client_orderid: `<script>alert(${Date.now()})</script>` });
    const { status, headers, body } = await service.request(`/paynet/view-receipt/1001/${receiptId}/`);
    expect([status, headers['content-type']]).toStrictEqual([200, 'text/html;charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'none'/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(body).not.toMatch(/<script|javascript:|\son\w+=/i);
    expect(body).toContain('&lt;script&gt;alert(');
    for (const text of ['Two pairs of shoes', '10.42 USD', 'VISA **** 1111', 'approved', receiptId]) expect(body).toContain(text);
    for (const secret of ['444433', '4444333322221111', 'JOHN SMITH', 'john.smith@example.com']) expect(body).not.toContain(secret);
    expect((await service.request(`/paynet/view-receipt/1001/${receiptId}`)).status).toBe(200);
  });

  it('returns the same "not found" page for another endpoint, another merchant\'s endpoint and an unknown id [W179]', async () => {
    const receiptId = await receiptOf();
    const other = new Merchant(service, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
    await other.approvedSale();
    const paths = [
      `1002/${receiptId}/`,
      `9001/${receiptId}/`,
      `7777/${receiptId}/`,
      `1001/${'a'.repeat(24)}/`,
      '1001/x/',
      `2001/${receiptId}/`,
    ];
    const answers = await Promise.all(paths.map((path) => service.request(`/paynet/view-receipt/${path}`)));
    expect(answers.map(({ status }) => status)).toStrictEqual(paths.map(() => 404));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(answers[0]?.headers['content-type']).toBe('text/html;charset=utf-8');
  });

  it('does not exist for a declined order, and refuses methods other than GET (safety, T47)', async () => {
    await expect(receiptOf({ cvv2: '119' })).resolves.toBe('');
    const receiptId = await receiptOf();
    const { status, headers } = await service.request(`/paynet/view-receipt/1001/${receiptId}/`, { method: 'POST' });
    expect([status, headers['allow']]).toStrictEqual([405, 'GET']);
    expect((await service.operatorRequest(`/paynet/view-receipt/1001/${receiptId}/`)).status).toBe(404);
  });
});
