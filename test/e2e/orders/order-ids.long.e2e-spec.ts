import { Merchant } from '../../support/merchants/merchant';
import { orch } from '../../support/processes/orch';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';

jest.setTimeout(60_000);

const NUMBER = /^[12]\d{9}$/;
const configured = (orderIds: 'numeric' | 'text'): object => sandboxConfiguration({ whole: { orderIds } });

describe('orderIds', () => {
  let service: Service;
  let acme: Merchant;

  beforeAll(async () => {
    service = await Service.start({ configuration: configured('text') });
    acme = new Merchant(service);
  });
  afterAll(() => service?.dispose());

  it('can be switched from text to numbers and back, and both forms work for status, registration, follow-ups and search [W487]', async () => {
    const text = await acme.approvedSale();
    expect(text.orderId).toMatch(/^p[a-z0-9]{14}r$/);
    await service.restart(undefined, configured('numeric'));

    const number = await acme.approvedSale();
    expect(number.orderId).toMatch(NUMBER);
    const rebill = await acme.approved(acme.rebill(await acme.registeredCard()));
    expect(rebill.orderId).toMatch(NUMBER);
    const both = [text, number];
    for (const order of both) {
      expect((await acme.status(order)).fields).toMatchObject({ 'paynet-order-id': order.orderId, status: 'approved' });
      expect((await acme.createCardRef(order)).fields).toMatchObject({ 'card-ref-id': expect.any(String) });
      const returned = await acme.approvedFollowUp('return', order);
      expect(returned.orderId).toBe(order.orderId);
      expect((await orch(['show', order.orderId], service.orchEnvironment)).out).toContain(order.clientOrderId);
    }

    await service.restart(undefined, configured('text'));
    for (const order of [...both, rebill]) expect((await acme.status(order)).fields).toMatchObject({ 'paynet-order-id': order.orderId });
    expect((await acme.approvedSale()).orderId).toMatch(/^p[a-z0-9]{14}r$/);
  });
});
